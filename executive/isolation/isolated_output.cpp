// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/isolated_output.hpp"

#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {

void IsolatedOutput::opened(const OpenRequest& request) {
  guarded_ = request.safe_outputs == SafeOutputs::guardian;
  timeout_ = request.guardian_timeout;
  opened_.store(true);
}

bool IsolatedOutput::drive_safe() TACTUS_RT {
  if (!opened_.load()) return true;
  ModelProcess& process = model_.process();
  CallPage& page = process.page();
  if (ended()) page.safe_for_good.store(true);
  const std::uint32_t wanted = page.safe.fetch_add(1) + 1;
  wake(page.safe);
  const auto until = rtsync::monotonic_now() + timeout_;
  while (!process.ended()) {
    const std::uint32_t made = page.made_safe.load(std::memory_order_acquire);
    if (static_cast<std::int32_t>(made - wanted) >= 0) return !page.safe_refused.load();
    const auto left = until - rtsync::monotonic_now();
    if (left <= rtsync::Nanoseconds{0}) {
      process.give_up();
      return guarded_;
    }
    const timespec most = rtsync::to_timespec(left);
    sleep_while(page.made_safe, made, &most);
  }
  return guarded_;  // who watches over a process that has ended has driven them
}

void IsolatedOutput::frames_begin() noexcept {
  if (opened_.load()) model_.process().frames_thread().hold();
}

void IsolatedOutput::frames_ended() noexcept {
  if (opened_.load()) model_.process().frames_thread().release();
}

}  // namespace tactus::executive
