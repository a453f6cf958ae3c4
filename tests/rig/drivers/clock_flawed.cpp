// SPDX-License-Identifier: Apache-2.0
/// A clock with one mistake of those that strangers make, chosen by a key.
#include <time.h>

#include <cerrno>
#include <memory>
#include <string>
#include <tactus/clock_driver.hpp>

namespace {

enum class Flaw { none, heap, future, disorder, hasty, signals, too_many, nameless, throws };

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
            {"disorder", Flaw::disorder},
            {"hasty", Flaw::hasty},
            {"signals", Flaw::signals},
            {"too_many", Flaw::too_many},
            {"nameless", Flaw::nameless},
            {"throws", Flaw::throws}},
           "the mistake");
  }
  void open(const tactus::OpenRequest&) override {
    if (flaw_ == Flaw::throws) throw 7;  // NOLINT(hicpp-exception-baseclass): the mistake
  }
  tactus::Edges wait(std::int64_t deadline_ns, std::span<std::int64_t> stamps) noexcept override {
    if (flaw_ == Flaw::heap) text_ = std::make_unique<std::string>(100, 'x');
    if (flaw_ == Flaw::hasty) return {};
    timespec until{deadline_ns / 1'000'000'000, deadline_ns % 1'000'000'000};
    while (deadline_ns > 0 && ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR)
      if (flaw_ == Flaw::signals) return {};
    if (flaw_ == Flaw::none || flaw_ == Flaw::signals || flaw_ == Flaw::nameless || flaw_ == Flaw::heap)
      return {};
    const std::int64_t now = now_ns();
    for (std::size_t i = 0; i < stamps.size(); ++i)
      stamps[i] = now + (flaw_ == Flaw::future ? 1'000'000'000'000 : 0) -
                  (flaw_ == Flaw::disorder ? static_cast<std::int64_t>(i) : 0);
    return {TACTUS_EDGES, flaw_ == Flaw::too_many ? stamps.size() + 1 : stamps.size(), false, 0};
  }
  std::string what() const override { return flaw_ == Flaw::nameless ? "" : "nothing at all"; }

 private:
  Flaw flaw_ = Flaw::none;
  std::unique_ptr<std::string> text_;
};

}  // namespace

TACTUS_CLOCK_DRIVER("flawed", Flawed, "A clock with a mistake.")
