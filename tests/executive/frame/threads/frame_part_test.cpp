// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/frame_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "executive/capability/checkpoint/checkpoint_part.hpp"
#include "executive/capability/clock/clock_status_part.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/support/plan_fixture.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::frame_part_test {
namespace {

using namespace std::chrono_literals;
using test::PlanFixture;
using ::testing::ElementsAre;

class Silent final : public FramePart {};

/// Writes down what it is called for.
class Scribe final : public FramePart {
 public:
  Scribe(std::string name, std::vector<std::string>& trace) : name_(std::move(name)), trace_(trace) {}
  void joined(FrameServices&) override { write("joined"); }
  PartVerdict begin_frame(std::int64_t k) TACTUS_RT override { return write("begin", k), verdict; }
  void end_frame(std::int64_t k) TACTUS_RT override { write("end", k); }
  void in_slack(const FrameEnd& end) TACTUS_RT override { write("slack", end.frame); }
  void heartbeat() TACTUS_RT override { write("heartbeat"); }
  void changed(RigChange& change) TACTUS_RT override {
    if (change.what == RigChange::started) write("start", change.frame);
    if (change.what == RigChange::frozen)
      write(std::string("freeze (") + change.freeze->why + ")", change.freeze->next);
    if (change.what == RigChange::resumed) write("resume");
    if (change.what == RigChange::goes_back) change.refusal = refusal;
  }
  PartVerdict verdict;
  const char* refusal = nullptr;

