// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/admission/admission.hpp"

namespace tactus::app {

/// Prints what the jobs of a plan add up to, and where the times come from. `from`: the name of the run, or
/// empty.
void print_load(const executive::Admission& admission, const executive::Plan& plan, const std::string& from,
                executive::MeasuredTime time);

}  // namespace tactus::app
