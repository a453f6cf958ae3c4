// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/json.hpp"

namespace tactus::campaign {

/// The end of the process of a case.
struct ProcessEnd {
  int status = 0;          ///< exit status
  int signal = 0;          ///< the signal that ended it, or 0
  bool timed_out = false;  ///< it was ended at the time limit of a case
  double seconds = 0;      ///< time from start to end
  double cpu_s = 0;        ///< CPU time of it and of its children
  std::int64_t memory_kb = 0;
  std::string begun;  ///< date-time, ISO 8601 in UTC
};

/// The verdict of one expectation.
struct ExpectationRow {
  std::string name, verdict, severity, unit, says;
  std::optional<double> margin;
  std::optional<std::int64_t> frame;
};

/// A quantity that a case was asked for.
struct MeasuredRow {
  std::string name, unit;
  double value;  ///< NaN: it never had a value
};

/// A file that a case was made of, with its checksum.
struct SourceRow {
  std::string kind;  ///< rig, test, library, recording, or tactus (its checksum is its version)
  std::string file, sha256;
};

/// The result of one attempt of a case.
struct Outcome {
  ProcessEnd end;
  std::string verdict{};  ///< pass, untested, inconclusive, fail or error
  std::string says{};     ///< sentence on what was not good
  std::string
      spoiled{};  ///< cause of lateness that is not the rig's: the attempt does not count; empty: it counts
  std::vector<ExpectationRow> expectations{};
  std::vector<MeasuredRow> measured{};
  std::vector<SourceRow> sources{};
  int version =
      0;  ///< version of the campaign that has these sources; 0: the one that the attempt was claimed in
};

/// The first expectation of a verdict.json that decided, as it says itself; empty: none counts.          @when service
std::string decided(const Json& verdict);

/// Reads the run folder of a case: verdict.json, and summary.json where the verdict is not good.     @when service
Outcome outcome_of(const std::filesystem::path& run_folder, const ProcessEnd& end);

/// The end of a process as one line of JSON, without a line break.
std::string end_text(const ProcessEnd& end);
std::optional<ProcessEnd> end_of(std::string_view text);
/// The end of a process as a file, from which a later runner takes it in. Returns 0 or an errno.
int write_end(const std::filesystem::path& file, const ProcessEnd& end);
std::optional<ProcessEnd> read_end(const std::filesystem::path& file);

}  // namespace tactus::campaign
