// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::app {

/// "commit b615ffc310ab", "commit b615ffc310ab-dirty" when a file differed from it, or "no commit".
extern const char* const kCommit;
/// "tactus 0.1.0"
inline constexpr const char* kVersion = "tactus " TACTUS_VERSION;

}  // namespace tactus::app
