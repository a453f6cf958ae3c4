// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/report/run_data.hpp"
#include "executive/report/verdict.hpp"

namespace tactus::report {

/// Returns true if a run was judged by a test.
bool has_test(const RunData& run);
/// Puts the verdict of its test before that of its times.
Verdict with_test(const RunData& run, Verdict verdict);

}  // namespace tactus::report
