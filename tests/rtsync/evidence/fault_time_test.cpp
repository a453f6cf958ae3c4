// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/fault_time.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tactus::rtsync::fault_time_test {
namespace {

using namespace std::chrono_literals;

Nanoseconds longest_of(std::vector<Nanoseconds> took) { return longest_fault(took); }

TEST(FaultTime, IsAQuarterMoreThanMostTakeWithinItsBounds) {
  EXPECT_EQ(longest_of({10us, 12us, 300us}), 15us) << "one that was preempted says nothing";
  EXPECT_EQ(longest_of({300us, 12us, 12us, 11us, 12us}), 15us);
  EXPECT_EQ(longest_of({250ns, 260ns, 240ns}), 4us);
  EXPECT_EQ(longest_of({100us, 90us, 110us}), 50us);
  EXPECT_EQ(longest_of({}), 4us);
}

}  // namespace
}  // namespace tactus::rtsync::fault_time_test
