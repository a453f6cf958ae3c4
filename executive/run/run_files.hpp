// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/json.hpp"
#include "executive/record/folder_lock.hpp"
#include "executive/run/summary_file.hpp"
#include "executive/run_base/capability.hpp"
#include "executive/run_base/folder_calls.hpp"
#include "executive/run_base/run_context.hpp"
#include "executive/run_base/run_log.hpp"

namespace tactus::executive {

/// The files that every run has in its folder: rig.yaml, log.txt and summary.json. Calls on the folder are made by a
/// thread of their own, as each of them may never return.
///
/// Threads  the service thread.
class RunFiles {
 public:
  using Summary = Capability::Summary;
  /// Makes summary.json. Both must outlive it.
  RunFiles(RunContext& run, std::function<config::Json(Summary)> make) : run_(run), make_(std::move(make)) {}

  /// Opens them, and gives the run its voice. Throws MachineError. @when setup
  void open(RunObserver& watcher);
  RunLog& log() { return *log_; }
  /// Lines of the log that were left out.
  std::int64_t lines_left_out() const { return log_ == nullptr ? 0 : log_->left_out(); }
  /// The frames come next: gives the witness all that is known before them, and writes summary.json.
  void write_begun();
  /// Keeps summary.json up to date, and reports a folder that does not answer.
  void poll();
  /// Writes the last summary. Where the folder does not take it, the log, stderr and the witness get it.
  void write_last();
  /// The traces of the flight recorder that lie in the folder, as summary.json lists them. After write_last().
  const config::Json& traces() const { return traces_; }
  /// A call on the folder never returned.
  bool stuck() const { return stuck_; }
  /// Reason why summary.json could not be written; empty: it could.
  const std::string& error() const { return error_; }
  /// The summary that it would have had then, as JSON on one line; empty: it could.
  const std::string& unwritten() const { return unwritten_; }

 private:
  void tell_known();
  /// Should the rig be killed, alone or together with its witness, the folder says how far the run had come, and why
  /// frames were late.
  void write_unfinished();
  std::uint64_t changes() const;
  bool await();
  void report_hanging();
  std::size_t room_for_summary() const;

  RunContext& run_;
  const std::function<config::Json(Summary)> make_;
  std::optional<FolderLock> lock_;  // as long as the run writes there
  std::unique_ptr<FolderCalls> calls_;
  std::shared_ptr<SummaryFile> file_;
  std::unique_ptr<RunLog> log_;
  std::chrono::steady_clock::time_point written_{};
  std::uint64_t changes_written_ = 0;
  bool write_failed_ = false;
  const std::shared_ptr<std::string> write_error_ =
      std::make_shared<std::string>();  // of the call that is made
  const std::shared_ptr<std::atomic<bool>> write_made_ = std::make_shared<std::atomic<bool>>(true);
  bool hangs_ = false;  // it was said
  bool stuck_ = false;
  config::Json traces_ = config::Json::array();
  std::string error_;
  std::string unwritten_;
};

}  // namespace tactus::executive
