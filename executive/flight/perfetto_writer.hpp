// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rtsync/host/descriptor.hpp"

namespace tactus::executive {

/// An event of a track.
struct TraceEvent {
  enum Type : std::uint8_t { begin = 1, end = 2, instant = 3, counter = 4 };
  struct Argument {
    std::string name;
    std::variant<std::int64_t, std::string> value;
  };
  Type type = instant;
  std::uint64_t track = 0;
  std::int64_t ns = 0;
  std::string name{};  ///< none of an end or a counter
  const char* category = nullptr;
  std::vector<Argument> arguments{};
  std::vector<std::uint64_t> flows{};  ///< arrows lead from here to the next event that has the same
  std::variant<std::int64_t, double> value{};
};

/// Writes a trace that ui.perfetto.dev opens: whole packets, one after the other, to a file. What fails is kept,
/// and nothing is written after it.
///
/// Threads  any one. @when service
class PerfettoWriter {
 public:
  /// Throws std::runtime_error when the file cannot be made. It is made anew.
  explicit PerfettoWriter(const std::string& file);
  PerfettoWriter(const PerfettoWriter&) = delete;
  PerfettoWriter& operator=(const PerfettoWriter&) = delete;

  /// The same moment on the kernel's clocks; times of all others are of CLOCK_MONOTONIC.
  void clocks(std::int64_t monotonic_ns, std::int64_t boot_ns, std::int64_t real_ns);
  void process(std::uint64_t track, int pid, const std::string& name);
  void thread(std::uint64_t track, int pid, int tid, const std::string& name);
  /// Defines a track of slices and instants that belong to no thread.
  void plain(std::uint64_t track, std::uint64_t parent, const std::string& name);
  /// "ns": the viewer chooses the unit that fits.
  void counter(std::uint64_t track, std::uint64_t parent, const std::string& name, const std::string& unit);
  /// Thread of the machine, for tasks().
  struct KernelThread {
    int tid = 0;
    int process = 0;
    std::string name;
    std::string process_name;
  };
  void kernel_threads(std::span<const KernelThread> threads);
  /// Begins a new sequence: what follows is in the order of time by itself, and needs nothing that came
  /// before.
  void next_sequence();
  void write(const TraceEvent& event);
  enum class TaskState : std::uint8_t { runnable = 2, running = 3, sleeping = 4 };
  void task(std::int64_t ns, int cpu, int tid, TaskState state, int priority);

  /// Hands all to the operating system. Why it failed; empty: it did not.
  const std::string& close();

 private:
  std::uint64_t intern(unsigned table, const std::string& text);
  /// `body`: fields of a packet.
  void packet(const std::string& body, const std::int64_t* ns);
  void flush();

  rtsync::Descriptor file_;
  std::string buffer_;
  std::string failure_;
  std::uint64_t sequence_ = 1;
  bool first_ = true;
  std::string interned_;  // new ones of the packet being made
  std::map<std::pair<unsigned, std::string>, std::uint64_t> names_;
  std::map<unsigned, std::uint64_t> last_name_;
};

}  // namespace tactus::executive
