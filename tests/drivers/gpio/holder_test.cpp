// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/holder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::gpio::holder_test {
namespace {

TEST(Consumer, NamesRigAndProcess) {
  EXPECT_EQ(consumer_of("servo", 4711), "tactus servo 4711");
  const std::string longest = consumer_of("a_rig_with_a_name_that_goes_on_and_on", 4194304);
  EXPECT_EQ(longest, "tactus a_rig_with_a_nam 4194304");
  EXPECT_EQ(longest.size(), 31U) << "what the kernel keeps";
}

TEST(Consumer, IsReadBack) {
  EXPECT_EQ(holder_of("tactus servo 4711")->rig, "servo");
  EXPECT_EQ(holder_of("tactus servo 4711")->pid, 4711);
  EXPECT_EQ(holder_of("tactus two words 3")->rig, "two words");
  for (const char* foreign :
       {"gpiomon", "", "tactus", "tactus servo", "tactus 12", "tactus servo x", "tactus servo -3"})
    EXPECT_FALSE(holder_of(foreign).has_value()) << foreign;
}

/// A /proc of our own.
class HeldBy : public testing::Test {
 protected:
  void process(int pid, const std::string& state, std::string words) {
    for (char& c : words)
      if (c == '|') c = '\0';
    const std::string folder = "proc/" + std::to_string(pid);
    dir_.write(folder + "/stat", std::to_string(pid) + " (a name) with) " + state + " 1 1");
    dir_.write(folder + "/cmdline", words);
  }
  std::string text(const std::string& consumer) { return held_by(consumer, dir_ / "proc"); }
  test::TempDir dir_;
};

TEST_F(HeldBy, SaysWhatReleasesTheLine) {
  tactus::test::Snapshot texts;
  process(4711, "S", "tactus|run|servo.yaml|");
  texts.add(text("tactus servo 4711"));
  texts.add(text("gpiomon"));
  texts.add(text(""));
  texts.add(text("tactus servo " + std::to_string(::getpid())));
}

TEST_F(HeldBy, KnowsTheGuardianOfADeadRig) {
  const std::string expected =
      "is held at its safe value by process 4712, the guardian of rig servo, process 4711, which has ended; "
      "to release the line: kill 4712";
  process(4712, "S", "/usr/lib/tactus/tactus-guardian|servo|4711|[outputs safe]||||");
  process(4700, "S", "tactus-guardian|servo|4699|[outputs safe]|");
  EXPECT_EQ(text("tactus servo 4711"), expected);
  process(4711, "Z", "");
  EXPECT_EQ(text("tactus servo 4711"), expected) << "a zombie is dead";
  process(4711, "S", "vi|notes|");
  EXPECT_EQ(text("tactus servo 4711"), expected) << "its number was given to another process";
}

TEST_F(HeldBy, KnowsARigThatStandsStill) {
  tactus::test::Snapshot texts;
  process(4711, "T", "tactus|run|servo.yaml|");
  process(4712, "S", "tactus-guardian|servo|4711|[rig stands still, outputs safe]|");
  texts.add(text("tactus servo 4711"));
}

TEST_F(HeldBy, FindsTheGuardianOfARigWhoseNameWasShortened) {
  process(4712, "S", "tactus-guardian|a_rig_with_a_name_that_goes_on|4194304|[outputs safe]|");
  EXPECT_EQ(text(consumer_of("a_rig_with_a_name_that_goes_on", 4194304))
                .find("is held at its safe value by process 4712"),
            0U);
}

TEST_F(HeldBy, PassesByAProcessWhoseFilesCannotBeReadAnyMore) {
  process(4711, "S", "tactus|run|servo.yaml|");
  std::filesystem::create_directories(dir_ / "proc/4700/cmdline");  // opens, and is not read
  std::filesystem::create_directories(dir_ / "proc/4700/stat");
  EXPECT_EQ(text("tactus servo 4711"), "is held by rig servo, process 4711; to stop it: kill 4711");
}

TEST_F(HeldBy, SaysThatADeadRigLeftAProcess) {
  tactus::test::Snapshot texts;
  texts.add(text("tactus servo 4711"));
}

}  // namespace
}  // namespace tactus::drivers::gpio::holder_test
