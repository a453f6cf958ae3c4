// SPDX-License-Identifier: Apache-2.0
/// What it takes to add a capability: toy.hpp, and its row in a list.
#include "tests/executive/capability/toy/toy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
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
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kRig =
    "rig: bench\nframe: { period: 1 ms }\nmodels:\n"
    "  a: { model: gain, library: ./libmodels.so, parameters: { k: 2 } }\n";

class Watcher final : public RunObserver {
 public:
  void started(const RigRun&) override { done().push_back("started"); }
  void tick(RigRun&, std::chrono::nanoseconds) override {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
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
    std::deque<AddedCapability> added;
    for (const CapabilityRow& toy : toys) added.emplace_back(toy);
    rig_.emplace(text_);
    RunOptions options;
    options.folder = dir_ / "out";
    fs::create_directories(options.folder);
    options.realtime = false;
    options.frames = 3;
    run_.emplace(*rig_, options);
    run_->run(watcher_);
    while (!added.empty()) added.pop_back();
    return Json::parse(tactus::test::read_file(dir_ / "out/summary.json"));
  }

  const tactus::test::TempDir dir_;
  std::string text_ = kRig;
  std::optional<test::LoadedRig> rig_;
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

TEST_F(ToyTest, ItsKeysAreReadByTheRunOfTheRowThatBringsThem) {
  text_ = kRig + "toy: { stride: 2, watched: a.y }\nquiet_toys: yes\n";
  const Json all = run({{&make_capability<Toy<'a'>>, &kToySection}});
  EXPECT_EQ(all["outcome"], "completed");
  EXPECT_EQ(all["toy_a"], (Json{{"frames", 2}, {"watched", "a.y"}}));
  EXPECT_EQ(all["reason"], "") << "quiet_toys";
  const std::string kept = tactus::test::read_file(dir_ / "out/rig.yaml");
  EXPECT_THAT(kept, HasSubstr("\ntoy:"));
  EXPECT_THAT(kept, HasSubstr("\nquiet_toys: yes"));
}

TEST_F(ToyTest, ItsKeysAreThoseOfTheRigFileWhileItsRowIsInTheList) {
  const std::string text = kRig + "toy: { strid: 2 }\n";
  EXPECT_THAT(test::problems_of(text), ElementsAre(HasSubstr("toy: unknown key")));
  const AddedCapability toy({&make_capability<Toy<'a'>>, &kToySection});
  EXPECT_THAT(test::problems_of(text), ElementsAre(AllOf(HasSubstr("toy.strid"), HasSubstr("'stride'"))));
  EXPECT_THAT(test::problems_of(kRig + "tooy: { stride: 2 }\n"),
              ElementsAre(AllOf(HasSubstr("tooy: unknown key"), HasSubstr("'toy'"))));
  EXPECT_THAT(test::problems_of(kRig + "toy: { stride: 101 frames, watched: a.nothing }\n"),
              ElementsAre(HasSubstr("toy.stride: 101"),
                          AllOf(HasSubstr("toy.watched"), HasSubstr("no such variable"))))
      << "the table, and the plan";
  EXPECT_THAT(rig_fields().reference("rig"), HasSubstr("frames from one count to the next"));
  const Json schema = Json::parse(rig_fields().json_schema("rig"));
  EXPECT_TRUE(schema["properties"].contains("toy"));
  EXPECT_TRUE(schema["properties"].contains("quiet_toys"));
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
