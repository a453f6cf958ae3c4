// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "drivers/link/exchange.hpp"
#include "drivers/link/port_status.hpp"

namespace tactus::drivers::link {

/// Time that peers may take to continue after a pause or a freeze, before anything is late again.
constexpr Nanoseconds kResumeGrace{100'000'000};

/// Judges whether the grants of steps come in time. A grant is due when the first frame of its step begins:
/// it is late by what passes from then on, whether or not that frame itself was late.
///
/// While a peer is paused, or the federation ends, nothing is late. After it, and after a
/// freeze of the rig, there is a grace period:
///
///     waiting      until the first new grant, or for kResumeGrace: nothing is late
///     catching up  until virtual time has caught up: a grant is late by what passes from the one before, or
///                  from the end of the waiting; a step is late when no grant came since the step before it
///
/// A peer that catches up slowly is not late. A peer without progress is late.
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

  /// Updates the grace period as a frame begins. Before judge(). `granted`: as it was before the inbox was
  /// read.
  void update_grace(const Exchange& exchange, std::int64_t granted, MonotonicInstant now) TACTUS_RT;
  /// This frame's data may be old: lateness is suspended, or a peer has gone on, or still may, within kResumeGrace.
  bool grace_covers_age() const TACTUS_RT { return grace_covers_age_; }
  /// A frame of `step` begins, its first one or another.
  Judgement judge(const Exchange& exchange, std::int64_t granted, std::int64_t step, bool first,
                  MonotonicInstant now, PortStatus& status, PortTotals& totals) TACTUS_RT;
  /// Starts anew after a freeze; `granted` by now.
  void start_anew(std::int64_t granted) TACTUS_RT {
    grace_ = GracePhase::begins;
    granted_before_ = granted;
  }

 private:
  enum class GracePhase : std::uint8_t { none, suspended, begins, waiting, catching_up };

  static constexpr std::int64_t kSteps = 4096;  // whose StepBegin is remembered

  std::int64_t assess(const Exchange& exchange, std::int64_t granted, std::int64_t step,
                      std::int64_t& worst_step) TACTUS_RT;
  std::int64_t due(std::int64_t step) const TACTUS_RT {
    const std::int64_t at = due_ns_[static_cast<std::size_t>(step % kSteps)];
    return at > waited_until_ns_ ? at : waited_until_ns_;
  }

  std::int64_t max_late_ns_;
  std::int64_t max_consecutive_;
  std::array<std::int64_t, kSteps> due_ns_{};
  std::int64_t oldest_due_ns_ = 0;     // of the oldest that was missing; it, or one before it
  std::int64_t assessed_ = -1;         // up to this step, those that came are accounted for
  std::int64_t granted_at_step_ = -1;  // when the step began
  GracePhase grace_ = GracePhase::none;
  bool grace_covers_age_ = false;
  std::int64_t granted_before_ = -1;  // when the waiting began
  std::int64_t waiting_since_ns_ = 0;
  std::int64_t waited_until_ns_ = INT64_MIN;  // nothing was due before
};

}  // namespace tactus::drivers::link