 private:
  void write(const std::string& what) { trace_.push_back(name_ + " " + what); }
  void write(const std::string& what, std::int64_t k) { write(what + " " + std::to_string(k)); }
  std::string name_;
  std::vector<std::string>& trace_;
};

TEST(FrameRow, HasAPartOnlyWhereItDoesSomething) {
  Silent silent;
  std::vector<std::string> trace;
  Scribe scribe("a", trace);
  FrameRow row;
  row.add(silent);
  EXPECT_TRUE(row.heartbeats.empty());
  EXPECT_TRUE(row.slacks.empty());
  row.add(scribe);
  EXPECT_THAT(row.begins, ElementsAre(&scribe));
  EXPECT_THAT(row.heartbeats, ElementsAre(&scribe));
  EXPECT_TRUE(row.grants.empty());
  EXPECT_TRUE(row.boundaries.empty());
  EXPECT_THAT(row.changes, ElementsAre(&scribe)) << "a frame asks no part that hears of changes";
}

TEST(FrameRow, TheFirstRefusalKeepsTheRigWhereItIs) {
  std::vector<std::string> trace;
  Scribe a("a", trace);
  Scribe b("b", trace);
  b.refusal = "b cannot";
  FrameRow row;
  row.add(a);
  row.add(b);
  EXPECT_STREQ(row.tell({RigChange::goes_back}), "b cannot");
  a.refusal = "a cannot";
  EXPECT_STREQ(row.tell({RigChange::goes_back}), "a cannot");
  EXPECT_EQ(row.tell({RigChange::resumed}), nullptr);
}

TEST(ClockStatus, PutsAFaultIntoWordsOutsideOfTheFramesAndKeepsItThroughOtherPauses) {
  struct Complaining final : rtsync::Sleeper {
    using Sleeper::Sleeper;
    void prepare(rtsync::Period) override {}
    rtsync::WaitResult wait_until(rtsync::TimePoint<rtsync::RigTime> slot) TACTUS_RT override {
      return {rtsync::WaitStatus::reached, slot};
    }
    const char* name() const TACTUS_RT override { return "complaining"; }
    std::optional<rtsync::EdgeFaults::Reaction> last_fault() const TACTUS_RT override { return fault; }
    std::string text_of(const rtsync::EdgeFaults::Reaction& r) const override {
      return std::to_string(r.missing_in_row) + " edges in a row are missing, of a clock whose name is long";
    }
    std::optional<rtsync::EdgeFaults::Reaction> fault;
  };
  test::SimClock clock;
  Complaining sleeper(clock);
  const rtsync::EdgeClockStatus status;
  ClockStatusPart part(status, sleeper);
  const auto freeze = [&part](const RigFigures& rig, const char* why) {
    const Frozen frozen{0, rig, why};
    RigChange change{RigChange::frozen, 0, &frozen};
    part.changed(change);
  };
  RigFigures fault, other;
  fault.clock_fault = true;

  sleeper.fault = {
      .fault = rtsync::ClockFault::missing, .action = rtsync::OnClockFault::freeze, .missing_in_row = 10};
  freeze(other, "a pause");
  EXPECT_EQ(part.latest_fault(), "");
  const rtsync::HeapWatch heap;
  freeze(fault, "the clock");
  EXPECT_EQ(heap.calls(), 0U) << "the frames' thread calls it";
  sleeper.fault.reset();
  EXPECT_THAT(part.latest_fault(), ::testing::StartsWith("10 edges in a row"));
  freeze(other, "a pause");
  EXPECT_THAT(part.latest_fault(), ::testing::StartsWith("10 edges in a row"));
}

TEST(FrameParts, AreCalledInTheOrderInWhichTheyWereAdded) {
  std::vector<std::string> trace;
  Scribe a("a", trace);
  Scribe b("b", trace);
  PlanFixture bench;
  bench.job("job", TACTUS_SCHEDULED, [&](const tactus_call&) { return trace.push_back("job"), 0; });
  bench.make();
  bench.executive->add(a);
  bench.executive->add(b);
  EXPECT_EQ(bench.run(1).outcome, Outcome::completed);
  EXPECT_THAT(trace,
              ElementsAre("a joined", "b joined", "a start 0", "b start 0", "a begin 0", "b begin 0", "job",
                          "a end 0", "b end 0", "a heartbeat", "b heartbeat", "a slack 0", "b slack 0"));
}

TEST(FrameParts, HearOfAFreeze) {
  std::vector<std::string> trace;
  Scribe a("a", trace);
  PlanFixture bench;
  bench.job("wake", TACTUS_FREEZE, [&](const tactus_call&) { return bench.executive->request_resume(), 0; });
  bench.make();
  bench.executive->add(a);
  bench.executive->request_pause();
  (void)bench.run(1);
  EXPECT_THAT(trace, ElementsAre("a joined", "a start 0", "a freeze (the rig was paused) 0", "a heartbeat",
                                 "a resume", "a begin 0", "a end 0", "a heartbeat", "a slack 0"));
}

TEST(FrameParts, MayEndTheRigAndSayWhy) {
  std::vector<std::string> trace;
  Scribe a("a", trace);
  a.verdict = {PartVerdict::terminate, Outcome::link_lost, "it is enough"};
  PlanFixture bench;
  int ran = 0;
  bench.job("job", TACTUS_SCHEDULED, [&](const tactus_call&) { return ++ran, 0; });
  bench.make();
  bench.executive->add(a);
  const RunEnd end = bench.run(5);
  EXPECT_EQ(end.outcome, Outcome::link_lost);
  EXPECT_EQ(end.reason, "frame 0: it is enough");
  EXPECT_EQ(ran, 0) << "a frame that is terminated at its beginning is not run";
}

TEST(FrameParts, MayEndTheRigWhileAnotherOneWaits) {
  struct Waiting final : FramePart {
    bool may_begin(std::int64_t k, const BeginAsked& asked) TACTUS_RT override {
      if (!asked.until) return k < 2;
      return ++waits > 100;  // or the test would never end
    }
    int waits = 0;
  } waiting;
  struct Ending final : FramePart {
    PartVerdict before_frame(std::int64_t k) const TACTUS_RT override {
      if (k != 2) return {};
      return {PartVerdict::terminate, Outcome::overrun, "it is enough", 1};
    }
  } ending;
  PlanFixture bench;
  int ran = 0;
  bench.job("job", TACTUS_SCHEDULED, [&](const tactus_call&) { return ++ran, 0; });
  bench.make();
  bench.executive->add(waiting);
  bench.executive->add(ending);
  const RunEnd end = bench.run(5);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(end.reason, "frame 1: it is enough");
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(waiting.waits, 0);
}

/// A checkpoint of 600 us in frames of 1 ms, of which only every tenth leaves so much.
TEST(FrameParts, ACheckpointWaitsForAFrameWithEnoughSlack) {
  const tactus::test::TempDir dir;
  PlanFixture bench;
  bench.realtime.enabled = true;
  CheckpointPart* asked = nullptr;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    if (call.frame == 2) asked->request();
    if (call.frame % 10 != 9) bench.clock.advance(500us);
    return 0;
  });
  bench.job("save", TACTUS_CHECKPOINT, [&](const tactus_call&) { return bench.clock.advance(600us), 0; });
  CheckpointWriter writer("test", bench.plan.frame, "test");
  Executive& executive = bench.make();
  writer.reserve(executive.restorer().image());
  CheckpointPart part(writer, dir.path().string(), 0, 600us);
  asked = &part;
  executive.add(part);
  writer.start({"checkpoint", {}, rtsync::SchedPolicy::other, 0, 0, false});
  (void)bench.run(30);
  writer.stop();
  std::vector<std::string> names;
  for (const CheckpointResult& result : writer.poll())
    names.push_back(std::filesystem::path(result.path).filename());
  EXPECT_THAT(names, ElementsAre("frame-10.tck"));
  EXPECT_EQ(executive.deferred(), 7) << "at the ends of frames 2 to 8";
  EXPECT_EQ(executive.totals().late_by_housekeeping, 0);
}

}  // namespace
}  // namespace tactus::executive::frame_part_test
