#include "drivers/link/lateness.hpp"

#include <algorithm>

namespace tactus::drivers::link {

Lateness::Judgement Lateness::judge(const Exchange& exchange, std::int64_t granted, std::int64_t step,
                                    bool first, MonotonicInstant now, PortStatus& status,
                                    PortTotals& totals) TACTUS_RT {
  const std::int64_t now_ns = now.time_since_epoch().count();
  Judgement judgement;
  judgement.missing = granted < step;
  judgement.step = step;
  if (first) due_ns_[static_cast<std::size_t>(step % kSteps)] = now_ns;
  if (anew_) {
    anew_ = false;
    anew_ns_ = now_ns;
    status.consecutive_late = 0;
  }
  const bool excused = exchange.excused.load(std::memory_order_acquire);
  if (excused) {
    pardoned_ = true;
    status.consecutive_late = 0;
  }

  status.grant_arrival_ns = judgement.missing ? 0 : exchange.arrival(step).time_since_epoch().count();
  status.behind = judgement.missing ? step - granted : 0;
  std::int64_t come_step = step;
  const std::int64_t come_ns = assess(exchange, std::min(granted, step), step, come_step);
  std::int64_t missing_ns = 0;
  if (judgement.missing) {
    const std::int64_t oldest = granted + 1;
    if (oldest > step - kSteps) oldest_due_ns_ = due(oldest);
    missing_ns = std::max<std::int64_t>(now_ns - std::max(oldest_due_ns_, anew_ns_), 0);
  }
  status.lateness_ns = pardoned_ ? 0 : missing_ns;
  if (pardoned_) {
    pardoned_ = excused || judgement.missing;
    return judgement;
  }

  judgement.came = come_ns >= missing_ns;
  judgement.late_ns = judgement.came ? come_ns : missing_ns;
  if (judgement.late_ns > 0) {
    judgement.step = judgement.came ? come_step : granted + 1;
    judgement.too_late = judgement.late_ns >= max_late_ns_;
  }
  if (judgement.late_ns > totals.worst_lateness_ns) {
    totals.worst_lateness_ns = judgement.late_ns;
    totals.worst_step = judgement.step;
  }
  if (!first) return judgement;
  if (!judgement.missing) {
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
  const auto note = [&](std::int64_t s, std::int64_t due_ns) TACTUS_RT {
    const std::int64_t late = exchange.arrival(s).time_since_epoch().count() - due_ns;
    if (late <= worst) return;
    worst = late;
    worst_step = s;
  };
  // Those whose StepBegin is forgotten are taken together: none is later than the last of them, had it been
  // due with the first.
  const std::int64_t forgotten = std::min(granted, step - kSteps);
  if (assessed_ < forgotten) note(forgotten, std::max(oldest_due_ns_, anew_ns_));
  for (std::int64_t s = std::max(assessed_, step - kSteps) + 1; s <= granted; ++s) note(s, due(s));
  assessed_ = std::max(assessed_, granted);
  return worst;
}

}  // namespace tactus::drivers::link
