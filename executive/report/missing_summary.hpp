// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace tactus::report {

/// Returns why a run folder has no summary.json: its rig was killed before it wrote the first one, or the file was
/// removed. `still_written`: a rig writes into the folder. @when service
std::string why_no_summary(const std::filesystem::path& folder, bool still_written);

/// Returns true if the rig of the folder was killed before it wrote rig.yaml: the folder holds log.txt and no
/// more than the files of that moment. @when service
bool is_barely_begun(const std::filesystem::path& folder);

}  // namespace tactus::report
