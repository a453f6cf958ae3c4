#include "drivers/silkit/api/logger.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <utility>

#include "config/text.hpp"
#include "drivers/silkit/api/json.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::silkit {
namespace {

constexpr auto kCritical = static_cast<std::uint32_t>(LogSink::Level::critical);
constexpr auto kWarn = static_cast<std::uint32_t>(LogSink::Level::warn);
constexpr std::array<const char*, 6> kNames{"trace", "debug", "info", "warn", "error", "critical"};

std::string local_time(const char* format, std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  (void)::localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

std::string line(bool json, const std::string& owner, std::uint32_t level, std::string_view text) {
  using namespace std::chrono;
  const auto now = system_clock::now();
  const std::string name = level < kNames.size() ? kNames[level] : std::to_string(level);
  if (json)
    return "{\"time_us\":" + std::to_string(duration_cast<microseconds>(now.time_since_epoch()).count()) +
           ",\"from\":" + json_text(owner) + ",\"level\":\"" + name + "\",\"text\":" + json_text(text) +
           "}\n";
  const std::string milliseconds =
      std::to_string(1000 + duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000);
  return '[' + local_time("%F %T.", now) + milliseconds.substr(1) + "] [" + config::one_line(owner) + "] [" +
         name + "] " + config::one_line(text) + '\n';
}

}  // namespace

Logger::Logger(std::string owner, const LoggerSettings& settings)
    : owner_(std::move(owner)),
      flush_level_(settings.flush_level),
      standard_(settings.to_stderr ? stderr : stdout) {
  for (const SinkSettings& sink : settings.sinks) {
    Sink made{sink, nullptr};
    if (sink.type == SinkSettings::Type::file) {
      const std::string path =
          sink.name + local_time("_%Y-%m-%dT%H-%M-%S.txt", std::chrono::system_clock::now());
      made.file.reset(std::fopen(path.c_str(), "ae"));
      if (!made.file)
        throw Refusal(Code::configuration,
                      "the log file " + path + " cannot be made: " + rtsync::error_words(errno));
    }
    sinks_.push_back(std::move(made));
  }
}

void Logger::log(std::uint32_t level, std::string_view text) noexcept {
  if (level == kLevelOff) return;
  if (!sinks_.empty() || level >= kCritical) write(level, text);
}

void Logger::say(Level level, const std::string& text) {
  const auto number = static_cast<std::uint32_t>(level);
  if (!sinks_.empty() || number >= kWarn) write(number, text);
}

void Logger::write(std::uint32_t level, std::string_view text) noexcept {
  try {
    if (sinks_.empty()) {
      const std::string whole = line(false, owner_, level, text);
      (void)std::fwrite(whole.data(), 1, whole.size(), stderr);
      return;
    }
    for (const Sink& sink : sinks_) {
      if (level < sink.settings.level) continue;
      const std::string whole = line(sink.settings.json, owner_, level, text);
      std::FILE* const file = sink.file ? sink.file.get() : standard_;
      const std::scoped_lock held(mutex_);
      (void)std::fwrite(whole.data(), 1, whole.size(), file);
      if (level >= flush_level_) (void)std::fflush(file);
    }
  } catch (...) {  // no memory for a line: it is lost, the participant is not
  }
}

std::uint32_t Logger::level() const {
  std::uint32_t lowest = sinks_.empty() ? kCritical : kLevelOff;
  for (const Sink& sink : sinks_) lowest = std::min(lowest, sink.settings.level);
  return lowest;
}

}  // namespace tactus::silkit
