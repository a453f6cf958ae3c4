// SPDX-License-Identifier: Apache-2.0
// Actions `on_event` and `ratio` in whole runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::event_job_test {
namespace {

using namespace tactus::test;
using ::testing::HasSubstr;

/// Three models; each job of an event is asked for when an event comes.
std::string rig_of(const std::string& thread, const std::string& threads, const std::string& more = "") {
  const auto model = [&](const std::string& name, const std::string& on) {
    return "  " + name + ": { model: pulse, library: test_load, thread: " + on + " }\n";
  };
  return "rig: pulses\nframe: { period: 1 ms }\nuntil: 40 ms\nframe_log: no\n"
         "realtime: { enabled: no }\n" +
         threads + "models:\n" + model("a", "main") + model("b", thread) +
         model("c", thread == "main" ? "main" : "w2") +
         "connect: [ { from: a.seen, to: b.in, scale: 1, delayed: yes }, { from: a.seen, to: c.in, scale: 1, "
         "delayed: yes } ]\n"
         "record: { all: { variables: [ a.calls, a.frame, b.calls, b.frame, b.read, c.calls, c.seen ] } }\n" +
         more;
}
const std::string kEvents =
    "commands: [ { at: 3 ms, do: [ on_event a.kick, on_event a.kick ] } ]\n"
    "events:\n"
    "  first: { when: a.calls > 0, do: [ { on_event: [ b.kick, c.kick ] } ] }\n"
    "sequence: [ { step: s, for: 20 ms }, { step: t, do: [ on_event a.kick, on_event b.kick ] } ]\n";
const std::string kThree =
    "threads: { main: { policy: other }, workers: { w1: { policy: other }, w2: { policy: other } } }\n";

class EventJob : public ::testing::Test {
 protected:
  Finished run_it(const std::string& rig, const std::string& out, const Arguments& more = {}) {
    dir_.write("rig.yaml", rig);
    return run(tactus(Arguments{"run", "rig.yaml", "--no-realtime", "--out", out} + more, dir_.path()));
  }
  std::string file(const std::string& name) const { return read_file(dir_.path() / name); }
  std::string check(const std::string& rig, int status) {
    dir_.write("rig.yaml", rig);
    const Finished done = run(tactus({"check", "rig.yaml"}, dir_.path()));
    EXPECT_EQ(done.status, status) << done;
    return done.out + done.err;
  }
  const TempDir dir_;
};

TEST_F(EventJob, IsCalledInTheFrameAfterItsActionOnOneThreadAndOnThree) {
  ASSERT_EQ(run_it(rig_of("main", "", kEvents), "one").status, 0);
  ASSERT_EQ(run_it(rig_of("w1", kThree, kEvents), "three").status, 0);
  ASSERT_EQ(run_it(rig_of("w1", kThree, kEvents), "again").status, 0);
  const Table table = read_table(dir_ / "one/all.csv");
  ASSERT_EQ(table.rows.size(), 40U);
  EXPECT_EQ(table.integers("a.calls")[2], 0);
  EXPECT_EQ(table.integers("a.calls")[3], 1) << "asked for twice, called once";
  EXPECT_EQ(table.integers("b.frame")[4], 4) << "the event came at the end of frame 3";
  EXPECT_EQ(table.integers("c.seen")[4], 1);
  EXPECT_EQ(table.integers("a.calls")[20], 2);
  EXPECT_EQ(table.integers("a.calls")[39], 2);
  EXPECT_EQ(file("one/all.csv"), file("three/all.csv"));
  EXPECT_EQ(file("three/all.csv"), file("again/all.csv"));
}

TEST_F(EventJob, ARunFromACheckpointIsTheSame) {
  const std::string rig = rig_of("main", "",
                                 "commands:\n  - { at: 3 ms, do: [ on_event a.kick ] }\n"
                                 "  - { at: 4 ms, do: [ on_event b.kick, checkpoint c ] }\n"
                                 "  - { at: 9 ms, do: [ { on_event: [ a.kick, c.kick ] } ] }\n");
  const Finished whole = run_it(rig, "whole");
  ASSERT_EQ(whole.status, 0) << whole;
  const Finished done = run_it(rig, "rest", {"--from", "whole/checkpoints/c.tck"});
  ASSERT_EQ(done.status, 0) << done;
  const Table all = read_table(dir_ / "whole/all.csv");
  const Table rest = read_table(dir_ / "rest/all.csv");
  ASSERT_EQ(rest.rows.size(), 36U);
  EXPECT_EQ(rest.integers("b.frame")[0], 4);
  EXPECT_EQ(rest.integers("b.calls")[10], 1);
  EXPECT_EQ(rest.integers("a.calls")[10], 2);
  for (std::size_t i = 0; i < rest.rows.size(); ++i) EXPECT_EQ(rest.rows[i], all.rows[i + 4]) << i;
}

TEST_F(EventJob, IsShownByCheck) {
  const std::string shown = check(rig_of("main", "", kEvents), 0);
  EXPECT_THAT(shown, HasSubstr("a.kick"));
  EXPECT_THAT(shown, HasSubstr("on_event"));
  EXPECT_THAT(shown, HasSubstr("on event"));
  EXPECT_THAT(shown, HasSubstr("event first: on_event b.kick; on_event c.kick"));
}

TEST_F(EventJob, RefusesWhatIsNoneOfThem) {
  EXPECT_THAT(check(rig_of("main", "", "commands: [ { at: 1 ms, do: [ on_event a.kik ] } ]\n"), 2),
              HasSubstr("there is no job 'a.kik'; did you mean 'a.kick'?"));
  EXPECT_THAT(
      check(rig_of("main", "", "commands: [ { at: 1 ms, do: [ on_event a.step ] } ]\n"), 2),
      HasSubstr("'a.step' is a job of class environment; only a job that its model declares with class "
                "on_event is called by an action"));
  std::string timed = rig_of("main", "");
  timed.replace(timed.find("thread: main }"), 13, "thread: main, jobs: { kick: { cycle: 2 ms } }");
  EXPECT_THAT(check(timed, 2), HasSubstr("is a job of class on_event, which has no times"));
}

TEST_F(EventJob, RatioChangesTheSpeedAndNoByte) {
  ASSERT_EQ(run_it(rig_of("main", "", kEvents), "plain").status, 0);
  std::string rig = rig_of("main", "", kEvents);
  rig.replace(rig.find("on_event a.kick, on_event a.kick"), 32,
              "on_event a.kick, ratio 2.5, on_event a.kick");
  ASSERT_EQ(run_it(rig, "fast").status, 0);
  EXPECT_EQ(file("plain/all.csv"), file("fast/all.csv"));
  EXPECT_THAT(check(rig, 0), HasSubstr("ratio 2.5"));
  for (const char* const wrong : {"ratio 0", "ratio 1001", "ratio fast", "ratio"}) {
    std::string bad = rig_of("main", "", kEvents);
    bad.replace(bad.find("on_event a.kick, on_event a.kick"), 32, wrong);
    EXPECT_THAT(check(bad, 2), HasSubstr("ratio")) << wrong;
  }
}

}  // namespace
}  // namespace tactus::rig_test::event_job_test
