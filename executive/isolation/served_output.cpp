// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/served_output.hpp"

#include <unistd.h>

#include <cstdint>
#include <thread>

namespace tactus::executive {

void ServedOutput::start(CallPage& page, const rtsync::ThreadLife& frames_thread) {
  if (output_ == nullptr) return;
  std::thread([this, &page] { obey(page); }).detach();
  std::thread([this, &page, &frames_thread] { outlive(page, frames_thread); }).detach();
  while (page.safe_thread.load() == 0 || page.life_thread.load() == 0) std::this_thread::yield();
}

void ServedOutput::frames_begin() {
  const std::scoped_lock lock(mutex_);  // whoever drives the outputs safe from here on sees what open() wrote
  if (output_ != nullptr) output_->frames_begin();
}

void ServedOutput::end() {
  const std::scoped_lock lock(mutex_);
  if (output_ != nullptr) output_->frames_ended();
  output_ = nullptr;
}

void ServedOutput::obey(CallPage& page) {
  page.safe_thread.store(::gettid());
  for (std::uint32_t seen = 0;;) {
    sleep_while(page.safe, seen);
    const std::uint32_t wanted = page.safe.load(std::memory_order_acquire);
    if (wanted == seen) continue;
    seen = wanted;
    {
      const std::scoped_lock lock(mutex_);
      const bool for_good = page.safe_for_good.load();
      const bool done = output_ == nullptr || (for_good ? output_->end_safe() : output_->make_safe());
      page.safe_refused.store(!done);
      ended_safe_ = ended_safe_ || (done && for_good);
    }
    page.made_safe.store(wanted, std::memory_order_release);
    wake(page.made_safe);
  }
}

// The kernel ends this process only when it has taken the dead rig apart, which with locked memory and perf events takes
// some ten milliseconds.
void ServedOutput::outlive(CallPage& page, const rtsync::ThreadLife& frames_thread) {
  page.life_thread.store(::gettid());
  if (!frames_thread.await_death()) return;
  const std::scoped_lock lock(mutex_);
  if (output_ != nullptr && !ended_safe_) (void)output_->end_safe();
}

}  // namespace tactus::executive
