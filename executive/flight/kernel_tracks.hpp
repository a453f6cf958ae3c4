// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "executive/flight/flight_reader.hpp"
#include "executive/flight/perfetto_writer.hpp"

namespace tactus::executive {

/// A thread had a CPU.
struct CpuTime {
  std::uint32_t thread = 0;
  std::uint16_t cpu = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// CPU times of the threads on the CPUs of a rig: the switches of a flight recorder, put together.
///
/// Threads  any one. @when service
class KernelTracks {
 public:
  KernelTracks(const FlightFile& file, FlownKernel kernel);

  const std::vector<FlownFault>& faults() const { return kernel_.faults; }
  /// CPU times in the order in which they end.
  const std::vector<CpuTime>& times() const { return times_; }
  /// The longest time of a thread that touches these; nothing: there is none.
  std::optional<CpuTime> longest(std::uint32_t thread, std::int64_t from_ns, std::int64_t to_ns) const;
  /// "stress"; of an unknown one "thread 123".
  std::string name_of(std::uint32_t thread) const;
  int priority_of(std::uint32_t thread) const;
  /// Tracks of the CPUs, as a sequence of the trace.
  void write(PerfettoWriter& out) const;

 private:
  struct Name {
    int process = 0;
    int priority = 120;
    std::string name;
    std::string process_name;
  };
  const FlightFile& file_;
  const FlownKernel kernel_;
  std::map<std::uint32_t, Name> names_;
  std::vector<CpuTime> times_;
};

}  // namespace tactus::executive
