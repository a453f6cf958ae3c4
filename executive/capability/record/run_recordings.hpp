// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/record/recordings_part.hpp"
#include "executive/frame/executive.hpp"
#include "executive/plan/rig.hpp"
#include "executive/record/recorder.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// The recordings of one run, that of its frames among them, and the thread that writes them.
///
/// Threads  the service thread; switch_to: any but a frame's.
class RunRecordings final : public Capability {
 public:
  /// `frame_log`: frames have times. The rig must outlive it. @when setup
  RunRecordings(Rig& rig, const std::filesystem::path& folder, bool frame_log);
  explicit RunRecordings(RunContext& run);

  using Capability::join;
  void join(Executive& executive);  // @when setup

  /// The date of simulated time 0, of a rig that has no epoch: for files that have a date. @when setup
  void set_epoch(std::int64_t epoch_ns);
  using Capability::start;
  /// Opens the files, and starts the thread. Throws std::runtime_error. @when setup
  std::vector<rtsync::Provision> start(const rtsync::ThreadSettings& helper);
  /// The row of a frame that never ends, while its thread does nothing else.
  void take_unended(std::int64_t k) {
    if (frame_log_) frame_log_->sample(k);
  }
  /// Writes what is left; see Recorder::stop().
  bool stop(const std::function<bool(std::chrono::nanoseconds)>& wait = {}) { return recorder_.stop(wait); }
  const Recording* busy_with() const { return recorder_.busy_with(); }
  /// Says when the recorder does not get on with a file; the other recordings are written meanwhile. `stops`: the rig is to end, and no frame waits for it any more then.
  void look(RunVoice& voice, bool stops);
  /// One on or off; "": all of the rig file. Why not; empty: it is done.
  std::string switch_to(const std::string& name, bool on);

  /// States of the recordings of the rig file, for clients.
  const SwitchRow& switches() const { return part_.switches(); }
  /// Reports a file that cannot be written any more, or that the run folder does not have any more, once.
  void poll_seldom(RunVoice& voice) override;
  /// Number of recordings that have failed so far.
  std::size_t failed() const { return told_.size(); }

  // After stop().
  void tell_losses(RunVoice& voice) const;
  /// Records that are in no file, of all recordings together.
  std::uint64_t lost() const;
  /// Returns which recordings could not be written, and what that cost; empty: all could.
  std::string failures() const;
  config::Json summary() const;
  /// Returns what the summary holds instead if the rig is killed.
  config::Json facts() const { return facts_of(all_); }
  /// The same, before there is an executive: a row of the list of capabilities. @when setup
  static void known(const RunContext& run, config::Json& all);

  /// Makes the memory of their rings present before a frame needs it, in real time.
  void prepare() override;
  /// Opens the files.
  bool initialized() override;
  void poll(RunVoice& voice) override {
    look(voice, run_->executive->stop_requested() || run_->executive->abort_requested());
  }
  /// Writes what is left, and reports what could not be written.
  void finish() override;
  void summarize(config::Json& all, Summary what) const override {
    all["recordings"] = what == Summary::ended ? summary() : facts();
  }
  std::uint64_t changes() const override { return failed(); }
  bool owns(pid_t tid) const override { return recorder_.owns(tid); }

 private:
  static config::Json facts_of(const std::vector<Recording*>& recordings);

  RunContext* run_ = nullptr;
  Rig& rig_;
  std::vector<Recording*> all_;
  RecordingsPart part_;
  std::optional<FrameLogPart> frame_log_;
  Recorder recorder_;
  std::set<const Recording*> told_, told_missing_;
  std::set<const Recording*> hanging_;
};

}  // namespace tactus::executive
