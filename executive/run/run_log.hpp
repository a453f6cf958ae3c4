#pragma once
#include <filesystem>
#include <memory>
#include <string>

namespace spdlog {
class logger;
}

namespace tactus::executive {

/// log.txt of a run folder. Never from a frame.
///
/// Threads  the service thread.
class RunLog {
 public:
  /// Throws std::runtime_error when the file cannot be made. @when setup
  explicit RunLog(const std::filesystem::path& file);
  ~RunLog();
  void info(const std::string& line);
  void warn(const std::string& line);
  void flush();

 private:
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace tactus::executive
