// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/run_log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <chrono>
#include <stdexcept>

#include "config/date.hpp"
#include "config/text.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/opened_path.hpp"

namespace tactus::executive {

RunLog::RunLog(const std::filesystem::path& file, std::int64_t most, FolderCalls* calls)
    : most_(most), calls_(calls) {
  const rtsync::OpenedPath opened(file, O_WRONLY | O_CREAT | O_APPEND);
  try {
    logger_ = std::make_shared<spdlog::logger>(
        "tactus", std::make_shared<spdlog::sinks::basic_file_sink_st>(opened.name()));
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
    write(Level::warning, "the log has reached log.max_size (" + std::to_string(most_) +
                              " bytes): further lines are left out, and counted in summary.json; find what "
                              "fills it, or raise log.max_size");
  return false;
}

void RunLog::add(Level level, const std::string& line) {
  const std::string text = config::one_line(line);
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  if (history_ != nullptr)
    history_->add({{"time", config::print_date(now.count())},
                   {"level", level == Level::info ? "info" : "warning"},
                   {"text", text}});
  if (has_room(text)) write(level, text);
}

void RunLog::last_word(const std::string& line) { write(Level::info, config::one_line(line)); }
void RunLog::flush() {
  if (calls_ == nullptr) logger_->flush();  // else each line is flushed by its call
}

/// The line has the time of now, whenever it is written.
void RunLog::write(Level level, const std::string& line) {
  const auto put = [logger = logger_, level, line, now = spdlog::log_clock::now()] {
    logger->log(now, spdlog::source_loc{}, level == Level::info ? spdlog::level::info : spdlog::level::warn,
                line);
  };
  if (calls_ == nullptr) return put();
  if (calls_->make("a line was written into log.txt", put) == FolderCalls::Answer::refused) ++left_out_;
}

}  // namespace tactus::executive
