// SPDX-License-Identifier: Apache-2.0
/// The recorded numbers are a function of the rig file alone: neither time nor lateness nor a pause shows in
/// them.
#include <cmath>
#include <csignal>
#include <thread>

#include "rig_command.hpp"

namespace tactus::test::same_numbers_test {
namespace {

using namespace std::chrono_literals;

std::string motion(const TempDir& dir, const std::string& out, const Arguments& arguments) {
  const Finished done = run(run_rig("servo", arguments + Arguments{"--out", out}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  return read_file(dir / out / "motion.csv");
}

TEST(SameNumbersNightly, ServoInRealTimeAndAsFastAsItCan) {
  const TempDir dir;
  const std::string paced = motion(dir, "paced", {"--frames", "1500"});
  EXPECT_EQ(paced, motion(dir, "fast", {"--frames", "1500", "--no-realtime"}));
  EXPECT_EQ(paced, motion(dir, "fast again", {"--frames", "1500", "--no-realtime"}));
  EXPECT_EQ(paced, motion(dir, "hurried", {"--frames", "1500", "--set", "realtime.ratio=4x"}));
}

TEST(SameNumbers, ServoWithEverySleeperAndClock) {
  const TempDir dir;
  const std::string fast = motion(dir, "fast", {"--frames", "200", "--no-realtime"});
  for (const char* sleeper : {"nanosleep", "timerfd", "spin", "hybrid"})
    for (const char* clock : {"monotonic", "tsc"}) {
      const Arguments how{"--frames", "200",
                          "--set",    std::string("realtime.sleeper=") + sleeper,
                          "--set",    std::string("realtime.clock=") + clock};
      EXPECT_EQ(fast, motion(dir, std::string(sleeper) + "-" + clock, how)) << sleeper << " " << clock;
    }
}

struct Policy {
  const char* name;
  Arguments how;
};
void PrintTo(const Policy& row, std::ostream* out) { *out << row.name; }

class OverrunPolicies : public ::testing::TestWithParam<Policy> {};

// What `late` burns is real time and may be recorded; that it did, and when, is part of the plan.
const Arguments kLate{"--frames", "500", "--set", "record.load.variables=[load.late_frames]"};
constexpr int kLateFrames = 3;  // 200, 300, 400, each with 3.5 ms of work in 1 ms

TEST_P(OverrunPolicies, LatenessChangesTheGridAndNoNumber) {
  const TempDir dir;
  ASSERT_EQ(run(run_rig("overrun", kLate + Arguments{"--no-realtime", "--out", "fast"}, dir.path())).status,
            0);
  const Finished done =
      run(run_rig("overrun", kLate + GetParam().how + Arguments{"--out", "late"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(read_file(dir / "fast/load.csv"), read_file(dir / "late/load.csv"));
  EXPECT_EQ(read_table(dir / "late/load.csv").rows.size(), 500U);

  Json summary = summary_of(dir / "late");
  Json frames = summary["frames"];
  EXPECT_EQ(frames["run"], frames["planned"]);
  EXPECT_GE(frames["overruns"], kLateFrames);
  EXPECT_GE(frames["overruns_by_work"], kLateFrames);
  EXPECT_GE(frames["longest_overrun_ns"], 2'400'000);
  EXPECT_GE(summary["work_ns"]["max"], 3'500'000);
  const std::string policy = GetParam().name;
  if (policy == "catch_up") {
    EXPECT_EQ(frames["lost"], 0);
    EXPECT_EQ(frames["reanchored"], 0);
  } else if (policy == "bounded") {
    EXPECT_GE(frames["lost"], kLateFrames);  // 2.5 slots behind, of which two are caught up
    EXPECT_EQ(frames["reanchored"], 0);
  } else if (policy == "skip") {
    EXPECT_GE(frames["lost"], 3 * kLateFrames);
    EXPECT_EQ(frames["reanchored"], 0);
  } else {
    EXPECT_GE(frames["reanchored"], kLateFrames);
  }
}

INSTANTIATE_TEST_SUITE_P(AllNightly, OverrunPolicies,
                         ::testing::Values(Policy{"catch_up",
                                                  {"--set", "realtime.on_overrun=catch_up", "--set",
                                                   "realtime.max_catch_up=all"}},
                                           Policy{"bounded",
                                                  {"--set", "realtime.on_overrun=catch_up", "--set",
                                                   "realtime.max_catch_up=2 frames"}},
                                           Policy{"skip", {"--set", "realtime.on_overrun=skip"}},
                                           Policy{"reanchor", {"--set", "realtime.on_overrun=reanchor"}}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(SameNumbersNightly, TheDriverKeepsToTheCycleForAllOfIts1180Seconds) {
  const TempDir dir;
  const Finished done = run(run_rig("vehicle", {"--no-realtime", "--out", "out"}, dir.path()), 120s);
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 118'000);
  EXPECT_EQ(summary_of(dir / "out")["sim_time_ns"], 1'180'000'000'000);
  const Table drive = read_table(dir / "out/drive.csv");
  ASSERT_EQ(drive.rows.size(), 11'800U);
  // UN Regulation No. 83: 2 km/h, more at a phase change as long as it lasts under 0.5 s.
  const auto wanted = drive.column("cycle.speed");
  const auto driven = drive.column("car.speed");
  int outside = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    outside = std::abs(std::stod(wanted[i]) - std::stod(driven[i])) > 2 / 3.6 ? outside + 1 : 0;
    ASSERT_LT(outside, 5) << "at " << drive.rows[i][0] << " s";
  }
  EXPECT_NEAR(std::stod(drive.column("car.distance").back()), 11'007, 110);  // the cycle's own length, 1 %
}

TEST(SameNumbersNightly, APauseDoesNotShow) {
  const TempDir dir;
  const std::string fast = motion(dir, "fast", {"--frames", "5000", "--no-realtime"});
  Process rig(run_rig("servo", {"--frames", "5000", "--out", "out"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("5000 frames of")) << rig.err();
  for (int i = 0; i < 2; ++i) {
    rig.signal(SIGUSR1);
    const auto pauses = [&] {
      const std::string log = read_file(dir / "out/log.txt");
      int count = 0;
      for (auto at = log.find("paused after"); at != std::string::npos; at = log.find("paused after", at + 1))
        ++count;
      return count;
    };
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (pauses() <= i && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(10ms);
    ASSERT_EQ(pauses(), i + 1) << read_file(dir / "out/log.txt");
    std::this_thread::sleep_for(200ms);
    rig.signal(SIGUSR2);
    EXPECT_TRUE(wait_until_heard(rig, SIGUSR2));
    std::this_thread::sleep_for(150ms);  // some frames between the two pauses
  }
  const Finished done = rig.wait();
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_GE(done.took, 5000ms + 400ms);
  EXPECT_EQ(read_file(dir / "out/motion.csv"), fast);
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "completed");
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 5000);
}

TEST(SameNumbersNightly, APauseAndAResumeInOneBreathIsNoPause) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--frames", "600", "--out", "out"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("600 frames of")) << rig.err();
  std::this_thread::sleep_for(100ms);
  rig.signal(SIGUSR1);
  rig.signal(SIGUSR2);
  const Finished done = rig.wait();
  EXPECT_FALSE(done.timed_out) << "the resume was lost: " << done;
  EXPECT_EQ(done.status, 0) << done;
}

TEST(SameNumbersNightly, TwoPausesAndOneResumeIsNotPaused) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--frames", "100", "--paused", "--out", "out"}, dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "paused after"));
  rig.signal(SIGUSR1);  // somebody was not sure
  std::this_thread::sleep_for(300ms);
  rig.signal(SIGUSR2);
  const Finished done = rig.wait();
  EXPECT_FALSE(done.timed_out) << "it is paused again: " << done;
  EXPECT_EQ(done.status, 0) << done;
}

TEST(SameNumbersNightly, EveryExampleRigRecordsTheSameWithAndWithoutRealTime) {
  for (const char* rig : {"servo", "vehicle", "overrun"}) {
    const TempDir dir;
    const Arguments frames{"--frames", "300", "--set", "realtime.ratio=5x"};
    ASSERT_EQ(run(run_rig(rig, frames + Arguments{"--out", "paced"}, dir.path())).status, 0);
    ASSERT_EQ(run(run_rig(rig, frames + Arguments{"--no-realtime", "--out", "fast"}, dir.path())).status, 0);
    for (const char* recording : {"motion.csv", "drive.csv", "load.csv"}) {
      if (std::filesystem::exists(dir / "fast" / recording)) {
        EXPECT_EQ(read_file(dir / "paced" / recording), read_file(dir / "fast" / recording)) << rig;
      }
    }
  }
}

TEST(SameNumbersNightly, TwoRigsAtOnceDoNotKnowOfEachOther) {
  const TempDir dir;
  const std::string fast = motion(dir, "fast", {"--frames", "500", "--no-realtime"});
  Process one(run_rig("servo", {"--frames", "500", "--out", "one"}, dir.path()));
  Process two(run_rig("servo", {"--frames", "500", "--out", "two"}, dir.path()));
  EXPECT_EQ(one.wait().status, 0);
  EXPECT_EQ(two.wait().status, 0);
  EXPECT_EQ(read_file(dir / "one/motion.csv"), fast);
  EXPECT_EQ(read_file(dir / "two/motion.csv"), fast);
}

TEST(SameNumbersNightly, AProcessThatWasStoppedForASecondCatchesUp) {
  const TempDir dir;
  const std::string fast = motion(dir, "fast", {"--frames", "5000", "--no-realtime"});
  Process rig(run_rig("servo", {"--frames", "5000", "--set", "realtime.max_catch_up=all", "--out", "out"},
                      dir.path()));
  ASSERT_TRUE(rig.wait_for_output("5000 frames of")) << rig.err();
  ASSERT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0.1,"))
      << "before its first frame it is late for none";
  rig.signal(SIGSTOP);
  std::this_thread::sleep_for(700ms);
  rig.signal(SIGCONT);
  const Finished done = rig.wait();
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(read_file(dir / "out/motion.csv"), fast);
  EXPECT_GE(summary_of(dir / "out")["late_ns"]["max"], 500'000'000);
  EXPECT_EQ(summary_of(dir / "out")["frames"]["lost"], 0);
}

}  // namespace
}  // namespace tactus::test::same_numbers_test
