// SPDX-License-Identifier: Apache-2.0
/// Virtual time and data: nobody runs ahead, nothing is lost, stamps are right, whatever carries the bytes.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/drivers/silkit/integration/stage.hpp"

namespace tactus::test::lock_step_test {
namespace {

struct Row {
  const char* name;
  Sockets sockets;
  bool async;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class LockStep : public ::testing::TestWithParam<Row> {};

TEST_P(LockStep, TwoParticipantsMakeEveryStepTogetherAndHearEachOther) {
  Stage stage;
  stage.set_sockets(GetParam().sockets);
  const std::string async = GetParam().async ? "async=yes" : "async=no";
  Process& a = stage.play("A", {"steps=300", "workflow=A,B", "publish=a", "hear=b", async});
  Process& b = stage.play("B", {"publish=b", "hear=a", async});
  expect_lock_step(end_of(a), 300);
  expect_lock_step(end_of(b), 300);
}

INSTANTIATE_TEST_SUITE_P(
    All, LockStep,
    ::testing::Values(Row{"blocking_any", Sockets::any, false}, Row{"blocking_tcp", Sockets::tcp, false},
                      Row{"blocking_domain", Sockets::domain, false}, Row{"async_any", Sockets::any, true},
                      Row{"async_tcp", Sockets::tcp, true}, Row{"async_domain", Sockets::domain, true}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(StepSizes, ThatDifferKeepTheirGrids) {
  Stage stage;
  Process& fast = stage.play("Fast", {"steps=500", "workflow=Fast,Slow"});
  Process& slow = stage.play("Slow", {"step_us=5000"});
  expect_lock_step(end_of(fast), 500);
  expect_lock_step(end_of(slow), 100);
}

TEST(Crowd, SixteenJoinAtOnceAndStepTogether) {
  Stage stage;
  std::string names;
  for (int i = 0; i < 16; ++i) names += (i == 0 ? "" : ",") + std::string("P") + std::to_string(i);
  std::vector<Process*> crowd;
  for (int i = 0; i < 16; ++i) {
    Arguments arguments{"say=no", "publish=t" + std::to_string(i), "hear=t" + std::to_string((i + 1) % 16)};
    if (i == 0) arguments.insert(arguments.end(), {"steps=50", "workflow=" + names});
    crowd.push_back(&stage.play("P" + std::to_string(i), arguments));
  }
  for (Process* each : crowd) expect_lock_step(end_of(*each), 50);
}

TEST(Addresses, Ipv6CarriesASimulation) {
  std::optional<Stage> stage;
  try {
    stage.emplace("silkit://[::1]:0");
  } catch (const std::exception& error) {
    GTEST_SKIP() << "no IPv6 on loopback here: " << error.what();
  }
  EXPECT_EQ(stage->uri().find("silkit://[::1]:"), 0U) << stage->uri();
  stage->set_sockets(Sockets::tcp);
  Process& a = stage->play("A", {"steps=100", "workflow=A,B", "publish=a", "hear=b"});
  Process& b = stage->play("B", {"publish=b", "hear=a"});
  expect_lock_step(end_of(a), 100);
  expect_lock_step(end_of(b), 100);
}

TEST(Simulations, OfOneRegistryNeverMeet) {
  Stage stage;
  std::vector<Process*> all;
  for (const char* simulation : {"one", "two"}) {
    stage.set_simulation(simulation);
    all.push_back(&stage.play("A", {"steps=200", "workflow=A,B", "publish=a", "hear=b"}));
    all.push_back(&stage.play("B", {"publish=b", "hear=a"}));
  }
  for (Process* each : all) {
    const Json end = end_of(*each);
    expect_lock_step(end, 200);
    for (const auto& [topic, heard] : end["heard"].items())  // twice as many, if they met
      EXPECT_LE(heard["messages"].get<int>(), 200) << end;
  }
}

}  // namespace
}  // namespace tactus::test::lock_step_test
