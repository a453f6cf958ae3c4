// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/draw/normal.hpp"

#include <boost/math/distributions/normal.hpp>

namespace tactus::campaign {

double normal_quantile(double share) {
  // Boost calculates some quantiles before main(). Under valgrind, whose long double is a double, one of them overflows
  // where GCC has optimised the look at that: an exception would end every command.
  using Quiet = boost::math::policies::policy<
      boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;
  return boost::math::quantile(boost::math::normal_distribution<double, Quiet>{}, share);
}

}  // namespace tactus::campaign
