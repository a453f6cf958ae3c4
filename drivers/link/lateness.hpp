#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "drivers/link/exchange.hpp"
#include "drivers/link/port.hpp"

namespace tactus::drivers::link {

/// Judges whether the grants of steps come in time. A grant is due when the first frame of its step begins:
/// it is late by what passes from then on, whether or not that frame itself was late.
///
/// Threads  one.
/// RT       everything but the constructor.
class Lateness {
 public:
  struct Judgement {
    bool missing = false;    ///< a grant that is due has not come
    bool too_late = false;   ///< max_late is reached, by the grant of `step`
    bool too_often = false;  ///< max_consecutive_late is reached, with the grant of `step`
    std::int64_t step = 0;
    std::int64_t late_ns = 0;
    bool came = false;  ///< it has come by now
  };

  Lateness(std::optional<Nanoseconds> max_late, std::optional<std::int64_t> max_consecutive_late)
      : max_late_ns_(max_late ? max_late->count() : INT64_MAX),
        max_consecutive_(max_consecutive_late ? *max_consecutive_late : INT64_MAX) {}

  /// A frame of `step` begins, its first one or another. `granted`: as it was before the inbox was read.
  Judgement judge(const Exchange& exchange, std::int64_t granted, std::int64_t step, bool first,
                  MonotonicInstant now, PortStatus& status, PortTotals& totals) TACTUS_RT;
  /// The rig was frozen: what is missing is due at the next StepBegin, for the first time.
  void start_anew() TACTUS_RT { anew_ = true; }

 private:
  static constexpr std::int64_t kSteps = 4096;  // whose StepBegin is remembered

  std::int64_t assess(const Exchange& exchange, std::int64_t granted, std::int64_t step,
                      std::int64_t& worst_step) TACTUS_RT;
  std::int64_t due(std::int64_t step) const TACTUS_RT {
    const std::int64_t at = due_ns_[static_cast<std::size_t>(step % kSteps)];
    return at > anew_ns_ ? at : anew_ns_;
  }

  std::int64_t max_late_ns_;
  std::int64_t max_consecutive_;
  std::array<std::int64_t, kSteps> due_ns_{};
  std::int64_t oldest_due_ns_ = 0;  // of the oldest that was missing; it, or one before it
  std::int64_t anew_ns_ = INT64_MIN;
  std::int64_t assessed_ = -1;  // up to this step, those that came are accounted for
  bool anew_ = false;
  bool pardoned_ = false;  // excused, and virtual time has not caught up yet
};

}  // namespace tactus::drivers::link
