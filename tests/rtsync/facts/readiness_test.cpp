// SPDX-License-Identifier: Apache-2.0
#include "rtsync/facts/readiness.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace tactus::rtsync::readiness_test {
namespace {

using namespace std::chrono_literals;

Fact fact(const char* name, Grade grade) { return {name, grade, "found", "needed", "why", "fix"}; }

const MeasuredWakes kPunctual{1000, 3us, 10us, 40us, true};

std::vector<std::string> names_of(const Readiness& readiness) {
  std::vector<std::string> names;
  for (const Fact& each : readiness.findings) names.push_back(each.name);
  return names;
}

TEST(Readiness, NeedsWhatHardRealTimeCannotDoWithout) {
  struct Row {
    const char* name;
    Grade grade;
    bool ready;
    const char* why;
  };
  const Row rows[] = {
      {"kernel preemption", Grade::ok, true, "all is as it should be"},
      {"kernel preemption", Grade::warn, false, "preempt=full is no PREEMPT_RT"},
      {"virtual machine", Grade::warn, false, "a hypervisor can take the CPU away"},
      {"memory lock", Grade::warn, false, "or nobody knows"},
      {"CPUs", Grade::fail, false, "the rig's CPU is not there"},
      {"isolated CPUs", Grade::warn, true, "late frames are likelier, which the wakes show"},
      {"CPU mitigations", Grade::warn, true, "each system call is dearer"},
  };
  for (const Row& row : rows) {
    const Readiness judged =
        judge_readiness({fact("swap", Grade::ok), fact(row.name, row.grade)}, kPunctual, 1ms);
    EXPECT_EQ(judged.ready, row.ready) << row.why;
    EXPECT_EQ(judged.decisive == 0, row.ready) << row.why;
  }
}

TEST(Readiness, IsMeasured) {
  const auto ready = [](const MeasuredWakes& wakes, Nanoseconds frame) {
    return judge_readiness({fact("kernel preemption", Grade::ok)}, wakes, frame).ready;
  };
  EXPECT_TRUE(ready(kPunctual, 1ms));
  EXPECT_TRUE(ready(kPunctual, 400us)) << "a tenth of the frame, and no more";
  EXPECT_FALSE(ready(kPunctual, 399us));
  EXPECT_FALSE(ready({}, 1ms)) << "what was not measured is not ready";
  EXPECT_FALSE(ready({1000, 3us, 10us, 40us, false}, 1ms)) << "an ordinary thread shows nothing";
  const Readiness judged = judge_readiness({}, {}, 1ms);
  ASSERT_EQ(judged.findings.size(), 1U);
  EXPECT_EQ(judged.findings[0].name, "wakes");
  EXPECT_EQ(judged.findings[0].grade, Grade::fail);
}

TEST(Readiness, WhatDecidesStandsFirstAndTheWakesAmongTheFirstThree) {
  const std::vector<Fact> facts{fact("kernel preemption", Grade::warn),
                                fact("isolated CPUs", Grade::warn),
                                fact("memory lock", Grade::fail),
                                fact("virtual machine", Grade::warn),
                                fact("swap", Grade::warn),
                                fact("timer slack", Grade::ok)};
  const Readiness judged = judge_readiness(facts, {1000, 3us, 10us, 3ms, true}, 1ms);
  EXPECT_EQ(names_of(judged), (std::vector<std::string>{"kernel preemption", "memory lock", "wakes",
                                                        "virtual machine", "isolated CPUs", "swap"}));
  EXPECT_EQ(judged.decisive, 4U);
  EXPECT_NE(judged.findings[2].found.find("the latest 3.00 ms of 1000"), std::string::npos)
      << judged.findings[2].found;
}

}  // namespace
}  // namespace tactus::rtsync::readiness_test
