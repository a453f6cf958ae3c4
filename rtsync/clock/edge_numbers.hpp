// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "rtsync/clock/edge_clock_settings.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

enum class EdgePassed : std::uint8_t { accepted, rejected, missing };

/// Numbers of the edges that came; counts the missing ones in the status.
class EdgeNumbers {
 public:
  explicit EdgeNumbers(EdgeClockStatus& status) : status_(status) {}

  /// Numbers mean something from here on: those after n that do not come are missing.
  void begin(std::int64_t n, EdgePassed how) TACTUS_RT {
    passed_ = n;
    passed_how_ = how;
  }
  void end() TACTUS_RT { passed_.reset(); }
  bool begun() const TACTUS_RT { return passed_.has_value(); }
  /// Stops counting edges that do not come as missing, until it is switched off again.
  void suspend(bool on) TACTUS_RT { suspended_ = on; }
  bool suspended() const TACTUS_RT { return suspended_; }

  struct Step {
    std::int64_t passed;   ///< numbers that have passed now and had not before ...
    std::int64_t missing;  ///< ... and did not come
  };
  /// Edge n has come, or has not: so have not those between it and the last one, unless suspended.
  Step pass(std::int64_t n, EdgePassed how) TACTUS_RT {
    const bool came = how != EdgePassed::missing;
    const std::int64_t before = passed_.value_or(n);
    std::int64_t missing = 0;
    if (!passed_ || n > before) {
      if (!suspended_) missing = std::max<std::int64_t>(n - before - (came ? 1 : 0), 0);
      begin(n, how);
    } else if (came && passed_how_ == EdgePassed::missing && status_.missing > 0) {
      --status_.missing;  // it was delivered later than it was given up
      if (n == before) passed_how_ = how;
    }
    status_.missing += missing;
    status_.consecutive_missing += missing;
    status_.max_consecutive_missing = std::max(status_.max_consecutive_missing, status_.consecutive_missing);
    if (came) status_.consecutive_missing = 0;
    return {std::max<std::int64_t>(n - before, 0), missing};
  }
  void accept(std::int64_t n, std::int64_t stamp) TACTUS_RT {
    last_ = n;
    last_stamp_ = stamp;
  }
  /// All edges up to this time were fed.
  void fed(std::int64_t until) TACTUS_RT { fed_until_ = std::max(fed_until_, until); }

  /// Returns true once edge n or a later one has passed.
  bool passed(std::int64_t n) const TACTUS_RT { return passed_ && n <= *passed_; }
  bool has_last() const TACTUS_RT { return last_ != INT64_MIN; }
  std::int64_t last() const TACTUS_RT { return last_; }              ///< newest accepted; INT64_MIN: none
  std::int64_t last_stamp() const TACTUS_RT { return last_stamp_; }  ///< its time stamp, ns
  std::int64_t fed_until() const TACTUS_RT { return fed_until_; }    ///< ns; INT64_MIN: nothing was fed

 private:
  EdgeClockStatus& status_;
  bool suspended_ = false;
  std::optional<std::int64_t> passed_;  // newest number that came or is missing
  EdgePassed passed_how_ = EdgePassed::accepted;
  std::int64_t last_ = INT64_MIN;
  std::int64_t last_stamp_ = 0;
  std::int64_t fed_until_ = INT64_MIN;
};

}  // namespace tactus::rtsync
