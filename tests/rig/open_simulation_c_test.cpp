// SPDX-License-Identifier: Apache-2.0
/// libtactus.so, by its C API alone: as any program would use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tactus/open_simulation.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test::open_simulation_c_test {
namespace {

using testing::HasSubstr;

const std::string kServo = TACTUS_RIGS "/servo.yaml";

std::string error() { return tactus_open_simulation_last_error(); }

/// A simulation, as fast as it can, of 20 frames from 2030 on.
class CApi : public testing::Test {
 protected:
  ~CApi() override { tactus_open_simulation_destroy(rig_); }

  tactus_simulation_options options() {
    set_.push_back("threads.stuck_after=30 s");  // no lateness of the machine ends the run
    tactus_simulation_options made{};
    made.size = sizeof made;
    made.no_realtime = 1;
    made.out = out_.c_str();
    made.set = set_.data();
    made.set_count = set_.size();
    return made;
  }
  void create() {
    const tactus_simulation_options how = options();
    ASSERT_EQ(tactus_open_simulation_create(kServo.c_str(), &how, &rig_), TACTUS_OK) << error();
    ASSERT_NE(rig_, nullptr);
  }
  static tactus_episode_item item(const char* entity, const char* descriptor, void* values,
                                  const char* date = nullptr, tactus_type type = TACTUS_DOUBLE) {
    tactus_episode_item made{};
    made.size = sizeof made;
    made.entity = entity;
    made.descriptor = descriptor;
    made.date = date;
    made.type = type;
    made.values = values;
    return made;
  }

  const TempDir dir_;
  const std::string out_ = (dir_ / "out").string();
  std::vector<const char*> set_{"epoch=2030-01-01T00:00:00Z", "until=20 ms"};
  tactus_open_simulation* rig_ = nullptr;
};

TEST_F(CApi, RunsEpisodesToTheEnd) {
  create();
  EXPECT_STREQ(tactus_open_simulation_state(rig_), "Connect");
  EXPECT_EQ(tactus_open_simulation_frame(rig_), -1);
  EXPECT_STREQ(tactus_open_simulation_date(rig_), "");
  double torque = 0.25, taken = -1, early = -1;
  const tactus_episode_item in = item("motor", "load_torque", &torque, "2030-01-01T00:00:00.003Z");
  std::array out{item("motor", "load_torque", &taken),
                 item("motor", "load_torque", &early, "2030-01-01T01:00:00.002+01:00")};
  ASSERT_EQ(tactus_open_simulation_run_open(rig_, "2030-01-01T00:00:00.004Z", &in, 1, out.data(), out.size()),
            TACTUS_OK)
      << error();
  EXPECT_EQ(error(), "");
  EXPECT_EQ(taken, 0.25);
  EXPECT_EQ(early, 0);
  EXPECT_TRUE(out[0].filled && out[1].filled);
  EXPECT_STREQ(tactus_open_simulation_state(rig_), "Pause");
  EXPECT_EQ(tactus_open_simulation_frame(rig_), 4);
  EXPECT_STREQ(tactus_open_simulation_date(rig_), "2030-01-01T00:00:00.004+00:00");
  EXPECT_FALSE(tactus_open_simulation_over(rig_));
  EXPECT_STREQ(tactus_open_simulation_outcome(rig_), "");
  EXPECT_EQ(tactus_open_simulation_exit_status(rig_), 1);

  ASSERT_EQ(tactus_open_simulation_run(rig_), TACTUS_OK) << error();
  EXPECT_TRUE(tactus_open_simulation_over(rig_));
  EXPECT_STREQ(tactus_open_simulation_state(rig_), "Disconnect");
  EXPECT_STREQ(tactus_open_simulation_outcome(rig_), "completed");
  EXPECT_STREQ(tactus_open_simulation_reason(rig_), "");
  EXPECT_EQ(tactus_open_simulation_exit_status(rig_), 0);
  EXPECT_EQ(tactus_open_simulation_frame(rig_), 19);
  EXPECT_EQ(tactus_open_simulation_run(rig_), TACTUS_ENDED);
  EXPECT_THAT(error(), HasSubstr("the run is over: completed after 20 frames"));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "out/motion.csv"));
}

