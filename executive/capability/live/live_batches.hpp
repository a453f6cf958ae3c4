// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "executive/capability/live/live_commands.hpp"
#include "executive/capability/live/live_port.hpp"
#include "executive/capability/live/live_variables.hpp"
#include "executive/driver/live.hpp"
#include "executive/frame/executive.hpp"
#include "executive/run_base/live_journal.hpp"

namespace tactus::executive {

/// Observations of one look of the live thread, and the answers that it gives.
struct LiveView {
  State state = State::connect;
  const RunEnd* end = nullptr;           ///< nullptr: the frames go on
  const LivePort::Head* head = nullptr;  ///< a newer snapshot than at the look before; nullptr: there is none
  std::function<LiveSnapshotPtr()> copy{};  ///< makes a copy of it
  LiveSnapshotPtr copied{};
  std::vector<std::function<void()>> answers{};

  /// The snapshot for clients: one copy, however many ask for it.
  const LiveSnapshotPtr& snapshot() { return copied != nullptr ? copied : copied = copy(); }
};

/// Waits for an answer of the rig.
///
/// Threads  one at a time.
struct LivePending {
  /// Adds the answer to those of the view once there is one. True: nothing is waited for any more.
  std::function<bool(LiveView& view)> poll;
  bool wants_snapshot = false;
};

/// The batches of clients that are on their way through the frames, and what those have left behind: forces, and who
/// has set what.
///
/// Threads  one at a time; forces_changed: any.
class LiveBatches {
 public:
  static constexpr std::size_t kMost = LivePort::kMostPackets - 64;  ///< the rest is for releases

  /// All must outlive it. @when setup
  LiveBatches(const LiveFacts& facts, Executive& executive, LivePort& port, const LiveVariables& variables,
              LiveCommands& commands, LiveJournal& journal)
      : facts_(facts),
        executive_(executive),
        port_(port),
        variables_(variables),
        commands_(commands),
        journal_(journal) {}

  /// All that is wrong with a batch; none: it can be made. `in_episode`: one is under way.
  std::vector<std::string> problems(const LiveBatch& batch, bool in_episode) const;
  /// Explains why a write cannot be made at that frame; empty: it can.
  std::string write_problem(const LiveWrite& write, std::optional<std::int64_t> frame) const;
  /// Explains why a batch exceeds what clients may request for one frame, and for all future ones. There is
  /// always room for a release.
  std::string load_problem(const LiveBatch& batch) const;
  bool is_forced(const LiveRef& ref) const;
  /// Explains why an element of an array that is forced as a whole is not forced or released alone; empty: it is none.
  std::string part_problem(const LiveBatch& batch, const LiveWrite& write) const;
  /// The packet of a batch that has been checked; `refused` hears why the frames did not take it.
  LivePacket* make(LiveBatch batch, std::function<void(const LiveDone&)> then,
                   std::function<void(const std::string&)> refused = nullptr);
  /// Those that the frames still have.
  std::size_t count() const { return sent_.size(); }
  /// Some whose end is not known.
  bool under_way() const { return under_way_ > 0; }
  /// Takes what the frames say of them. After the end of the frames those that were not taken are given up.
  void poll(LiveView& view);

  std::vector<LiveForce> forces() const;
  std::int64_t forces_changed() const { return forces_changed_.load(std::memory_order_acquire); }
  /// Writer of a variable at this moment.
  LiveWriter writer_of(std::size_t variable) const;

  void count_refused() { ++refused_; }
  void count_command() { ++commands_given_; }
  std::int64_t changes() const { return changes_; }
  std::int64_t refused() const { return refused_; }
  std::int64_t commands_given() const { return commands_given_; }

 private:
  struct Sent {  // what a packet stands for
    LivePacket packet;
    LiveBatch batch;
    std::function<void(const LiveDone&)> then;
    std::function<void(const std::string&)> refused;
    bool ended = false;  // its end is known
  };
  struct Forced {
    LiveRef ref;
    const LivePacket* packet;
    LiveForce known;  // for those who ask
  };
  struct Written {  // the last set
    std::string who;
    std::int64_t frame;
    std::int64_t returns;  // LivePort::returns() then
  };
  static constexpr std::size_t kMostChanges = 1024;  // of one frame

  std::string command_problem(const LiveBatch& batch, bool in_episode) const;
  std::string frame_problem(std::int64_t frame) const;
  std::string forced_problem(const LiveWrite& write) const;
  std::string problem_of(const Sent& sent, bool run_ended) const;
  void end(Sent& sent, const LiveDone& done, LiveView& view);
  void note_forces(const Sent& sent, const LiveEvent& event);
  void journal(const Sent& sent, const LiveDone& done);

  const LiveFacts& facts_;
  Executive& executive_;
  LivePort& port_;
  const LiveVariables& variables_;
  LiveCommands& commands_;
  LiveJournal& journal_;
  std::unordered_map<const LivePacket*, std::unique_ptr<Sent>> sent_;  // until they are free
  std::size_t under_way_ = 0;
  std::vector<Forced> forced_;
  std::atomic<std::int64_t> forces_changed_{0};
  std::unordered_map<std::size_t, Written> set_;  // by variable
  std::uint64_t made_ = 0;
  std::int64_t changes_ = 0, refused_ = 0, commands_given_ = 0;
};

}  // namespace tactus::executive
