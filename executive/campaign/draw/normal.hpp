// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::campaign {

/// Returns the value that a standard normal variable stays below with that probability: 1.959964 for 0.975; an infinity for
/// 0 and 1.
double normal_quantile(double share);

}  // namespace tactus::campaign
