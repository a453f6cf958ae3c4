// SPDX-License-Identifier: Apache-2.0
/// Budgets, and whether a plan fits.
#include <fstream>
#include <regex>
#include <utility>

#include "rig_command.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::test::admission_test {
namespace {

namespace fs = std::filesystem;

/// A small rig with two threads of a model that does nearly nothing.
const std::string kRig =
    "rig: fits\n"
    "frame: { period: 1 ms }\n"
    "realtime: { enabled: yes }\n"
    "threads: { workers: { slow: { kind: asynchronous_must_finish, period: 4 ms } } }\n"
    "models:\n"
    "  a: { model: late, library: test_load, jobs: { step: { budget: 400 us } } }\n"
    "  b: { model: late, library: test_load, jobs: { step: { budget: 500 us, cycle: 2 ms, offset: 1 ms } } "
    "}\n"
    "  c: { model: late, library: test_load, thread: slow }\n";

std::string summary(const std::string& rig, const std::string& jobs) {
  return R"({"rig": ")" + rig + R"(", "jobs": [)" + jobs + "]}";
}
std::string job(const std::string& name, int calls, int p99, int p99_99, int max) {
  return R"({"name": ")" + name + R"(", "calls": )" + std::to_string(calls) + R"(, "time_ns": {"p99": )" +
         std::to_string(p99) + R"(, "p99_99": )" + std::to_string(p99_99) + R"(, "max": )" +
         std::to_string(max) + "}}";
}

TEST(CheckLoad, AddsBudgetsUpAndNamesWhatIsNotKnown) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  const Finished done = run(tactus({"check", "rig.yaml"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  std::size_t last = 0;
  for (const char* part :
       {"\ntimes, by budgets (2 jobs)\n",
        "\n  main              65.0 %  worst frame 1: 900 us, 90.0 % of 1.00 ms\n",
        "\n  slow               0.0 %  worst period 0: 0 ns, 0.0 % of 4.00 ms\n",
        "\n  worst frame: 1 (they repeat every 2), 900 us on its critical path of 1.00 ms\n",
        "\n    frames from 0 on: 400 us, 900 us\n",
        "\n    b.step                              1 x 500 us       500 us  on main, budget\n",
        "\n    a.step                              1 x 400 us       400 us  on main, budget\n",
        "\n  note: not known, counted as 0: c.step\n"}) {
    const std::size_t at = done.out.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << done;
    last = at;
  }
}

TEST(CheckLoad, RefusesWhatCannotFitWithStatus1) {
  tactus::test::Snapshot texts;
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  const Finished done =
      run(tactus({"check", "rig.yaml", "--set", "models.b.jobs.step.budget=700 us"}, dir.path()));
  EXPECT_EQ(done.status, 1) << done;
  texts.add(done.err);
  EXPECT_NE(done.out.find("worst frame: 1 "), std::string::npos)
      << "the plan is printed all the same" << done;
}

TEST(CheckLoad, SaysThatNothingIsKnownWhereNobodySaidIt) {
  const TempDir dir;
  const Finished done = run(tactus({"check", example("servo")}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_NE(done.out.find("\nnote: the times of the jobs are not known"), std::string::npos) << done;
}

TEST(CheckLoad, TakesTheTimesOfARun) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  fs::create_directory(dir.path() / "run");
  (void)dir.write("run/summary.json", summary("fits", job("a.step", 20'000, 100'000, 200'000, 900'000) + "," +
                                                          job("c.step", 5, 1'000'000, 2'000'000, 2'000'000)));
  const Finished p99 = run(tactus({"check", "rig.yaml", "--from", "run"}, dir.path()));
  ASSERT_EQ(p99.status, 0) << p99;
  for (const char* part :
       {"\ntimes, by the p99 of run (2 jobs) and budgets (1 job)\n", "worst frame 1: 600 us, 60.0 %",
        "worst period 0: 4.00 ms, 100.0 %", "100 us  on main, measured\n"})
    EXPECT_NE(p99.out.find(part), std::string::npos) << part << p99;
  const Finished max = run(tactus({"check", "rig.yaml", "--from", "run", "--max"}, dir.path()));
  EXPECT_EQ(max.status, 1) << max;
  EXPECT_NE(max.out.find("\ntimes, by the max of run (2 jobs)"), std::string::npos) << max;
  EXPECT_NE(max.err.find("period 0: the jobs of thread slow take 8.00 ms, 4.00 ms more than its 4.00 ms"),
            std::string::npos)
      << max;
}

TEST(CheckLoad, RefusesRunsOfWhichItCannotTakeTimes) {
  tactus::test::Snapshot texts;
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  fs::create_directory(dir.path() / "run");
  const auto said = [&](const std::string& text) {
    (void)dir.write("run/summary.json", text);
    const Finished done = run(tactus({"check", "rig.yaml", "--from", "run"}, dir.path()));
    EXPECT_EQ(done.status, 2) << done;
    return done.err;
  };
  texts.add(said(summary("other", "")));
  texts.add(said("{\"rig\": "));
  const Finished none = run(tactus({"check", "rig.yaml", "--from", "nowhere"}, dir.path()));
  EXPECT_EQ(none.status, 2) << none;
  texts.add(none.err);
  const Finished max = run(tactus({"check", "rig.yaml", "--max"}, dir.path()));
  EXPECT_EQ(max.status, 2) << max;
  texts.add(max.err);
}

TEST(CalibrateNightly, WhatARunMeasuredBecomesBudgetsThatCheckReads) {
  const TempDir dir;
  const Finished made = run(tactus({"calibrate", example("threads"), "--frames", "50", "--no-realtime",
                                    "--out", "run", "--factor", "2", "--set", "realtime.enabled=no"},
                                   dir.path()));
  ASSERT_EQ(made.status, 0) << made;
  EXPECT_NE(made.out.find("6 budgets in run/budgets.yaml; try them: tactus check "), std::string::npos)
      << made;
  EXPECT_NE(made.out.find(" --set 'realtime.enabled=no' --set @run/budgets.yaml\n"), std::string::npos)
      << made;
  std::ifstream in(dir.path() / "run" / "budgets.yaml");
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_TRUE(
      text.starts_with("# Budgets of rig threads: what run measured, times 2, outside of real time.\n"))
      << text;
  const Json jobs = summary_of(dir.path() / "run").at("jobs");
  std::size_t measured = 0;
  for (const Json& each : jobs) {
    if (each.at("calls").get<int>() == 0) continue;
    ++measured;
    const auto name = each.at("name").get<std::string>();
    std::smatch found;
    const std::string key = name.substr(name.find('.') + 1);
    ASSERT_TRUE(std::regex_search(text, std::regex(" " + key + ": \\{ budget: [0-9]+ [mun]?s \\}  # max ")))
        << name;
  }
  EXPECT_EQ(measured, 6U);

  const Finished checked =
      run(tactus({"check", example("threads"), "--set", "realtime.enabled=no", "--set", "@run/budgets.yaml"},
                 dir.path()));
  ASSERT_EQ(checked.status, 0) << checked;
  EXPECT_NE(checked.out.find("\ntimes, by budgets (6 jobs)\n"), std::string::npos) << checked;
  EXPECT_EQ(checked.out.find("not known"), std::string::npos) << checked;

  const Finished ran = run(run_rig("threads",
                                   {"--frames", "20", "--no-realtime", "--out", "again", "--set",
                                    "realtime.enabled=no", "--set", "@run/budgets.yaml"},
                                   dir.path()));
  ASSERT_EQ(ran.status, 0) << ran;
  const Json again = summary_of(dir.path() / "again");
  for (const Json& each : again.at("jobs")) {
    EXPECT_GT(each.at("budget_ns").get<std::int64_t>(), 0) << each;
    EXPECT_GE(each.at("over_budget").get<std::int64_t>(), 0) << each;
    EXPECT_EQ(each.at("over_budget") == 0, each.at("worst_over_ns") == 0) << each;
    EXPECT_LE(each.at("time_ns").at("p99"), each.at("time_ns").at("p99_99")) << each;
    EXPECT_LE(each.at("time_ns").at("p99_99"), each.at("time_ns").at("max")) << each;
  }
}

TEST(Calibrate, AFileThatCannotBeWrittenIsRefusedBeforeTheRun) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  fs::create_directory(dir.path() / "folder");
  const std::pair<const char*, const char*> rows[] = {{"none/budgets.yaml", "--to: none is not a folder"},
                                                      {"folder", "--to: folder is a folder; name a file"},
                                                      {"rig.yaml/b.yaml", "--to: rig.yaml is not a folder"}};
  for (const auto& [file, why] : rows) {
    const Finished done =
        run(tactus({"calibrate", "rig.yaml", "--frames", "5", "--no-realtime", "--out", "run", "--to", file},
                   dir.path()));
    EXPECT_EQ(done.status, 2) << file << done;
    EXPECT_NE(done.err.find(why), std::string::npos) << file << done;
    EXPECT_FALSE(fs::exists(dir.path() / "run")) << file;
  }
  const Finished inside = run(tactus(
      {"calibrate", "rig.yaml", "--frames", "5", "--no-realtime", "--out", "./run/", "--to", "run/b.yaml"},
      dir.path()));
  EXPECT_EQ(inside.status, 0) << inside;
  EXPECT_TRUE(fs::exists(dir.path() / "run/b.yaml")) << "the run makes its folder";
}

TEST(Calibrate, OfARunThatWasMadeItPrints) {
  tactus::test::Snapshot texts;
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  fs::create_directory(dir.path() / "run");
  (void)dir.write("run/summary.json", summary("fits", job("a.step", 20'000, 1'000, 2'000, 900'000) + "," +
                                                          job("c.step", 5, 1'000, 2'000, 30'000)));
  const Finished done = run(tactus({"calibrate", "rig.yaml", "--from", "run"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  texts.add(done.out);
  const std::string line =
      "exec '" + tactus({"ps"}, dir.path()).argv.front() + "' calibrate rig.yaml --from run > /dev/full";
  EXPECT_EQ(run({.argv = {"sh", "-c", line}, .cwd = dir.path()}).status, 1) << "budgets that are lost";
  const Finished foreign = run(tactus({"calibrate", example("servo"), "--from", "run"}, dir.path()));
  EXPECT_EQ(foreign.status, 2) << foreign;
  texts.add(foreign.err);
  const std::string before = read_file(dir / "rig.yaml");
  const Finished itself =
      run(tactus({"calibrate", "rig.yaml", "--from", "run", "--to", "./rig.yaml"}, dir.path()));
  EXPECT_EQ(itself.status, 2) << itself;
  EXPECT_NE(itself.err.find("is the rig file itself"), std::string::npos) << itself;
  EXPECT_EQ(read_file(dir / "rig.yaml"), before);
  for (const char* factor : {"0.9", "1001", "none"})
    EXPECT_EQ(run(tactus({"calibrate", "rig.yaml", "--from", "run", "--factor", factor}, dir.path())).status,
              2)
        << factor;
}

TEST(Calibrate, SaysWhichBudgetsCheckRefuses) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  fs::create_directory(dir.path() / "run");
  const auto calibrated = [&](const std::string& jobs) {
    (void)dir.write("run/summary.json", summary("fits", jobs));
    const Finished done =
        run(tactus({"calibrate", "rig.yaml", "--from", "run", "--to", "budgets.yaml"}, dir.path()));
    EXPECT_EQ(done.status, 0) << done;
    const Finished checked = run(tactus({"check", "rig.yaml", "--set", "@budgets.yaml"}, dir.path()));
    EXPECT_EQ(checked.status == 0, done.err.empty()) << done << checked;
    EXPECT_EQ(checked.status == 0, done.out.find("; try them: tactus check") != std::string::npos) << done;
    return done;
  };
  const Finished fits = calibrated(job("a.step", 5, 1'000, 2'000, 3'000));
  EXPECT_EQ(fits.err, "");
  const Finished too_long = calibrated(job("a.step", 5, 1'000, 2'000, 1'500'000'000));
  EXPECT_NE(too_long.err.find("job a.step: its budget of 2250 ms does not fit, as it took 1.50 s and "),
            std::string::npos)
      << too_long;
  EXPECT_EQ(too_long.err.find("--factor"), std::string::npos) << too_long;
  const Finished by_factor = calibrated(job("a.step", 5, 1'000, 2'000, 900'000));
  EXPECT_NE(by_factor.err.find("; choose a lower --factor, "), std::string::npos) << by_factor;
  const Finished together =
      calibrated(job("a.step", 5, 1'000, 2'000, 600'000) + "," + job("c.step", 5, 1'000, 2'000, 600'000));
  EXPECT_NE(together.err.find("tactus check refuses them"), std::string::npos) << together;
}

TEST(BudgetsOfARunNightly, CallsBeyondOneAreCountedAndReported) {
  const TempDir dir;
  const Finished done =
      run(run_rig("threads",
                  {"--frames", "30", "--no-realtime", "--out", "run", "--set", "realtime.enabled=no", "--set",
                   "models.engine.jobs.step.budget=1 ns", "--set", "threads.main.budget=1 ns", "--set",
                   "models.car.jobs.step.budget=1 h"},
                  dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const Json ran = summary_of(dir.path() / "run");
  for (const Json& job : ran.at("jobs")) {
    if (job.at("name") == "engine.step") {
      EXPECT_EQ(job.at("budget_ns"), 1);
      EXPECT_EQ(job.at("over_budget"), job.at("calls"));
      EXPECT_EQ(job.at("worst_over_ns").get<std::int64_t>(),
                job.at("time_ns").at("max").get<std::int64_t>() - 1);
    } else if (job.at("name") == "car.step") {
      EXPECT_EQ(job.at("over_budget"), 0);
    } else {
      EXPECT_FALSE(job.contains("budget_ns")) << job;
    }
  }
  EXPECT_EQ(ran.at("main_budget").at("over_budget"), 30);
  std::ifstream in(dir.path() / "run" / "log.txt");
  const std::string log((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  // A line a second at most: one, if the machine is not very slow.
  std::int64_t calls = 0;
  const std::regex line("job engine\\.step took .*, its budget is 1 ns: (\\d+) times in frames? \\d+");
  for (std::sregex_iterator found(log.begin(), log.end(), line), end; found != end; ++found)
    calls += std::stoll((*found)[1]);
  EXPECT_EQ(calls, 300) << log;
}

TEST(BudgetsOfARunNightly, WithoutJobTimesNothingIsCounted) {
  const TempDir dir;
  const Finished done = run(run_rig("threads",
                                    {"--frames", "3", "--no-realtime", "--out", "run", "--set",
                                     "job_times=no", "--set", "models.engine.jobs.step.budget=1 ns"},
                                    dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir.path() / "run");
  for (const Json& job : summary.at("jobs")) {
    if (job.at("name") != "engine.step") continue;
    EXPECT_EQ(job.at("budget_ns"), 1);
    EXPECT_TRUE(job.at("over_budget").is_null()) << job;
    EXPECT_TRUE(job.at("worst_over_ns").is_null()) << job;
  }
}

TEST(MarginNightly, ChangesWhatJobsTakeAndNothingThatTheyCompute) {
  const TempDir dir;
  const auto go = [&](const std::string& out, const Arguments& more) {
    const Finished done = run(
        run_rig("threads", Arguments{"--frames", "40", "--no-realtime", "--out", out} + more, dir.path()));
    EXPECT_EQ(done.status, 0) << done;
    return done;
  };
  const Finished plain = go("plain", {});
  const Finished stretched = go("stretched", {"--margin", "1.5"});
  EXPECT_EQ(plain.err.find("margin"), std::string::npos) << plain;
  EXPECT_TRUE(wait_for_text(dir.path() / "stretched" / "log.txt",
                            "margin 1.5: each job is stretched to 1.5 times its time (busy-wait)"));
  EXPECT_EQ(summary_of(dir.path() / "plain").at("margin"), 1.0);
  EXPECT_EQ(summary_of(dir.path() / "stretched").at("margin"), 1.5);
  EXPECT_EQ(read_table(dir.path() / "plain" / "drive.csv").rows,
            read_table(dir.path() / "stretched" / "drive.csv").rows);
}

TEST(Margin, IsANumberFrom1To100) {
  const TempDir dir;
  for (const char* margin : {"0.99", "100.1", "-2", "nan", "inf", "fast", ""}) {
    const Finished done = run(run_rig(
        "threads", {"--frames", "1", "--no-realtime", "--out", "run", "--margin", margin}, dir.path()));
    EXPECT_EQ(done.status, 2) << margin << done;
    EXPECT_NE(done.err.find("--margin"), std::string::npos) << margin << done;
    EXPECT_FALSE(fs::exists(dir.path() / "run")) << margin;
  }
}

TEST(SetOfAFileNightly, LaysItOverTheRigFile) {
  const TempDir dir;
  (void)dir.write("rig.yaml", kRig);
  (void)dir.write("over.yaml", "# a remark\nmodels:\n  b: { jobs: { step: { cycle: 4 ms } } }\n");
  const Finished done = run(tactus({"check", "rig.yaml", "--set", "@over.yaml"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_NE(done.out.find("(they repeat every 4)"), std::string::npos) << done;
  const Finished none = run(tactus({"check", "rig.yaml", "--set", "@none.yaml"}, dir.path()));
  EXPECT_EQ(none.status, 2) << none;
  EXPECT_NE(none.err.find("none.yaml:1:1: cannot be opened: No such file or directory"), std::string::npos)
      << none;
  (void)dir.write("twice.yaml", "frame: { period: 2 ms, period: 3 ms }\n");
  const Finished twice = run(tactus({"check", "rig.yaml", "--set", "@twice.yaml"}, dir.path()));
  EXPECT_EQ(twice.status, 2) << twice;
  EXPECT_NE(twice.err.find("the same key twice"), std::string::npos) << twice;
}

}  // namespace
}  // namespace tactus::test::admission_test
