// SPDX-License-Identifier: Apache-2.0
/// The Reference FMUs of the Modelica Association, for who has built them: TACTUS_REFERENCE_FMUS=DIR, where all *.fmu are
/// below.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>

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

}  // namespace
}  // namespace tactus::drivers::fmi::reference_test
