#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tactus::executive {

/// Bytes of a protobuf message.
class ProtoMessage {
 public:
  ProtoMessage& number(unsigned field, std::uint64_t value);
  ProtoMessage& fixed(unsigned field, std::uint64_t value);
  ProtoMessage& real(unsigned field, double value);
  ProtoMessage& text(unsigned field, std::string_view value);
  ProtoMessage& message(unsigned field, const ProtoMessage& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  void varint(std::uint64_t value);
  std::string bytes_;
};

/// Writes a trace that ui.perfetto.dev opens: whole packets, one after the other, to a file. What fails is kept,
/// and nothing is written after it.
///
/// Threads  any one. @when service
class PerfettoWriter {
 public:
  /// Throws std::runtime_error when the file cannot be made. It is made anew.
  explicit PerfettoWriter(const std::string& file);
  ~PerfettoWriter();
  PerfettoWriter(const PerfettoWriter&) = delete;
  PerfettoWriter& operator=(const PerfettoWriter&) = delete;

  /// The same moment on the kernel's clocks; times of all others are of CLOCK_MONOTONIC.
  void clocks(std::int64_t monotonic_ns, std::int64_t boot_ns, std::int64_t real_ns);
  void process(std::uint64_t track, int pid, const std::string& name);
  void thread(std::uint64_t track, int pid, int tid, const std::string& name);
  /// Of nanoseconds.
  void counter(std::uint64_t track, std::uint64_t parent, const std::string& name);

  struct Argument {
    const char* name;
    std::variant<std::int64_t, std::string> value;
  };
  /// `flow`: an arrow leads from here to the next slice that has the same; 0: none.
  void begin(std::uint64_t track, std::int64_t ns, const std::string& name, const char* category,
             std::span<const Argument> arguments = {}, std::uint64_t flow = 0);
  void end(std::uint64_t track, std::int64_t ns);
  void instant(std::uint64_t track, std::int64_t ns, const std::string& name,
               std::span<const Argument> arguments = {});
  void count(std::uint64_t track, std::int64_t ns, std::int64_t value);

  /// Hands all to the operating system. Why it failed; empty: it did not.
  const std::string& close();

 private:
  void event(unsigned type, std::uint64_t track, std::int64_t ns, const std::string* name,
             const char* category, std::span<const Argument> arguments, std::uint64_t flow,
             const std::int64_t* value);
  std::uint64_t intern(unsigned table, const std::string& text);
  void packet(const ProtoMessage& body, const std::int64_t* ns);
  void flush();

  int file_;
  std::string buffer_;
  std::string failure_;
  bool first_ = true;
  ProtoMessage interned_;  // new ones of the packet being made
  std::map<std::pair<unsigned, std::string>, std::uint64_t> names_;
  std::map<unsigned, std::uint64_t> last_name_;
};

}  // namespace tactus::executive
