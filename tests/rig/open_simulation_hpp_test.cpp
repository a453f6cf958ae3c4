// SPDX-License-Identifier: Apache-2.0
/// tactus/open_simulation.hpp: the C++ API, over the C API of libtactus.so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <tactus/open_simulation.hpp>
#include <vector>

#include "tests/support/temp_dir.hpp"

namespace tactus::test::open_simulation_hpp_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

OpenSimulationOptions fast(const TempDir& dir, const std::string& until = "20 ms") {
  OpenSimulationOptions options;
  options.realtime = false;
  options.out = (dir / "out").string();
  options.until = until;
  options.set = {"threads.stuck_after=30 s"};  // no lateness of the machine ends the run
  return options;
}

const std::string kServo = TACTUS_RIGS "/servo.yaml";

TEST(OpenSimulationHpp, RunsEpisodesToTheEnd) {
  const TempDir dir;
  OpenSimulationOptions options = fast(dir);
  options.set.push_back("epoch=2030-01-01T00:00:00Z");
  std::atomic<int> lines{0};
  options.log = [&](const std::string&) { ++lines; };
  {
    OpenSimulation rig(kServo, options);
    EXPECT_EQ(rig.state(), "Connect");
    const std::vector<EpisodeIn> in{{"motor", "load_torque", {0.25}, "2030-01-01T00:00:00.003Z"}};
    std::vector<EpisodeOut> out{{"motor", "load_torque"},
                                {"motor", "load_torque", "2030-01-01T00:00:00.002Z"}};
    const EpisodeResult first = rig.run_open("2030-01-01T00:00:00.004Z", in, out);
    EXPECT_FALSE(first.ended);
    EXPECT_EQ(first.frame, 4);
    EXPECT_EQ(first.date, "2030-01-01T00:00:00.004+00:00");
    EXPECT_EQ(out[0].number(), 0.25);
    EXPECT_EQ(out[1].number(), 0);
    EXPECT_THROW((void)out[0].number(1), std::out_of_range);
    EXPECT_EQ(rig.state(), "Pause");
    EXPECT_EQ(rig.exit_status(), 1) << "it is not over";
    OpenSimulation moved = std::move(rig);
    const EpisodeResult last = moved.run();
    EXPECT_TRUE(last.ended);
    EXPECT_EQ(last.frame, 19);
    EXPECT_EQ(moved.outcome(), "completed");
    EXPECT_EQ(moved.exit_status(), 0);
    try {
      moved.run();
      FAIL() << "the run is over";
    } catch (const OpenSimulationError& error) {
      EXPECT_EQ(error.result(), TACTUS_ENDED);
    }
  }
  EXPECT_TRUE(std::filesystem::exists(dir / "out" / "summary.json"));
  EXPECT_GE(lines.load(), 0);
}

TEST(OpenSimulationHpp, BeginsAgainAfterAReset) {
  const TempDir dir;
  OpenSimulation rig(kServo, fast(dir));
  std::vector<EpisodeOut> out{{"encoder", "angle"}};
  const EpisodeResult first = rig.run_open("1970-01-01T00:00:00.010Z", {}, out);
  const std::vector<double> angle = out[0].values;
  rig.reset();
  EXPECT_EQ(rig.state(), "Pause");
  EXPECT_EQ(rig.run_open("1970-01-01T00:00:00.010Z", {}, out).frame, first.frame) << "from frame 0";
  EXPECT_EQ(out[0].values, angle);
}

TEST(OpenSimulationHpp, AnOutputBehindTheEndOfTheRunHasNoValue) {
  const TempDir dir;
  OpenSimulation rig(kServo, fast(dir));
  std::vector<EpisodeOut> out{{"motor", "speed", "1970-01-01T00:00:00.015Z", {7}}};
  rig.stop();
  EXPECT_TRUE(rig.run_open({}, {}, out).ended);
  EXPECT_THAT(out[0].values, IsEmpty());
  EXPECT_EQ(rig.outcome(), "stopped");
}

