// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::campaign {

/// How the sets of values of a campaign are chosen.
enum class Method {
  matrix,           ///< every combination of lists
  latin_hypercube,  ///< each key has one value in each of as many parts as there are sets
  sobol,            ///< points that fill the space evenly
  monte_carlo,      ///< independent draws
  list,             ///< written out
};

}  // namespace tactus::campaign