TEST_F(CApi, BeginsAgainAfterAReset) {
  create();
  double speed = -1, again = -1;
  auto out = item("motor", "speed", &speed);
  const char* const stop = "2030-01-01T00:00:00.009Z";
  ASSERT_EQ(tactus_open_simulation_run_open(rig_, stop, nullptr, 0, &out, 1), TACTUS_OK) << error();
  ASSERT_EQ(tactus_open_simulation_reset(rig_), TACTUS_OK) << error();
  EXPECT_STREQ(tactus_open_simulation_state(rig_), "Pause");
  EXPECT_EQ(tactus_open_simulation_frame(rig_), -1) << "as before the first frame";
  EXPECT_STREQ(tactus_open_simulation_date(rig_), "");
  out.values = &again;
  ASSERT_EQ(tactus_open_simulation_run_open(rig_, stop, nullptr, 0, &out, 1), TACTUS_OK) << error();
  EXPECT_EQ(tactus_open_simulation_frame(rig_), 9);
  EXPECT_EQ(again, speed);
  EXPECT_EQ(tactus_open_simulation_reset(nullptr), TACTUS_ERROR_ARGUMENT);
  ASSERT_EQ(tactus_open_simulation_run(rig_), TACTUS_OK) << error();
  EXPECT_EQ(tactus_open_simulation_reset(rig_), TACTUS_ENDED);
}

TEST_F(CApi, DescribesAVariable) {
  create();
  tactus_type type{};
  std::uint32_t count = 42;
  const char* unit = nullptr;
  ASSERT_EQ(tactus_open_simulation_describe(rig_, "motor", "load_torque", &type, &count, &unit), TACTUS_OK);
  EXPECT_EQ(type, TACTUS_DOUBLE);
  EXPECT_EQ(count, 0U);
  EXPECT_STREQ(unit, "N m");
  EXPECT_EQ(tactus_open_simulation_describe(rig_, "motor", "speed", nullptr, nullptr, nullptr), TACTUS_OK);
  EXPECT_EQ(tactus_open_simulation_describe(rig_, "motor", "spede", &type, &count, &unit),
            TACTUS_ERROR_EPISODE);
  EXPECT_THAT(error(), HasSubstr("did you mean 'motor.speed'?"));
}

TEST_F(CApi, AllThatIsWrongWithAnEpisodeIsALineEach) {
  create();
  double value = 7;
  float narrow = 7;
  const std::array in{item("mottor", "load_torque", &value), item("motor", "load_torque", &value, "soon"),
                      item("motor", "load_torque", &narrow, nullptr, TACTUS_FLOAT)};
  std::array out{item("motor", "speed", &value, "2031-01-01T00:00:00Z"),
                 item("motor", "speed", &narrow, nullptr, TACTUS_FLOAT)};
  EXPECT_EQ(tactus_open_simulation_run_open(rig_, "2030-01-01T00:00:00.0005Z", in.data(), in.size(),
                                            out.data(), out.size()),
            TACTUS_ERROR_EPISODE);
  const std::string what = error();
  for (const char* const part :
       {"stop date: '2030-01-01T00:00:00.0005Z' is between two frames",
        "in[0] (mottor.load_torque): ", "in[1] (motor.load_torque): 'soon' is not a date",
        "in[2] (motor.load_torque): has type float; the variable is double",
        "out[0] (motor.speed): '2031-01-01T00:00:00Z' is after the last frame of the run",
        "out[1] (motor.speed): has type float; the variable is double"})
    EXPECT_THAT(what, HasSubstr(part));
  EXPECT_EQ(std::count(what.begin(), what.end(), '\n'), 5);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(out[0].filled, 0);
  EXPECT_EQ(tactus_open_simulation_frame(rig_), -1);
  EXPECT_EQ(tactus_open_simulation_run(rig_), TACTUS_OK) << error();
}

