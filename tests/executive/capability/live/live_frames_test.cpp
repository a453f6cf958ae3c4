// SPDX-License-Identifier: Apache-2.0
// What the frames do for those who look in and write from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "executive/capability/fault/fault_part.hpp"
#include "executive/capability/live/live_port.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/support/plan_fixture.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::executive::live_frames_test {
namespace {

using test::PlanFixture;
using ::testing::ElementsAre;
using Kind = LiveWrite::Kind;

/// y = 10 u + 1, and it counts.
class Plant : public Model {
 public:
  void declare(Declare& d) override {
    d.input("u", u);
    d.output("y", y);
    d.state("count", count);
    d.parameter("gain", gain);
    d.state("cells", cells);
    d.job<&Plant::step>("step", JobClass::scheduled);
  }
  void step() {
    seen.push_back(u);
    y = gain * u + 1;
    count += 1;
  }
  double u = 0, y = 0, gain = 10;
  std::int64_t count = 0;
  double cells[70] = {};
  std::vector<double> seen;
};

/// Two plants, the first feeds the second; a port, and a hand that sends packets.
class Live {
 public:
  explicit Live(bool delayed = false) {
    bench.plan.live = true;
    first = &bench.model<Plant>("first");
    second = &bench.model<Plant>("second");
    bench.connect(bench.ref(*first, "y"), bench.ref(*second, "u"), delayed);
  }
  void make() {
    bench.make();
    std::vector<LivePort::Source> sources;
    for (const ModelInstance* const model : {first, second})
      for (const Variable& variable : model->variables()) {
        names.push_back(variable.name);
        sources.push_back({model, variable.data, variable.elements() * size_of(variable.type)});
      }
    port = std::make_unique<LivePort>(std::move(sources));
    bench.executive->add(*port);
  }
  Plant& object(const ModelInstance* model) { return PlanFixture::object<Plant>(*model); }

  struct Change {
    Kind kind;
    const ModelInstance* model;
    std::string variable;
    double value = 0;
  };
  LivePacket& send(std::optional<std::int64_t> frame, const std::vector<Change>& changes) {
    LivePacket& packet = prepare(frame, changes);
    port->send(&packet);
    return packet;
  }
  LivePacket& prepare(std::optional<std::int64_t> frame, const std::vector<Change>& changes) {
    LivePacket& packet = packets.emplace_back();
    packet.number = packets.size();
    packet.dated = frame.has_value();
    packet.frame = frame.value_or(0);
    for (const Change& change : changes) {
      LivePacket::Change& made = packet.changes.emplace_back();
      made.kind = change.kind;
      packet.releases_all = packet.releases_all || change.kind == Kind::release_all;
      if (change.kind == Kind::release_all) continue;
      made.to = bench.ref(*change.model, change.variable).data();
      made.forces = bench.executive->program().forces_of(change.model);
      made.offset = packet.data.size();
      made.bytes = 8;
      packet.data.resize(packet.data.size() + 8);
      std::memcpy(packet.data.data() + made.offset, &change.value, 8);
      packet.threads |= bench.executive->program().async_worker_bit(change.model);
    }
    return packet;
  }
  double value(const std::byte* values, const std::string& name) const {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    double value = 0;
    std::memcpy(&value, values + port->offset(at), 8);
    return value;
  }

