// SPDX-License-Identifier: Apache-2.0
#include "executive/admission/measured_run.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/snapshot.hpp"
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
  EXPECT_TRUE(run.realtime);
}

TEST(MeasuredRun, KnowsWhetherItWasInRealTime) {
  for (const bool realtime : {false, true}) {
    const tactus::test::TempDir dir;
    const std::string rt = std::string(R"({"rt": {"realtime": )") + (realtime ? "true" : "false") + "}, ";
    (void)dir.write("summary.json", rt + kGood.substr(1));
    EXPECT_EQ(MeasuredRun::of_folder(dir.path(), "r").realtime, realtime);
  }
}

TEST(MeasuredRun, AMissingFolderIsNamed) {
  try {
    (void)MeasuredRun::of_folder("/nowhere/at/all", "r");
    FAIL();
  } catch (const std::runtime_error& error) {
    tactus::test::Snapshot().add(error.what());
  }
}

TEST(MeasuredRun, AFolderInPlaceOfTheSummaryIsNoneThatCanBeRead) {
  const tactus::test::TempDir dir;
  std::filesystem::create_directories(dir / "summary.json");  // opens, and is not read
  try {
    (void)MeasuredRun::of_folder(dir.path(), "r");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(dir.path().string() + ": ")) << error.what();
    tactus::test::Snapshot().add(std::string(error.what()).substr(dir.path().string().size()));
  }
}

TEST(MeasuredRun, AForeignOrDamagedSummaryIsRefused) {
  tactus::test::Snapshot texts;
  const auto job = [](const std::string& text) { return R"({"rig": "r", "jobs": [)" + text + "]}"; };
  texts.add(said_of(kGood.substr(0, kGood.size() / 2)), "half of a good one");
  for (const std::string& text :
       std::vector<std::string>{"", "[1, 2]", R"({"rig": 5})", R"({"rig": "other", "jobs": []})",
                                R"({"rig": "r"})", job(""), job(R"({"name": "m.step"})"), job("7")})
    texts.add(said_of(text), text);
  for (const char* times : {R"({"p99": -1, "max": 5})", R"({"p99": 6, "max": 5})",
                            R"({"p99": "6", "max": 9})", R"({"max": 5})", "7", R"({"p99": 1.5, "max": 5})",
                            R"({"p99": 1, "max": 18446744073709551615})", R"({"p99": 1, "max": 1e300})",
                            R"({"p99": 1, "max": 4000000000000})", R"({"p99": 3, "p99_99": 2, "max": 5})"})
    texts.add(said_of(job(R"({"name": "m.step", "calls": 5, "time_ns": )" + std::string(times) + "}")),
              times);
}

}  // namespace
}  // namespace tactus::executive::measured_run_test
