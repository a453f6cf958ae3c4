#include "executive/run/run_log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <stdexcept>

#include "config/text.hpp"

namespace tactus::executive {

RunLog::RunLog(const std::filesystem::path& file) {
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
void RunLog::info(const std::string& line) { logger_->info(config::one_line(line)); }
void RunLog::warn(const std::string& line) { logger_->warn(config::one_line(line)); }
void RunLog::flush() { logger_->flush(); }

}  // namespace tactus::executive
