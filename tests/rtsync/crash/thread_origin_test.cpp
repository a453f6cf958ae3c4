// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/thread_origin.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/support/snapshot.hpp"

namespace tactus::rtsync::thread_origin_test {
namespace {

std::string written(const ThreadOrigin& origin) {
  RawLine line;
  write(line, origin, 312);
  return std::string(line.text());
}

TEST(ThreadOrigin, AThreadOfTheRigIsNotStartedByTheLibraryThatItRuns) {
  tactus::test::Snapshot texts;
  ThreadOrigin origin{{"poller"}, {"/x/libplant.so"}};
  texts.add(written(origin));
  origin.name = {"recorder@servo"};
  texts.add(written(origin));
  texts.add(written({{"python3"}, {"/x/libplant.so"}, true}));
  texts.add(written({}));
}

TEST(ThreadOrigin, TheMainThreadIsKnown) {
  EXPECT_TRUE(name_of_this_thread().is_main);
  bool other = true;
  std::thread([&] { other = name_of_this_thread().is_main; }).join();
  EXPECT_FALSE(other);
}

}  // namespace
}  // namespace tactus::rtsync::thread_origin_test
