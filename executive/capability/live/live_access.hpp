// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/live/frame_dates.hpp"
#include "executive/capability/live/live_batches.hpp"
#include "executive/capability/live/live_commands.hpp"
#include "executive/capability/live/live_port.hpp"
#include "executive/capability/live/live_variables.hpp"
#include "executive/driver/live.hpp"
#include "executive/frame/executive.hpp"
#include "executive/frame/switch_row.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run_base/live_history.hpp"
#include "executive/run_base/live_journal.hpp"
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
  /// Ends with the frames, and `why`: every waiting client is answered, and none after that.
  void end(const RunEnd& why);
  /// Adds an entry to the journal that no client gave: `what` and, in the frames, `frame`.          @when service
  void note(config::Json entry, const std::string& who);
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
  /// Answers every request for a report with what `make` makes of it. The service thread.
  void answer_reports(const std::function<config::Json(LiveReport)>& make);
  LiveEntries entries(LiveList list, std::int64_t after, std::size_t most) const override {
    return history(list).after(after, most);
  }
  std::int64_t last_entry(LiveList list) const override { return history(list).last(); }
  /// List to which the run adds its events.                                                         @when any
  LiveHistory& history(LiveList list) { return lists_[static_cast<std::size_t>(list)]; }
  const LiveHistory& history(LiveList list) const { return lists_[static_cast<std::size_t>(list)]; }
  std::vector<LiveForce> forces() const override;
  std::vector<LiveSwitch> switches() const override;
  /// Takes states of switches from this row from now on, which must outlive it.                      @when setup
  void show(const SwitchRow& row) { rows_.push_back(&row); }
  /// Adds what has changed of the switches to their list.                                          @when service
  void note_switches();
  std::string turn(const std::string& kind, const std::string& name, bool on,
                   const std::string& who) override;
  std::int64_t forces_changed() const override { return batches_.forces_changed(); }
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
  /// Exit status that a client's stop set; 0: none did.                                            @when any
  int exit_status() const { return commands_.exit_status(); }
  void episode(EpisodeRequest request, std::function<void(const EpisodeEnd&)> then) override;

 private:
  struct Running;  // the episode that is under way
  struct Reported {
    LiveReport which;
    std::function<void(config::Json)> then;
  };
  class EpisodePlanner;
  class Follower;
  using Answers = std::vector<std::function<void()>>;

  void await_snapshot(std::int64_t every, std::function<void(LiveSnapshotPtr)> then);
  std::string move_problem(Command command) const {
    return LiveCommands::episode_problem(command, running_ != nullptr);
  }
  const std::byte* place_of(const LiveRef& ref) const;
  std::optional<LiveRef> item(const EpisodeItem& item, bool suggest, std::string& problem) const;

  void run();
  /// A change of what the live thread has to look at: it looks at once, and often for a while.
  void wake_live_thread() {
    stirred_ = true;
    executive_.poll_while_paused();
    something_.notify_one();
  }
  /// One more who waits.
  void await(LivePending pending) {
    pending_.push_back(std::move(pending));
    wake_live_thread();
  }
  void await_restore(bool load, std::int64_t until, std::function<void(const std::string&)> then);
  void answer(std::function<void()> answer) {
    await({[answer = std::move(answer)](LiveView& view) mutable {
      view.answers.push_back(std::move(answer));
      return true;
    }});
  }
  bool outstanding() const { return !pending_.empty() || batches_.under_way(); }
  rtsync::Nanoseconds max_poll_interval() const;
  Answers look(const RunEnd* end);
  LiveSnapshotPtr snapshot_of(const LivePort::Head& head, const std::byte* values);
  std::string give_now(const CommandCall& call, const std::string& who);
  void finish_episode(Running& running, LiveView& view);

  std::array<LiveHistory, kLiveLists> lists_{};
  LiveFacts facts_;
  const FrameDates dates_;
  Executive& executive_;
  LiveCommands commands_;
  LiveVariables variables_;
  std::unique_ptr<LivePort> port_;
  std::vector<const SwitchRow*> rows_{};
  std::vector<LiveSwitch> noted_{};  // the service thread's

  mutable std::mutex mutex_;
  std::condition_variable something_;
  std::vector<LivePending> pending_;
  std::vector<Reported> reports_;  // the service thread answers them
  Running* running_ = nullptr;     // one of those who wait; nullptr: no episode is under way
  bool stirred_ = false;
  bool closing_ = false;
  bool ended_ = false;
  RunEnd end_;
  LiveJournal journal_;
  LiveBatches batches_;
  std::vector<std::string> lines_;  // of the log
  std::int64_t episodes_ = 0, snapshots_ = 0;
  std::unique_ptr<rtsync::PinnedThread> thread_;
};

}  // namespace tactus::executive
