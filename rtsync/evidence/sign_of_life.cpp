// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/sign_of_life.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "rtsync/evidence/kernel_events.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kOneEvery = 125us;  // a start waits for four of them
constexpr Nanoseconds kTimeout = 20ms;
constexpr int kEnough = 4;
constexpr std::int64_t kShare = 20;
constexpr Nanoseconds kTooSeldom = 20ms;

bool shows_life(const EventRing& ring, std::uint64_t& from, std::uint64_t to) {
  bool shown = false;
  EventRecord record;
  while (from < to && ring.bytes().next(from, to, record))
    shown = shown || record.kind == EventRecord::Kind::alive;
  from = to;
  return shown;
}

}  // namespace

Nanoseconds sign_of_life_cost() {
  EventRing ring;
  EventRates rates{.alive = kOneEvery};
  if (ring.open_thread(static_cast<pid_t>(::syscall(SYS_gettid)), rates) != 0 || rates.alive == 0ns)
    return 0ns;
  Nanoseconds least = Nanoseconds::max();
  int seen = 0;
  std::uint64_t read = ring.head();
  Nanoseconds last{0};  // the interrupt may have come behind the look at the ring
  const EvidenceTime start = monotonic_now();
  for (EvidenceTime before = start; seen < kEnough && before - start < kTimeout;) {
    const std::uint64_t head = ring.head();
    const EvidenceTime now = monotonic_now();
    if (head != read && shows_life(ring, read, head)) {
      least = std::min(least, std::max(last, now - before));
      ++seen;
    }
    last = now - before;
    before = now;
  }
  return seen == 0 ? Nanoseconds{0} : least;
}

Nanoseconds affordable_signs(Nanoseconds wanted, Nanoseconds cost) {
  const Nanoseconds interval = std::max(wanted, kShare * cost);
  return interval > std::max(wanted, kTooSeldom) ? Nanoseconds{0} : interval;
}

Nanoseconds fitted_signs(Nanoseconds interval, Nanoseconds frame) {
  if (interval <= Nanoseconds{0}) return interval;
  if (interval <= frame) return frame / (frame / interval);
  return (interval + frame - Nanoseconds{1}) / frame * frame;
}

bool SignRate::improve(Nanoseconds cost) {
  if (cost <= Nanoseconds{0} || cost >= cost_) return false;
  cost_ = cost;
  const Nanoseconds before = interval_;
  interval_ = fitted();
  return interval_ > Nanoseconds{0} && interval_ != before;
}

Nanoseconds fitted_signs_within(Nanoseconds interval, Nanoseconds frame) {
  if (interval <= Nanoseconds{0}) return interval;
  if (interval < frame) return frame / ((frame + interval - Nanoseconds{1}) / interval);
  return interval / frame * frame;
}

Nanoseconds off_middle(TimePoint<MonotonicTime> sign, TimePoint<MonotonicTime> slot, Nanoseconds spacing) {
  const Nanoseconds behind = (sign - slot) % spacing;  // with the sign of what is divided
  return (behind < Nanoseconds{0} ? behind + spacing : behind) - spacing / 2;
}

}  // namespace tactus::rtsync
