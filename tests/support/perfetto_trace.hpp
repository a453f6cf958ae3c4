// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tactus::test {

/// A trace as its importer would see it, read by the published format alone. What the importer would drop or count as
/// an error throws std::runtime_error.
struct PerfettoTrace {
  struct Event {
    std::string track;
    std::string name;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;  ///< as begin_ns of an instant or a counter
    std::size_t depth = 0;    ///< slices around it
    std::map<std::string, std::string> arguments;
    std::vector<std::uint64_t> flows;
    std::int64_t value = 0;  ///< of a counter
    double real = 0;         ///< likewise, where it is a real number
    std::string category{};
    bool ended = true;  ///< a slice has an end
  };
  /// A thread had a CPU.
  struct Run {
    int cpu = 0;
    int tid = 0;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;  ///< INT64_MAX: until the end of the trace
    bool ready = false;       ///< it could have gone on
    int priority = 0;
  };

  explicit PerfettoTrace(const std::filesystem::path& file);

  /// Slices of a track, in the order in which they begin; "": all names.
  std::vector<Event> slices_of(const std::string& track, const std::string& name = "") const;

  /// Events that share an arrow with that one, later in time, first the nearest.
  std::vector<Event> arrows_from(const Event& event) const;
  std::vector<Event> instants_of(const std::string& track, const std::string& name = "") const;
  std::vector<Event> counters_of(const std::string& track) const;

  std::string process;
  std::vector<std::string> threads;
  std::map<std::string, std::string> units;  ///< of counters
  std::map<int, std::string> kernel_threads;
  std::vector<Event> slices, instants, counters;
  std::vector<Run> runs;
  std::size_t unended = 0;  ///< slices
  std::size_t packets = 0;
};

}  // namespace tactus::test
