// What `tactus run` shows on a terminal while it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::screen_test {
namespace {

using namespace tactus::test;
using ::testing::HasSubstr;

constexpr const char* kHistogram = "late: how many frames started how long after their slot";

TEST(Screen, ShowsAHistogramThatGrows) {
  const TempDir dir;
  Command command = run_rig("servo", {"--until", "1 h", "--out", "out"}, dir.path());
  command.terminal = true;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output(kHistogram)) << rig.out();
  ASSERT_TRUE(rig.wait_for_output("A\033[J")) << rig.out();  // drawn anew, over itself
  ASSERT_TRUE(rig.wait_for_output(kStatusOfFrames)) << rig.out();
  rig.signal(SIGINT);
  const Finished& done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  // What stands at the end is the table, then the last histogram, then the last line.
  const std::size_t table = done.out.rfind("p99.9");
  ASSERT_NE(table, std::string::npos);
  EXPECT_GT(done.out.rfind(kHistogram), table);
  EXPECT_EQ(done.out.find("\033[", table), std::string::npos) << "nothing is erased behind it";
}

}  // namespace
}  // namespace tactus::rig_test::screen_test
