// SPDX-License-Identifier: Apache-2.0
/// Escalations in a whole run.
#include <algorithm>
#include <fstream>

#include "rig_command.hpp"

namespace tactus::test::policies_test {
namespace {

/// Every frame from 20 on is late for 60 frames, whatever the machine does.
const std::string kRig =
    "rig: policies\n"
    "frame: { period: 2 ms }\n"
    "realtime:\n"
    "  enabled: yes\n"
    "  on_overrun: skip\n"
    "  restore_after: 20 frames\n"
    "  escalation:\n"
    "    - { after: 3, within: 1 s, do: shed }\n"
    "models:\n"
    "  bad: { model: late, library: test_load, parameters: { busy: 5 ms, from_frame: 20, for_frames: 60 } }\n"
    "  view: { model: late, library: test_load, jobs: { step: { optional: 1, budget: 50 us } } }\n"
    "  log: { model: late, library: test_load, jobs: { step: { optional: 2 } } }\n";

std::string log_of(const std::filesystem::path& run) {
  std::ifstream in(run / "log.txt");
  return {(std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()};
}

TEST(PoliciesOfARunNightly, ShedNamesTheStepAndTheJobsAndCountsTheCalls) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  const Finished done = run(tactus({"run", "rig.yaml", "--frames", "80", "--out", "run"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const Json policies = summary_of(dir.path() / "run").at("policies");
  ASSERT_EQ(policies.at("steps").size(), 1U);
  const Json& step = policies.at("steps")[0];
  EXPECT_EQ(step.at("of"), "rig");
  EXPECT_EQ(step.at("do"), "shed");
  EXPECT_EQ(step.at("within_ns"), 1'000'000'000);
  EXPECT_GE(step.at("taken"), 2);
  ASSERT_EQ(policies.at("jobs").size(), 2U);
  for (const Json& job : policies.at("jobs")) {
    EXPECT_EQ(job.at("state"), "shed") << "until the end no frame had room" << job;
    EXPECT_EQ(job.at("shed").get<int>() >= 1, true) << job;
    EXPECT_GT(job.at("left_out"), 0) << job;
  }
  const Json jobs = summary_of(dir.path() / "run").at("jobs");
  for (const Json& job : jobs)
    for (const Json& left : policies.at("jobs")) {
      if (job.at("name") == left.at("name")) {
        EXPECT_EQ(job.at("calls").get<int>() + left.at("left_out").get<int>(), 80) << job;
      }
    }
  const std::string log = log_of(dir.path() / "run");
  EXPECT_NE(log.find(": frames overran 3 times within 1.00 s: job view.step is left out (shed)\n"),
            std::string::npos)
      << log;
  EXPECT_NE(log.find(": frames overran 3 times within 1.00 s: job log.step is left out (shed)\n"),
            std::string::npos)
      << log;
}

TEST(PoliciesOfARunNightly, WithoutRealTimeNothingIsLeftOut) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  const Finished done =
      run(tactus({"run", "rig.yaml", "--frames", "80", "--no-realtime", "--out", "run"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const Json jobs = summary_of(dir.path() / "run").at("policies").at("jobs");
  for (const Json& job : jobs) EXPECT_EQ(job.at("left_out"), 0) << job;
}

/// It names its last frame, and no frame that was not run counts.
void expect_end_in_the_last_frame(const TempDir& dir) {
  const Json summary = summary_of(dir / "run");
  const Table frames = read_table(dir / "run/frames.csv");
  const auto numbers = frames.integers("rt.frame");
  ASSERT_FALSE(numbers.empty());
  EXPECT_TRUE(
      summary.at("reason").get<std::string>().starts_with("frame " + std::to_string(numbers.back()) + ": "))
      << summary.at("reason");
  const auto overruns = frames.column("rt.overrun");
  const Json& counts = summary.at("frames");
  EXPECT_EQ(counts.at("overruns").get<std::ptrdiff_t>() + counts.at("grace_overruns").get<std::ptrdiff_t>(),
            std::count_if(overruns.begin(), overruns.end(), [](const auto& word) { return word != "none"; }));
}

TEST(PoliciesOfARun, TerminateEndsItWithItsReason) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  const Finished done = run(tactus({"run", "rig.yaml", "--frames", "500", "--out", "run", "--set",
                                    "realtime.escalation=[{ after: 3, within: 1 s, do: shed }, "
                                    "{ after: 10, within: 10 s, do: terminate }]"},
                                   dir.path()));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir.path() / "run");
  EXPECT_EQ(summary.at("outcome"), "overrun");
  EXPECT_NE(summary.at("reason").get<std::string>().find(
                "frames overran 10 times within 10.0 s, and its escalation says terminate"),
            std::string::npos)
      << summary.at("reason");
  EXPECT_EQ(summary.at("policies").at("steps")[1].at("taken"), 1);
  expect_end_in_the_last_frame(dir);
}

TEST(PoliciesOfARun, AnEndByABudgetBlamesNoEarlierOverrun) {
  const TempDir dir;
  const auto late = [](const std::string& name, const std::string& parameters, const std::string& job) {
    return "  " + name + ":\n    model: late\n    library: test_load\n    parameters: { " + parameters +
           ", every: 1, for_frames: 1 }\n    jobs: { step: { cycle: 10 ms" + job + " } }\n";
  };
  (void)dir.write("rig.yaml",
                  "rig: budget\nframe: { period: 10 ms }\nrealtime: { enabled: yes, on_overrun: skip }\n"
                  "memory: { lock: no }\nmodels:\n" +
                      late("first", "busy: 25 ms, from_frame: 5", "") +
                      late("second", "busy: 3 ms, from_frame: 30",
                           ", budget: 1 ms, escalation: { 1 in 1 s: terminate }"));
  const Finished done = run(tactus({"run", "rig.yaml", "--frames", "100", "--out", "run"}, dir.path()));
  EXPECT_EQ(done.status, 1) << done;
  const std::string reason = summary_of(dir.path() / "run").at("reason").get<std::string>();
  EXPECT_NE(reason.find("job second.step took more than its budget once"), std::string::npos) << reason;
  EXPECT_EQ(reason.find("first.step"), std::string::npos) << reason;
}

/// Whether the output that the rig drives stands at its safe value.
double output_of(const std::filesystem::path& tape) {
  std::ifstream in(tape, std::ios::binary);
  double value = 0;  // the first of a Tape
  in.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

/// A rig that an escalation froze: `safe`: with its outputs safe. It ends when it is resumed.
void expect_frozen(const std::string& set, const std::string& reason, bool safe) {
  const TempDir dir;
  (void)dir.write("rig.yaml",
                  kRig + "  drive: { driver: tape, file: tape, safe: -42, parameters: { value: 7 } }\n");
  Command command = tactus({"run", "rig.yaml", "--out", "run", "--set", set}, dir.path());
  command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output("paused after")) << rig.err();
  EXPECT_EQ(output_of(dir.path() / "tape"), safe ? -42 : 7) << "while it is frozen";
  rig.signal(SIGUSR2);
  const Finished& done = rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir.path() / "run");
  EXPECT_EQ(summary.at("outcome"), "overrun");
  EXPECT_NE(summary.at("reason").get<std::string>().find(reason), std::string::npos) << summary.at("reason");
  EXPECT_NE(log_of(dir.path() / "run").find("the rig freezes, and ends when it is resumed\n"),
            std::string::npos);
}

TEST(PoliciesOfARunNightly, FreezeFreezesAndKeepsTheOutputs) {
  expect_frozen("realtime.escalation=[{ after: 1, do: shed }, { after: 5, within: 10 s, do: freeze }]",
                "frames overran 5 times within 10.0 s, and its escalation says freeze", false);
}

TEST(PoliciesOfARun, SafeStateFreezesWithTheOutputsSafe) {
  expect_frozen("realtime.escalation=[{ after: 1, do: shed }, { after: 5, within: 10 s, do: safe_state }]",
                "frames overran 5 times within 10.0 s, and its escalation says safe_state", true);
}

TEST(HardBudgetOfARunNightly, FreezeFreezesAtTheEndOfTheFrame) {
  expect_frozen("models.bad.jobs.step={ hard_budget: 4 ms, on_hard_budget: freeze }",
                "job bad.step took more than its hard budget of 4.00 ms, and its on_hard_budget says freeze",
                false);
}

TEST(PoliciesOfARunNightly, AnotherOnOverrunIsNamedAndSoIsTheReturn) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  // Late from the start: three frames that the machine makes late are no ground to return before one is.
  Process rig(
      tactus({"run", "rig.yaml", "--out", "run", "--set", "models.bad.parameters.from_frame=1", "--set",
              "models.bad.parameters.for_frames=200", "--set", "realtime.restore_after=5 frames", "--set",
              "realtime.escalation=[{ after: 1, do: shed }, { after: 3, do: reanchor }]"},
             dir.path()));
  EXPECT_TRUE(
      wait_for_text(dir.path() / "run/log.txt", "3 times within 1.00 s: on_overrun is reanchor now\n"));
  EXPECT_TRUE(wait_for_text(dir.path() / "run/log.txt", " frames had slack: on_overrun is skip again\n"));
  rig.signal(SIGINT);
  (void)rig.wait();
  EXPECT_GE(summary_of(dir.path() / "run").at("frames").at("reanchored"), 1);
}

constexpr const char* kUntilNamed =
    "rig: hard\n"
    "frame: { period: 2 ms }\n"
    "realtime: { enabled: yes, on_overrun: skip }\n"
    "threads: { stuck_after: 100 s }\n"
    "models:\n"
    "  m:\n"
    "    model: until_named\n"
    "    library: " TACTUS_UNTIL_NAMED_LIBRARY
    "\n"
    "    jobs: { step: { hard_budget: 5 ms } }\n";

TEST(HardBudgetOfARunNightly, IsNamedWhileTheJobStillRuns) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kUntilNamed);
  const Finished done = run(tactus({"run", "rig.yaml", "--frames", "10", "--out", "run"}, dir.path()));
  ASSERT_EQ(done.status, 0) << "the job ran for a minute and was not named" << done;
  const Json hard = summary_of(dir.path() / "run").at("policies").at("hard_budgets");
  ASSERT_EQ(hard.size(), 1U);
  EXPECT_EQ(hard[0].at("job"), "m.step");
  EXPECT_EQ(hard[0].at("hard_budget_ns"), 5'000'000);
  EXPECT_EQ(hard[0].at("do"), "count");
  EXPECT_GE(hard[0].at("exceeded"), 1);
  EXPECT_GE(hard[0].at("named"), 1);
  EXPECT_NE(log_of(dir.path() / "run").find("frame 3: job m.step still ran "), std::string::npos);
}

TEST(HardBudgetOfARun, OfAnAsynchronousThreadIsNamedAndEndsTheRigWhileTheJobStillRuns) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kUntilNamed);
  const Finished done = run(tactus({"run", "rig.yaml", "--out", "run", "--set", "models.m.thread=w", "--set",
                                    "threads.workers={ w: { kind: asynchronous, period: 2 ms } }", "--set",
                                    "models.m.jobs.step={ hard_budget: 50 ms, on_hard_budget: terminate }"},
                                   dir.path()));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir.path() / "run");
  EXPECT_EQ(summary.at("outcome"), "overrun");
  EXPECT_NE(
      summary.at("reason").get<std::string>().find("job m.step took more than its hard budget of 50.0 ms"),
      std::string::npos)
      << summary.at("reason");
  EXPECT_GE(summary.at("policies").at("hard_budgets")[0].at("exceeded"), 1);
  EXPECT_GE(summary.at("policies").at("hard_budgets")[0].at("named"), 1);
}

