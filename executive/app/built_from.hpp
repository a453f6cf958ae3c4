#pragma once

namespace tactus::app {

/// "commit b615ffc310ab", "commit b615ffc310ab-dirty" when a file differed from it, or "no commit".
extern const char* const kCommit;

}  // namespace tactus::app
