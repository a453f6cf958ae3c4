// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/live/frame_dates.hpp"
#include "executive/capability/live/live_commands.hpp"
#include "executive/capability/live/live_journal.hpp"
#include "executive/capability/live/live_port.hpp"
#include "executive/capability/live/live_variables.hpp"
#include "executive/driver/live.hpp"
#include "executive/frame/executive.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run_base/live_history.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// A run as servers see it: checks what they ask for, sends it through a LivePort, and answers.
///
/// Threads  constructor, start, end, tell, summary: the service thread. The rest: see LiveRig.
class LiveAccess final : public LiveRig {
 public:
  /// @when setup, before Executive::run
  LiveAccess(const Rig& rig, Executive& executive, LiveFacts facts, LiveServices services);
  ~LiveAccess() override;

  /// Starts the thread that answers. @when setup
  void start(const rtsync::ThreadSettings& helper);
  /// The frames are over, and `why`: everybody who waits is answered, and nobody after that.
  void end(const RunEnd& why);
  /// Lines for the log; none when nothing happened.
  std::vector<std::string> take_log_lines();
  /// The `live` section of summary.json. After end().
  config::Json summary() const;
  /// Kernel id of its thread.
  pid_t tid() const { return thread_ ? thread_->tid() : 0; }

  const LiveFacts& facts() const override { return facts_; }
  const std::vector<LiveVariable>& variables() const override { return variables_.all(); }
  std::optional<LiveRef> find(std::string_view name, std::string& problem) const override {
    return variables_.find(name, problem);
  }
  State state() const override { return executive_.state(); }
  std::int64_t last_frame() const override { return port_->last_frame(); }
  void report(LiveReport which, std::function<void(config::Json)> then) override;
  void trace(const LiveTraceCall& call, std::function<void(LiveTrace)> then) override;
  /// Answers whoever has asked for a report with what `make` makes of it. The service thread.
  void answer_reports(const std::function<config::Json(LiveReport)>& make);
  LiveEntries entries(LiveList list, std::int64_t after, std::size_t most) const override {
    return history(list).after(after, most);
  }
  std::int64_t last_entry(LiveList list) const override { return history(list).last(); }
  /// Where the run tells what happens.                                                              @when any
  LiveHistory& history(LiveList list) { return lists_[static_cast<std::size_t>(list)]; }
  const LiveHistory& history(LiveList list) const { return lists_[static_cast<std::size_t>(list)]; }
  std::vector<LiveForce> forces() const override;
  std::int64_t forces_changed() const override { return forces_changed_.load(std::memory_order_acquire); }
  std::string command_problem(Command command) const override;
  LiveWriter writer_of(std::size_t variable) const override;
  const std::vector<LiveOutput>& outputs() const override { return variables_.outputs(); }
  void next_snapshot(std::function<void(LiveSnapshotPtr)> then) override {
    await_snapshot(0, std::move(then));
  }
  void next_snapshot_of_multiple(std::int64_t every, std::function<void(LiveSnapshotPtr)> then) override {
    await_snapshot(every, std::move(then));
  }
  std::unique_ptr<LiveFrames> follow(const std::vector<LiveRef>& refs, std::string& problem) override;
  std::vector<std::string> write(LiveBatch batch, std::function<void(const LiveDone&)> then) override;
  std::string give(const CommandCall& call, const std::string& who) override;
  std::string give_until_done(const CommandCall& call, const std::string& who,
                              std::function<void(const std::string&)> then) override;
  /// What a client's stop asked for; 0: none did.                                                  @when any
  int exit_status() const { return commands_.exit_status(); }
  void episode(EpisodeRequest request, std::function<void(const EpisodeEnd&)> then) override;

