// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "executive/capability/judge/settings.hpp"

namespace tactus::executive {

/// Reads an expectation that is written as one text:
///
///     always C          never C          finally C            C: always; with a count of the whole run, finally
///     after A, within T: C      after A, for T: C      after A, from T1 until T2: C
///     within T: C               for T: C               from T1 until T2: C          from the first frame on
///     between A and B: C        between 2 s and 3 s: C
///     A before B                x settles to y within D by T          after A: x settles to y within D by T
///     run: overruns == 0
///
/// Its conditions are parts of the text, not looked at yet. Nothing: its mistakes were added to `problems`.  @when setup
std::optional<ExpectSettings> read_expectation(const Located<std::string>& text, config::Problems& problems);
/// Reads one that is such a text, or a map with the keys of expect_fields(). Nothing: it is no such text.   @when setup
std::optional<ExpectSettings> read_expectation(const config::Node& node, const std::string& path,
                                               config::Problems& problems);

}  // namespace tactus::executive
