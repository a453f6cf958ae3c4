// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace tactus::silkit {

/// Section of a key in SIL Kit's configurations: "Logging.Sinks[]"; "the top" for those of the document
/// itself. Empty: there is no such key anywhere.
std::string_view section_of(std::string_view key);

}  // namespace tactus::silkit
