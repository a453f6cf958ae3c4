// SPDX-License-Identifier: Apache-2.0
/// The Reference FMUs of the Modelica Association, for who has built them: TACTUS_REFERENCE_FMUS=DIR, where all *.fmu are
/// below.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "drivers/fmi/abi/fmi2.hpp"
#include "drivers/fmi/abi/fmi3.hpp"
#include "tests/drivers/fmi/one_unit.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::fmi::reference_test {
namespace {

namespace fs = std::filesystem;

void says_nothing(void*, const char*, abi2::Status, const char*, const char*, ...) {}

/// A plain loop: makes a step, and gets a scalar.
struct Loop {
  std::function<bool(double, double)> step;
  std::function<double(std::uint32_t)> get;
};

template <class F>
F* function(void* library, const char* name) {
  return reinterpret_cast<F*>(::dlsym(library, name));
}

Loop loop2(void* library, const Description& of, const fs::path& folder, abi2::Callbacks& callbacks) {
  callbacks = {&says_nothing, &std::calloc, &std::free, nullptr, nullptr};
  void* const c = function<abi2::Instantiate>(library, "fmi2Instantiate")(
      "plain", abi2::kCoSimulation, of.token.c_str(), ("file://" + (folder / "resources").string()).c_str(),
      &callbacks, 0, 0);
  if (c == nullptr) return {};
  const double tolerance = of.experiment.tolerance.value_or(0);
  (void)function<abi2::SetupExperiment>(library, "fmi2SetupExperiment")(c, tolerance > 0, tolerance, 0, 0, 0);
  (void)function<abi2::Plain>(library, "fmi2EnterInitializationMode")(c);
  (void)function<abi2::Plain>(library, "fmi2ExitInitializationMode")(c);
  return {[=](double t, double h) {
            return function<abi2::DoStep>(library, "fmi2DoStep")(c, t, h, 0) == abi2::kOk;
          },
          [=](std::uint32_t reference) {
            double value = 0;
            (void)function<abi2::Get<double>>(library, "fmi2GetReal")(c, &reference, 1, &value);
            return value;
          }};
}

Loop loop3(void* library, const Description& of, const fs::path& folder) {
  const fs::path resources = folder / "resources";
  const std::string path = resources.string() + "/";
  void* const c = function<abi3::InstantiateCoSimulation>(library, "fmi3InstantiateCoSimulation")(
      "plain", of.token.c_str(), fs::exists(resources) ? path.c_str() : nullptr, false, false, false, false,
      nullptr, 0, nullptr, [](void*, abi3::Status, const char*, const char*) {}, nullptr);
  if (c == nullptr) return {};
  (void)function<abi3::EnterInitialization>(library, "fmi3EnterInitializationMode")(c, false, 0, 0, false, 0);
  (void)function<abi3::Plain>(library, "fmi3ExitInitializationMode")(c);
  return {[=](double t, double h) {
            bool event, end, early;
            double last;
            return function<abi3::DoStep>(library, "fmi3DoStep")(c, t, h, false, &event, &end, &early,
                                                                 &last) == abi3::kOk &&
                   !end;
          },
          [=](std::uint32_t reference) {
            double value = 0;
            (void)function<abi3::Get<double>>(library, "fmi3GetFloat64")(c, &reference, 1, &value, 1);
            return value;
          }};
}

TEST(FmiReference, GivesTheBitsOfAPlainLoop) {
  const char* const where = std::getenv("TACTUS_REFERENCE_FMUS");  // NOLINT(concurrency-mt-unsafe)
  if (where == nullptr) GTEST_SKIP() << "TACTUS_REFERENCE_FMUS names no folder of Reference FMUs";
  int tried = 0, values = 0;
  for (const auto& entry : fs::recursive_directory_iterator(where)) {
    if (entry.path().extension() != ".fmu") continue;
    const Archive archive(entry.path());
    std::vector<Finding> findings;
    const Description of = read_description(archive.description(), findings);
    EXPECT_FALSE(has_error(findings)) << entry.path();
    if (!of.co_simulation) continue;
    ++tried;
    const double h = of.co_simulation->fixed_step.value_or(of.experiment.step.value_or(0.1));
    const test::TempDir folder;
    const std::string platform = platforms_here(of.version).front();
    archive.unpack(folder.path(), platform);
    void* const library =
        ::dlopen((folder.path() / "binaries" / platform / (of.co_simulation->identifier + ".so")).c_str(),
                 RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    abi2::Callbacks callbacks{};
    const Loop plain = of.version == Version::fmi2 ? loop2(library, of, folder.path(), callbacks)
                                                   : loop3(library, of, folder.path());
    ASSERT_TRUE(plain.step) << entry.path();
    test::OneUnit unit(entry.path().string(), "on_end: hold", h);
    unit.start();
    for (int i = 0; i < 100; ++i) {
      if (!plain.step(i * h, h)) break;
      ASSERT_EQ(unit.run("step"), 0) << entry.path() << " at " << i * h << ": " << unit.failure();
      for (const Variable& variable : of.variables) {
        if (variable.type != Type::float64 || variable.causality != Causality::output ||
            !variable.dimensions.empty())
          continue;
        const double expected = plain.get(variable.reference), found = unit.value<double>(variable.name);
        ASSERT_EQ(std::memcmp(&expected, &found, sizeof found), 0)
            << entry.path() << " " << variable.name << " at " << (i + 1) * h << ": " << found << ", not "
            << expected;
        ++values;
      }
    }
  }
  EXPECT_GT(tried, 0) << "no unit for co-simulation below " << where;
  RecordProperty("units", tried);
  RecordProperty("values", values);
}

/// Rows of a file of results: the first has the names.
std::vector<std::vector<std::string>> table_of(const fs::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(file);
  for (std::string line, cell; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string>& row = rows.emplace_back();
    for (std::istringstream cells(line); std::getline(cells, cell, ',');) row.push_back(cell);
  }
  return rows;
}

/// The published results, at the times that are a whole number of steps, within the tolerance of the unit's own
/// DefaultExperiment, or 1e-5 where it has none.
TEST(FmiReference, GivesThePublishedResults) {
  const char* const where = std::getenv("TACTUS_REFERENCE_FMUS");  // NOLINT(concurrency-mt-unsafe)
  if (where == nullptr) GTEST_SKIP() << "TACTUS_REFERENCE_FMUS names no folder of Reference FMUs";
  int values = 0;
  for (const auto& entry : fs::recursive_directory_iterator(where)) {
    if (entry.path().extension() != ".fmu") continue;
    const std::string name = entry.path().stem().string();
    const fs::path published = fs::path(where) / name / (name + "_out.csv");
    const Archive archive(entry.path());
    std::vector<Finding> findings;
    const Description of = read_description(archive.description(), findings);
    // The results of these begin with inputs of a file, or want steps that no rig has.
    if (!of.co_simulation || !fs::exists(published) || name == "Feedthrough" || name == "Roberts") continue;
    const auto rows = table_of(published);
    const double h = of.experiment.step.value_or(0.1);
    const double tolerance = of.experiment.tolerance.value_or(1e-5);
    test::OneUnit unit(entry.path().string(), "on_end: hold\nignore_fixed_step: yes", h);
    unit.start();
    long k = 0;
    for (std::size_t row = 1; row < rows.size(); ++row) {
      const double time = std::stod(rows[row][0]);
      const auto wanted = std::lround(time / h);
      if (std::abs(static_cast<double>(wanted) * h - time) > 1e-9) continue;
      for (; k < wanted; ++k) ASSERT_EQ(unit.run("step"), 0) << entry.path() << ": " << unit.failure();
      for (std::size_t column = 1; column < rows[0].size() && column < rows[row].size(); ++column) {
        const executive::Variable* const found = unit.instance().find_variable(rows[0][column]);
        if (found == nullptr || found->count > 0) continue;
        const double expected = std::stod(rows[row][column]);
        const double value = found->type == TACTUS_DOUBLE ? *static_cast<double*>(found->data)
                                                          : *static_cast<std::int32_t*>(found->data);
        if (unit.value<std::int32_t>("unit_status") != 0) continue;
        EXPECT_NEAR(value, expected, tolerance * std::max(1.0, std::abs(expected)))
            << entry.path() << " " << rows[0][column] << " at " << time;
        ++values;
      }
    }
  }
  EXPECT_GT(values, 100);
}

/// Events of BouncingBall and Stair are the same whoever handles them.
TEST(FmiReference, HandlesEventsAsTheUnitsDoThemselves) {
  const char* const where = std::getenv("TACTUS_REFERENCE_FMUS");  // NOLINT(concurrency-mt-unsafe)
  if (where == nullptr) GTEST_SKIP() << "TACTUS_REFERENCE_FMUS names no folder of Reference FMUs";
  for (const auto& entry : fs::recursive_directory_iterator(where)) {
    const std::string name = entry.path().filename().string();
    if (name != "BouncingBall.fmu" && name != "Stair.fmu") continue;
    std::vector<Finding> findings;
    if (read_description(Archive(entry.path()).description(), findings).version != Version::fmi3) continue;
    const std::string keys = "on_end: hold\nignore_fixed_step: yes\n";
    test::OneUnit itself(entry.path().string(), keys, 0.01),
        rig(entry.path().string(), keys + "event_mode: yes", 0.01);
    itself.start();
    rig.start();
    for (int k = 0; k < 950; ++k) {
      ASSERT_EQ(itself.run("step"), 0) << itself.failure();
      ASSERT_EQ(rig.run("step"), 0) << rig.failure();
      if (name == "Stair.fmu")
        EXPECT_EQ(rig.value<std::int32_t>("counter"), itself.value<std::int32_t>("counter")) << k;
      else
        EXPECT_NEAR(rig.value<double>("h"), itself.value<double>("h"), 1e-3) << k;
    }
  }
}

/// The Clocks unit, as its own comment says: clock 2 is triggered at 0, 1, 8 and 9 s; at 4 s partition 1 starts the
/// countdown of partition 3; each fifth tick of all ticks the output clock.
TEST(FmiReference, RunsThePartitionsOfClocks) {
  const char* const where = std::getenv("TACTUS_REFERENCE_FMUS");  // NOLINT(concurrency-mt-unsafe)
  if (where == nullptr) GTEST_SKIP() << "TACTUS_REFERENCE_FMUS names no folder of Reference FMUs";
  for (const auto& entry : fs::recursive_directory_iterator(where)) {
    if (entry.path().filename() != "Clocks.fmu") continue;
    test::OneUnit unit(entry.path().string(), "", 1);
    unit.open();
    ASSERT_EQ(unit.run("initialize"), 0) << unit.failure();
    unit.value<std::int32_t>("input2") = 3;
    std::int64_t asked = 0;
    int total = 0;
    for (int second = 0; second < 10; ++second) {
      const bool triggers = second < 2 || second > 7;
      if (triggers) unit.value<std::int64_t>("inClock2") = ++asked;
      for (const char* const job : {"inClock1", "inClock2", "inClock3"})
        ASSERT_EQ(unit.run(job, second), 0) << unit.failure();
      total += 1 + (triggers ? 1 : 0) + (second == 4 ? 1 : 0);
      EXPECT_EQ(unit.value<std::int32_t>("inClock1Ticks"), second + 1);
      EXPECT_EQ(unit.value<std::int32_t>("inClock2Ticks"), asked);
      EXPECT_EQ(unit.value<std::int32_t>("inClock3Ticks"), second >= 4 ? 1 : 0);
      EXPECT_EQ(unit.value<std::int32_t>("totalInClockTicks"), total) << second;
      EXPECT_EQ(unit.value<std::int32_t>("result2"), 3 * asked) << "the input is set before each activation";
    }
    EXPECT_EQ(unit.value<std::int32_t>("output3"), 1000);
    EXPECT_EQ(unit.value<std::int64_t>("outClock"), total / 5);
    EXPECT_EQ(unit.value<double>("inClock3_late"), 0);
    return;
  }
  FAIL() << "no Clocks.fmu below " << where;
}

}  // namespace
}  // namespace tactus::drivers::fmi::reference_test
