// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/wake_trial.hpp"

#include <sched.h>

#include <cerrno>
#include <memory>
#include <stdexcept>

#include "rtsync/clock/clock.hpp"
#include "rtsync/time/histogram.hpp"

namespace tactus::rtsync {
namespace {

constexpr Nanoseconds kShortestPeriod{50'000};
constexpr Nanoseconds kLongestPeriod{50'000'000};
constexpr Nanoseconds kBurst{100'000'000};
// A sleeper that burns less than this by itself needs no rests: nobody starves.
constexpr double kHarmlessShare = 0.3;

void check(const TrialSettings& settings) {
  if (settings.duration <= Nanoseconds{0} || settings.duration > kLongestTrial)
    throw std::invalid_argument("a trial takes more than 0 s and at most 60 s");
  if (settings.period < kShortestPeriod || settings.period > kLongestPeriod)
    throw std::invalid_argument("the period of a trial is 50 us .. 50 ms");
}

/// Returns the scheduling of the calling thread as the kernel reports it.
std::string scheduling_in_force() {
  const int policy = ::sched_getscheduler(0);
  if (policy < 0) return "unknown: " + error_words(errno);
  sched_param param{};
  const bool known = ::sched_getparam(0, &param) == 0;
  return kernel_policy_name(policy) +
         (known && param.sched_priority > 0 ? " " + std::to_string(param.sched_priority) : "");
}

struct Tally {
  LatencyHistogram lateness;
  std::uint64_t missed = 0;
  bool complete = false;
};

/// Waits slot after slot until the end of the trial. The rests keep the grid: the slots in them are skipped.
void measure(const TrialSettings& settings, PacedClock& clock, Sleeper& sleeper,
             const std::atomic<bool>* stop, Tally& tally) {
  const bool rests = sleeper.share_spun({settings.period.count(), 1}) > kHarmlessShare;
  const TimePoint<RigTime> start = clock.now();
  const TimePoint<RigTime> end = start + settings.duration;
  const auto slot_after = [&](TimePoint<RigTime> t) {
    return start + ((t - start) / settings.period + 1) * settings.period;
  };
  TimePoint<RigTime> burst = start;
  TimePoint<RigTime> slot = start + settings.period;
  while (slot <= end) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return;
    const WaitResult waited = sleeper.wait_until(slot);
    if (waited.status != WaitStatus::reached) return;
    tally.lateness.add(waited.wake - slot);
    TimePoint<RigTime> now = clock.now();
    tally.missed += static_cast<std::uint64_t>((now - slot) / settings.period);
    if (rests && now - burst >= kBurst) {
      // As long as the burst really was, and a quarter more.
      if (sleeper.rest_until(now + (now - burst) * 5 / 4).status != WaitStatus::reached) return;
      burst = now = clock.now();
    }
    slot = slot_after(now);
  }
  tally.complete = true;
}

}  // namespace

WakeTrial run_wake_trial(const TrialSettings& settings, const std::atomic<bool>* stop) {
  check(settings);
  MonotonicClock clock;
  const std::unique_ptr<Sleeper> sleeper = make_sleeper(settings.sleeper, clock, settings.margin);
  const auto tally = std::make_unique<Tally>();
  WakeTrial trial;
  PinnedThread thread({.name = "wake-trial",
                       .cpus = {settings.cpu},
                       .policy = settings.policy,
                       .priority = settings.policy == SchedPolicy::other ? 0 : settings.priority},
                      [&] {
                        trial.scheduling = scheduling_in_force();
                        sleeper->prepare({settings.period.count(), 1});
                        measure(settings, clock, *sleeper, stop, *tally);
                      });
  trial.provisions = thread.provisions();
  thread.join();
  trial.count = tally->lateness.count();
  trial.p50 = tally->lateness.quantile(0.5);
  trial.p99 = tally->lateness.quantile(0.99);
  trial.p99_9 = tally->lateness.quantile(0.999);
  trial.max = tally->lateness.max();
  trial.missed = tally->missed;
  trial.complete = tally->complete;
  return trial;
}

std::optional<Nanoseconds> propose_margin(const WakeTrial& nanosleep, Period period) {
  if (nanosleep.count == 0) return std::nullopt;
  SpinMargin first{Nanoseconds{0}};
  first.begin(nanosleep.p99 + nanosleep.p99 / 2, period);
  const Nanoseconds margin = first.value();
  return margin < Nanoseconds{1000} ? margin : margin / 1000 * 1000;
}

}  // namespace tactus::rtsync
