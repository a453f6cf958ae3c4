// SPDX-License-Identifier: Apache-2.0
/// A clock with one mistake of those that strangers make, chosen by a key.
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tactus/clock_driver.hpp>
#include <vector>

namespace {

enum class Flaw {
  none,
  heap,
  future,
  zero,
  latest,
  unwritten,
  past_room,
  disorder,
  backwards,
  hasty,
  signals,
  gone_by_signal,
  gone,
  too_many,
  nameless,
  throws,
  facts_throw,
  crashes,
  open_hangs,
  begin_hangs,
  wait_hangs,
  wait_spins
};

std::int64_t now_ns() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class Flawed final : public tactus::ClockDriver {
 public:
  void keys(tactus::Keys& k) override {
    k.word("flaw", flaw_,
           {{"none", Flaw::none},
            {"heap", Flaw::heap},
            {"future", Flaw::future},
            {"zero", Flaw::zero},
            {"latest", Flaw::latest},
            {"unwritten", Flaw::unwritten},
            {"past_room", Flaw::past_room},
            {"disorder", Flaw::disorder},
            {"backwards", Flaw::backwards},
            {"hasty", Flaw::hasty},
            {"signals", Flaw::signals},
            {"gone_by_signal", Flaw::gone_by_signal},
            {"gone", Flaw::gone},
            {"too_many", Flaw::too_many},
            {"nameless", Flaw::nameless},
            {"throws", Flaw::throws},
            {"facts_throw", Flaw::facts_throw},
            {"crashes", Flaw::crashes},
            {"open_hangs", Flaw::open_hangs},
            {"begin_hangs", Flaw::begin_hangs},
            {"wait_hangs", Flaw::wait_hangs},
            {"wait_spins", Flaw::wait_spins}},
           "the mistake");
  }
  void open(const tactus::OpenRequest&) override {
    while (flaw_ == Flaw::open_hangs) (void)::pause();
    begin_ = now_ns();
    if (flaw_ == Flaw::throws) throw 7;  // NOLINT(hicpp-exception-baseclass): the mistake
  }
  tactus::Edges wait(std::int64_t deadline_ns, std::span<std::int64_t> stamps) noexcept override {
    if (flaw_ == Flaw::heap) text_ = std::make_unique<std::string>(100, 'x');
    if (flaw_ == Flaw::hasty) return {};
    if (flaw_ == Flaw::gone) return {TACTUS_CLOCK_GONE, 0, false, ENODEV};
    if (flaw_ == Flaw::crashes) (void)::raise(SIGSEGV);
    while (flaw_ == Flaw::begin_hangs) (void)::pause();
    if (flaw_ == Flaw::wait_hangs || flaw_ == Flaw::wait_spins) return edge_or_never(deadline_ns, stamps);
    timespec until{deadline_ns / 1'000'000'000, deadline_ns % 1'000'000'000};
    while (deadline_ns > 0 && ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR)
      if (flaw_ == Flaw::signals)
        return {};
      else if (flaw_ == Flaw::gone_by_signal)
        return {TACTUS_CLOCK_GONE, 0, false, EINTR};
    if (flaw_ < Flaw::future || flaw_ == Flaw::signals || flaw_ == Flaw::gone_by_signal ||
        flaw_ == Flaw::nameless || flaw_ == Flaw::facts_throw)
      return {};
    const std::int64_t now = now_ns();
    for (std::size_t i = 0; i < stamps.size() && flaw_ != Flaw::unwritten; ++i)
      stamps[i] = flaw_ == Flaw::future      ? now + 1'000'000'000'000
                  : flaw_ == Flaw::zero      ? 0
                  : flaw_ == Flaw::latest    ? INT64_MAX
                  : flaw_ == Flaw::disorder  ? now - static_cast<std::int64_t>(i)
                  : flaw_ == Flaw::backwards ? begin_ - 1'000'000 * ++waits_
                                             : now;
    if (flaw_ == Flaw::past_room) stamps.data()[stamps.size()] = now;
    return {TACTUS_EDGES, flaw_ == Flaw::too_many ? stamps.size() + 1 : stamps.size(), false, 0};
  }
  std::vector<tactus::ClockFact> facts(const tactus::ClockQuestion&) override {
    if (flaw_ == Flaw::facts_throw) throw std::runtime_error("the registry is empty");
    return {};
  }
  std::string what() const override { return flaw_ == Flaw::nameless ? "" : "nothing at all"; }

 private:
  /// Gives edges as it should, every 5 ms, and does not return for the one after kBeforeItHangs.
  tactus::Edges edge_or_never(std::int64_t deadline_ns, std::span<std::int64_t> stamps) noexcept {
    constexpr std::int64_t kPeriod = 5'000'000, kBeforeItHangs = 60;
    if (waits_ == 0) begin_ = now_ns();  // however long the start took
    while (waits_ == kBeforeItHangs && never_)
      if (flaw_ == Flaw::wait_hangs) (void)::pause();
    const std::int64_t edge = begin_ + kPeriod * (waits_ + 1);
    const std::int64_t until_ns = std::min(edge, deadline_ns);
    const timespec until{until_ns / 1'000'000'000, until_ns % 1'000'000'000};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
    if (now_ns() < edge) return {};
    ++waits_;
    stamps[0] = edge;
    return {TACTUS_EDGES, 1, false, 0};
  }

  Flaw flaw_ = Flaw::none;
  std::int64_t begin_ = 0, waits_ = 0;
  volatile bool never_ = true;  // a loop that the compiler must keep
  std::unique_ptr<std::string> text_;
};

}  // namespace

TACTUS_CLOCK_DRIVER("flawed", Flawed, "A clock with a mistake.")