  PlanFixture bench;
  ModelInstance* first;
  ModelInstance* second;
  std::vector<std::string> names;
  std::unique_ptr<LivePort> port;
  std::deque<LivePacket> packets;
};

TEST(LiveFrames, AChangeIsSeenByAllJobsOfItsFrameAndByNoneBefore) {
  Live live;
  live.make();
  LivePacket& third = live.send(3, {{Kind::set, live.first, "u", 2}});
  LivePacket& next = live.send(std::nullopt, {{Kind::set, live.first, "u", 1}});
  live.bench.run(5);
  EXPECT_THAT(live.object(live.first).seen, ElementsAre(1, 1, 1, 2, 2));
  EXPECT_THAT(live.object(live.second).seen, ElementsAre(11, 11, 11, 21, 21));
  EXPECT_EQ(third.applied_frame, 3);
  EXPECT_EQ(next.applied_frame, 0);
  EXPECT_EQ(third.end, LivePacket::End::applied);
  LiveEvent event;
  ASSERT_TRUE(live.port->pop(event));
  EXPECT_EQ(event.packet, &next);
  EXPECT_TRUE(event.ended && event.free);
}

TEST(LiveFrames, OfOneFrameTheOneThatWasSentLastWins) {
  Live live;
  live.make();
  for (int i = 1; i <= 5; ++i) live.send(2, {{Kind::set, live.first, "u", i * 1.0}});
  live.bench.run(3);
  EXPECT_THAT(live.object(live.first).seen, ElementsAre(0, 0, 5));
}

TEST(LiveFrames, AChangeWhoseFrameHasBegunChangesNothing) {
  Live live;
  LivePacket* late = nullptr;
  live.bench.job("late", TACTUS_END_OF_FRAME, [&](const tactus_call& call) {
    if (call.frame == 4) late = &live.send(3, {{Kind::set, live.first, "u", 2}});
    return 0;
  });
  live.make();
  live.bench.run(8);
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->end, LivePacket::End::too_late);
  EXPECT_EQ(live.object(live.first).u, 0);
}

TEST(LiveFrames, AForceHoldsAgainstADirectWire) {
  Live live;
  live.make();
  live.send(1, {{Kind::force, live.second, "u", 7}});
  live.send(3, {{Kind::release, live.second, "u"}});
  live.bench.run(5);
  EXPECT_THAT(live.object(live.second).seen, ElementsAre(1, 7, 7, 1, 1));
}

TEST(LiveFrames, AForceHoldsAgainstAFaultWhichAClientSwitches) {
  for (const bool delayed : {false, true}) {
    Live live(delayed);
    std::vector<CompiledFault> faults(1);
    faults[0].kind = FaultKind::offset;
    faults[0].a = 1;
    faults[0].b = 100;
    faults[0].refs = {live.bench.ref(*live.second, "u")};
    std::deque<bool> shown{false};
    live.bench.plan.overlaid.insert(live.second);
    live.make();
    FaultPart part(faults, shown);
    live.bench.executive->add(part);
    EXPECT_TRUE(live.port->turn({"fault", 0, true}));
    live.send(2, {{Kind::force, live.second, "u", 7}});
    live.send(4, {{Kind::release, live.second, "u"}});
    live.bench.run(6);
    EXPECT_THAT(live.object(live.second).seen, ElementsAre(delayed ? 100 : 101, 101, 7, 7, 101, 101));
  }
}

TEST(LiveFrames, AForceHoldsAgainstADelayedWire) {
  Live live(true);
  live.make();
  live.send(2, {{Kind::force, live.second, "u", 7}});
  live.send(4, {{Kind::release_all, nullptr, ""}});
  live.bench.run(6);
  EXPECT_THAT(live.object(live.second).seen, ElementsAre(0, 1, 7, 7, 1, 1));
}

TEST(LiveFrames, AnOutputThatIsForcedIsWhatItsReadersSee) {
  Live live;
  live.make();
  live.send(1, {{Kind::force, live.first, "y", 5}});
  live.send(2, {{Kind::force, live.first, "y", 6}});
  live.bench.run(4);
  EXPECT_THAT(live.object(live.second).seen, ElementsAre(1, 5, 6, 6));
  EXPECT_EQ(live.object(live.first).y, 6) << "its own job cannot be seen to change it";
}