 private:
  struct Waiter {
    std::int64_t sequence;
    std::int64_t every;  // frames; 0: any
    std::function<void(LiveSnapshotPtr)> then;
  };
  struct Sent {  // what a packet stands for
    LivePacket packet;
    LiveBatch batch;
    std::function<void(const LiveDone&)> then;
    bool of_episode = false;
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
  };
  struct Running {  // the episode that is under way
    LiveEpisode episode;
    EpisodeEnd end;
    std::vector<std::size_t>
        capture;  // of each `out`: index into the captures; SIZE_MAX: at the end of the run
    std::function<void(const EpisodeEnd&)> then;
  };
  struct Returning {  // a reset or a load that is waited for
    bool load;
    std::int64_t until;  // loaded() or resets_done() is then as great
    std::function<void(const std::string&)> then;
  };
  struct Reported {
    LiveReport which;
    std::function<void(config::Json)> then;
  };
  class EpisodePlanner;
  class Follower;
  using Answers = std::vector<std::function<void()>>;

  static constexpr std::size_t kMostBatches = LivePort::kMostPackets - 64;  // the rest is for releases
  static constexpr std::size_t kMostChanges = 1024;                         // of one frame

  void await_snapshot(std::int64_t every, std::function<void(LiveSnapshotPtr)> then);
  bool is_forced(const LiveRef& ref) const;
  std::string validate(const LiveWrite& write, std::optional<std::int64_t> frame) const;
  std::string validate(std::int64_t frame) const;
  std::string command_problem(const CommandCall& call, const LiveBatch& batch) const;
  std::string move_problem(Command command) const;
  static config::Json entry_of(const CommandCall& call, std::int64_t frame);
  std::string load_problem(const LiveBatch& batch) const;
  LivePacket* make_packet(LiveBatch batch, std::function<void(const LiveDone&)> then);
  std::string problem_of(const Sent& sent) const;
  const std::byte* place_of(const LiveRef& ref) const;
  std::optional<LiveRef> item(const EpisodeItem& item, bool suggest, std::string& problem) const;

  void run();
  /// A change of what the live thread has to look at: it looks at once, and often for a while.
  void wake_live_thread() {
    stirred_ = true;
    executive_.poll_while_paused();
    something_.notify_one();
  }
  bool outstanding() const {
    return !waiters_.empty() || !returning_.empty() || sent_count_ > 0 || running_ != nullptr ||
           !answers_.empty();
  }
  rtsync::Nanoseconds max_poll_interval() const;
  void look(Answers& answers);
  void take_events(Answers& answers);
  void take_snapshot(Answers& answers);
  void take_episode(Answers& answers);
  std::string give_now(const CommandCall& call, const std::string& who);
  bool has_returned(const Returning& returning);
  void take_returned(Answers& answers);
  void finish_episode(Answers& answers, bool ended);
  void note_forces(const Sent& sent, const LiveEvent& event);
  void journal(const Sent& sent, const LiveDone& done);

  std::array<LiveHistory, kLiveLists> lists_{};
  LiveFacts facts_;
  const FrameDates dates_;
  Executive& executive_;
  LiveCommands commands_;
  LiveVariables variables_;
  std::unique_ptr<LivePort> port_;

  mutable std::mutex mutex_;
  std::condition_variable something_;
  std::vector<Waiter> waiters_;
  std::vector<Returning> returning_;
  std::vector<Reported> reports_;
  std::unordered_map<const LivePacket*, std::unique_ptr<Sent>> sent_;  // until they are free
  std::size_t sent_count_ = 0;  // of them, those whose end is not known
  std::vector<Forced> forced_;
  std::atomic<std::int64_t> forces_changed_{0};
  std::unordered_map<std::size_t, Written> set_;  // by variable
  std::unique_ptr<Running> running_;
  Answers answers_;  // that are due at once
  std::uint64_t packets_made_ = 0;
  bool stirred_ = false;
  bool closing_ = false;
  bool ended_ = false;
  RunEnd end_;
  LiveJournal journal_;
  std::vector<std::string> lines_;  // of the log
  std::int64_t changes_ = 0, refused_ = 0, commands_given_ = 0, episodes_ = 0, snapshots_ = 0;
  std::unique_ptr<rtsync::PinnedThread> thread_;
};

}  // namespace tactus::executive
