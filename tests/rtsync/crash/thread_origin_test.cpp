// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/thread_origin.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tactus::rtsync::thread_origin_test {
namespace {

std::string written(const ThreadOrigin& origin) {
  RawLine line;
  write(line, origin, 312);
  return std::string(line.text());
}

TEST(ThreadOrigin, AThreadOfTheRigIsNotStartedByTheLibraryThatItRuns) {
  ThreadOrigin origin{{"poller"}, {"/x/libplant.so"}};
  EXPECT_EQ(
      written(origin),
      "thread 312 ('poller'), which library /x/libplant.so started and which runs none of the rig's jobs");
  origin.name = {"recorder@servo"};
  EXPECT_EQ(
      written(origin),
      "thread 312 ('recorder@servo'), which was in library /x/libplant.so and runs none of the rig's jobs");
  EXPECT_EQ(written({}), "thread 312, which runs none of the rig's jobs");
}

}  // namespace
}  // namespace tactus::rtsync::thread_origin_test
