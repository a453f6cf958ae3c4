// SPDX-License-Identifier: Apache-2.0
#include "executive/run/run_log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <chrono>
#include <stdexcept>

#include "config/date.hpp"
#include "config/text.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::executive {

RunLog::RunLog(const std::filesystem::path& file, std::int64_t most) : most_(most) {
  rtsync::refuse_link(file);
  try {
    logger_ = std::make_shared<spdlog::logger>(
        "tactus", std::make_shared<spdlog::sinks::basic_file_sink_st>(file.string()));
  } catch (const spdlog::spdlog_ex& error) {
    throw std::runtime_error(error.what());
  }
  logger_->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%-7l%$ %v");
  logger_->flush_on(spdlog::level::trace);  // each line by itself: whole ones survive a kill
  logger_->set_error_handler(
      [](const std::string&) {});  // a full disk is said once, when the run folder is closed
}

RunLog::~RunLog() = default;

/// Counts the line; the first one without room is replaced by the reason.
bool RunLog::has_room(const std::string& line) {
  constexpr std::int64_t kAround = 33;  // time, level and the newline
  const auto bytes = static_cast<std::int64_t>(line.size()) + kAround;
  if (left_out_ == 0 && bytes <= most_ - bytes_) {
    bytes_ += bytes;
    return true;
  }
  if (left_out_++ == 0)
    logger_->warn("the log has log.max_size (" + std::to_string(most_) +
                  " bytes): what follows is left out, and counted in summary.json; find what fills it, or "
                  "set more in the rig file");
  return false;
}

void RunLog::tell(const char* level, const std::string& line) {
  if (history_ == nullptr) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  history_->add(
      {{"time", config::print_date(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count())},
       {"level", level},
       {"text", line}});
}

void RunLog::info(const std::string& line) {
  const std::string text = config::one_line(line);
  tell("info", text);
  if (has_room(text)) logger_->info(text);
}
void RunLog::warn(const std::string& line) {
  const std::string text = config::one_line(line);
  tell("warning", text);
  if (has_room(text)) logger_->warn(text);
}
void RunLog::last_word(const std::string& line) { logger_->info(config::one_line(line)); }
void RunLog::flush() { logger_->flush(); }

}  // namespace tactus::executive
