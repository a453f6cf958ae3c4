// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "executive/run_base/folder_calls.hpp"
#include "executive/run_base/live_history.hpp"

namespace spdlog {
class logger;
}

namespace tactus::executive {

/// log.txt of a run folder, of a bounded size. Never from a frame.
///
/// Threads  the service thread.
class RunLog {
 public:
  /// `most`: bytes; a line that would go beyond is left out and counted, and the log says so once. Throws
  /// std::runtime_error when the file cannot be made. `calls`: makes the writes, so that one that hangs stops nothing;
  /// nullptr: each is made at once. @when setup
  RunLog(const std::filesystem::path& file, std::int64_t most, FolderCalls* calls = nullptr);
  ~RunLog();
  /// Sets the list that gets every line from now on, also those that are left out of the file.
  void tell(LiveHistory& history) { history_ = &history; }
  void info(const std::string& line) { add(Level::info, line); }
  void warn(const std::string& line) { add(Level::warning, line); }
  /// Writes how the run ended: there is always room for it.
  void last_word(const std::string& line);
  void flush();
  std::int64_t left_out() const { return left_out_; }

 private:
  enum class Level { info, warning };
  void add(Level level, const std::string& line);
  bool has_room(const std::string& line);
  void write(Level level, const std::string& line);

  std::shared_ptr<spdlog::logger> logger_;
  const std::int64_t most_;
  FolderCalls* const calls_;
  std::int64_t bytes_ = 0;
  std::int64_t left_out_ = 0;
  LiveHistory* history_ = nullptr;
};

}  // namespace tactus::executive
