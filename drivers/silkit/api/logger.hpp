// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The lines of a participant or registry: to stdout or stderr, to files, as text or JSON.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/silkit/core/log_topic.hpp"
#include "drivers/silkit/core/outside.hpp"

namespace tactus::silkit {

inline constexpr std::uint32_t kLevelOff = 0xFFFF'FFFF;

struct SinkSettings {
  enum class Type : std::uint8_t { standard_output, file, remote };
  Type type = Type::standard_output;
  std::uint32_t level = 2;  ///< level, as in LogSink::Level, or kLevelOff
  bool json = false;
  std::string name{};  ///< name of a file, without what is appended: participant, time, ".txt" or ".jsonl"
  std::vector<LogTopic> enabled{};   ///< topics; when there are any: these alone
  std::vector<LogTopic> disabled{};  ///< never these
};
struct LoggerSettings {
  std::vector<SinkSettings> sinks;
  std::uint32_t flush_level = 0;  ///< lines of this level and above go out at once
  bool silent = false;            ///< the list of sinks was given, and is empty
  bool to_stderr = false;         ///< true: lines for stdout go to stderr
  bool from_remotes = false;      ///< lines that others send come to the sinks here as well
};

struct CloseFile {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;
/// Throws Refusal with Code::configuration when the file cannot be made; `kind`: "log". @when setup
OpenFile open_to_append(const std::string& kind, const std::string& path);

/// Logger of a participant. Unless it is silent, without a sink critical lines of the user's and warnings of
/// the library's own go to stderr. A line reads
///
///     [2026-11-22 11:36:44.222] [Plant] [warning] [LifeCycle] text
///     {"ts":"1795347404222000","log":"Plant","lvl":"warning", "topic": "LifeCycle", "msg": "text" }
///
/// Threads  any, at the same time.
class Logger final : public LogSink {
 public:
  /// `owner`: whose lines they are. Throws Refusal with Code::configuration when a file cannot be made.
  Logger(std::string owner, const LoggerSettings& settings);

  /// The user's. Never throws.
  void log(std::uint32_t level, std::string_view text) noexcept;
  /// The library's own.
  void say(Level level, const std::string& text) override { say_about(LogTopic::asio, level, text); }
  void say_about(LogTopic topic, Level level, const std::string& text) override;
  /// Another's: to all sinks of this logger but those that send.
  void take(const LogMessage& line) noexcept;
  /// Lines for others that have come up since the last time. Of ten thousand and more the newest are left
  /// out.
  std::vector<LogMessage> take_sent();
  /// There is a sink that sends.
  bool sends() const { return sends_; }
  /// The lowest of the sinks'; 5 without one.
  std::uint32_t level() const;

 private:
  struct Sink {
    SinkSettings settings;
    OpenFile file;  // null: standard_
  };
  void write(std::uint32_t level, LogTopic topic, std::string_view text) noexcept;
  void put(const Sink& sink, const LogMessage& line);

  const std::string owner_;
  const std::uint32_t flush_level_;
  bool sends_ = false;
  const bool silent_;
  std::FILE* const standard_;
  std::vector<Sink> sinks_;
  std::mutex mutex_;
  std::vector<LogMessage> sent_;  ///< not yet
};

/// "2026-11-22T12-18-19": now, as part of a file's name.
std::string file_time();

}  // namespace tactus::silkit