TEST(LiveFrames, MemoryOfAForceIsFreeWhenTheForceHasEnded) {
  Live live;
  live.make();
  LivePacket& force = live.send(0, {{Kind::force, live.first, "u", 5}, {Kind::force, live.first, "y", 6}});
  live.send(2, {{Kind::release, live.first, "u"}});
  live.send(4, {{Kind::force, live.first, "y", 7}});
  live.bench.run(3);
  std::vector<bool> freed;
  LiveEvent event;
  while (live.port->pop(event))
    if (event.packet == &force) freed.push_back(event.free);
  EXPECT_THAT(freed, ElementsAre(false)) << "one of its two forces still stands";
}

TEST(LiveFrames, ABatchIsMadeAsAWholeOrNotAtAll) {
  Live live;
  live.make();
  live.send(0, {{Kind::force, live.second, "u", 5}});
  LivePacket& refused = live.send(1, {{Kind::set, live.first, "u", 3}, {Kind::set, live.second, "u", 4}});
  LivePacket& released = live.send(
      3,
      {{Kind::release, live.second, "u"}, {Kind::set, live.first, "u", 1}, {Kind::set, live.second, "u", 4}});
  live.bench.run(4);
  EXPECT_EQ(refused.end, LivePacket::End::forced);
  EXPECT_EQ(refused.which, 1U);
  EXPECT_EQ(released.end, LivePacket::End::applied);
  EXPECT_THAT(live.object(live.first).seen, ElementsAre(0, 0, 0, 1));
}

TEST(LiveFrames, AModelHasRoomForSoManyForces) {
  Live live;
  live.make();
  const auto force = [&](std::size_t from, std::size_t count) -> LivePacket& {
    LivePacket& packet = live.prepare(std::nullopt, {});
    packet.data.assign(8, std::byte{0});
    auto* const cells = static_cast<double*>(live.bench.ref(*live.second, "cells").data());
    for (std::size_t i = from; i < from + count; ++i)
      packet.changes.push_back(
          {Kind::force, cells + i, live.bench.executive->program().forces_of(live.second), 0, 8});
    live.port->send(&packet);
    return packet;
  };
  LivePacket& most = force(0, ModelForces::kMost);
  LivePacket& again = force(3, 10);
  LivePacket& more = force(ModelForces::kMost - 1, 2);
  live.bench.run(1);
  EXPECT_EQ(most.end, LivePacket::End::applied);
  EXPECT_EQ(again.end, LivePacket::End::applied) << "they take the places of others";
  EXPECT_EQ(more.end, LivePacket::End::full);
}

TEST(LiveFrames, WhatIsReleasedAsAWholeIsForcedNoMoreAndWhatWaitedIsDropped) {
  Live live;
  live.make();
  LivePacket& waits = live.send(5, {{Kind::set, live.first, "u", 3}});
  live.send(0, {{Kind::force, live.second, "u", 7}});
  LivePacket& release = live.send(2, {{Kind::release_all, nullptr, ""}});
  LivePacket& later = live.send(6, {{Kind::set, live.first, "u", 4}});
  live.bench.run(8);
  EXPECT_EQ(release.end, LivePacket::End::applied);
  EXPECT_EQ(waits.end, LivePacket::End::released);
  EXPECT_EQ(later.end, LivePacket::End::applied) << "sent behind it";
  EXPECT_THAT(live.object(live.second).seen, ElementsAre(7, 7, 1, 1, 1, 1, 41, 41));
}

TEST(LiveFrames, ASnapshotIsMadeOnlyWhenItIsWantedAndOfTheEndOfOneFrame) {
  Live live;
  std::vector<std::string> read;
  live.bench.job("reader", TACTUS_TOP_OF_FRAME, [&](const tactus_call& call) {
    const std::byte* values = nullptr;
    if (const LivePort::Head* const head = live.port->read(values))
      read.push_back(std::to_string(head->frame) + ": " + std::to_string(head->sequence) + " " +
                     std::to_string(static_cast<int>(live.value(values, "first.y"))) + " frames " +
                     std::to_string(head->rig.frames));
    if (call.frame == 2 || call.frame == 5) {
      EXPECT_EQ(live.port->want(), call.frame == 2 ? 1 : 2);
    }
    live.object(live.first).u = static_cast<double>(call.frame);
    return 0;
  });
  live.make();
  live.bench.run(8);
  EXPECT_THAT(read, ElementsAre("2: 1 21 frames 3", "5: 2 51 frames 6"));
}

