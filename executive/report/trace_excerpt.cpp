// SPDX-License-Identifier: Apache-2.0
#include "executive/report/trace_excerpt.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include "executive/record/line_reader.hpp"
#include "rtsync/text.hpp"

namespace tactus::report {
namespace {

constexpr std::size_t kMostTracedJobs = 60;
constexpr std::size_t kMostCpuLines = 24;

std::string_view without_blanks(std::string_view text) { return rtsync::trimmed(text, " "); }

/// Takes the next word of the line.
std::string_view next_word(std::string_view& line) {
  line = without_blanks(line);
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

/// Returns true if the line of a table is that of the frame; what follows the number stays in `line`.
bool is_of(std::string_view& line, std::int64_t frame) {
  if (line.starts_with('>')) line.remove_prefix(1);
  return next_word(line) == std::to_string(frame);
}

/// A job's line after its frame: "main load.step 1.30 us 3.50 ms longest". Names of jobs have no blanks;
/// "(waits for plant)" has.
TracedJob job_of(std::string_view line) {
  TracedJob job{.thread = std::string(next_word(line))};
  line = without_blanks(line);
  if (line.ends_with("longest")) {
    job.longest = true;
    line = without_blanks(line.substr(0, line.size() - 7));
  }
  std::string_view words[4];  // from the end: unit, number, unit, number
  for (std::string_view& word : words) {
    const std::size_t blank = line.rfind(' ');
    if (blank == std::string_view::npos) return job;
    word = line.substr(blank + 1);
    line = without_blanks(line.substr(0, blank));
  }
  job.takes_ns = parse_time_text(std::string(words[1]) + " " + std::string(words[0]));
  job.begins_ns = parse_time_text(std::string(words[3]) + " " + std::string(words[2]));
  job.job = line;
  return job;
}

}  // namespace

std::int64_t parse_time_text(std::string_view text) {
  text = without_blanks(text);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return 0;
  const std::string_view unit = without_blanks(text.substr(static_cast<std::size_t>(end - text.data())));
  const double scale = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 0;
  const double ns = number * scale;
  if (!(std::abs(ns) < 9e17)) return 0;
  return static_cast<std::int64_t>(std::llround(negative ? -ns : ns));
}

TraceExcerpt read_trace_excerpt(const std::filesystem::path& text, std::int64_t frame) {
  enum class Part { none, why, jobs, cpus } part = Part::none;
  TraceExcerpt excerpt;
  bool marked = false;  // the trace was written about this frame
  bool figures_next = false;
  executive::LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with("why, with")) {
      part = Part::why;
    } else if (line.starts_with("jobs of the nearest frames")) {
      part = Part::jobs;
    } else if (line.starts_with("who had the CPUs")) {
      part = Part::cpus;
    } else if (line.starts_with("variables at")) {
      part = Part::none;
    } else if (figures_next) {
      figures_next = false;
      excerpt.figures = without_blanks(line).substr(0, 1000);
    } else if (part == Part::why) {
      std::string_view rest = line;
      if (!is_of(rest, frame)) continue;
      rest = without_blanks(rest);
      const std::size_t colon = rest.find(": ");
      excerpt.why = rest.substr(colon == std::string_view::npos ? 0 : colon + 2, 300);
      figures_next = true;
    } else if (part == Part::jobs) {
      std::string_view rest = line;
      const bool is_marked = line.starts_with('>');
      if (!is_of(rest, frame)) continue;
      marked = marked || is_marked;
      if (excerpt.jobs.size() < kMostTracedJobs)
        excerpt.jobs.push_back(job_of(rest));
      else
        ++excerpt.jobs_left_out;
    } else if (part == Part::cpus && marked && line.starts_with("  ")) {
      if (excerpt.cpus.size() < kMostCpuLines && line.find("from") == std::string_view::npos)
        excerpt.cpus.emplace_back(line.substr(0, 160));
    }
  }
  return excerpt;
}

}  // namespace tactus::report
