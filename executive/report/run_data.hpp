// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "executive/report/frame_times.hpp"
#include "executive/report/run_files.hpp"
#include "executive/report/signals.hpp"
#include "executive/report/verdict_curves.hpp"

namespace tactus::report {

/// All that a report knows of a run.
struct RunData {
  std::string letter{};  ///< "A", "B"; empty: there is one run
  std::string name{};    ///< name of its folder
  RunFiles files;
  std::int64_t period_ns = 1'000'000;
  std::unique_ptr<FrameTimes> times{};  ///< nullptr: there is no frames.csv
  std::vector<std::string> remarks{};   ///< problems of frames.csv, in words
  Signals signals{};
  std::vector<VerdictCurves> verdict_curves{};

  const config::Json& summary() const { return files.summary; }
  bool has_times() const { return times != nullptr && times->frames() > 0; }
  /// Frames run: as summary.json says, else rows of frames.csv.
  std::int64_t frames() const;
  std::int64_t overruns() const;
  const config::Json* test() const;  ///< verdicts of its test; nullptr: none judged it
  std::string outcome() const;       ///< "completed"; of a run without summary "unended"
};

struct ReadRequest {
  std::vector<std::string> plot{};  ///< variables
  bool compared = false;            ///< intervals will be asked for
  std::uint64_t seed = 1;           ///< seed of the intervals
  bool ended = false;               ///< the caller knows that the run is over
};

/// A block of resampling.
inline constexpr std::int64_t kBlockNs = 100'000'000;

/// Throws std::runtime_error: it is no run folder, or has no variable of a name. @when service
RunData read_run(const std::filesystem::path& folder, const ReadRequest& request);

}  // namespace tactus::report