TEST(LiveFrames, ASnapshotOfAMultipleIsOfNoOtherFrame) {
  Live live;
  std::vector<std::int64_t> frames;
  live.bench.job("reader", TACTUS_TOP_OF_FRAME, [&](const tactus_call& call) {
    const std::byte* values = nullptr;
    if (const LivePort::Head* const head = live.port->read(values)) frames.push_back(head->frame);
    if (call.frame == 1 || call.frame == 9) {
      EXPECT_EQ(live.port->want_multiple(4), call.frame == 1 ? 1 : 4);
    }
    if (call.frame == 2) (void)live.port->want();
    if (call.frame == 5) (void)live.port->want_multiple(3);
    return 0;
  });
  live.make();
  live.bench.run(20);
  EXPECT_THAT(frames, ElementsAre(2, 4, 6, 12)) << "each is made once";
}

TEST(LiveFrames, AnEpisodeKeepsWhatIsAskedForAndEndsInPause) {
  Live live;
  LiveEpisode episode;
  episode.last_frame = 3;
  std::vector<std::int64_t> frozen;
  live.bench.job("count", TACTUS_FREEZE_INIT, [&](const tactus_call&) {
    frozen.push_back(live.bench.executive->frames_done());
    if (frozen.size() == 2) live.bench.executive->request_stop("enough");
    return 0;
  });
  live.make();
  const auto* const count = static_cast<const std::byte*>(live.bench.ref(*live.first, "count").data());
  episode.data.resize(24);
  for (const std::int64_t frame : {0, 2, 3})
    episode.captures.push_back({frame, count, episode.captures.size() * 8, 8});
  LivePacket& in = live.prepare(0, {{Kind::set, live.first, "u", 6}});
  episode.packets = {&in};
  live.port->begin(&episode);
  live.bench.executive->request_pause();
  live.bench.executive->poll_while_paused();
  const RunEnd end = live.bench.run(100);
  EXPECT_EQ(end.frames, 4) << "the frame of the stop date is run";
  std::array<std::int64_t, 3> kept{};
  std::memcpy(kept.data(), episode.data.data(), 24);
  EXPECT_THAT(kept, ElementsAre(1, 3, 4));
  EXPECT_THAT(frozen, ElementsAre(0, 4));
  EXPECT_EQ(in.end, LivePacket::End::applied);
  EXPECT_THAT(live.object(live.first).seen, ElementsAre(6, 6, 6, 6));
}

TEST(LiveFrames, AnEpisodeBeginsWhereItWasPlannedForOrNotAtAll) {
  Live live;
  LiveEpisode episode;
  episode.first_frame = 3;
  episode.last_frame = 8;
  LivePacket* in = nullptr;
  live.bench.job("too soon", TACTUS_END_OF_FRAME, [&](const tactus_call& call) {
    if (call.frame != 2) return 0;
    in = &live.prepare(3, {{Kind::set, live.first, "u", 6}});
    episode.packets = {in};
    live.port->begin(&episode);
    return 0;
  });
  live.make();
  live.bench.run(12);
  EXPECT_TRUE(episode.done && episode.broken && !episode.begun);
  EXPECT_EQ(in->end, LivePacket::End::dropped);
  EXPECT_EQ(live.object(live.first).u, 0);
  EXPECT_EQ(live.object(live.first).count, 12) << "nor does it end where it was to end";
}

