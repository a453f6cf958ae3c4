// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "executive/report/page.hpp"
#include "executive/report/run_data.hpp"

namespace tactus::report {

/// The answer first.
struct Verdict {
  char sign = 'g';  ///< as Page::sign
  std::string sentence;
};

/// Whether the frames were on time; else the cause and who.
Verdict verdict_of(const RunData& run);

/// Which job or thread a cause is about, of the summary and the log; empty: neither says.
std::string who_of(const RunData& run, rtsync::Cause cause);
/// What the log or a trace says of a frame; empty: nothing.
std::string why_of_frame(const RunData& run, std::int64_t frame);

}  // namespace tactus::report
