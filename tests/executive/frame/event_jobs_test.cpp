// SPDX-License-Identifier: Apache-2.0
/// Jobs of class on_event: which frames call them, on which threads, and across a checkpoint.
#include "executive/frame/event_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "executive/frame/frame_part.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::event_jobs_test {
namespace {

using test::PlanFixture;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Writes down the frames of its two jobs, in their order.
class Kicked : public Model {
 public:
  void declare(Declare& d) override {
    d.input("u", u);
    d.output("calls", calls);
    d.job<&Kicked::step>("step", JobClass::environment);
    d.job<&Kicked::kick>("kick", JobClass::on_event);
  }
  void kick(const Call& call) {
    ++calls;
    frames.push_back(call.frame);
    times_ns.push_back(call.sim_time_ns);
    read.push_back(u);
  }
  void step() { seen.push_back(calls); }

  double u = 0, calls = 0;
  std::vector<std::int64_t> frames, times_ns;
  std::vector<double> read, seen;
};

class Source : public Model {
 public:
  void declare(Declare& d) override {
    d.output("y", y);
    d.job<&Source::step>("step", JobClass::controller);
  }
  void step() { y += 1; }
  double y = 0;
};

/// Asks for a job at the end of chosen frames.
class Asker final : public FramePart {
 public:
  void joined(FrameServices& services) override { services_ = &services; }
  void end_frame(std::int64_t k) TACTUS_RT override {
    for (const std::int64_t each : at)
      if (each == k) (void)services_->ask_event_job(job);
  }
  std::vector<std::int64_t> at{};
  std::uint32_t job = 0;

 private:
  FrameServices* services_ = nullptr;
};

struct Bench {
  Bench() {
    source = &fixture.model<Source>("s");
    kicked = &fixture.model<Kicked>("k");
    fixture.connect(fixture.ref(*source, "y"), fixture.ref(*kicked, "u"), true);
    for (std::uint32_t i = 0; i < fixture.plan.jobs.size(); ++i)
      if (fixture.plan.jobs[i].name == "k.kick") asker.job = i;
  }
  Executive& make() {
    Executive& executive = fixture.make();
    executive.add(asker);
    Kicked& model = object();
    for (auto* const all : {&model.frames, &model.times_ns}) all->reserve(1000);
    for (auto* const all : {&model.read, &model.seen}) all->reserve(1000);
    return executive;
  }
  PlannedJob& kick() { return fixture.plan.jobs[asker.job]; }
  Kicked& object() { return PlanFixture::object<Kicked>(*kicked); }

  PlanFixture fixture;
  ModelInstance* source = nullptr;
  ModelInstance* kicked = nullptr;
  Asker asker;
};

TEST(EventJobs, AJobIsCalledInTheFrameBeforeWhichItWasAskedForOnceAndFirst) {
  Bench bench;
  bench.asker.at = {2, 2, 5};
  bench.make();
  EXPECT_EQ(bench.fixture.run(8).outcome, Outcome::completed);
  EXPECT_THAT(bench.object().frames, ElementsAre(3, 6));
  EXPECT_THAT(bench.object().times_ns, ElementsAre(3'000'000, 6'000'000));
  EXPECT_THAT(bench.object().read, ElementsAre(3, 6)) << "its inputs are filled before it";
  EXPECT_THAT(bench.object().seen, ElementsAre(0, 0, 0, 1, 1, 1, 2, 2)) << "before the cyclic classes";
}

TEST(EventJobs, NoneIsCalledUnasked) {
  Bench bench;
  bench.make();
  EXPECT_EQ(bench.fixture.run(20).outcome, Outcome::completed);
  EXPECT_THAT(bench.object().frames, IsEmpty());
}

TEST(EventJobs, OneThatIsSwitchedOffIsNotCalled) {
  Bench bench;
  bench.asker.at = {1};
  bench.kick().enabled = false;
  bench.make();
  EXPECT_EQ(bench.fixture.run(5).outcome, Outcome::completed);
  EXPECT_THAT(bench.object().frames, IsEmpty());
}

TEST(EventJobs, AnotherJobCannotBeAskedFor) {
  const std::vector<PlannedJob> jobs(1);
  EventJobs none(jobs);
  EXPECT_TRUE(none.empty());
  EXPECT_FALSE(none.ask(0));
}

TEST(EventJobs, WhatWasAskedForIsPartOfTheState) {
  std::vector<PlannedJob> jobs(1);
  jobs[0].name = "k.kick";
  jobs[0].job_class = TACTUS_ON_EVENT;
  EventJobs made(jobs);
  std::vector<Piece> pieces;
  made.add_state(pieces);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].name, "@asked.k.kick");
  EXPECT_TRUE(made.ask(0));
  EXPECT_EQ(*static_cast<const std::uint8_t*>(pieces[0].data), 1);
}

TEST(EventJobs, ALoadedStateCallsWhatWasAskedForBeforeIt) {
  Bench whole;
  whole.asker.at = {4};
  Executive& first = whole.make();
  first.run_default_data();
  first.run_initialization();
  EXPECT_EQ(first.run(5).outcome, Outcome::completed);
  const std::vector<std::byte> bytes = first.restorer().copy();
  const StateImage& from = first.restorer().image();

  Bench continued;
  Executive& second = continued.make();
  second.run_default_data();
  second.run_initialization();
  // Where a piece is in a block is each executive's own matter.
  const StateImage& to = second.restorer().image();
  LoadedState state{std::vector<std::byte>(to.bytes()), 5};
  for (std::size_t i = 0; i < from.pieces().size(); ++i)
    std::copy_n(bytes.data() + from.offset(i), from.pieces()[i].bytes,
                state.bytes.data() + to.offset(to.find(from.pieces()[i].name)));
  second.restart().load(state);
  EXPECT_EQ(second.run(8).outcome, Outcome::completed);
  EXPECT_THAT(continued.object().frames, ElementsAre(5));
}

TEST(EventJobs, TheFramesTouchNoHeap) {
  if (!rtsync::HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  Bench bench;
  for (std::int64_t k = 0; k < 500; k += 3) bench.asker.at.push_back(k);
  Executive& executive = bench.make();
  EXPECT_EQ(bench.fixture.run(500).outcome, Outcome::completed);
  ASSERT_TRUE(executive.counters().heap_calls.has_value());
  EXPECT_EQ(*executive.counters().heap_calls, 0U);
  EXPECT_GT(bench.object().frames.size(), 100U);
}

}  // namespace
}  // namespace tactus::executive::event_jobs_test
