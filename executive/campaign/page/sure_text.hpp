// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "config/json.hpp"
#include "executive/campaign/statistics/sure_draws.hpp"

namespace tactus::campaign {

/// Returns what `until_sure:` of a campaign has come to: confidence, half_width, expectation, sure, passed, of, left_out, interval,
/// coverage, most_draws.                                                                       @when service
config::Json sure_json(const SureDraws& draws);
/// The same as a line for people.                                                              @when service
std::string sure_text(const config::Json& json);

}  // namespace tactus::campaign
