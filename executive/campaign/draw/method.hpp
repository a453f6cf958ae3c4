// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::campaign {

/// Ways to choose the sets of values of a campaign.
enum class Method {
  matrix,           ///< every combination of lists
  latin_hypercube,  ///< each key has one value in each of as many parts as there are sets
  sobol,            ///< points that fill the space evenly
  monte_carlo,      ///< independent draws
  list,             ///< written out
};

}  // namespace tactus::campaign
