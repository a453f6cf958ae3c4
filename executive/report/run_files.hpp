// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "executive/flight/trace_files.hpp"

namespace tactus::report {

/// log.txt: when the run began, its warnings, and what it says of single frames.
struct RunLogText {
  static constexpr std::size_t kMostWarnings = 60;

  std::string began;  ///< "2026-11-21 13:12:03"; empty: there is no log
  std::vector<std::string> warnings;
  std::uint64_t warnings_left_out = 0;
  /// "blocked: job bad.step slept 3.00 ms in fsync (...)" of frames that the log names.
  std::map<std::int64_t, std::string> why;
};

/// journal.jsonl: the first and the last lines.
struct RunJournal {
  static constexpr std::size_t kMostLines = 120;  ///< largest number of lines of each end

  struct Line {
    std::string frame, what, variable, value, time, who, problem;
  };
  std::vector<Line> first;
  std::vector<Line> last;  ///< lines after the gap
  std::uint64_t lines = 0;
  std::uint64_t damaged = 0;

  /// An event, a step, or the beginning or end of a fault or stimulus.
  struct Happened {
    std::int64_t frame = 0;
    std::string what, name;
  };
  static constexpr std::size_t kMostHappened = 10'000;
  std::vector<Happened> happened{};  ///< the first ones
  bool went_back = false;            ///< a reset, or a checkpoint was loaded
};

/// A setting as the rig was run: "realtime.margin", "60 us".
using Setting = std::pair<std::string, std::string>;

/// The value of a setting; empty: there is none.
std::string setting_in(const std::vector<Setting>& settings, const std::string& path);

/// Content of a run folder beside tables of numbers. Everything may be missing or damaged; `problems`
/// describes that in words.
struct RunFiles {
  std::filesystem::path folder;
  config::Json summary{};  ///< an object, or null
  bool still_runs = false;
  std::vector<Setting> settings{};
  RunLogText log{};
  RunJournal journal{};
  std::vector<executive::TraceFile> traces{};
  std::vector<std::string> problems{};
};

/// Throws std::runtime_error when the folder is no run folder: it holds none of rig.yaml, summary.json and
/// frames.csv. `ended`: the caller knows that no process writes there any more. @when service
RunFiles read_run_files(const std::filesystem::path& folder, bool ended = false);

RunLogText read_log(const std::filesystem::path& file);
RunJournal read_journal(const std::filesystem::path& file);

}  // namespace tactus::report
