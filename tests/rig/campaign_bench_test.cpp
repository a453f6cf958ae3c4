// SPDX-License-Identifier: Apache-2.0
// Campaigns and searches in real time: on their CPUs, one at a time on each, and what becomes of their cases when the
// runner is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::campaign_bench_test {
namespace {

using namespace tactus::test;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string file_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The processes of cases of a campaign's folder.
std::vector<pid_t> cases_of(const fs::path& folder) {
  std::vector<pid_t> all;
  std::error_code error;
  const std::string mark = "TACTUS_CAMPAIGN_CASE=" + fs::weakly_canonical(folder).string() + "#";
  for (const auto& each : fs::directory_iterator("/proc", error)) {
    const pid_t process = std::atoi(each.path().filename().c_str());
    if (process > 0 && file_text(each.path() / "environ").find(mark) != std::string::npos)
      all.push_back(process);
  }
  return all;
}

bool wait_for(const std::function<bool()>& come) {
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (!come()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

class CampaignBench : public ::testing::Test {
 protected:
  CampaignBench() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) cpus_.push_back(cpu);
  }
  ~CampaignBench() override {
    for (const char* const each : {"", "-other"})
      fs::remove("/run/lock/tactus-bench-" + bench_ + each + ".lock");
  }

  /// A campaign in real time that no lateness ends.
  void write(const std::string& until, const std::string& more) {
    dir_.write(
        "a.campaign.yaml",
        "campaign: a\nrig: " + example("servo") +
            "\nrealtime: yes\nset: { record: {}, threads.main.policy: other, realtime.max_overrun: 9e9 s, "
            "realtime.max_consecutive_overruns: 100000000 frames, threads.stuck_after: 30 s, "
            "flight_recorder.traces: 0, until: " +
            until + " }\n" + more);
  }
  /// The first one is that which a rig would not take by itself.
  std::string set_of(std::size_t which) const { return "[" + std::to_string(cpus_[which]) + "]"; }
  /// Runs it; again as long as another test has the CPU.
  Finished run_when_free(const Arguments& more, const std::string& bench = "") {
    Finished done;
    (void)wait_for([&] {
      fs::remove_all(dir_.path() / more.back());
      done = run(
          tactus(Arguments{"campaign", "a.campaign.yaml", "--bench", bench_ + bench} + more, dir_.path()));
      return done.status != 3 || done.err.find("is used by ") == std::string::npos ||
             done.err.find(dir_.path().string()) != std::string::npos;
    });
    return done;
  }
  Json last_line(const Finished& done) const {
    const std::string text = done.out.substr(0, done.out.size() - 1);
    return Json::parse(text.substr(text.rfind('\n') + 1), nullptr, false);
  }

  const TempDir dir_;
  const std::string bench_ = "test-" + std::to_string(::getpid());
  std::vector<int> cpus_;
};

TEST_F(CampaignBench, CasesEndInOrderWithARunnerThatIsKilled) {
  write("1000 s", "");
  const fs::path summary = dir_.path() / "out/cases/0/0-1.running/run/summary.json";
  Process runner(tactus({"campaign", "a.campaign.yaml", "--bench", bench_, "--out", "out"}, dir_.path()));
  ASSERT_TRUE(wait_for([&] { return fs::exists(summary); }));
  ASSERT_FALSE(cases_of(dir_.path() / "out").empty());
  runner.signal(SIGKILL);
  EXPECT_EQ(runner.wait().signal, SIGKILL);
  EXPECT_TRUE(wait_for([&] { return cases_of(dir_.path() / "out").empty(); })) << "they go on alone";
  const Json ended = Json::parse(file_text(summary), nullptr, false);
  EXPECT_EQ(ended.value("outcome", ""), "stopped") << "in order: its outputs are safe. " << ended.dump();

  write("5 ms", "");
  const Finished again = run_when_free({"--accept-changes", "--out", "again"});
  EXPECT_EQ(again.status, 0) << again.out << again.err;
  const Finished resumed = run(tactus(
      {"campaign", "a.campaign.yaml", "--bench", bench_, "--accept-changes", "--out", "out"}, dir_.path()));
  EXPECT_EQ(resumed.status, 0) << resumed.out << resumed.err;
}

TEST_F(CampaignBench, CasesOfAKilledSearchEnd) {
  write("1000 s", "vary: { models.motor.parameters.supply: [24 V, 26 V] }\n");
  const fs::path summary = dir_.path() / "out/0/summary.json";
  Process runner(
      tactus({"campaign", "a.campaign.yaml", "--minimise", "--bench", bench_, "--out", "out"}, dir_.path()));
  ASSERT_TRUE(wait_for([&] { return fs::exists(summary); }));
  runner.signal(SIGKILL);
  EXPECT_EQ(runner.wait().signal, SIGKILL);
  EXPECT_TRUE(wait_for([&] {
    return Json::parse(file_text(summary), nullptr, false).value("outcome", "unfinished") == "stopped";
  })) << file_text(summary);
}

TEST_F(CampaignBench, CasesRunOnTheirCpus) {
  write("5 ms", "repeat: 2\ncpus: [" + set_of(0) + "]\n");
  EXPECT_THAT(run(tactus({"campaign", "a.campaign.yaml", "--plan"}, dir_.path())).out,
              HasSubstr("in real time, 1 case at a time on CPUs " + std::to_string(cpus_.front())));
  const Finished done = run_when_free({"--out", "out"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  for (const char* const each : {"0-1", "1-1"})
    EXPECT_EQ(summary_of(dir_.path() / "out/cases/0" / each / "run")["rt"]["cpu"], cpus_.front());
  write("5 ms", "cpus: [[1000]]\n");
  const Finished none =
      run(tactus({"campaign", "a.campaign.yaml", "--bench", bench_, "--out", "none"}, dir_.path()));
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("cpus[0]: CPU 1000 is not one of those that this process may use here"));
}

TEST_F(CampaignBench, SearchesRunOnTheirCpus) {
  const std::string fault =
      "faults:\n  shifted: { on: encoder.angle, offset: 900 mrad, at: 0 s }\n"
      "  harmless: { on: encoder.speed, offset: 1 mrad/s, at: 0 s }\n";
  dir_.write("b.test.yaml", "test: b\nuntil: 5 ms\n" + fault +
                                "expect: { near: { never: abs(encoder.angle - motor.angle) > 0.4 rad } }\n");
  write("5 ms", "test: b.test.yaml\ncpus: [" + set_of(0) +
                    "]\nvary: { faults.shifted.offset: { uniform: [1 mrad, 1 rad] } }\n"
                    "cases: { list: [ { faults.shifted.offset: 900 mrad } ] }\n");
  const Finished border =
      run_when_free({"--bisect", "offset", "--within", "300 mrad", "--json", "--out", "border"});
  ASSERT_EQ(border.status, 0) << border.out << border.err;
  const Json found = last_line(border);
  EXPECT_LE(found.value("low", 1e9), 400);
  EXPECT_GE(found.value("high", 0.0), 400);
  const Finished smallest = run_when_free({"--minimise", "--json", "--out", "smallest"});
  ASSERT_EQ(smallest.status, 0) << smallest.out << smallest.err;
  EXPECT_EQ(last_line(smallest)["set"], Json::array({"shifted"}));
  for (const char* const search : {"border", "smallest"}) {
    int runs = 0;
    for (const auto& each : fs::directory_iterator(dir_.path() / search)) {
      if (!each.is_directory()) continue;
      ++runs;
      EXPECT_EQ(summary_of(each.path())["rt"]["cpu"], cpus_.front()) << each.path();
    }
    EXPECT_GE(runs, 2) << search;
  }
}

/// Seconds of a date-time as "2026-11-28T04:20:11.123Z".
double seconds_of(const std::string& text) {
  std::tm day{};
  const char* const rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &day);
  return rest == nullptr ? 0
                         : static_cast<double>(::timegm(&day)) + std::atof(("0" + std::string(rest)).c_str());
}

TEST_F(CampaignBench, NoTwoRunsAreEverOnOneCpu) {
  if (cpus_.size() < 2) GTEST_SKIP() << "one CPU, and cases side by side need two";
  write("20 ms", "repeat: 8\ncpus: [" + set_of(0) + ", " + set_of(1) + "]\n");
  const Finished done = run_when_free({"--out", "out"});
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  std::map<int, std::vector<std::pair<double, double>>> of_cpu;
  for (int number = 0; number < 8; ++number) {
    const fs::path folder = dir_.path() / "out/cases/0" / (std::to_string(number) + "-1");
    const Json end = Json::parse(file_text(folder / "end.json"));
    const double begun = seconds_of(end["begun"]);
    of_cpu[summary_of(folder / "run")["rt"]["cpu"]].emplace_back(begun, begun + end["seconds"].get<double>());
  }
  EXPECT_EQ(of_cpu.size(), 2U);
  bool both = false;
  for (auto& [cpu, runs] : of_cpu) {
    std::sort(runs.begin(), runs.end());
    for (std::size_t i = 1; i < runs.size(); ++i)
      EXPECT_GE(runs[i].first, runs[i - 1].second - 0.002) << "CPU " << cpu << ", by times in ms";
    for (const auto& [begin, end] : runs)
      for (const auto& [other, ends] : of_cpu.begin()->second)
        both = both || (cpu != of_cpu.begin()->first && begin < ends && other < end);
  }
  EXPECT_TRUE(both) << "they ran side by side";
}

TEST_F(CampaignBench, TwoCampaignsNeverShareACpu) {
  if (cpus_.size() < 2) GTEST_SKIP() << "one CPU";
  write("1000 s", "cpus: [" + set_of(0) + "]\nvary: { models.motor.parameters.supply: [24 V, 26 V] }\n");
  dir_.write("first.campaign.yaml", file_text(dir_.path() / "a.campaign.yaml"));
  const fs::path summary = dir_.path() / "out/cases/0/0-1.running/run/summary.json";
  std::unique_ptr<Process> first;
  ASSERT_TRUE(wait_for([&] {
    if (first == nullptr || first->err().find("is used by ") != std::string::npos)
      first = std::make_unique<Process>(
          tactus({"campaign", "first.campaign.yaml", "--bench", bench_, "--out", "out"}, dir_.path()));
    (void)first->wait_for_output("is used by", std::chrono::milliseconds(50));
    return fs::exists(summary);
  })) << first->err();
  for (const Arguments& words : {Arguments{}, Arguments{"--minimise"}}) {
    const Finished second = run(tactus(
        Arguments{"campaign", "a.campaign.yaml", "--bench", bench_ + "-other", "--out", "second"} + words,
        dir_.path()));
    EXPECT_EQ(second.status, 3) << second.out << second.err;
    EXPECT_THAT(second.err, AllOf(HasSubstr("CPU " + std::to_string(cpus_.front()) + " is used by process " +
                                            std::to_string(first->pid())),
                                  HasSubstr("choose other CPUs in cpus:")));
  }
  write("5 ms", "cpus: [" + set_of(1) + "]\n");
  EXPECT_EQ(run_when_free({"--out", "beside"}, "-other").status, 0) << "another CPU is free";
  first->signal(SIGKILL);
  (void)first->wait();
  EXPECT_TRUE(wait_for([&] { return cases_of(dir_.path() / "out").empty(); }));
}

}  // namespace
}  // namespace tactus::rig_test::campaign_bench_test
