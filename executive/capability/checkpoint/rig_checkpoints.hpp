// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/checkpoint/checkpoint_part.hpp"
#include "executive/frame/executive.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run_base/run_context.hpp"
#include "executive/state/checkpoint_writer.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/host/write_tracker.hpp"

namespace tactus::executive {

/// The checkpoints of one run: the memory for them, the thread that writes them, and the one it continues
/// from.
///
/// Threads  one: the service thread. save_end() may run beside it, and so may request() and load().
class RigCheckpoints final : public Capability {
 public:
  RigCheckpoints(const Rig& rig, const std::filesystem::path& run_folder);
  explicit RigCheckpoints(RunContext& run) : RigCheckpoints(run.rig, run.options.folder) { run_ = &run; }

  /// Gets the memory ready for checkpoints and resets, as far as this rig can have any; a refusal is only
  /// reported when the rig file requests the memory. @when setup
  std::vector<rtsync::Provision> prepare(Executive& executive);
  /// The state to continue from, checked against the rig before anything runs. Throws config::ConfigError
  /// with all that does not fit. `end`: the frame at which the run ends. @when setup
  void read_start(const std::filesystem::path& from, std::int64_t end);
  const std::optional<LoadedState>& start_state() const { return start_; }
  void start(const rtsync::ThreadSettings& helper) { writer_.start(helper); }  // @when setup

  /// Asks for one at the end of the frame; without a name it is named after it. Why there will be none;
  /// empty: there will.                                                                             @when any
  std::string request(const std::string& name = {});
  /// Reason why there can be none; empty: there can.                                               @when any
  std::string impossible() const;
  /// Reads one of this run's folder for checkpoints, and gives it to the frames. Why not; empty: it is loaded
  /// at the end of the frame.                                       @when service, from one thread at a time
  std::string load(const std::string& name);
  /// checkpoint.at_end.
  bool wants_end() const;
  /// Result of the checkpoint at the end: its file, or why there is none.
  struct Saved {
    std::string file;
    std::string error;
  };
  /// Saves after the frames; meanwhile the service thread may call poll(), and gives the result to take().
  /// Throws std::runtime_error naming the job that failed. @when service, on another thread than the rest
  Saved save_end() const;
  void take(Saved saved);  // @when service
  /// Writes what is under way; see CheckpointWriter::stop(). @when service
  bool stop(const std::function<bool(std::chrono::nanoseconds)>& wait = {});
  /// Reports the results of checkpoints since the last call. @when service
  void poll(RunVoice& voice) override;
  bool owns(pid_t tid) const override { return tid == writer_.tid(); }
  config::Json summary() const;
  /// The files that load() would find, the newest first: /v1/checkpoints.
  config::Json list() const;

  /// Reserves memory, and reads the state that the run goes on from.
  void prepare() override;
  void start() override { start(run_->cpus.small_helper("checkpoint")); }
  /// Takes and writes the one of the end.
  void leave() override;
  void finish() override;
  void summarize(config::Json& all, Summary what) const override {
    if (what == Summary::ended) all["checkpoints"] = summary();
  }
  void report(LiveReport which, config::Json& body) override {
    if (which == LiveReport::checkpoints) body = list();
  }

 private:
  struct Line {  // of the log
    std::string text;
    bool warning;  // a person at the terminal wants to see it
  };

  bool wanted() const;
  void prepare_gradual(rtsync::Nanoseconds copy);
  void tell_waiting();
  std::vector<std::string> read(const std::filesystem::path& file, LoadedState& to) const;
  bool is_awaited(const std::string& file);

  RunContext* run_ = nullptr;
  const Rig& rig_;
  const std::filesystem::path folder_;
  Executive* executive_ = nullptr;
  std::optional<CheckpointPart> part_;
  std::unique_ptr<rtsync::WriteTracker> tracker_;  // of a state that may be too large for the slack
  CheckpointWriter writer_;
  std::string refusal_;  // why there can be none
  std::optional<LoadedState> start_;
  Saved saved_;                   // by the setup thread
  std::int64_t end_ = INT64_MAX;  // the frame at which the run ends
  std::mutex loading_mutex_;
  std::unique_ptr<LoadedState> loading_;  // of the frames, until they have counted it
  std::int64_t loaded_before_ = 0;
  std::string loading_file_;  // that is not reported yet
  /// Device and inode of a file; nothing: there is none.
  using FileId = std::optional<std::pair<dev_t, ino_t>>;
  static FileId id_of(const std::filesystem::path& file);
  /// A file that was asked for.
  struct Awaited {
    FileId older;           ///< file of the same name that was there before
    bool is_twice = false;  ///< it was asked for again before it was written: two files come
  };
  /// Files that were asked for, by their names; kByFrame: one that is named after its frame.
  std::map<std::string, Awaited> awaited_;
  void forget_written();
  std::vector<Line> lines_;
  std::vector<std::string> written_;
  std::int64_t failed_ = 0;
  std::int64_t missed_ = 0;
  std::int64_t unfinished_ = 0;  // those that still waited at the end
  std::int64_t told_waiting_ = 0;
};

}  // namespace tactus::executive
