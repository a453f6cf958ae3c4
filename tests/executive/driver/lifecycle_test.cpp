// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/lifecycle.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tactus::executive::lifecycle_test {
namespace {

constexpr State kAll[] = {State::connect,        State::start,           State::step_begin,
                          State::step_simulator, State::step_controller, State::step_end,
                          State::pause,          State::resume,          State::stop,
                          State::reset,          State::abort,           State::disconnect};

// The plan in words, written down a second time on purpose: "from: to to to".
const std::vector<std::vector<std::string>> kPlan = {
    {"Connect", "Start", "Abort"},
    {"Start", "StepBegin", "Pause", "Stop", "Abort"},
    {"StepBegin", "StepSimulator", "Abort"},
    {"StepSimulator", "StepController", "Abort"},
    {"StepController", "StepSimulator", "StepEnd", "Abort"},
    {"StepEnd", "StepBegin", "Pause", "Stop", "Abort"},
    {"Pause", "Resume", "Stop", "Abort"},
    {"Resume", "StepBegin", "Pause", "Stop", "Abort"},
    {"Stop", "Reset", "Disconnect"},
    {"Reset", "Start", "Abort"},
    {"Abort", "Stop", "Disconnect"},
    {"Disconnect"},
};

TEST(Lifecycle, HasEveryTransitionOfThePlanAndNoOther) {
  ASSERT_EQ(std::size(kAll), kStates);
  std::set<std::pair<std::string, std::string>> planned;
  for (const auto& row : kPlan)
    for (std::size_t i = 1; i < row.size(); ++i) planned.emplace(row[0], row[i]);
  for (const State from : kAll) {
    for (const State to : kAll) {
      const std::string a(name_of(from));
      const std::string b(name_of(to));
      EXPECT_EQ(can_go(from, to), planned.contains({a, b})) << a << " -> " << b;
    }
  }
}

TEST(Lifecycle, NamesEveryStateDifferently) {
  std::set<std::string_view> names;
  for (const State state : kAll) names.insert(name_of(state));
  EXPECT_EQ(names.size(), kStates);
  EXPECT_EQ(kPlan.size(), kStates);
  for (const auto& row : kPlan) EXPECT_TRUE(names.contains(row[0])) << row[0];
}

}  // namespace
}  // namespace tactus::executive::lifecycle_test
