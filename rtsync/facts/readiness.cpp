// SPDX-License-Identifier: Apache-2.0
#include "rtsync/facts/readiness.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "rtsync/time/duration_text.hpp"

namespace tactus::rtsync {
namespace {

/// Facts without which there is no hard real time, whatever the grade of one that is not ok.
constexpr std::string_view kNeeded[] = {"kernel preemption", "real-time scheduling", "memory lock",
                                        "virtual machine"};

bool is_decisive(const Fact& fact) {
  return fact.grade == Grade::fail ||
         (fact.grade != Grade::ok && std::ranges::find(kNeeded, fact.name) != std::end(kNeeded));
}

Fact fact_of(const MeasuredWakes& wakes, Nanoseconds limit) {
  Fact fact{.name = "wakes",
            .grade = Grade::ok,
            .found = "not measured",
            .needed = "none later than " + duration_text(limit.count()) + ", a tenth of the frame",
            .why = "a frame that is woken late has less time, whatever the reason is",
            .fix = {}};
  if (wakes.count > 0) {
    const auto text = [](Nanoseconds time) { return duration_text(time.count()); };
    fact.found = "p50 " + text(wakes.p50) + ", p99 " + text(wakes.p99) + ", the latest " + text(wakes.max) +
                 " of " + std::to_string(wakes.count);
    if (!wakes.realtime) fact.found += ", not under a real-time policy";
  }
  if (wakes.count > 0 && wakes.realtime && wakes.max <= limit) return fact;
  fact.grade = Grade::fail;
  fact.fix = wakes.count == 0 ? "remove --no-measure"
             : !wakes.realtime
                 ? "see real-time scheduling"
                 : "the other findings, from the first on; then measure again with --measure 60s";
  return fact;
}

}  // namespace

Readiness judge_readiness(const std::vector<Fact>& facts, const MeasuredWakes& wakes, Nanoseconds frame) {
  Readiness all;
  std::vector<Fact> others;
  for (const Fact& fact : facts) {
    if (is_decisive(fact))
      all.findings.push_back(fact);
    else if (fact.grade != Grade::ok)
      others.push_back(fact);
  }
  // What the wakes show has its reason in what stands before them.
  if (Fact measured = fact_of(wakes, frame / 10); measured.grade != Grade::ok) {
    const auto place =
        all.findings.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(all.findings.size(), 2));
    all.findings.insert(place, std::move(measured));
  }
  all.decisive = all.findings.size();
  all.ready = all.findings.empty();
  std::move(others.begin(), others.end(), std::back_inserter(all.findings));
  return all;
}

}  // namespace tactus::rtsync
