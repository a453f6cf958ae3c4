// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tactus::campaign {

/// One run of a search, in the order in which they were made.
struct Probe {
  double value = 0;
  std::int64_t repetition = 0;
  bool passed = false;
};

/// Narrows the border between pass and fail in one parameter.
///
/// A value passes when most of its runs do. Where runs are not the same each time, a value is repeated until Wilson's
/// interval of its pass rate excludes one half, at a confidence that is divided by the number of values asked (Bonferroni);
/// where it never does, the border is at that value, as well as can be said. Source: Waeber, Frazier, Henderson, SIAM J.
/// Control Optim. 51 (2013) 2261, on why plain halving goes astray under noise.
struct Bisection {
  enum class End {
    narrow,     ///< the border is between `low` and `high`, as narrow as was asked for
    undecided,  ///< pass and fail cannot be told apart at `low` = `high`
    one_sided,  ///< both ends pass, or both fail: there is no border, or an even number of them
  };
  End end = End::narrow;
  double low = 0, high = 0;
  bool low_passes = false;  ///< the end of the range at which it passes
  bool high_passes = false;
  std::vector<Probe> probes{};
};

struct BisectionChoices {
  double low = 0, high = 1;
  double tolerance = 0.01;      ///< widest range at the end, in the unit of the value
  bool noisy = false;           ///< false: a value is run once, since it does the same each time
  double confidence = 0.95;     ///< confidence of all decisions together
  std::int64_t most_runs = 60;  ///< most runs of one value
  std::size_t at_a_time = 1;    ///< runs side by side; where runs are noisy, one
};

/// `passes(value, repetition)` runs one case.                                                  @when service
Bisection bisect(const BisectionChoices& choices, const std::function<bool(double, std::int64_t)>& passes);

/// The same with several values at a time: a round has `at_a_time` values, evenly between the ends, and the next one is
/// between the first two neighbours that differ. Of a value at a time it is a halving.
/// `run(values)` runs a case of each, and returns which pass.                                    @when service
Bisection bisect_many(const BisectionChoices& choices,
                      const std::function<std::vector<bool>(const std::vector<double>&)>& run);

/// Rest of a set that fails: without any one of these it does not fail.
struct Minimum {
  bool fails_at_all = false;       ///< the whole set fails; else `set` is empty
  std::vector<std::size_t> set{};  ///< places in the whole set, rising
  std::size_t runs = 0;            ///< sets that were tried; the same one is tried once
};

/// Finds the smallest set that still fails by delta debugging (ddmin): 1-minimal, which need not be the least of all.
/// `run(sets)`: which of the sets alone make a case fail. Source: Zeller, Hildebrandt, IEEE Trans. Softw. Eng. 28 (2002)
/// 183. Up to `at_a_time` sets are tried side by side, of which the first that fails is taken, in the order in which one
/// at a time is tried. So the set is the same one for each number, with more runs.                @when service
Minimum minimise_many(
    std::size_t count, std::size_t at_a_time,
    const std::function<std::vector<bool>(const std::vector<std::vector<std::size_t>>&)>& run);

}  // namespace tactus::campaign
