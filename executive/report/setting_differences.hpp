// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "executive/report/run_data.hpp"

namespace tactus::report {

/// A key of rig.yaml whose values differ between runs; a value for each run; "–" where a run does not have the key,
/// "the model's own" for a parameter of a model.
struct SettingDifference {
  std::string key;
  std::vector<std::string> values;
};

/// Keys of rig.yaml that differ between the runs, sorted. A key that only some runs have is left out where these give
/// it its default: a section that `--set` added has one of each. Values that state the same quantity are equal, as
/// 1 ms and 1000 us. @when service
std::vector<SettingDifference> setting_differences(const std::vector<const RunData*>& runs);

/// The default of a key among the settings of a run, as the tables of the rig file and of its drivers have it; empty:
/// there is none, or it is not known. @when service
std::string default_of(const std::string& key, const std::vector<Setting>& settings);

/// Name of a run in a legend: "A, resistance 0.1 Ohm"; the folder where no key differs, or more than two do.
std::string label_of(const RunData& run, std::size_t number, const std::vector<SettingDifference>& different);

}  // namespace tactus::report
