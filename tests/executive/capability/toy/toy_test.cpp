// SPDX-License-Identifier: Apache-2.0
/// What it takes to add a capability: toy.hpp, and its row in a list.
#include "tests/executive/capability/toy/toy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "executive/run/capabilities.hpp"
#include "executive/run/rig_run.hpp"
#include "tests/executive/support/rig_files.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::toy_test {
namespace {

namespace fs = std::filesystem;
using config::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kRig =
    "rig: bench\nframe: { period: 1 ms }\nmodels:\n"
    "  a: { model: gain, library: ./libmodels.so, parameters: { k: 2 } }\n";

class Watcher final : public RunObserver {
 public:
  void started(const RigRun&) override { done().push_back("started"); }
  void tick(RigRun&) override { std::this_thread::sleep_for(std::chrono::microseconds(100)); }
  void say(const std::string&) override {}
};

class ToyTest : public ::testing::Test {
 protected:
  ToyTest() {
    done().clear();
    places = 0;
    Toy<'a'>::fails = Toy<'b'>::fails = "";
  }
  ~ToyTest() override { Toy<'a'>::fails = Toy<'b'>::fails = ""; }

  /// Runs three frames of a rig with the toys of `toys`, and returns its summary.json.
  Json run(const std::vector<CapabilityRow>& toys) {
    std::vector<CapabilityRow> rows = capabilities();
    rows.insert(rows.end(), toys.begin(), toys.end());
    RunOptions options;
    options.folder = dir_ / "out";
    fs::create_directories(options.folder);
    options.realtime = false;
    options.frames = 3;
    run_.emplace(*rig_, options, rows);
    run_->run(watcher_);
    return Json::parse(tactus::test::read_file(dir_ / "out/summary.json"));
  }

  const tactus::test::TempDir dir_;
  std::optional<test::LoadedRig> rig_{kRig};
  Watcher watcher_;
  std::optional<RigRun> run_;
};

TEST_F(ToyTest, ACapabilityIsAFolderAndARowOfTheList) {
  const Json all = run({{&make_capability<Toy<'a'>>}});
  EXPECT_EQ(all["outcome"], "completed");
  EXPECT_EQ(all["toy_a"], (Json{{"frames", 3}}));
  EXPECT_EQ(all["reason"], "toy a was there");
  EXPECT_NE(run_->find<Toy<'a'>>(), nullptr);
  EXPECT_EQ(run_->find<Toy<'b'>>(), nullptr);
}

TEST_F(ToyTest, TheOrderOfTheListIsThatOfEachStepAndOfTheHooksOfAFrame) {
  (void)run({{&make_capability<Toy<'b'>>}, {&make_capability<Toy<'a'>>}});
  EXPECT_THAT(done(),
              ElementsAre("prepare b", "prepare a", "join b", "join a", "initialized b", "initialized a",
                          "start b", "start a", "ready b", "ready a", "started", "ended b", "ended a",
                          "leave b", "leave a", "after_jobs b", "after_jobs a", "finish b", "finish a"));
  EXPECT_EQ(run_->find<Toy<'b'>>()->place(), 1);
  EXPECT_EQ(run_->find<Toy<'a'>>()->place(), 2);
}

TEST_F(ToyTest, OneThatCannotJoinOrOpenEndsTheRunBeforeItsFirstFrame) {
  for (const std::string step : {"join", "initialized"}) {
    done().clear();
    Toy<'b'>::fails = step;
    run_.reset();
    rig_.emplace(kRig);
    const Json all = run({{&make_capability<Toy<'b'>>}, {&make_capability<Toy<'a'>>}});
    EXPECT_EQ(all["outcome"], "failed") << step;
    EXPECT_THAT(std::string(all["reason"]), HasSubstr("the toy failed to " + step));
    EXPECT_EQ(all["toy_a"], (Json{{"frames", 0}})) << "each tells what there is to tell";
    EXPECT_EQ(std::count(done().begin(), done().end(), step + " a"), 0) << "nobody is asked after it";
    EXPECT_EQ(std::count(done().begin(), done().end(), "started"), 0);
    EXPECT_EQ(std::count(done().begin(), done().end(), "finish a"), 1);
    fs::remove_all(dir_ / "out");
  }
}

}  // namespace
}  // namespace tactus::executive::toy_test
