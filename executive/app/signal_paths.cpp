#include "executive/app/signal_paths.hpp"

#include <algorithm>
#include <array>

namespace tactus::app {
namespace {

using rtsync::WitnessPage;

/// How many of one signal came.
struct Came {
  int by_itself = 0;
  int passed_on = 0;
  int counted = 0;

  bool is_new() {
    const int most = std::max(by_itself, passed_on);
    if (most == counted) return false;
    counted = most;
    return true;
  }
};
std::array<Came, 65> came;  // 1 .. 64 are Linux's

}  // namespace

WitnessPage::Signal SignalPaths::next(const sigset_t& set, const timespec& wait) {
  WitnessPage* const page = rtsync::witness_page();
  const auto take_passed = [&]() -> WitnessPage::Signal {
    while (const auto passed = page == nullptr ? std::nullopt : page->take_passed()) {
      Came& of_this = came[static_cast<std::size_t>(passed->number)];
      ++of_this.passed_on;
      if (of_this.is_new()) return *passed;
    }
    return {0, 0};
  };
  if (const WitnessPage::Signal passed = take_passed(); passed.number != 0) return passed;
  siginfo_t info{};
  const int signal = ::sigtimedwait(&set, &info, &wait);
  if (signal <= 0) return {0, 0};
  if (signal == kDoorbell) return take_passed();
  const WitnessPage::Signal sent{signal, info.si_code == SI_QUEUE ? info.si_value.sival_int : 0};
  if (page == nullptr) return sent;
  Came& of_this = came[static_cast<std::size_t>(signal)];
  ++of_this.by_itself;
  return of_this.is_new() ? sent : WitnessPage::Signal{0, 0};
}

}  // namespace tactus::app
