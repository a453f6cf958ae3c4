// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tactus::report {

/// Job that ran in a frame, as the text form of a trace has it.
struct TracedJob {
  std::string thread;
  std::string job{};
  std::int64_t begins_ns = 0;  ///< time after the wake of the frame
  std::int64_t takes_ns = 0;
  bool longest = false;
};

/// The part of a trace-*.txt that is about one frame.
struct TraceExcerpt {
  std::string why;  ///< "computed <- job load.step": of the frame; empty: the trace does not say
  std::string figures;
  std::vector<TracedJob> jobs;
  std::vector<std::string> cpus;  ///< threads that had the CPUs, lines as they are; of the marked frame alone
  std::uint64_t jobs_left_out = 0;

  bool empty() const { return why.empty() && jobs.empty(); }
};

/// Empty where the trace is not about the frame. Throws std::runtime_error: it cannot be read. @when service
TraceExcerpt read_trace_excerpt(const std::filesystem::path& text, std::int64_t frame);

/// "4.93 ms", "-970 us" in nanoseconds; 0 when it is not a time.
std::int64_t parse_time_text(std::string_view text);

}  // namespace tactus::report