/// dx/dt = v, and v is computed by its derivative job.
class Mover : public Model {
 public:
  void declare(Declare& d) override {
    d.state("x", x);
    d.state("v", v);
    d.integrated("x", "v");
    d.job<&Mover::derive>("derive", JobClass::derivative);
  }
  void derive() { v = 100; }
  double x = 0, v = 0;
};

TEST(LiveFrames, AChangeIsMadeAtOnceWhileTheRigStandsStill) {
  Live live;
  std::vector<double> seen;
  live.bench.job("freeze", TACTUS_FREEZE, [&](const tactus_call& call) {
    seen.push_back(live.object(live.first).u);
    if (call.frame == 0) live.send(std::nullopt, {{Kind::set, live.first, "u", 3}});
    if (call.frame == 2) live.bench.executive->request_resume();
    return 0;
  });
  live.make();
  live.bench.executive->request_pause();
  live.bench.run(1);
  EXPECT_THAT(seen, ElementsAre(0, 3, 3));
  EXPECT_THAT(live.object(live.first).seen, ElementsAre(3));
}

TEST(LiveFrames, AResetReleasesWhatIsForcedAndDropsWhatWaits) {
  Live live;
  live.bench.job("reset", TACTUS_END_OF_FRAME, [&](const tactus_call& call) {
    if (call.frame == 2 && live.bench.executive->restart().resets() == 0)
      live.bench.executive->request_reset();
    return 0;
  });
  live.make();
  (void)live.bench.executive->restorer().prepare_reset();
  LivePacket& waits = live.send(5, {{Kind::set, live.first, "u", 9}});
  LivePacket& forced = live.send(0, {{Kind::force, live.second, "u", 5}});
  live.bench.run(8);
  EXPECT_EQ(waits.end, LivePacket::End::dropped);
  EXPECT_EQ(forced.force_count, 0U);
  EXPECT_EQ(live.object(live.second).seen.back(), 1);
  EXPECT_EQ(live.object(live.first).u, 0);
}

TEST(LiveFrames, AfterAResetNoFrameHasBegunUntilTheFirstOneDoes) {
  Live live;
  std::vector<std::int64_t> begun;
  const auto look = [&](const tactus_call&) { return begun.push_back(live.port->frame()), 0; };
  live.bench.job("restart", TACTUS_RESTART, look);
  live.bench.job("top", TACTUS_TOP_OF_FRAME, look);
  live.bench.job("reset", TACTUS_END_OF_FRAME, [&](const tactus_call& call) {
    if (call.frame == 1 && live.bench.executive->restart().resets() == 0)
      live.bench.executive->request_reset();
    return 0;
  });
  live.make();
  (void)live.bench.executive->restorer().prepare_reset();
  live.bench.run(2);
  EXPECT_THAT(begun, ElementsAre(0, 1, -1, 0, 1));
}

TEST(LiveFrames, AnAsynchronousThreadTakesChangesWhereItMeetsTheFrames) {
  Live live;
  live.bench.plan.threads.push_back(
      {"slow", ThreadKind::asynchronous_must_finish, rtsync::Period{4'000'000, 1}});
  for (PlannedJob& job : live.bench.plan.jobs)
    if (job.model == live.second) {
      job.thread = 1;
      job.cycle = rtsync::Period{4'000'000, 1};
    }
  live.bench.plan.connections.front().delayed = true;
  live.make();
  LivePacket& next = live.send(std::nullopt, {{Kind::set, live.second, "gain", 1}});
  LivePacket& busy = live.send(6, {{Kind::set, live.second, "gain", 2}, {Kind::set, live.first, "gain", 2}});
  LivePacket& meets = live.send(8, {{Kind::force, live.second, "u", 3}});
  live.bench.run(16);
  EXPECT_EQ(next.applied_frame, 0);
  EXPECT_EQ(busy.end, LivePacket::End::busy);
  EXPECT_EQ(live.object(live.first).gain, 10) << "as a whole or not at all";
  EXPECT_EQ(meets.end, LivePacket::End::applied);
  ASSERT_EQ(live.object(live.second).seen.size(), 4U);
  EXPECT_EQ(live.object(live.second).seen[2], 3);
  EXPECT_EQ(live.object(live.second).seen[3], 3);
}