TEST_F(CApi, AnOutputWhoseDateTheRunDidNotReachIsNotFilled) {
  set_.push_back("models.motor.parameters.supply=24 V");
  create();
  double value = 7;
  tactus_episode_item out = item("motor", "speed", &value, "2030-01-01T00:00:00.015Z");
  ASSERT_EQ(tactus_open_simulation_run_open(rig_, "2030-01-01T00:00:00.004Z", nullptr, 0, nullptr, 0),
            TACTUS_OK);
  ASSERT_EQ(tactus_open_simulation_stop(rig_), TACTUS_OK);
  ASSERT_EQ(tactus_open_simulation_run_open(rig_, "2030-01-01T00:00:00.016Z", nullptr, 0, &out, 1),
            TACTUS_OK);
  EXPECT_EQ(out.filled, 0);
  EXPECT_EQ(value, 7);
  EXPECT_STREQ(tactus_open_simulation_outcome(rig_), "stopped");
  EXPECT_STREQ(tactus_open_simulation_reason(rig_), "stopped by the program");
}

TEST_F(CApi, WhatARigFileMayNotBeIsSaid) {
  const tactus_simulation_options how = options();
  rig_ = reinterpret_cast<tactus_open_simulation*>(this);  // must not stay
  EXPECT_EQ(tactus_open_simulation_create("nowhere.yaml", &how, &rig_), TACTUS_ERROR_RIG_FILE);
  EXPECT_EQ(rig_, nullptr);
  EXPECT_THAT(error(), HasSubstr("nowhere.yaml"));
  set_ = {"frame.period=fast", "epoch=once"};
  const tactus_simulation_options wrong = options();
  EXPECT_EQ(tactus_open_simulation_create(kServo.c_str(), &wrong, &rig_), TACTUS_ERROR_RIG_FILE);
  EXPECT_THAT(error(), HasSubstr("2 problems; nothing was started."));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(CApi, NothingIsAnsweredPolitely) {
  tactus::test::Snapshot texts;
  const tactus_simulation_options how = options();
  EXPECT_EQ(tactus_open_simulation_create(nullptr, &how, &rig_), TACTUS_ERROR_ARGUMENT);
  texts.add(error());
  EXPECT_EQ(tactus_open_simulation_create(kServo.c_str(), &how, nullptr), TACTUS_ERROR_ARGUMENT);
  texts.add(error());
  EXPECT_EQ(tactus_open_simulation_run_open(nullptr, nullptr, nullptr, 0, nullptr, 0), TACTUS_ERROR_ARGUMENT);
  EXPECT_EQ(tactus_open_simulation_run(nullptr), TACTUS_ERROR_ARGUMENT);
  EXPECT_EQ(tactus_open_simulation_stop(nullptr), TACTUS_ERROR_ARGUMENT);
  texts.add(error());
  EXPECT_EQ(tactus_open_simulation_describe(nullptr, "motor", "speed", nullptr, nullptr, nullptr),
            TACTUS_ERROR_ARGUMENT);
  EXPECT_STREQ(tactus_open_simulation_state(nullptr), "");
  EXPECT_EQ(tactus_open_simulation_frame(nullptr), -1);
  EXPECT_STREQ(tactus_open_simulation_date(nullptr), "");
  EXPECT_EQ(tactus_open_simulation_over(nullptr), 0);
  EXPECT_STREQ(tactus_open_simulation_outcome(nullptr), "");
  EXPECT_STREQ(tactus_open_simulation_reason(nullptr), "");
  EXPECT_EQ(tactus_open_simulation_exit_status(nullptr), 1);
  tactus_open_simulation_destroy(nullptr);

  create();
  EXPECT_EQ(tactus_open_simulation_describe(rig_, nullptr, "speed", nullptr, nullptr, nullptr),
            TACTUS_ERROR_ARGUMENT);
  EXPECT_EQ(tactus_open_simulation_describe(rig_, "motor", nullptr, nullptr, nullptr, nullptr),
            TACTUS_ERROR_ARGUMENT);
  EXPECT_EQ(tactus_open_simulation_run_open(rig_, nullptr, nullptr, 1, nullptr, 0), TACTUS_ERROR_ARGUMENT);
  texts.add(error());
  EXPECT_EQ(tactus_open_simulation_run_open(rig_, nullptr, nullptr, 0, nullptr, 1), TACTUS_ERROR_ARGUMENT);
  texts.add(error());
  std::array out{item(nullptr, "speed", this), item("motor", nullptr, this), item("motor", "speed", nullptr),
                 item("motor", "speed", this, nullptr, static_cast<tactus_type>(12))};
  EXPECT_EQ(tactus_open_simulation_run_open(rig_, nullptr, nullptr, 0, out.data(), out.size()),
            TACTUS_ERROR_ARGUMENT);
  for (const char* const part : {"out[0].entity is NULL", "out[1].descriptor is NULL",
                                 "out[2].values is NULL", "out[3].type is 12, no tactus_type"})
    EXPECT_THAT(error(), HasSubstr(part));
  EXPECT_STREQ(tactus_open_simulation_state(rig_), "Connect") << "nothing was started";
}

TEST_F(CApi, AStructOfAnotherSizeIsRefused) {
  tactus_simulation_options how = options();
  how.size = 0;
  EXPECT_EQ(tactus_open_simulation_create(kServo.c_str(), &how, &rig_), TACTUS_ERROR_ARGUMENT);
  EXPECT_THAT(error(), HasSubstr("options->size is 0; set it to sizeof(tactus_simulation_options)"));
  how = options();
  how.set = nullptr;
  EXPECT_EQ(tactus_open_simulation_create(kServo.c_str(), &how, &rig_), TACTUS_ERROR_ARGUMENT);
  create();
  double value = 0;
  std::array items{item("motor", "load_torque", &value), item("motor", "load_torque", &value)};
  items[1].size = 8;
  EXPECT_EQ(tactus_open_simulation_run_open(rig_, nullptr, items.data(), 2, nullptr, 0),
            TACTUS_ERROR_ARGUMENT);
  EXPECT_THAT(error(), HasSubstr("in[1].size is 8"));
  items[0].size = 0;
  EXPECT_EQ(tactus_open_simulation_run_open(rig_, nullptr, items.data(), 2, nullptr, 0),
            TACTUS_ERROR_ARGUMENT);
  EXPECT_THAT(error(), HasSubstr("in[0].size is 0"));
}

/// Items of a later version, which are longer: the step from one to the next is what the first says.
TEST_F(CApi, LongerItemsAreReadByTheirSize) {
  struct Longer {
    tactus_episode_item known;
    void* later;
  };
  create();
  double speed = -1, torque = -1;
  std::array<Longer, 2> out{};
  out[0].known = item("motor", "speed", &speed);
  out[1].known = item("motor", "load_torque", &torque);
  for (Longer& each : out) each.known.size = sizeof(Longer);
  ASSERT_EQ(tactus_open_simulation_run_open(rig_, "2030-01-01T00:00:00.004Z", nullptr, 0, &out[0].known, 2),
            TACTUS_OK)
      << error();
  EXPECT_EQ(speed, 0);
  EXPECT_EQ(torque, 0);
  EXPECT_TRUE(out[1].known.filled);
}

/// A rig of cells.c: every type, alone and three of it.
class Cells : public CApi {
 protected:
  void SetUp() override {
    set_ = {};
    const std::filesystem::path file = dir_.write("rig.yaml",
                                                  "rig: r\nframe: { period: 1 ms }\nuntil: 1 s\nmodels:\n  "
                                                  "c: { model: cells, library: " TACTUS_CELLS_LIBRARY " }\n");
    const tactus_simulation_options how = options();
    ASSERT_EQ(tactus_open_simulation_create(file.c_str(), &how, &rig_), TACTUS_OK) << error();
  }

  static std::string date(int frame) {
    char text[64];
    (void)std::snprintf(text, sizeof text, "1970-01-01T00:00:00.%03dZ", frame);
    return text;
  }

  /// Given in one episode, taken in the next; the last element alone, too.
  template <class T>
  void goes_through(const char* scalar, const char* array, tactus_type type, std::array<T, 4> values) {
    SCOPED_TRACE(scalar);
    const std::string last = std::string(array) + "[2]";
    tactus_type described{};
    std::uint32_t count = 0;
    ASSERT_EQ(tactus_open_simulation_describe(rig_, "c", array, &described, &count, nullptr), TACTUS_OK);
    EXPECT_EQ(described, type);
    EXPECT_EQ(count, 3U);
    ASSERT_EQ(tactus_open_simulation_describe(rig_, "c", last.c_str(), &described, &count, nullptr),
              TACTUS_OK);
    EXPECT_EQ(count, 0U);
    std::array in{item("c", scalar, values.data(), nullptr, type),
                  item("c", array, values.data() + 1, nullptr, type)};
    in[1].count = 3;
    T one{}, element{};
    std::array<T, 3> three{};
    std::array out{item("c", scalar, &one, nullptr, type), item("c", array, three.data(), nullptr, type),
                   item("c", last.c_str(), &element, nullptr, type)};
    out[1].count = 3;
    ASSERT_EQ(tactus_open_simulation_run_open(rig_, date(frame_++).c_str(), in.data(), 2, nullptr, 0),
              TACTUS_OK)
        << error();
    ASSERT_EQ(tactus_open_simulation_run_open(rig_, date(frame_++).c_str(), nullptr, 0, out.data(), 3),
              TACTUS_OK)
        << error();
    EXPECT_EQ(one, values[0]);
    EXPECT_THAT(three, testing::ElementsAre(values[1], values[2], values[3]));
    EXPECT_EQ(element, values[3]);
    tactus_episode_item alone = item("c", last.c_str(), values.data(), nullptr, type);
    ASSERT_EQ(tactus_open_simulation_run_open(rig_, date(frame_++).c_str(), &alone, 1, out.data(), 3),
              TACTUS_OK)
        << error();
    EXPECT_THAT(three, testing::ElementsAre(values[1], values[2], values[0]));
  }

  int frame_ = 0;
};

TEST_F(Cells, EveryTypeGoesInAndOut) {
  goes_through<bool>("bool", "bools", TACTUS_BOOL, {true, false, true, false});
  goes_through<std::int8_t>("int8", "int8s", TACTUS_INT8, {INT8_MIN, 1, INT8_MAX, -3});
  goes_through<std::uint8_t>("uint8", "uint8s", TACTUS_UINT8, {UINT8_MAX, 1, 2, 3});
  goes_through<std::int16_t>("int16", "int16s", TACTUS_INT16, {INT16_MIN, 1, INT16_MAX, -3});
  goes_through<std::uint16_t>("uint16", "uint16s", TACTUS_UINT16, {UINT16_MAX, 1, 2, 3});
  goes_through<std::int32_t>("int32", "int32s", TACTUS_INT32, {INT32_MIN, 1, INT32_MAX, -3});
  goes_through<std::uint32_t>("uint32", "uint32s", TACTUS_UINT32, {UINT32_MAX, 1, 2, 3});
  goes_through<std::int64_t>("int64", "int64s", TACTUS_INT64, {INT64_MIN, 1, INT64_MAX, -3});
  goes_through<std::uint64_t>("uint64", "uint64s", TACTUS_UINT64, {UINT64_MAX, 1, 2, 3});
  goes_through<float>("float", "floats", TACTUS_FLOAT, {0.1F, -1e38F, 1e-45F, 3});
  goes_through<double>("double", "doubles", TACTUS_DOUBLE, {0.1, -1e308, 5e-324, 3});
}

TEST_F(Cells, OtherCountsElementsAndValuesAreRefused) {
  double values[4] = {1, 2, 3, 4};
  double not_finite = std::numeric_limits<double>::infinity();
  std::uint8_t no_bool = 2;
  std::array in{item("c", "doubles", values),     item("c", "doubles", values),
                item("c", "doubles[3]", values),  item("c", "double[0]", values),
                item("c", "double", &not_finite), item("c", "bool", &no_bool, nullptr, TACTUS_BOOL)};
  in[1].count = UINT32_MAX;  // refused before so much is read
  std::array out{item("c", "double", values)};
  out[0].count = 3;
  EXPECT_EQ(tactus_open_simulation_run_open(rig_, nullptr, in.data(), in.size(), out.data(), out.size()),
            TACTUS_ERROR_EPISODE);
  for (const char* const part :
       {"in[0] (c.doubles): has type double; the variable is double[3]",
        "in[1] (c.doubles): has type double[4294967295]; the variable is double[3]",
        "in[2] (c.doubles[3]): ", "in[3] (c.double[0]): ", "in[4] (c.double): 'c.double' is not finite",
        "in[5] (c.bool): ", "out[0] (c.double): has type double[3]; the variable is double"})
    EXPECT_THAT(error(), HasSubstr(part));
}

TEST_F(CApi, TheLastErrorIsThatOfTheThreadThatAsks) {
  EXPECT_EQ(tactus_open_simulation_stop(nullptr), TACTUS_ERROR_ARGUMENT);
  std::thread other([] {
    EXPECT_EQ(error(), "");
    EXPECT_EQ(tactus_open_simulation_create(nullptr, nullptr, nullptr), TACTUS_ERROR_ARGUMENT);
    EXPECT_EQ(error(), "made is NULL; it is needed");
  });
  other.join();
  EXPECT_EQ(error(), "simulation is NULL; it is needed");
}

TEST_F(CApi, AStopFromAnotherThreadWakesWhoWaits) {
  set_ = {"until=for ever", "record.motion.every=1 s"};
  create();
  std::thread other([this] {
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (tactus_open_simulation_state(rig_) == std::string("Connect") &&
           std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(tactus_open_simulation_stop(rig_), TACTUS_OK);
  });
  EXPECT_EQ(tactus_open_simulation_run(rig_), TACTUS_OK) << error();
  other.join();
  EXPECT_STREQ(tactus_open_simulation_outcome(rig_), "stopped");
  EXPECT_EQ(tactus_open_simulation_exit_status(rig_), 0);
}

/// They are in run or run_open of the same handle, at the beginning or in the middle.
using CApiNightly = CApi;

TEST_F(CApiNightly, DestroyEndsTheCallsOfOtherThreads) {
  set_ = {"until=for ever", "record.motion.every=1 s"};
  for (int turn = 0; turn < 30; ++turn) {
    const std::string out = (dir_ / std::to_string(turn)).string();
    tactus_simulation_options how = options();
    how.out = out.c_str();
    tactus_open_simulation* rig = nullptr;
    ASSERT_EQ(tactus_open_simulation_create(kServo.c_str(), &how, &rig), TACTUS_OK) << error();
    std::atomic<tactus_result> became{TACTUS_ERROR_INTERNAL};
    std::atomic<bool> over{false};
    std::thread other([&] {
      double speed = 0;
      tactus_episode_item item = this->item("motor", "speed", &speed);
      became = turn % 2 == 0
                   ? tactus_open_simulation_run(rig)
                   : tactus_open_simulation_run_open(rig, "2200-01-01T00:00:00Z", nullptr, 0, &item, 1);
      over = true;
    });
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (tactus_open_simulation_state(rig) == std::string("Connect") &&
           std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::this_thread::sleep_for(std::chrono::microseconds(turn % 3 * 700));  // Start, or frames
    EXPECT_FALSE(over) << turn;
    tactus_open_simulation_destroy(rig);
    other.join();
    EXPECT_EQ(became, TACTUS_OK) << turn;
    EXPECT_THAT(read_file(dir_ / std::to_string(turn) / "summary.json"), HasSubstr("\"stopped\""));
  }
}

TEST_F(CApi, ASecondSimulationIsRefusedAndLeavesNothing) {
  create();
  ASSERT_EQ(tactus_open_simulation_run_open(rig_, "2030-01-01T00:00:00.004Z", nullptr, 0, nullptr, 0),
            TACTUS_OK)
      << error();
  const std::string out = (dir_ / "second/out").string();
  tactus_simulation_options how = options();
  how.out = out.c_str();
  tactus_open_simulation* second = nullptr;
  ASSERT_EQ(tactus_open_simulation_create(kServo.c_str(), &how, &second), TACTUS_OK) << error();
  EXPECT_EQ(tactus_open_simulation_run(second), TACTUS_ERROR_MACHINE);
  EXPECT_THAT(error(), HasSubstr("another simulation of this process is not over"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "second"));
  tactus_open_simulation_destroy(second);
  EXPECT_EQ(tactus_open_simulation_run(rig_), TACTUS_OK) << error();
}

/// The folder that is refused does not keep the place.
TEST_F(CApi, AFolderThatIsNotEmptyDoesNotKeepOthersFromRunning) {
  (void)dir_.write("full/file.txt", "");
  const std::string full = (dir_ / "full").string();
  tactus_simulation_options how = options();
  how.out = full.c_str();
  ASSERT_EQ(tactus_open_simulation_create(kServo.c_str(), &how, &rig_), TACTUS_OK) << error();
  EXPECT_EQ(tactus_open_simulation_run(rig_), TACTUS_ERROR_RIG_FILE);
  EXPECT_THAT(error(), HasSubstr("the folder is not empty"));
  tactus_open_simulation_destroy(std::exchange(rig_, nullptr));
  create();
  EXPECT_EQ(tactus_open_simulation_run(rig_), TACTUS_OK) << error();
}

TEST_F(CApi, WhatAPersonWouldWantToSeeIsToldToTheProgram) {
  struct Told {
    std::mutex mutex;
    std::string lines;
  } told;
  set_.push_back("commands=[{ at: 5 ms, do: pause }]");
  tactus_simulation_options how = options();
  how.context = &told;
  how.log = [](void* context, const char* line) {
    Told& to = *static_cast<Told*>(context);
    const std::lock_guard lock(to.mutex);
    to.lines += line;
  };
  ASSERT_EQ(tactus_open_simulation_create(kServo.c_str(), &how, &rig_), TACTUS_OK) << error();
  std::thread other([rig = rig_] { EXPECT_EQ(tactus_open_simulation_run(rig), TACTUS_OK) << error(); });
  const auto is_told = [&] {
    const std::lock_guard lock(told.mutex);
    return told.lines.find("paused after ") != std::string::npos;
  };
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (!is_told() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(is_told()) << "a pause that no client asked for";
  tactus_open_simulation_destroy(std::exchange(rig_, nullptr));
  other.join();
}

TEST(CExample, TheSupervisorClosesItsLoop) {
  const TempDir dir;
  const Finished done = run({.argv = {TACTUS_SUPERVISOR, kServo, (dir / "out").string()}, .cwd = dir.path()});
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_THAT(done.out, HasSubstr("100 episodes; up to "));
  EXPECT_THAT(done.out, HasSubstr("at 2030-01-01T00:00:00.999+00:00"));
  EXPECT_THAT(done.out, HasSubstr("completed"));
  const Finished again =
      run({.argv = {TACTUS_SUPERVISOR, kServo, (dir / "again").string()}, .cwd = dir.path()});
  EXPECT_EQ(again.out, done.out);
  EXPECT_EQ(read_file(dir / "out/motion.csv"), read_file(dir / "again/motion.csv"));
}

}  // namespace
}  // namespace tactus::test::open_simulation_c_test
