// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace tactus::campaign {

/// A distribution of one number, drawn by its quantile function: the share u of all values is below quantile(u).
/// Formulas: Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions (1994/95); the truncated ones draw from
/// F(low) .. F(high).
///
/// Threads  plain values.
struct Distribution {
  enum class Kind {
    weights,      ///< the index of a list, with its weight in `weights`
    uniform,      ///< a .. b
    log_uniform,  ///< a .. b, its logarithm uniform; both above 0
    normal,       ///< mean a, standard deviation b
    lognormal,    ///< median a, standard deviation b of the logarithm
    triangular,   ///< a .. b, most often c
  };

  Kind kind = Kind::uniform;
  double a = 0, b = 0, c = 0;
  double low, high;               ///< `within:`; infinite: not bounded
  std::vector<double> weights{};  ///< any positive numbers

  Distribution();
  /// The value at a share, 0 < share < 1; of weights the index.
  double quantile(double share) const;
  /// Share of the values of the unbounded distribution that are below x; not of weights.
  double below(double x) const;
  /// Bounds of what can be drawn, of the distribution or of `within:`; infinite: there is none.
  double least() const;
  double most() const;
  /// Ends of what can be drawn; for an unbounded one where all but one in 1000 values lie.
  double lowest() const;
  double highest() const;
};

}  // namespace tactus::campaign
