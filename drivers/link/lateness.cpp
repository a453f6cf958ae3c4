// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/lateness.hpp"

#include <algorithm>

namespace tactus::drivers::link {
namespace {

/// Arrival of the grant of a step. That of the newest one is part of what is read anyway.
std::int64_t arrival_ns(const Exchange& exchange, std::int64_t step, std::int64_t granted) TACTUS_RT {
  return step == granted ? exchange.newest_arrival_ns.load(std::memory_order_relaxed)
                         : exchange.arrival(step).time_since_epoch().count();
}

}  // namespace

void Lateness::update_grace(const Exchange& exchange, std::int64_t granted, MonotonicInstant now) TACTUS_RT {
  grace_covers_age_ = exchange.lateness_suspended.load(std::memory_order_acquire);
  if (grace_covers_age_) {
    grace_ = GracePhase::suspended;
    granted_before_ = granted;
    return;
  }
  if (grace_ == GracePhase::none) return;
  const std::int64_t now_ns = now.time_since_epoch().count();
  if (grace_ == GracePhase::suspended || grace_ == GracePhase::begins) {
    grace_ = GracePhase::waiting;
    waiting_since_ns_ = now_ns;
  }
  const bool goes_on = granted > granted_before_;
  const std::int64_t limit_ns = waiting_since_ns_ + kResumeGrace.count();
  if (grace_ == GracePhase::waiting && (goes_on || now_ns >= limit_ns)) {
    grace_ = GracePhase::catching_up;
    waited_until_ns_ =
        goes_on ? std::min(arrival_ns(exchange, granted_before_ + 1, granted), limit_ns) : limit_ns;
  }
  const std::int64_t progress_ns =
      goes_on ? std::max(arrival_ns(exchange, granted, granted), waiting_since_ns_) : waiting_since_ns_;
  grace_covers_age_ = now_ns - progress_ns < kResumeGrace.count();
}

Lateness::Judgement Lateness::judge(const Exchange& exchange, std::int64_t granted, std::int64_t step,
                                    bool first, MonotonicInstant now, PortStatus& status,
                                    PortTotals& totals) TACTUS_RT {
  const std::int64_t now_ns = now.time_since_epoch().count();
  Judgement judgement{.missing = granted < step, .step = step};
  if (first) due_ns_[static_cast<std::size_t>(step % kSteps)] = now_ns;
  const bool progress = granted > granted_at_step_;
  if (first) granted_at_step_ = granted;

  status.grant_arrival_ns = judgement.missing ? 0 : arrival_ns(exchange, step, granted);
  status.behind = judgement.missing ? step - granted : 0;
  const bool nothing_is_late = grace_ == GracePhase::suspended || grace_ == GracePhase::waiting;
  const bool catching_up = grace_ == GracePhase::catching_up;
  std::int64_t come_step = step;
  const std::int64_t come_ns = assess(exchange, granted, step, come_step);
  const std::int64_t oldest = granted + 1;
  if (judgement.missing && oldest > step - kSteps)
    oldest_due_ns_ = due_ns_[static_cast<std::size_t>(oldest % kSteps)];
  if (nothing_is_late) {
    status.lateness_ns = status.consecutive_late = 0;
    return judgement;
  }
  std::int64_t missing_ns = 0;
  if (judgement.missing) {
    std::int64_t since_ns = std::max(oldest_due_ns_, waited_until_ns_);
    if (catching_up && granted >= 0) since_ns = std::max(since_ns, arrival_ns(exchange, granted, granted));
    missing_ns = std::max<std::int64_t>(now_ns - since_ns, 0);
  }
  status.lateness_ns = missing_ns;
  if (!judgement.missing) grace_ = GracePhase::none;

  judgement.came = come_ns >= missing_ns;
  judgement.late_ns = judgement.came ? come_ns : missing_ns;
  if (judgement.late_ns > 0) {
    judgement.step = judgement.came ? come_step : oldest;
    judgement.too_late = judgement.late_ns >= max_late_ns_;
  }
  if (judgement.late_ns > totals.worst_lateness_ns) {
    totals.worst_lateness_ns = judgement.late_ns;
    totals.worst_step = judgement.step;
  }
  if (!first) return judgement;
  if (!judgement.missing || (catching_up && progress)) {
    status.consecutive_late = 0;
    return judgement;
  }
  totals.late = ++status.late;
  totals.max_consecutive_late = std::max(totals.max_consecutive_late, ++status.consecutive_late);
  judgement.too_often = status.consecutive_late >= max_consecutive_;
  return judgement;
}

/// The worst of those that came since the last frame; 0 when none of them was late.
std::int64_t Lateness::assess(const Exchange& exchange, std::int64_t granted, std::int64_t step,
                              std::int64_t& worst_step) TACTUS_RT {
  std::int64_t worst = 0;
  std::int64_t before = assessed_;  // the last one that came before the one that is looked at
  const auto note = [&](std::int64_t s, std::int64_t due_ns) TACTUS_RT {
    if (grace_ == GracePhase::catching_up && before >= 0)
      due_ns = std::max(due_ns, arrival_ns(exchange, before, granted));
    before = s;
    const std::int64_t late = arrival_ns(exchange, s, granted) - due_ns;
    if (late <= worst) return;
    worst = late;
    worst_step = s;
  };
  // Those whose StepBegin is forgotten are taken together: none is later than the last of them, had it been
  // due with the first.
  const std::int64_t last = std::min(granted, step);
  const std::int64_t forgotten = std::min(last, step - kSteps);
  if (assessed_ < forgotten) note(forgotten, std::max(oldest_due_ns_, waited_until_ns_));
  for (std::int64_t s = std::max(assessed_, step - kSteps) + 1; s <= last; ++s) note(s, due(s));
  assessed_ = std::max(assessed_, last);
  return worst;
}

}  // namespace tactus::drivers::link
