// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/report/page.hpp"
#include "executive/report/run_data.hpp"
#include "executive/report/setting_differences.hpp"

namespace tactus::report {

/// The sections of a report on one run. Each has the blocks that there is data for; without any it says so.
Section timing_section(const RunData& run);
Section causes_section(const RunData& run);
/// Share of frames that woke later than x, of one or several runs.
Section lateness_section(const std::vector<const RunData*>& runs);
Section late_over_time_section(const RunData& run);
/// Lateness of both over time, one above the other, with the same axes; empty where one has no times.
std::vector<Block> late_side_by_side(const RunData& first, const RunData& second);
/// Differences between the runs, keys of rig.yaml first, and their figures and signals, a column for each run.
Section side_by_side_section(const std::vector<const RunData*>& runs,
                             const std::vector<SettingDifference>& different);
/// The signals that more than one run recorded, those of all runs in one plot each.
Section overlaid_section(const std::vector<const RunData*>& runs,
                         const std::vector<SettingDifference>& different);
Section slack_over_time_section(const RunData& run);
Section worst_frames_section(const RunData& run);
Section jobs_section(const RunData& run);
/// Histograms of models; without blocks where no model has measured anything.
Section histogram_section(const RunData& run);
Section signals_section(const RunData& run);
Section host_section(const RunData& run);
Section link_and_clock_section(const RunData& run);
/// The verdicts of the test of a run that has one.
Section test_section(const RunData& run);
Section commands_section(const RunData& run);

/// The four figures at the top.
std::vector<Figure> figures_of(const RunData& run);

}  // namespace tactus::report
