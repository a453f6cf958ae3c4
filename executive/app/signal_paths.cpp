// SPDX-License-Identifier: Apache-2.0
#include "executive/app/signal_paths.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "executive/app/witness.hpp"
#include "rtsync/host/repeated_signal.hpp"

namespace tactus::app {
namespace {

using rtsync::WitnessPage;

/// Count of one signal.
struct Came {
  int by_itself = 0;
  int passed_on = 0;
  int counted = 0;
  std::chrono::steady_clock::time_point last{};

  /// Another one came by that way. False: it is one that has come by the other way.
  bool is_new(int Came::*way) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last > SignalPaths::kSameWithin) *this = {};
    last = now;
    ++(this->*way);
    const int most = std::max(by_itself, passed_on);
    if (most == counted) return false;
    counted = most;
    return true;
  }
};
std::mutex counting;        // of what follows, and of the page's signals
std::array<Came, 65> came;  // 1 .. 64 are Linux's
std::vector<WitnessPage::Signal> kept;
rtsync::RepeatedSignal repeated;

/// The first one of `set` that was kept. With `counting`.
WitnessPage::Signal take_kept(const sigset_t& set) {
  const auto found =
      std::ranges::find_if(kept, [&](const auto& each) { return ::sigismember(&set, each.number) == 1; });
  if (found == kept.end()) return {0, 0};
  const WitnessPage::Signal signal = *found;
  kept.erase(found);
  return signal;
}

}  // namespace

WitnessPage::Signal SignalPaths::next(const sigset_t& set, const timespec& wait) {
  WitnessPage* const page = rtsync::witness_page();
  const auto take_passed = [&]() -> WitnessPage::Signal {
    const std::scoped_lock lock(counting);
    while (const auto passed = page == nullptr ? std::nullopt : page->take_passed())
      if (came[static_cast<std::size_t>(passed->number)].is_new(&Came::passed_on)) kept.push_back(*passed);
    return take_kept(set);
  };
  if (const WitnessPage::Signal passed = take_passed(); passed.number != 0) return passed;
  siginfo_t info{};
  const int signal = ::sigtimedwait(&set, &info, &wait);
  if (signal <= 0) return {0, 0};
  if (signal == kDoorbell) return take_passed();
  if (signal == SIGTERM) Witness::note_sender(info.si_pid);
  const WitnessPage::Signal sent{signal, info.si_code == SI_QUEUE ? info.si_value.sival_int : 0};
  const std::scoped_lock lock(counting);
  const bool ends = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  if (ends && repeated.is(signal, info.si_code, info.si_pid)) return {0, 0};
  if (page == nullptr) return sent;
  const bool is_new = came[static_cast<std::size_t>(signal)].is_new(&Came::by_itself);
  return is_new ? sent : WitnessPage::Signal{0, 0};
}

void SignalPaths::keep(WitnessPage::Signal signal) {
  const std::scoped_lock lock(counting);
  kept.push_back(signal);
}

}  // namespace tactus::app
