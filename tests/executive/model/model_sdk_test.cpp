// SPDX-License-Identifier: Apache-2.0
/// What a model's author writes: tactus/model.hpp over a host that writes down what it is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <tactus/model.hpp>
#include <type_traits>
#include <vector>

#include "tests/support/snapshot.hpp"

namespace tactus::model_sdk_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(JobOptions, EveryAndRateAreExactCycles) {
  EXPECT_EQ(every(200us).cycle_num(), 200'000);
  EXPECT_EQ(every(200us).cycle_den(), 1);
  EXPECT_EQ(rate(60).cycle_num(), 1'000'000'000);
  EXPECT_EQ(rate(60).cycle_den(), 60);
  EXPECT_EQ(rate(60'000, 1'001).cycle_num(), 1'001'000'000'000);
  EXPECT_EQ(every(1ms).phase(), JobOptions{}.phase());
  EXPECT_EQ(every(1ms).at_phase(7).phase(), 7U);
  EXPECT_EQ(every(1ms).at_phase(7).cycle_num(), 1'000'000);
  EXPECT_EQ(at_phase(7).phase(), 7U);
  EXPECT_EQ(at_phase(7).cycle_num(), 0) << "once every frame";
  static_assert(!std::is_aggregate_v<JobOptions>, "a bare number is no cycle: one what?");
  static_assert(!std::is_constructible_v<JobOptions, int> && !std::is_invocable_v<decltype(&every), int>);
  EXPECT_THROW(every(0ns), std::invalid_argument) << "it would mean once every frame";
  EXPECT_THROW(every(-1ms), std::invalid_argument);
  EXPECT_THROW(rate(0), std::invalid_argument);
  EXPECT_THROW(rate(1, 0), std::invalid_argument);
}

/// Writes down what a model asks for; refuses what is called "bad".
struct Host {
  std::vector<std::string> told;
  tactus_host host{};

  Host() {
    host.size = sizeof host;
    host.context = this;
    host.instance = "it";
    host.declare_variable = [](void* self, const tactus_variable* variable) {
      return static_cast<Host*>(self)->note("variable " + std::string(variable->name));
    };
    host.declare_integrated = [](void* self, const char* state, const char* derivative) {
      return static_cast<Host*>(self)->note(std::string(state) + "' = " + derivative);
    };
    host.declare_job = [](void* self, const tactus_job* job) {
      return static_cast<Host*>(self)->note("job " + std::string(job->name));
    };
    host.command = [](void* self, tactus_command command, std::int64_t value) {
      return static_cast<Host*>(self)->note("command " + std::to_string(command) + " " +
                                            std::to_string(value));
    };
    host.fail = [](void* self, const char* why) { (void)static_cast<Host*>(self)->note(why); };
  }
  int note(const std::string& what) {
    told.push_back(what);
    return what.ends_with("bad") ? 1 : 0;
  }
};

class Tank : public Model {
 public:
  void declare(Declare& d) override {
    d.state("level", level_);
    d.state("flow", flow_);
    d.integrated(level_, flow_);
  }
  void ask() const { EXPECT_TRUE(pause() && resume() && step(3) && stop()); }

 private:
  double level_ = 0, flow_ = 0;
};

TEST(Declare, TakesWhatIsIntegratedByItsVariables) {
  Host host;
  Tank tank;
  Declare declare(host.host);
  tank.declare(declare);
  EXPECT_THAT(host.told, ElementsAre("variable level", "variable flow", "level' = flow"));
}

TEST(Declare, KnowsTheColumnsOfArraysOfTwoDimensions) {
  static std::vector<std::pair<std::uint32_t, std::uint64_t>> shapes;  // count and columns
  shapes.clear();
  Host host;
  host.host.declare_variable = [](void*, const tactus_variable* variable) {
    EXPECT_EQ(variable->size, sizeof(tactus_variable));
    shapes.emplace_back(variable->count, variable->columns);
    return 0;
  };
  Declare declare(host.host);
  double plain = 0, line[4] = {}, table[2][3] = {};
  std::array<std::array<float, 5>, 4> cells{};
  declare.state("plain", plain);
  declare.state("line", line);
  declare.state("table", table);
  declare.state("cells", cells);
  EXPECT_THAT(shapes, ElementsAre(testing::Pair(0U, 0U), testing::Pair(4U, 0U), testing::Pair(6U, 3U),
                                  testing::Pair(20U, 5U)));
}

TEST(Declare, SaysWhatWasRefused) {
  tactus::test::Snapshot texts;
  Host host;
  Declare declare(host.host);
  double x = 0, dx = 0;
  const auto said = [](auto does) -> std::string {
    try {
      does();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "nothing";
  };
  texts.add(said([&] { declare.state("bad", x); }));
  texts.add(said([&] { declare.integrated("x", "bad"); }));
  texts.add(said([&] { declare.integrated(x, dx); }));
}

TEST(Model, CommandsTheRigByName) {
  Host host;
  Tank tank;
  tank.attach(host.host);
  tank.ask();
  EXPECT_THAT(host.told, ElementsAre("command " + std::to_string(TACTUS_PAUSE) + " 0",
                                     "command " + std::to_string(TACTUS_RESUME) + " 0",
                                     "command " + std::to_string(TACTUS_STEP) + " 3",
                                     "command " + std::to_string(TACTUS_STOP) + " 0"));
}

TEST(Model, IsNotHeardWithoutAHost) {
  Tank tank;
  EXPECT_FALSE(tank.pause());
  EXPECT_FALSE(tank.stop());
}

}  // namespace
}  // namespace tactus::model_sdk_test
