// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/logger.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <utility>

#include "config/text.hpp"
#include "drivers/silkit/api/json.hpp"
#include "drivers/silkit/wire/uri.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::silkit {
namespace {

constexpr auto kCritical = static_cast<std::uint32_t>(LogSink::Level::critical);
constexpr auto kWarn = static_cast<std::uint32_t>(LogSink::Level::warn);
constexpr std::array<const char*, 6> kNames{"trace", "debug", "info", "warning", "error", "critical"};
constexpr std::size_t kMostSent = 10'000;

std::string local_time(const char* format, std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  (void)::localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

bool has_topic(const LogMessage& line) { return !line.topic.empty() && line.topic != "None"; }

std::string json_line(const LogMessage& line, const std::string& level) {
  std::string text = "{\"ts\":\"" + std::to_string(line.wall_us) + "\",\"log\":" + json_text(line.owner) +
                     ",\"lvl\":\"" + level + "\", ";
  if (has_topic(line)) text += "\"topic\": " + json_text(line.topic) + ", ";
  text += "\"msg\": " + json_text(line.text);
  for (std::size_t i = 0; i < line.values.size(); ++i)
    text += (i == 0 ? ", \"kv\": {" : ",") + json_text(line.values[i].first) + ':' +
            json_text(line.values[i].second);
  return text + (line.values.empty() ? " }\n" : "} }\n");
}

std::string simple_line(const LogMessage& line, const std::string& level) {
  using namespace std::chrono;
  const std::string millisecond = std::to_string(1000 + line.wall_us / 1000 % 1000);
  std::string text = '[' + local_time("%F %T.", system_clock::time_point(microseconds(line.wall_us))) +
                     millisecond.substr(1) + "] [" + config::one_line(line.owner) + "] [" + level + "] ";
  if (has_topic(line)) text += '[' + config::one_line(line.topic) + "] ";
  text += config::one_line(line.text);
  for (const auto& [key, value] : line.values)
    text += ", " + config::one_line(key) + ": " + config::one_line(value);
  return text + '\n';
}

std::string line_of(const LogMessage& line, bool json) {
  const std::string level = line.level < kNames.size() ? kNames[line.level] : std::to_string(line.level);
  return json ? json_line(line, level) : simple_line(line, level);
}

}  // namespace

OpenFile open_to_append(const std::string& kind, const std::string& path) {
  OpenFile file(std::fopen(path.c_str(), "ae"));
  if (file == nullptr)
    throw Refusal(Code::configuration,
                  "the " + kind + " file " + path + " cannot be made: " + rtsync::error_words(errno));
  return file;
}

std::string file_time() { return local_time("%Y-%m-%dT%H-%M-%S", std::chrono::system_clock::now()); }

Logger::Logger(std::string owner, const LoggerSettings& settings)
    : owner_(std::move(owner)),
      flush_level_(settings.flush_level),
      silent_(settings.silent && settings.sinks.empty()),
      standard_(settings.to_stderr ? stderr : stdout) {
  const std::string time = file_time();
  for (const SinkSettings& sink : settings.sinks) {
    Sink made{sink, nullptr};
    sends_ = sends_ || sink.type == SinkSettings::Type::remote;
    if (sink.type == SinkSettings::Type::file) {
      const std::string path =
          sink.name + '_' + in_file_name(owner_) + '_' + time + (sink.json ? ".jsonl" : ".txt");
      made.file = open_to_append("log", path);
    }
    sinks_.push_back(std::move(made));
  }
}

void Logger::log(std::uint32_t level, std::string_view text) noexcept {
  if (level == kLevelOff) return;
  if (!sinks_.empty() || level >= kCritical) write(level, LogTopic::user, text);
}

void Logger::say_about(LogTopic topic, Level level, const std::string& text) {
  const auto number = static_cast<std::uint32_t>(level);
  if (!sinks_.empty() || number >= kWarn) write(number, topic, text);
}

void Logger::write(std::uint32_t level, LogTopic topic, std::string_view text) noexcept {
  const auto holds = [topic](const std::vector<LogTopic>& topics) {
    return std::ranges::find(topics, topic) != topics.end();
  };
  const auto wants = [&](const SinkSettings& sink) {
    return level >= sink.level && !holds(sink.disabled) && (sink.enabled.empty() || holds(sink.enabled));
  };
  try {
    using namespace std::chrono;
    if (!sinks_.empty() &&
        std::ranges::none_of(sinks_, [&](const Sink& sink) { return wants(sink.settings); }))
      return;
    LogMessage line{owner_,
                    level,
                    duration_cast<microseconds>(system_clock::now().time_since_epoch()).count(),
                    std::string(text),
                    {},
                    std::string(name_of(topic))};
    if (sinks_.empty() && !silent_) {
      const std::string whole = line_of(line, false);
      (void)std::fwrite(whole.data(), 1, whole.size(), stderr);
    }
    for (const Sink& sink : sinks_)
      if (wants(sink.settings)) put(sink, line);
  } catch (...) {  // no memory for a line: it is lost, the participant is not
  }
}

void Logger::put(const Sink& sink, const LogMessage& line) {
  if (sink.settings.type == SinkSettings::Type::remote) {
    const std::scoped_lock held(mutex_);
    if (sent_.size() < kMostSent) sent_.push_back(line);
    return;
  }
  const std::string whole = line_of(line, sink.settings.json);
  std::FILE* const file = sink.file ? sink.file.get() : standard_;
  const std::scoped_lock held(mutex_);
  (void)std::fwrite(whole.data(), 1, whole.size(), file);
  if (line.level >= flush_level_) (void)std::fflush(file);
}

void Logger::take(const LogMessage& line) noexcept {
  try {
    for (const Sink& sink : sinks_)
      if (sink.settings.type != SinkSettings::Type::remote && line.level >= sink.settings.level)
        put(sink, line);
  } catch (...) {  // as above
  }
}

std::vector<LogMessage> Logger::take_sent() {
  const std::scoped_lock held(mutex_);
  return std::exchange(sent_, {});
}

std::uint32_t Logger::level() const {
  std::uint32_t lowest = sinks_.empty() ? kCritical : kLevelOff;
  for (const Sink& sink : sinks_) lowest = std::min(lowest, sink.settings.level);
  return lowest;
}

}  // namespace tactus::silkit
