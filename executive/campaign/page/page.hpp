// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tactus::campaign {

/// Writes campaign.html into the folder of a campaign: one file that needs no server, with all cases that have a result.
/// `running`: it loads itself again every ten seconds. Returns its path.
/// Throws DatabaseError; std::runtime_error: it cannot be written.                                @when service
std::filesystem::path write_page(const std::filesystem::path& folder, bool running = false);

/// Folders of the cases that are farthest beyond a limit, the worst first.
std::vector<std::string> worst_folders(const std::filesystem::path& folder, int most);

}  // namespace tactus::campaign