TEST(LiveFrames, ForcesHoldInAnIntegrationLoop) {
  for (const char* const name : {"x", "v"}) {
    Live live;
    ModelInstance& mover = live.bench.model<Mover>("mover");
    live.bench.plan.loops.push_back({"loop", {&mover}, live.bench.plan.frame, {}});
    std::vector<double> seen;
    live.bench.job("look", TACTUS_END_OF_FRAME, [&](const tactus_call&) {
      seen.push_back(name == std::string("x") ? PlanFixture::object<Mover>(mover).x
                                              : PlanFixture::object<Mover>(mover).v);
      return 0;
    });
    live.make();
    live.send(2, {{Kind::force, &mover, name, 0.5}});
    live.bench.run(5);
    EXPECT_THAT(seen, ElementsAre(::testing::_, ::testing::_, 0.5, 0.5, 0.5)) << name;
  }
}

TEST(LiveFrames, ReleaseOfAllWaitsForTheThreadsOfWhatIsForced) {
  Live live;
  live.bench.plan.threads.push_back(
      {"slow", ThreadKind::asynchronous_must_finish, rtsync::Period{4'000'000, 1}});
  for (PlannedJob& job : live.bench.plan.jobs)
    if (job.model == live.second) {
      job.thread = 1;
      job.cycle = rtsync::Period{4'000'000, 1};
    }
  live.bench.plan.connections.front().delayed = true;
  LivePacket *force = nullptr, *release = nullptr, *dated = nullptr;
  live.bench.job("client", TACTUS_END_OF_FRAME, [&](const tactus_call& call) {
    if (call.frame == 1) {
      force = &live.send(std::nullopt, {{Kind::force, live.second, "u", 3}});
      release = &live.send(std::nullopt, {{Kind::release_all, nullptr, ""}});
    }
    if (call.frame == 5) live.send(std::nullopt, {{Kind::force, live.second, "u", 3}});
    if (call.frame == 8) dated = &live.send(10, {{Kind::release_all, nullptr, ""}});
    return 0;
  });
  live.make();
  live.bench.run(16);
  EXPECT_EQ(force->applied_frame, 4);
  EXPECT_EQ(release->applied_frame, 4) << "not before the force that was sent before it";
  EXPECT_EQ(dated->end, LivePacket::End::busy);
  EXPECT_EQ(live.object(live.second).seen.back(), 3) << "still forced";
}

