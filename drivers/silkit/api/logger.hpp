#pragma once
/// The lines of a participant or registry: to stdout or stderr, to files, as text or JSON.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/silkit/core/engine.hpp"

namespace tactus::silkit {

inline constexpr std::uint32_t kLevelOff = 0xFFFF'FFFF;

struct SinkSettings {
  enum class Type : std::uint8_t { standard_output, file };
  Type type = Type::standard_output;
  std::uint32_t level = 2;  ///< as in LogSink::Level, or kLevelOff
  bool json = false;
  std::string name;  ///< of a file, without the time and ".txt" that are put behind it
};
struct LoggerSettings {
  std::vector<SinkSettings> sinks;
  std::uint32_t flush_level = 0;  ///< lines of this level and above go out at once
  bool to_stderr = false;         ///< what is meant for stdout goes to stderr
};

/// Without a sink, critical lines of the user's and warnings of the library's own go to stderr.
///
/// Threads  any, at the same time.
class Logger final : public LogSink {
 public:
  /// `owner`: whose lines they are. Throws Refusal with Code::configuration when a file cannot be made.
  Logger(std::string owner, const LoggerSettings& settings);

  /// The user's. Never throws.
  void log(std::uint32_t level, std::string_view text) noexcept;
  /// The library's own.
  void say(Level level, const std::string& text) override;
  /// The lowest of the sinks'; 5 without one.
  std::uint32_t level() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  struct Sink {
    SinkSettings settings;
    std::unique_ptr<std::FILE, Close> file;  // null: standard_
  };
  void write(std::uint32_t level, std::string_view text) noexcept;

  const std::string owner_;
  const std::uint32_t flush_level_;
  std::FILE* const standard_;
  std::vector<Sink> sinks_;
  std::mutex mutex_;
};

}  // namespace tactus::silkit
