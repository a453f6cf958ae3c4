// SPDX-License-Identifier: Apache-2.0
/// A rig of many jobs has their times counted beside the frames, and each call is counted once all the same.
#include <gtest/gtest.h>

#include <string>

#include "rig_command.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace tactus::test::job_times_test {
namespace {

/// So many models, each with one job; nothing in it can be late enough to end the rig.
std::string rig_of(int models) {
  std::string rig =
      "rig: many\n"
      "frame: { period: 1 ms }\n"
      "memory: { lock: no, heap: 0 B }\n"
      "threads: { main: { policy: other }, stuck_after: 30 s }\n"
      "models:\n";
  for (int i = 0; i < models; ++i)
    rig +=
        "  load" + std::to_string(i) + ": { model: late, library: test_load, parameters: { busy: 0 s } }\n";
  return rig;
}

bool has_helper(const TempDir& dir) {
  return read_file(dir / "out/log.txt").find("thread job-times") != std::string::npos;
}

void expect_calls(const TempDir& dir, int models, int frames) {
  const Json jobs = summary_of(dir / "out")["jobs"];
  ASSERT_EQ(jobs.size(), static_cast<std::size_t>(models));
  for (const Json& job : jobs) EXPECT_EQ(job["calls"], frames) << job;
}

struct Row {
  const char* name;
  const char* realtime;
  int models;
  int frames;
  bool helper;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class JobTimesOfARig : public ::testing::TestWithParam<Row> {};

TEST_P(JobTimesOfARig, CountEachCallOnce) {
  const Row& row = GetParam();
  if (row.helper && rtsync::allowed_cpus().count() < 2) GTEST_SKIP() << "there is one CPU: the frames count";
  const TempDir dir;
  dir.write("rig.yaml", rig_of(row.models) + row.realtime);
  const Finished done = run(tactus(
      {"run", "rig.yaml", "--frames", std::to_string(row.frames), "--out", "out", "--quiet"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(has_helper(dir), row.helper) << read_file(dir / "out/log.txt");
  expect_calls(dir, row.models, row.frames);
}

INSTANTIATE_TEST_SUITE_P(
    Of, JobTimesOfARig,
    ::testing::Values(Row{"many_jobs", "realtime: { enabled: no }\n", 120, 3'000, true},
                      Row{"many_jobs_in_real_time", "realtime: { enabled: yes, max_overrun: 100 s }\n", 120,
                          600, true},
                      Row{"few_jobs", "realtime: { enabled: no }\n", 99, 600, false},
                      Row{"a_run_of_few_frames", "realtime: { enabled: no }\n", 120, 3, true}),
    [](const auto& one) { return one.param.name; });

TEST(JobTimesOfARigOnOneCpu, AreCountedByTheFrames) {
  const TempDir dir;
  dir.write("rig.yaml", rig_of(120) + "realtime: { enabled: no }\n");
  Command command = tactus({"run", "rig.yaml", "--frames", "600", "--out", "out", "--quiet"}, dir.path());
  command.env["TACTUS_CPUS"] = std::to_string(rtsync::allowed_cpus().first());
  const Finished done = run(command);
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_FALSE(has_helper(dir)) << read_file(dir / "out/log.txt");
  expect_calls(dir, 120, 600);
}

TEST(JobTimesOfARigWithABudget, AreBookedThoughAHelperCounts) {
  const TempDir dir;
  dir.write("rig.yaml",
            rig_of(120) +
                "  slow: { model: late, library: test_load, parameters: { busy: 50 us, every: 2 }, "
                "jobs: { step: { budget: 40 us } } }\n"
                "realtime: { enabled: no }\n");
  const Finished done =
      run(tactus({"run", "rig.yaml", "--frames", "1000", "--out", "out", "--quiet"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  for (const Json& job : summary_of(dir / "out")["jobs"]) {
    EXPECT_EQ(job["calls"], 1000) << job;
    if (job["name"] == "slow.step") {
      EXPECT_GE(job["over_budget"], 500) << job;
    }
  }
}

}  // namespace
}  // namespace tactus::test::job_times_test
