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
  };

  explicit PerfettoTrace(const std::filesystem::path& file);

  /// Slices of a track, in the order in which they begin; "": all names.
  std::vector<Event> slices_of(const std::string& track, const std::string& name = "") const;

  std::string process;
  std::vector<std::string> threads;
  std::vector<Event> slices, instants, counters;
  std::size_t packets = 0;
};

}  // namespace tactus::test
