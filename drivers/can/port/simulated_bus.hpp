// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/can/port/frame_times.hpp"
#include "drivers/can/port/port.hpp"
#include "drivers/can/port/ring.hpp"

namespace tactus::drivers::can {

class SimulatedPort;

/// A bus in the process, in simulated time: the stations with one name share it. Frames take the time that the longest one
/// of their kind takes on the wire; the most important one that waits is sent first. It has no errors and always an
/// acknowledgement. What happens depends on simulated times alone, so a run is the same each time.
///
/// Threads  join(): setup. advance(): the thread of the frames.
/// RT       advance().
class SimulatedBus : public std::enable_shared_from_this<SimulatedBus> {
 public:
  /// Largest number of frames with which a station waits for the bus.
  static constexpr std::size_t kMostWaiting = 1024;

  /// The bus of this name, made when the first station asks for it. @when setup
  static std::shared_ptr<SimulatedBus> named(const std::string& name, const BitRates& rates);
  explicit SimulatedBus(const BitRates& rates);

  /// Joins it. Throws std::runtime_error if the station has other bit rates than the first one. @when setup
  std::unique_ptr<SimulatedPort> join(const BitRates& rates, std::size_t queue);

  /// Sends what fits until `now`. `is_back`: simulated time went back by a reset, and the bus is as at its start.
  void advance(std::int64_t now, bool is_back) TACTUS_RT;

 private:
  friend class SimulatedPort;
  struct Waiting {
    CanFrame frame{};
    std::uint32_t tag = 0;
    std::int64_t ready = 0;
    SimulatedPort* from = nullptr;
    unsigned destroyed = 0;  // error frames that it had
  };
  static std::uint64_t rank(const CanFrame& frame) TACTUS_RT;
  void collect() TACTUS_RT;
  void deliver(const Waiting& sent, std::int64_t end) TACTUS_RT;
  void leave(SimulatedPort* port);
  void forget(SimulatedPort* port, bool tell) TACTUS_RT;
  void forget_all(SimulatedPort* port) TACTUS_RT;
  void drop_and_restart() TACTUS_RT;
  std::int64_t recovery() const TACTUS_RT { return 128 * 11 * std::int64_t{1'000'000'000} / rates_.nominal; }
  void destroy(Waiting& frame, std::int64_t end) TACTUS_RT;
  void came_through(const Waiting& sent, std::int64_t end) TACTUS_RT;

  BitRates rates_;
  FrameTimes times_;
  std::vector<SimulatedPort*> ports_;
  std::vector<Waiting> waiting_;  // never grows beyond its capacity
  std::int64_t free_ = 0;         // since when the bus is idle
  std::int64_t now_ = 0;
  std::atomic<unsigned> errors_in_force_{
      0};                      // by which each frame is destroyed: the most that a station makes
  bool has_counters_ = false;  // an error counter is above 0
  std::atomic_flag busy_{};
};

/// A station on a simulated bus.
class SimulatedPort final : public Port {
 public:
  SimulatedPort(std::shared_ptr<SimulatedBus> bus, std::size_t queue);
  ~SimulatedPort() override;

  void begin(std::int64_t sim_time, std::int64_t period) TACTUS_RT override;
  bool receive(PortEvent& event, bool delayed) TACTUS_RT override;
  bool send(const CanFrame& frame, std::uint32_t tag, std::int64_t offset) TACTUS_RT override;
  int send_at_once(const CanFrame& frame) TACTUS_RT override;
  void close() TACTUS_RT override { closed_.store(true, std::memory_order_relaxed); }
  void forget() TACTUS_RT override { bus_->forget_all(this); }
  void drop() TACTUS_RT override { is_to_drop_.store(true, std::memory_order_relaxed); }
  void wait_for_restart() override { waits_for_restart_ = true; }
  void restart() TACTUS_RT override { is_to_restart_.store(true, std::memory_order_relaxed); }
  void disturb(unsigned errors) TACTUS_RT override { errors_.store(errors, std::memory_order_relaxed); }
  bool is_disturbed() const TACTUS_RT override {
    return bus_->errors_in_force_.load(std::memory_order_relaxed) > 0;
  }
  std::uint64_t disturbed() const TACTUS_RT override { return made_errors_.load(std::memory_order_relaxed); }

 private:
  friend class SimulatedBus;
  static constexpr std::size_t kInbox = 4096;

  std::shared_ptr<SimulatedBus> bus_;
  std::size_t queue_;
  Ring<SimulatedBus::Waiting> outbox_;
  Ring<PortEvent> inbox_;
  std::atomic<std::size_t> unsent_{0};
  void put(const PortEvent& event) TACTUS_RT {
    if (!inbox_.put(event)) ++lost_;
  }
  void set_counters(unsigned transmit, unsigned receive, std::int64_t stamp) TACTUS_RT;

  std::uint64_t lost_ = 0;
  std::int64_t now_ = 0;
  BusStatus status_{};               // the bus'
  std::int64_t off_until_ = -1;      // the bus'; below 0: it is not bus-off
  std::atomic<unsigned> errors_{0};  // by which this station destroys each frame
  unsigned errors_in_force_ = 0;     // the bus'
  std::atomic<std::uint64_t> made_errors_{0};
  bool waits_for_restart_ = false;
  std::atomic<bool> closed_{false}, is_to_drop_{false}, is_to_restart_{false};
};

}  // namespace tactus::drivers::can