TEST(HardBudgetOfARun, TerminateEndsIt) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  const Finished done = run(tactus({"run", "rig.yaml", "--frames", "500", "--out", "run", "--set",
                                    "models.bad.jobs.step={ hard_budget: 4 ms, on_hard_budget: terminate }"},
                                   dir.path()));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir.path() / "run");
  EXPECT_EQ(summary.at("outcome"), "overrun");
  EXPECT_NE(
      summary.at("reason").get<std::string>().find("job bad.step took more than its hard budget of 4.00 ms"),
      std::string::npos)
      << summary.at("reason");
  expect_end_in_the_last_frame(dir);
}

TEST(PoliciesOfARun, CheckShowsWhatIsLeftOutAndWhatRemains) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  const Finished done =
      run(tactus({"check", "rig.yaml", "--set", "models.bad.jobs.step.budget=900 us"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  std::size_t last = 0;
  for (const char* part :
       {"  (optional 1)\n", "\npolicies\n", "  frames overran                      3 in 1.00 s    shed\n",
        "  shed: view.step, then log.step\n", "  back after 20 frames in a row with room\n",
        "  with all of them left out: worst frame 0, 900 us on its critical path of 2.00 ms\n"}) {
    const std::size_t at = done.out.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << done;
    last = at;
  }
  EXPECT_NE(done.out.find("worst frame: 0 (all are alike in the long run), 950 us on its critical path"),
            std::string::npos)
      << done;
}

}  // namespace
}  // namespace tactus::test::policies_test
