// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "executive/run_base/live_history.hpp"

namespace tactus::executive {

/// Changes by clients, and what began and ended by itself, as lines of journal.jsonl in the run folder: what, when, and
/// who. Of a bounded size.
///
/// Threads  one at a time.
class LiveJournal {
 public:
  /// `most`: bytes; what would go beyond is left out and counted. The file is made with its first line.
  /// `history`: has all entries, also those that are left out.
  LiveJournal(const std::filesystem::path& folder, std::int64_t most, LiveHistory& history)
      : file_(folder / "journal.jsonl"), most_(most), history_(history) {}

  void add(config::Json entry, const std::string& who);
  /// Writes whole lines at once to the file, so that they are kept even if the process is killed.
  void flush();
  void close();
  /// It cannot be written any more.
  bool failed() const { return failed_; }
  /// Lines, since it was full.
  std::int64_t left_out() const { return left_out_; }
  /// Lines for the log; none when nothing happened.
  std::vector<std::string> take_log_lines() { return std::exchange(log_lines_, {}); }

 private:
  const std::filesystem::path file_;
  const std::int64_t most_;
  LiveHistory& history_;
  std::ofstream out_;
  std::string lines_;  // not yet in it
  std::int64_t bytes_ = 0;
  std::int64_t left_out_ = 0;
  bool failed_ = false;
  std::vector<std::string> log_lines_;
};

}  // namespace tactus::executive
