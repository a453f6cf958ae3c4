// SPDX-License-Identifier: Apache-2.0
#include "rtsync/exchange/stop_flag.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace tactus::rtsync::stop_flag_test {
namespace {

// ThreadSanitizer calls this a race when the flag orders nothing; a processor such as ARM's would lose
// `last`.
TEST(StopFlag, ShowsWhatWasWrittenBeforeIt) {
  for (int round = 0; round < 100; ++round) {
    int last = 0;
    StopFlag stop;
    std::thread reader([&] {
      while (!stop.requested()) std::this_thread::yield();
      EXPECT_EQ(last, round + 1);
    });
    last = round + 1;
    stop.request();
    reader.join();
  }
}

}  // namespace
}  // namespace tactus::rtsync::stop_flag_test
