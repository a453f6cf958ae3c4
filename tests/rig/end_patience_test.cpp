// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "executive/app/end_guard.hpp"

namespace tactus::test::end_patience_test {
namespace {

using namespace std::chrono_literals;
using app::EndPatience;
using Step = EndPatience::Step;

/// Milliseconds until something is said of a wait, or 0: within a minute nothing is.
std::chrono::milliseconds says_after(bool taken, bool ending) {
  EndPatience patience;
  const EndPatience::Clock::time_point start{1h};
  (void)patience.look(start, 1, 0, false, false, ending, true);
  for (auto passed = 250ms; passed < 59s; passed += 250ms)
    if (patience.look(start + passed, 1, 0, taken && passed == 250ms, false, ending, true) == Step::say)
      return passed;
  return 0ms;
}

TEST(EndPatience, ASlowStartIsNamedLaterThanAnEnd) {
  EXPECT_EQ(says_after(false, true), 1s);
  EXPECT_EQ(says_after(false, false), 5s);
  EXPECT_EQ(says_after(true, false), 1s) << "somebody asked for the end";
}

TEST(EndPatience, ASignalThatTheServiceThreadCanTakeIsHandedBack) {
  EndPatience patience;
  const EndPatience::Clock::time_point start{1h};
  (void)patience.look(start, 1, 0, false, false, false, false);
  EXPECT_EQ(patience.look(start + 250ms, 1, 0, true, false, false, false), Step::wait);
  EXPECT_EQ(patience.look(start + 500ms, 2, 0, false, false, false, false), Step::hand_back);
  EXPECT_EQ(patience.look(start + 750ms, 3, 0, false, false, false, false), Step::wait);
}

}  // namespace
}  // namespace tactus::test::end_patience_test
