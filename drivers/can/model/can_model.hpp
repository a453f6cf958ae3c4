// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tactus/model_driver.hpp>
#include <utility>
#include <vector>

#include "drivers/can/model/bus_log.hpp"
#include "drivers/can/model/bus_off.hpp"
#include "drivers/can/model/diagnostics.hpp"
#include "drivers/can/model/guard.hpp"
#include "drivers/can/model/id_index.hpp"
#include "drivers/can/model/model_bus.hpp"
#include "drivers/can/model/raw_log.hpp"
#include "drivers/can/model/received_message.hpp"
#include "drivers/can/model/replay.hpp"
#include "drivers/can/model/sent_message.hpp"
#include "drivers/can/model/settings.hpp"
#include "drivers/can/port/can_socket.hpp"
#include "drivers/can/port/frame_times.hpp"
#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

/// `driver: can`: the messages of one bus as variables.
///
/// Job `receive`, at the top of each frame, takes what has come; job `send`, of class effector_emitter, hands over what is
/// due. Neither makes a system call.
///
/// Threads  as each model: setup, and the threads of its jobs; take_message(): another; drive_safe(): any.
class __attribute__((visibility("hidden"))) CanModel : public ModelDriver {
 public:
  static constexpr const char* kExtension = ".dbc";
  /// Describes a database for `tactus check x.dbc`. @when setup
  static void examine(const std::string& file, const Examination& to);

  /// Makes the port of an interface. @when setup
  using OpenPort = std::function<std::unique_ptr<Port>(const Settings&, const BitRates&, bool fd)>;
  CanModel();
  explicit CanModel(OpenPort open_port) : open_port_(std::move(open_port)) {}

  void keys(Keys& k) override { settings_.keys(k); }
  void located(const std::string& folder) override { folder_ = folder; }
  void check(const Problems& problems) override;
  void names(const KeyNames& to) override;
  std::vector<tactus::Message> remarks() const override;
  void declare(Declare& d) override;
  void planned(const std::string& job, std::int64_t cycle_num, std::int64_t cycle_den) override;
  void open(const OpenRequest& request) override;
  bool take_message(tactus::Message& to) override;
  bool has_safe_values() const override { return !settings_.is_simulated(); }
  bool drive_safe(bool for_good) noexcept override;
  std::vector<DrivenOutput> outputs() const override;
  std::vector<OfferedFault> faults() const override;
  void disturb(std::uint32_t number, bool acts, double amount) noexcept override;
  std::uint64_t disturbed(std::uint32_t number) const override;
  bool histogram(std::uint32_t number, MeasuredHistogram& to) override;
  /// Keeps what variables are declared to. Before declare(). @when setup
  void use(const tactus_host& host) { host_ = &host; }

 private:
  struct Known {
    std::uint64_t key = 0;  // id, and the bit of 29-bit ids
    ReceivedMessage* message = nullptr;
  };

  int receive(const Call& call);
  int send(const Call& call);
  int restart(const Call& call);
  void end();
  int take(const PortEvent& event, std::int64_t now) TACTUS_RT;
  void give(ReceivedMessage& message, const CanFrame& frame, std::int64_t now) TACTUS_RT;
  void check_stations(const Problems& problems) const;
  void open_raw(const std::filesystem::path& folder);
  int find_no_room(std::uint32_t index, std::int64_t now) TACTUS_RT;
  int send_replay(const Call& call) TACTUS_RT;
  int ask_stations(std::int64_t now, bool is_off) TACTUS_RT;
  void follow_fault() TACTUS_RT;
  void say_rounded() TACTUS_RT;
  int show_bus(std::int64_t now) TACTUS_RT;
  int leave_bus(std::int64_t now) TACTUS_RT;
  std::string text_of_bus_off(const LogEntry& entry) const;
  bool put(SentMessage& message, std::uint32_t index, const CanFrame& frame) TACTUS_RT;
  SentMessage* sent_by(const PortEvent& event) TACTUS_RT;
  void take_status(const BusStatus& status, std::int64_t stamp) TACTUS_RT;
  void forget_before(std::int64_t stamp) TACTUS_RT;
  void count_load(std::int64_t now) TACTUS_RT;
  void guard();
  bool needs_fd() const;  // a message of CAN FD goes over the bus
  void know(const Selection::Received& chosen, ReceivedMessage& message);
  void index_ids();
  void spread_phases(std::int64_t slot);
  int fail_with(const char* why) const TACTUS_RT;
  void report();  // after the last frame

  OpenPort open_port_;
  Settings settings_;
  std::string folder_;
  LinkFacts link_;  // of the interface, as the kernel tells them
  const tactus_host* host_ = nullptr;
  Database database_;
  BitRates rates_;
  std::optional<FrameTimes> times_;
  std::deque<ReceivedMessage> received_;
  std::deque<SentMessage> sent_;
  std::deque<Station> stations_;
  std::unique_ptr<Replay> replay_;
  std::unique_ptr<RawLog> raw_;
  std::deque<Message> renamed_;
  std::vector<Known> known_;                                   // received ones, sorted by key
  std::vector<std::pair<std::uint64_t, std::uint32_t>> tags_;  // key and index of sent ones, sorted
  IdIndex known_by_id_, tags_by_id_;
  std::vector<SentMessage*> sent_at_;  // each of sent_, found at once
  std::unique_ptr<Port> port_;
  std::unique_ptr<SharedState> counters_;  // with the guard
  std::unique_ptr<Guard> guard_;
  std::atomic<bool> own_safe_for_good_{false};
  std::atomic<bool>* is_safe_for_good_ = &own_safe_for_good_;
  std::atomic<Port*> open_{nullptr};  // for drive_safe()
  BusLog log_{256};
  ModelBus shared_{&state_, settings_, database_};  // after what it refers to
  std::vector<std::string> reports_;
  std::size_t reported_ = 0;
  bool has_lost_raw_ = false;  // which was said
  std::int64_t period_ = 0;
  std::int64_t busy_ = 0, window_begin_ = 0;
  std::atomic<bool> is_off_{false};  // by a fault
  bool is_held_off_ = false;         // by a fault, until the restart after it
  bool was_off_ = false, has_failed_ = false, has_unnamed_failed_ = false;
  BusOffPolicy bus_off_{settings_.on_bus_off};
  std::atomic<bool> is_rounded_{false};  // an amount of a fault, which say_rounded() says
  RoundedAmount rounded_errors_;         // of error_frames
  std::uint64_t off_count_ = 0;          // messages that a fault kept from the bus
  BusStatus status_{};                   // the last one: its variables may be those of a loaded checkpoint
  std::int32_t sender_ = 0;              // no variable, for the same reason

  // Variables.
  std::int32_t state_ = 0, sent_by_ = 0;
  std::uint32_t transmit_errors_ = 0, receive_errors_ = 0;
  double load_ = 0;
  std::uint64_t queue_full_ = 0, overflow_ = 0, unknown_ = 0, restarts_ = 0;
  std::int32_t restarts_left_ = 0;
};

/// Its entry, for the plug-in and for tests.
const tactus_driver* can_entry();

}  // namespace tactus::drivers::can
