// SPDX-License-Identifier: Apache-2.0
/// The commands that start nothing.
#include <algorithm>
#include <regex>
#include <set>
#include <system_error>

#include "rig_command.hpp"

namespace tactus::test::check_and_doctor_test {
namespace {

namespace fs = std::filesystem;

TEST(Check, PrintsTheJobsInTheirOrderAndStartsNothing) {
  const TempDir dir;
  const Finished done = run(tactus({"check", example("servo")}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(done.err, "");
  std::size_t last = 0;
  for (const char* job : {"trajectory.initialize", "encoder.initialize", "motor.initialize",
                          "controller.initialize", "trajectory.step", "encoder.sample", "motor.step",
                          "controller.outer", "controller.current_loop", "record.motion"}) {
    const std::size_t at = done.out.find(std::string("\n  ") + job + " ");
    ASSERT_NE(at, std::string::npos) << job << done;
    EXPECT_GT(at, last) << job;
    last = at;
  }
  EXPECT_TRUE(std::regex_search(done.out, std::regex("motor\\.step +scheduled +\\d+ +200 us +0 ns +5000\n")))
      << done;
  EXPECT_NE(done.out.find("controller.voltage -> motor.voltage (delayed)"), std::string::npos) << done;
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST(Check, CountsTheCallsOfDerivativeJobs) {
  const struct {
    const char* method;
    int calls;  // of the derivatives in a cycle
  } rows[] = {{"euler", 2}, {"rk4", 5}, {"dopri5", 8}};
  for (const auto& [method, calls] : rows) {
    const TempDir dir;
    dir.write("rig.yaml",
              std::string("rig: loop\nframe: { period: 1 ms }\nmodels: { it: { model: fault_loop, "
                          "library: test_load } }\nintegrate: { it: { models: [it], method: ") +
                  method + " } }\n");
    const Finished done = run(tactus({"check", "rig.yaml"}, dir.path()));
    ASSERT_EQ(done.status, 0) << done;
    EXPECT_TRUE(std::regex_search(done.out, std::regex("it\\.derivative +derivative +\\d+ +loop it +- +" +
                                                       std::to_string(calls) + "000\n")))
        << done;
    EXPECT_NE(done.out.find("load: " + std::to_string(calls + 3) + "000 calls a second"), std::string::npos)
        << done;
  }
}

TEST(Check, PrintsTheJobsOfEachThreadAndForWhomTheyWait) {
  const TempDir dir;
  const Finished done = run(tactus({"check", example("threads")}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(done.err, "");
  std::size_t last = 0;
  for (const char* part :
       {"\nthreads\n  main ",
        "\n  road            scheduled, SCHED_FIFO 80, a chosen CPU, trigger adaptive\n",
        "1 s longer than its time is stuck", " jobs on thread main,", "\n  cycle.step ", "\n  engine.step ",
        "\n  driver.step ", "\n      waits for gearbox.step, car.step\n", "\n  record.drive ",
        "\n2 jobs on thread road,", "\n  gearbox.step ", "\n      waits for engine.step\n", "\n  car.step ",
        "\nload: 2120 calls a second, 21.2 a frame\n", "\n  engine.speed -> gearbox.engine_speed (direct)\n",
        "\n  driver.brake -> car.brake (delayed)\n"}) {
    const std::size_t at = done.out.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << done;
    last = at;
  }
}

TEST(Check, AJobOnAnotherThreadChangesWhoWaits) {
  const TempDir dir;
  const Finished done =
      run(tactus({"check", example("threads"), "--set", "models.engine.thread=road"}, dir.path()));
  ASSERT_EQ(done.status, 2) << done;
  EXPECT_NE(
      done.err.find("'engine.step' (thread 'road') and 'driver.step' (thread main) run at the same time"),
      std::string::npos)
      << done;
}

TEST(Check, PrintsEveryKindOfThreadAndTheCommands) {
  const TempDir dir;
  (void)dir.write("rig.yaml",
                  "rig: kinds\nframe: { period: 1 ms }\n"
                  "realtime: { enabled: yes }\n"
                  "threads:\n  stuck_after: 250 ms\n  workers:\n"
                  "    io: { cpus: [0], priority: 70, trigger: spin }\n"
                  "    slow: { kind: asynchronous_must_finish, period: 10 ms, policy: rr }\n"
                  "    quiet: { kind: asynchronous, policy: other, trigger: futex }\n"
                  "    steady: { kind: asynchronous, period: 3 ms }\n"
                  "models:\n"
                  "  a: { model: late, library: test_load, thread: io }\n"
                  "  b: { model: late, library: test_load, thread: slow }\n"
                  "  c: { model: late, library: test_load, thread: quiet }\n"
                  "  d: { model: late, library: test_load, thread: steady }\n"
                  "commands:\n"
                  "  - { at: 2 s, do: resume }\n"
                  "  - { at: 1 s, do: pause, for: 100 ms }\n"
                  "  - { at: 3 s, do: step, frames: 5 }\n"
                  "  - { at: 4 s, do: run_until, until: 5 s }\n"
                  "  - { at: 6 s, do: checkpoint, file: six.tck }\n"
                  "  - { at: 7 s, do: disable, job: a.step }\n");
  const Finished done = run(tactus({"check", "rig.yaml"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  for (const char* line :
       {"  io              scheduled, SCHED_FIFO 70, CPUs 0, trigger spin",
        "  slow            asynchronous_must_finish every 10 ms, SCHED_RR 80, a chosen CPU, trigger adaptive",
        "  quiet           asynchronous, SCHED_OTHER, a chosen CPU, trigger futex",
        "  steady          asynchronous every 3 ms, SCHED_FIFO 80, a chosen CPU, trigger adaptive",
        "  a thread that takes 250 ms longer than its time is stuck"})
    EXPECT_NE(done.out.find(std::string("\n") + line + "\n"), std::string::npos) << line << done;
  EXPECT_NE(done.out.find("\ncommands\n"
                          "  at 1 s          pause for 100 ms\n"
                          "  at 2 s          resume\n"
                          "  at 3 s          step 5 frames\n"
                          "  at 4 s          run until 5 s\n"
                          "  at 6 s          checkpoint six.tck\n"
                          "  at 7 s          disable a.step\n"),
            std::string::npos)
      << done;
}

TEST(Check, NamesSettingsThatHaveNoEffectBesideTheOthers) {
  const TempDir dir;
  const auto notes_of = [&](const Arguments& more) {
    const Finished done = run(tactus(Arguments{"check", example("servo")} + more, dir.path()));
    EXPECT_EQ(done.status, 0) << done;
    return done.out;
  };
  EXPECT_EQ(notes_of({}).find("has no effect"), std::string::npos);
  const std::string notes = notes_of({"--set", "threads.main={policy: other, priority: 50}", "--set",
                                      "realtime.restore_after=5", "--set", "guardian_timeout=1 s"});
  for (const char* const note :
       {"note: threads.main.priority has no effect: its policy is other\n",
        "note: realtime.restore_after has no effect: there is no escalation whose steps it could undo\n",
        "note: guardian_timeout has no effect: the rig drives no outputs\n"})
    EXPECT_NE(notes.find(note), std::string::npos) << note << notes;
}

TEST(Check, TakesSet) {
  const TempDir dir;
  const Finished done =
      run(tactus({"check", example("servo"), "--set", "models.motor.jobs.step.enabled=no"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_TRUE(std::regex_search(done.out, std::regex("motor\\.step .*\\(off\\)"))) << done;
}

TEST(Check, EveryExampleRigIsGood) {
  const TempDir dir;
  int good = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(TACTUS_RIGS)) {
    if (entry.path().extension() != ".yaml") continue;
    const Finished done = run(tactus({"check", entry.path().string()}, dir.path()));
    if (done.err.find("; it was not built: ") != std::string::npos)
      continue;  // a driver that this build lacks
    EXPECT_EQ(done.status, 0) << done;
    ++good;
  }
  EXPECT_GE(good, 5);
}

TEST(Check, TheSchemaIsJsonThatNamesEverySection) {
  const TempDir dir;
  const Finished done = run(tactus({"check", "--schema"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const Json schema = Json::parse(done.out);
  EXPECT_TRUE(schema.contains("$schema"));
  EXPECT_EQ(schema["type"], "object");
  for (const char* key : {"rig", "frame", "until", "privileges", "realtime", "threads", "memory", "models",
                          "connect", "integrate", "commands", "guard", "checkpoint", "record"})
    EXPECT_TRUE(schema["properties"].contains(key)) << key;
}

TEST(Check, TheSchemaAcceptsTheExampleRigsAndRefusesAMistake) {
  const TempDir dir;
  const Finished schema = run(tactus({"check", "--schema"}, dir.path()));
  ASSERT_EQ(schema.status, 0);
  (void)dir.write("schema.json", schema.out);
  (void)dir.write("validate.py", R"(
import json, sys
try:
    import jsonschema, yaml
except ImportError as error:
    sys.exit(77)
schema = json.load(open('schema.json'))
checker = jsonschema.validators.validator_for(schema)
checker.check_schema(schema)
for file in sys.argv[1:]:
    rig = yaml.safe_load(open(file))
    checker(schema).validate(rig)
    rig['realtme'] = {}
    assert not checker(schema).is_valid(rig), file
)");
  Command command;
  command.argv = {TACTUS_PYTHON,      "validate.py",      example("servo"),
                  example("vehicle"), example("overrun"), example("threads")};
  command.cwd = dir.path();
  Finished done;
  try {
    done = run(command);
  } catch (const std::system_error& error) {
    GTEST_SKIP() << error.what();
  }
  if (done.status == 77) GTEST_SKIP() << "python3-jsonschema or python3-yaml is not installed";
  EXPECT_EQ(done.status, 0) << done;
}

TEST(Check, TheReferenceNamesEveryKeyOfTheExamples) {
  const TempDir dir;
  const Finished done = run(tactus({"check", "--reference"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  for (const char* key :
       {"period", "on_overrun", "max_consecutive_overruns", "priority", "delayed", "variables", "workers",
        "stuck_after", "trigger", "depends_on", "direct", "max_steps", "run_until", "at_end"})
    EXPECT_NE(done.out.find(key), std::string::npos) << key;
}

TEST(Doctor, GradesEveryFactAndSaysHowToMendIt) {
  const TempDir dir;
  const Finished done = run(tactus({"doctor", "--all", "--no-measure"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_TRUE(fs::is_empty(dir.path()));
  int counts[3] = {};
  const std::regex fact(R"((ok|warn|fail) +(\S[^:\n]*): [^\n]+)");
  std::set<std::string> names;
  std::size_t mends = 0;
  std::size_t from = 0;
  for (std::size_t end = 0; (end = done.out.find('\n', from)) != std::string::npos; from = end + 1) {
    const std::string line = done.out.substr(from, end - from);
    std::smatch match;
    if (std::regex_match(line, match, fact)) {
      names.insert(match[2]);
      ++counts[match[1] == "ok" ? 0 : (match[1] == "warn" ? 1 : 2)];
    }
    mends += line.starts_with("        fix:    ") ? 1U : 0U;
  }
  const std::string totals = std::to_string(counts[0]) + " ok, " + std::to_string(counts[1]) + " warn, " +
                             std::to_string(counts[2]) + " fail)";
  EXPECT_NE(done.out.find(totals), std::string::npos) << totals << done;
  const std::size_t wakes = done.out.find("  wakes: not measured") == std::string::npos ? 0 : 1;
  EXPECT_EQ(mends, static_cast<std::size_t>(counts[1] + counts[2]) + wakes) << done;
  for (const char* name : {"kernel preemption", "real-time scheduling", "real-time throttle", "memory lock",
                           "isolated CPUs", "SMT siblings", "idle states", "frequency governor", "interrupts",
                           "timer migration", "clock source", "swap"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Doctor, EndsWithAVerdictAndTheThreeFindingsThatMatterMost) {
  const TempDir dir;
  const auto begun = std::chrono::steady_clock::now();
  const Finished done = run(tactus({"doctor"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30))
      << "a second is measured, no more";
  EXPECT_TRUE(std::regex_search(done.out, std::regex("\n(not ready|ready) for 1 kHz hard real time\n$")))
      << done;
  EXPECT_NE(done.out.find("\nwakes on CPU "), std::string::npos) << done;
  EXPECT_NE(done.out.find("\nbased on "), std::string::npos) << done;
  EXPECT_EQ(std::regex_search(done.out, std::regex("\n4  ")), false) << done;
  const Json all = Json::parse(run(tactus({"doctor", "--json"}, dir.path())).out);
  ASSERT_EQ(all["wake"].size(), 1U) << "one sleeper on one CPU";
  const Json& verdict = all["verdict"];
  EXPECT_EQ(verdict["for"], "1 kHz");
  EXPECT_EQ(verdict["ready"], verdict["decisive"] == 0);
  EXPECT_EQ(verdict["wake_limit_ns"], 100'000);
  const std::size_t shown = std::min<std::size_t>(3, verdict["findings"].size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string name = verdict["findings"][i]["name"];
    EXPECT_TRUE(name == "wakes" ||
                done.out.find(std::to_string(i + 1) + "  " + name + ": ") != std::string::npos ||
                done.out.find("  wakes: ") != std::string::npos)
        << name << done;
  }
}

TEST(Doctor, SaysTheSameToScripts) {
  const TempDir dir;
  const Finished done = run(tactus({"doctor", example("servo"), "--json", "--no-measure"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(done.err, "");
  const Json all = Json::parse(done.out);
  EXPECT_TRUE(all["wake"].is_array() && all["wake"].empty()) << "nothing was to be measured";
  EXPECT_TRUE(all["proposed_margin_ns"].is_object() && all["proposed_margin_ns"].empty());
  const Json& facts = all["facts"];
  ASSERT_TRUE(facts.is_array());
  EXPECT_GT(facts.size(), 10U);
  for (const Json& fact : facts) {
    for (const char* key : {"name", "grade", "found", "needed", "why", "fix"})
      EXPECT_TRUE(fact.contains(key) && fact[key].is_string()) << key << " " << fact;
    const std::string grade = fact["grade"];
    EXPECT_TRUE(grade == "ok" || grade == "warn" || grade == "fail") << fact;
    if (grade != "ok") {
      EXPECT_NE(fact["fix"], "") << fact;
    }
  }
}

TEST(Doctor, OfARigThatRequiresWhatIsRefusedIsStatus3) {
  const TempDir dir;
  std::string why;
  const auto command = without_privileges(
      tactus({"doctor", example("servo"), "--set", "privileges=require", "--json", "--no-measure"},
             dir.path()),
      dir, why);
  if (!command) GTEST_SKIP() << why;
  const Finished done = run(*command);
  const Json facts = Json::parse(done.out)["facts"];
  const bool failed =
      std::any_of(facts.begin(), facts.end(), [](const Json& fact) { return fact["grade"] == "fail"; });
  EXPECT_EQ(done.status, failed ? 3 : 0) << done;
}

TEST(Doctor, OfABadRigFileIsStatus2) {
  const TempDir dir;
  const Finished done = run(tactus({"doctor", "nowhere.yaml"}, dir.path()));
  EXPECT_EQ(done.status, 2) << done;
}

// How late this machine wakes is nobody's business here; that it was measured, is.

TEST(DoctorNightly, MeasuresEverySleeperOnTheRigsCpu) {
  const TempDir dir;
  const Finished done = run(
      tactus({"doctor", example("servo"), "--set", "threads.main.cpus=[0]", "--json", "--measure", "50ms"},
             dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_TRUE(fs::is_empty(dir.path()));
  const Json all = Json::parse(done.out);
  std::vector<std::string> sleepers;
  for (const Json& wake : all["wake"]) {
    sleepers.push_back(wake["sleeper"]);
    EXPECT_EQ(wake["cpu"], 0) << wake;
    EXPECT_TRUE(wake["complete"]) << wake;
    EXPECT_GE(wake["count"], 1) << wake;
    EXPECT_GE(wake["p50_ns"], 0) << wake;
    EXPECT_GE(wake["p99_ns"], wake["p50_ns"]) << wake;
    EXPECT_GE(wake["max_ns"], wake["p99_9_ns"]) << wake;
    const std::string scheduling = wake["scheduling"];
    EXPECT_EQ(scheduling, all["wake_refused"].empty() ? "SCHED_FIFO 80" : scheduling) << wake;
  }
  EXPECT_EQ(sleepers, (std::vector<std::string>{"nanosleep", "timerfd", "spin", "hybrid"}));
  const std::int64_t margin = all["proposed_margin_ns"]["0"];
  EXPECT_GE(margin, 20'000) << "never less than 20 us";
  EXPECT_EQ(margin % 1000, 0) << margin;
}

TEST(DoctorNightly, ProposesAMarginThatARigFileTakes) {
  const TempDir dir;
  const Finished done = run(tactus({"doctor", "--measure", "20ms"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_NE(done.err.find("measuring CPUs"), std::string::npos) << "who waits wants to know for what" << done;
  for (const char* sleeper : {"nanosleep", "timerfd", "spin", "hybrid"})
    EXPECT_TRUE(std::regex_search(done.out, std::regex(std::string("\n +\\d+ +") + sleeper + " +SCHED_")))
        << sleeper << done;
  std::smatch line;
  ASSERT_TRUE(std::regex_search(done.out, line, std::regex("  (realtime: .* us \\})  # CPU \\d+\n"))) << done;
  const fs::path rig = dir.write("rig.yaml", "rig: pasted\nframe: { period: 1 ms }\n" + line[1].str() + "\n");
  const Finished checked = run(tactus({"check", rig.string()}, dir.path()));
  EXPECT_EQ(checked.status, 0) << checked;
}

TEST(Doctor, PrintsWhatItHasWhenItIsStopped) {
  const TempDir dir;
  Process doctor(tactus({"doctor", example("servo"), "--measure", "60s"}, dir.path()));
  ASSERT_TRUE(doctor.wait_for_output("measuring CPUs")) << "it did not begin";
  doctor.signal(SIGINT);
  const Finished done = doctor.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_NE(done.out.find("stopped before all was measured"), std::string::npos) << done;
}

TEST(Doctor, RefusesATimeThatIsNone) {
  const TempDir dir;
  for (const char* time : {"5", "9ms", "61s", "-1s", "for ever", ""}) {
    const Finished done = run(tactus({"doctor", "--measure", time}, dir.path()));
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_NE(done.err.find("--measure 2s"), std::string::npos) << done;
    EXPECT_EQ(done.out, "") << "nothing is looked at before the command line is right";
  }
  EXPECT_EQ(run(tactus({"doctor", "--measure", "1s", "--no-measure"}, dir.path())).status, 2);
  EXPECT_EQ(run(tactus({"doctor", "--measure", "0s"}, dir.path())).err, "") << "0 s is no measuring";
}

}  // namespace
}  // namespace tactus::test::check_and_doctor_test
