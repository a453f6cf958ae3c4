// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "drivers/fmi/archive/archive.hpp"
#include "tests/drivers/fmi/one_unit.hpp"
#include "tests/drivers/fmi/zip_writer.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::fmi::start_values_test {
namespace {

using test::OneUnit;
using test::refusal_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FmiStartValues, AreRefusedOutsideOfTheUnitsLimits) {
  tactus::test::Snapshot texts;
  const char* const rows[] = {"level: 11",   "level: -3", "level: 3000000000", "share: 1.5",
                              "short: 1e39", "kind: 3",   "kind: reverse",     "huge: -1"};
  for (const char* const start : rows)
    texts.add(refusal_of("three", "start: { " + std::string(start) + " }"), start);
  for (const char* const start : {"level: 10", "level: -2", "share: 1", "kind: drive", "kind: 7",
                                  "short: 3e38", "huge: 18446744073709551615"})
    EXPECT_EQ(refusal_of("three", "start: { " + std::string(start) + " }"), "") << start;
}

TEST(FmiStartValues, OfInputsAndParametersAreWarnedOfBeyondTheUnitsLimits) {
  const Archive two(OneUnit::path("two"));
  std::string xml = two.description();
  const auto limit = [&xml](const std::string& name, const std::string& limits) {
    const std::size_t at = xml.find(" start=", xml.find("name=\"" + name + "\""));
    ASSERT_NE(at, std::string::npos) << name;
    xml.insert(at, limits);
  };
  limit("gain", " min=\"0\" max=\"2\"");
  limit("length", " max=\"4\"");  // an ell is half a metre
  limit("n", " min=\"-3\"");
  const std::string library = "binaries/" + platforms_here(Version::fmi2).front() + "/two.so";
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "two-with-limits.fmu";
  {
    std::ofstream out(file, std::ios::binary);
    out << test::zip_of({{"modelDescription.xml", xml}, {library, two.head(library, std::size_t{1} << 30U)}});
  }
  OneUnit unit(file.string());
  unit.open();
  unit.value<double>("gain") = 2;
  unit.value<double>("length") = 2;
  EXPECT_EQ(unit.run("initialize"), 0) << unit.failure();
  EXPECT_THAT(unit.messages(), IsEmpty());
  unit.value<double>("gain") = 5;
  unit.value<double>("length") = 3;
  unit.value<std::int32_t>("n") = -4;
  EXPECT_EQ(unit.run("initialize"), 0) << unit.failure();
  EXPECT_THAT(unit.messages(),
              ElementsAre("W [tactus] 'gain': 5 is outside of the unit's limits, 0 .. 2",
                          "W [tactus] 'length': 3 is outside of the unit's limits, any .. 2 m",
                          "W [tactus] 'n': -4 is outside of the unit's limits, -3 .. any"));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tactus::drivers::fmi::start_values_test
