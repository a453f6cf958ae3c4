// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "executive/report/run_data.hpp"

namespace tactus::report {

/// The answer first.
struct Verdict {
  char sign = 'g';  ///< sign, as Page::sign
  std::string sentence;
};

/// Judges whether the frames were on time; else the cause and the culprit.
Verdict verdict_of(const RunData& run);

/// Puts the verdict of its test before that of its times.
Verdict with_test(const RunData& run, Verdict verdict);

/// All jobs and threads that a cause is about, from the summary and the log; empty: neither names any.
std::string who_of(const RunData& run, rtsync::Cause cause);
/// Text of the log or of a trace on a frame; empty: none.
std::string why_of_frame(const RunData& run, std::int64_t frame);

}  // namespace tactus::report
