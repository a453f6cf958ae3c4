// SPDX-License-Identifier: Apache-2.0
/// A clock with one mistake of those that strangers make, chosen by a key.
#include <signal.h>
#include <time.h>
#include <unistd.h>

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
  open_hangs
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
            {"open_hangs", Flaw::open_hangs}},
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
  Flaw flaw_ = Flaw::none;
  std::int64_t begin_ = 0, waits_ = 0;
  std::unique_ptr<std::string> text_;
};

}  // namespace

TACTUS_CLOCK_DRIVER("flawed", Flawed, "A clock with a mistake.")