TEST(LiveFrames, NeverTouchTheHeap) {
  if (!rtsync::HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  Live live;
  std::optional<rtsync::HeapWatch> watch;
  std::uint64_t calls = 1;
  live.bench.job("clients", TACTUS_TOP_OF_FRAME, [&](const tactus_call& call) {
    if (call.frame == 1) watch.emplace();
    (void)live.port->want();
    (void)live.port->want_multiple(2);
    const std::byte* values = nullptr;
    (void)live.port->read(values);
    live.port->send(&live.packets[static_cast<std::size_t>(call.frame)]);
    LiveEvent event;
    while (live.port->pop(event)) {
    }
    if (call.frame == 99) calls = watch->calls();
    return 0;
  });
  live.make();
  live.object(live.first).seen.reserve(1000);
  live.object(live.second).seen.reserve(1000);
  for (int i = 0; i < 100; ++i)
    live.prepare(i % 2 == 0 ? std::optional<std::int64_t>(i + 5) : std::nullopt,
                 {{Kind::release, live.second, "u"},
                  {i % 3 == 0 ? Kind::force : Kind::set, live.first, i % 3 == 0 ? "u" : "gain", 1.0 * i}});
  live.bench.run(100);
  EXPECT_EQ(calls, 0U);
}

/// Any batches at any frames: the same as a plain loop that knows nothing of rings and command.
TEST(LiveFrames, RandomBatchesDoWhatAPlainLoopDoes) {
  for (unsigned seed = 0; seed < static_cast<unsigned>(::tactus::test::trials(300)); ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Live live(seed % 2 == 1);
    live.make();
    struct Planned {
      std::int64_t frame;
      std::vector<Live::Change> changes;
    };
    std::vector<Planned> planned;
    const std::pair<ModelInstance*, const char*> places[] = {
        {live.first, "u"}, {live.first, "y"}, {live.first, "gain"}, {live.second, "u"}, {live.second, "y"}};
    for (int i = below(20); i >= 0; --i) {
      Planned& batch = planned.emplace_back();
      batch.frame = below(20);
      for (int c = below(3); c >= 0; --c) {
        const auto& [model, name] = places[below(5)];
        const bool again = std::any_of(batch.changes.begin(), batch.changes.end(),
                                       [of = model, called = name](const Live::Change& other) {
                                         return other.model == of && other.variable == called;
                                       });
        if (again) continue;
        const Kind kind = below(10) == 0  ? Kind::release_all
                          : below(3) == 0 ? Kind::release
                          : below(2) == 0 ? Kind::force
                                          : Kind::set;
        batch.changes.push_back({kind, model, name, 1.0 * below(100)});
      }
      std::stable_partition(batch.changes.begin(), batch.changes.end(), [](const Live::Change& change) {
        return change.kind == Kind::release || change.kind == Kind::release_all;
      });
      live.send(batch.frame, batch.changes);
    }
    live.bench.run(20);

    // The plain loop.
    struct World {
      double u1 = 0, y1 = 0, g1 = 10, u2 = 0, y2 = 0, g2 = 10;
    } w;
    std::map<double*, double> forces;
    const auto place = [&](const Live::Change& change) -> double* {
      const bool first = change.model == live.first;
      if (change.variable == "u") return first ? &w.u1 : &w.u2;
      if (change.variable == "y") return first ? &w.y1 : &w.y2;
      return first ? &w.g1 : &w.g2;
    };
    const auto force = [&] {
      for (const auto& [to, value] : forces) *to = value;
    };
    std::vector<double> seen1, seen2;
    for (int k = 0; k < 20; ++k) {
      for (Planned& batch : planned) {
        if (batch.frame != k) continue;
        auto trial = forces;
        bool good = true;
        for (const Live::Change& change : batch.changes) {
          if (change.kind == Kind::release_all) trial.clear();
          if (change.kind == Kind::release) trial.erase(place(change));
          if (change.kind == Kind::set) good = good && trial.count(place(change)) == 0;
        }
        if (!good) continue;
        for (const Live::Change& change : batch.changes) {
          if (change.kind == Kind::release_all) {
            forces.clear();
            for (Planned& older : planned)  // what waited is dropped
              if (&older < &batch && older.frame > k) older.frame = -1;
          }
          if (change.kind == Kind::release) forces.erase(place(change));
          if (change.kind == Kind::force) forces[place(change)] = change.value;
          if (change.kind == Kind::set || change.kind == Kind::force) *place(change) = change.value;
        }
      }
      force();
      if (seed % 2 == 1) w.u2 = w.y1;
      force();
      seen1.push_back(w.u1);
      w.y1 = w.g1 * w.u1 + 1;
      force();
      if (seed % 2 == 0) w.u2 = w.y1;
      force();
      seen2.push_back(w.u2);
      w.y2 = w.g2 * w.u2 + 1;
      force();
    }
    ASSERT_EQ(live.object(live.first).seen, seen1) << "seed " << seed;
    ASSERT_EQ(live.object(live.second).seen, seen2) << "seed " << seed;
    ASSERT_EQ(live.object(live.second).y, w.y2) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tactus::executive::live_frames_test
