// SPDX-License-Identifier: Apache-2.0
#include "executive/admission/measured_run.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "tests/support/temp_dir.hpp"

namespace tactus::executive::measured_run_test {
namespace {

using namespace std::chrono_literals;

const std::string kGood = R"({"rig": "r", "jobs": [
  {"name": "m.step", "calls": 20000, "time_ns": {"p50": 5, "p99": 10, "p99_99": 20, "max": 40}},
  {"name": "m.old", "calls": 3, "time_ns": {"p50": 5, "p99": 10, "max": 40}},
  {"name": "m.never", "calls": 0, "time_ns": {"p50": 0, "p99": 0, "p99_99": 0, "max": 0}}]})";

/// What is said of a folder with that summary.json; empty: it is taken.
std::string said_of(const std::string& text) {
  const tactus::test::TempDir dir;
  (void)dir.write("summary.json", text);
  try {
    (void)MeasuredRun::of_folder(dir.path(), "r");
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(dir.path().string() + ": ")) << what;
    return what.substr(dir.path().string().size() + 2);
  }
  return "";
}

TEST(MeasuredRun, HasTheTimesOfTheJobsThatWereCalled) {
  const tactus::test::TempDir dir;
  (void)dir.write("summary.json", kGood);
  const MeasuredRun run = MeasuredRun::of_folder(dir.path(), "r");
  const MeasuredJob* const job = run.find("m.step");
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->calls, 20000);
  EXPECT_EQ(job->p99, 10ns);
  EXPECT_EQ(job->p99_99, 20ns);
  EXPECT_EQ(job->max, 40ns);
  EXPECT_EQ(run.find("m.old")->p99_99, 40ns) << "of a tactus that did not write it";
  EXPECT_EQ(run.find("m.never"), nullptr);
  EXPECT_EQ(run.find("m.none"), nullptr);
}

TEST(MeasuredRun, AMissingFolderIsNamed) {
  try {
    (void)MeasuredRun::of_folder("/nowhere/at/all", "r");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              "/nowhere/at/all: has no summary.json that can be read; name the folder of a run that ended");
  }
}

TEST(MeasuredRun, AFolderInPlaceOfTheSummaryIsNoneThatCanBeRead) {
  const tactus::test::TempDir dir;
  std::filesystem::create_directories(dir / "summary.json");  // opens, and is not read
  try {
    (void)MeasuredRun::of_folder(dir.path(), "r");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        dir.path().string() + ": has no summary.json that can be read; name the folder of a run that ended");
  }
}

TEST(MeasuredRun, AForeignOrDamagedSummaryIsRefused) {
  const auto job = [](const std::string& text) { return R"({"rig": "r", "jobs": [)" + text + "]}"; };
  const struct {
    std::string text;
    std::string said;
  } rows[] = {
      {"", "summary.json is damaged: it is not JSON; make another run"},
      {kGood.substr(0, kGood.size() / 2), "summary.json is damaged: it is not JSON; make another run"},
      {"[1, 2]", "summary.json is damaged: it does not name its rig; make another run"},
      {R"({"rig": 5})", "summary.json is damaged: it does not name its rig; make another run"},
      {R"({"rig": "other", "jobs": []})", "is a run of rig 'other', not of 'r'"},
      {R"({"rig": "r"})",
       "summary.json has no times of jobs: the run did not end by itself; make another run"},
      {job(""), "summary.json has no times of jobs; make a run with frames and with job_times: yes"},
      {job(R"({"name": "m.step"})"),
       "summary.json has no times of jobs; make a run with frames and with job_times: yes"},
      {job("7"), "summary.json is damaged: a job without a name; make another run"},
  };
  for (const auto& row : rows) EXPECT_EQ(said_of(row.text), row.said) << row.text;
  for (const char* times : {R"({"p99": -1, "max": 5})", R"({"p99": 6, "max": 5})",
                            R"({"p99": "6", "max": 9})", R"({"max": 5})", "7", R"({"p99": 1.5, "max": 5})",
                            R"({"p99": 1, "max": 18446744073709551615})", R"({"p99": 1, "max": 1e300})",
                            R"({"p99": 1, "max": 4000000000000})", R"({"p99": 3, "p99_99": 2, "max": 5})"})
    EXPECT_EQ(said_of(job(R"({"name": "m.step", "calls": 5, "time_ns": )" + std::string(times) + "}")),
              "summary.json is damaged: job 'm.step' has no times that can be right; make another run")
        << times;
}

}  // namespace
}  // namespace tactus::executive::measured_run_test