TEST(OpenSimulationHpp, WhatIsWrongIsListedAndNothingRuns) {
  const TempDir dir;
  try {
    OpenSimulation rig("nowhere.yaml", fast(dir));
    FAIL() << "there is no such file";
  } catch (const OpenSimulationError& error) {
    EXPECT_EQ(error.result(), TACTUS_ERROR_RIG_FILE);
    EXPECT_THAT(error.what(), HasSubstr("nowhere.yaml"));
  }
  OpenSimulation rig(kServo, fast(dir));
  std::vector<EpisodeOut> out{{"motr", "speed"}};
  try {
    rig.run_open({}, std::vector<EpisodeIn>{{"motor", "torqe", {1, 2, 3}}}, out);
    FAIL() << "neither is there";
  } catch (const OpenSimulationError& error) {
    EXPECT_EQ(error.result(), TACTUS_ERROR_EPISODE);
    EXPECT_THAT(error.what(), HasSubstr("motr"));
    EXPECT_THAT(error.what(), HasSubstr("torqe"));
  }
  EXPECT_THROW((void)rig.describe("motor", "torqe"), OpenSimulationError);
  EXPECT_EQ(rig.describe("motor", "speed").unit, "rad/s");
  EXPECT_TRUE(rig.run().ended) << "the wrong request changed nothing";
}

struct Range {
  const char* descriptor;
  double least, most;
};

TEST(OpenSimulationHpp, EachTypeKeepsTheValuesOfItsRangeAndNoOthers) {
  const TempDir dir;
  const std::filesystem::path file = dir.write("rig.yaml",
                                               "rig: r\nframe: { period: 1 ms }\nuntil: 1 s\nmodels:\n  "
                                               "c: { model: cells, library: " TACTUS_CELLS_LIBRARY " }\n");
  OpenSimulation rig(file.string(), fast(dir, "1 s"));
  constexpr double kWhole = 9007199254740992;  // 2^53
  const Range ranges[] = {{"bool", 0, 1},
                          {"int8", -128, 127},
                          {"uint8", 0, 255},
                          {"int16", -32768, 32767},
                          {"uint16", 0, 65535},
                          {"int32", -2147483648.0, 2147483647.0},
                          {"uint32", 0, 4294967295.0},
                          {"int64", -kWhole, kWhole},
                          {"uint64", 0, kWhole}};
  int ms = 0;
  for (const Range& range : ranges) {
    SCOPED_TRACE(range.descriptor);
    const std::string array = std::string(range.descriptor) + "s";
    const auto date = [&] { return "1970-01-01T00:00:00." + std::to_string(1000 + ms++).substr(1) + "Z"; };
    std::vector<EpisodeOut> out{{"c", range.descriptor}, {"c", array}, {"c", array + "[1]"}};
    rig.run_open(date(),
                 std::vector<EpisodeIn>{{"c", range.descriptor, {range.most}},
                                        {"c", array, {range.least, range.most, 1}}},
                 out);
    EXPECT_THAT(out[0].values, ElementsAre(range.most));
    EXPECT_THAT(out[1].values, ElementsAre(range.least, range.most, 1));
    EXPECT_THAT(out[2].values, ElementsAre(range.most));
    for (const double wrong : {range.least - 2, range.most + 2, 0.5, std::nan("")}) {
      SCOPED_TRACE(wrong);
      EXPECT_THROW(rig.run_open({}, std::vector<EpisodeIn>{{"c", range.descriptor, {wrong}}}),
                   OpenSimulationError);
    }
  }
  for (const std::vector<double>& wrong : {std::vector<double>{}, {1, 2}})
    EXPECT_THROW(rig.run_open({}, std::vector<EpisodeIn>{{"c", "double", wrong}}), OpenSimulationError);
  std::vector<EpisodeOut> out{{"c", "floats"}, {"c", "double"}};
  rig.run_open("1970-01-01T00:00:00.100Z",
               std::vector<EpisodeIn>{{"c", "floats", {0.5, -2, 3e30F}}, {"c", "double", {-1e300}}}, out);
  EXPECT_THAT(out[0].values, ElementsAre(0.5, -2, 3e30F));
  EXPECT_THAT(out[1].values, ElementsAre(-1e300));
}

}  // namespace
}  // namespace tactus::test::open_simulation_hpp_test
