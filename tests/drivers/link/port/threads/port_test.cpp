// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/port.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "drivers/link/pending.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/link/port/port_fixture.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::link::port_test {
namespace {

using executive::LinkVerdict;

TEST(PortVariables, StandInTheOrderOfTheSignalsWithTheirUnits) {
  PortFixture fixture;
  const executive::VariableRef whole = fixture.variable("axis.force", TACTUS_FLOAT, 3);
  executive::VariableRef one = fixture.variable("axis.limit", TACTUS_INT16, 4);
  one.first = 2;
  one.elements = 1;
  one.indexed = true;
  fixture.subscribe("target", {whole, one});
  fixture.set_up();
  std::vector<std::string> names;
  for (const executive::Variable& each : fixture.port->variables()) names.push_back(each.name);
  EXPECT_THAT(names, ::testing::ElementsAre("link.frame", "link.slot", "link.virtual_time", "link.step",
                                            "link.grant_arrival", "link.lateness", "link.late",
                                            "link.consecutive_late", "link.behind", "link.messages",
                                            "link.messages_late", "link.state", "link.target.age",
                                            "link.target.messages", "link.target.source",
                                            "link.target.axis.force", "link.target.axis.limit[2]"));
  EXPECT_EQ(fixture.shown("target.axis.force").count, 3U);
  EXPECT_EQ(fixture.shown("target.axis.force").type, TACTUS_FLOAT);
  EXPECT_EQ(fixture.shown("target.axis.force").unit_text, "m");
  EXPECT_EQ(fixture.shown("target.axis.limit[2]").count, 0U);
  EXPECT_EQ(fixture.shown("lateness").unit_text, "ns");
  for (const executive::Variable& each : fixture.port->variables())
    EXPECT_EQ(each.role, TACTUS_OUTPUT) << each.name;
}

TEST(PortVariables, GroupsOfAllTypesAreGivenWhole) {
  PortFixture fixture;
  const executive::VariableRef numbers = fixture.variable("m.n", TACTUS_INT16, 3);
  const executive::VariableRef flag = fixture.variable("m.on", TACTUS_BOOL);
  const executive::VariableRef wide = fixture.variable("m.wide", TACTUS_UINT64);
  fixture.subscribe("all", {numbers, flag, wide});
  fixture.set_up();
  fixture.grant(9);
  std::byte* const slot = fixture.exchange->inbox.claim();
  const Incoming head{0, 0, 0};
  const std::int16_t n[3] = {-1, 2, 30000};
  const std::uint64_t big = UINT64_MAX - 1;
  std::memcpy(slot, &head, sizeof head);
  std::memcpy(slot + sizeof head, n, 6);
  slot[sizeof head + 6] = std::byte{1};
  std::memcpy(slot + sizeof head + 7, &big, 8);
  fixture.exchange->inbox.publish();
  fixture.run();
  EXPECT_EQ(std::memcmp(numbers.data(), n, sizeof n), 0);
  EXPECT_EQ(*static_cast<bool*>(flag.data()), true);
  EXPECT_EQ(*static_cast<std::uint64_t*>(wide.data()), big);
  EXPECT_EQ(fixture.value<std::uint64_t>("all.m.wide"), big);
  EXPECT_EQ(std::memcmp(fixture.shown("all.m.n").data, n, sizeof n), 0);
}

TEST(Port, TellsOfEveryFrame) {
  PortFixture fixture;
  fixture.settings.step = rtsync::Period{2 * kMs, 1};
  fixture.subscribe("a");
  fixture.set_up(10, 7 * kMs);
  fixture.grant(0);
  const std::int64_t came = fixture.clock_ns;
  fixture.clock_ns += 100;
  fixture.message(0, 6 * kMs, {1});
  fixture.run();
  EXPECT_EQ(fixture.status().frame, 10);
  EXPECT_EQ(fixture.status().slot_ns, came + 95);
  EXPECT_EQ(fixture.status().virtual_time_ns, 7 * kMs);
  EXPECT_EQ(fixture.status().step, 0);
  EXPECT_EQ(fixture.status().grant_arrival_ns, came);
  EXPECT_EQ(fixture.status().messages, 1);
  EXPECT_EQ(fixture.status().state, 1);
  EXPECT_EQ(fixture.value<std::int64_t>("a.age"), kMs);
  for (int i = 0; i < 4; ++i) fixture.run();
  EXPECT_EQ(fixture.status().frame, 14);
  EXPECT_EQ(fixture.status().virtual_time_ns, 11 * kMs);
  EXPECT_EQ(fixture.status().step, 2);
  EXPECT_EQ(fixture.status().grant_arrival_ns, 0);
  EXPECT_EQ(fixture.status().late, 2);
  EXPECT_EQ(fixture.status().consecutive_late, 2);
  EXPECT_EQ(fixture.status().behind, 2);
  EXPECT_EQ(fixture.status().lateness_ns, 2 * kMs) << "of step 1, due at frame 12";
  fixture.message(0, 7 * kMs, {2});
  fixture.run();
  EXPECT_EQ(fixture.status().messages_late, 1);
  EXPECT_EQ(fixture.value<std::int64_t>("a.messages"), 2);
  EXPECT_EQ(fixture.value<std::int64_t>("a.age"), 5 * kMs);
  EXPECT_EQ(fixture.port->mapping().first_frame, 10);
  const TimeMapping& mapping = fixture.port->mapping();
  using Virtual = rtsync::TimePoint<rtsync::VirtualTime>;
  EXPECT_EQ(mapping.first_virtual, Virtual{rtsync::Nanoseconds{7 * kMs}});
  EXPECT_EQ(mapping.virtual_time(13), Virtual{rtsync::Nanoseconds{10 * kMs}});
  EXPECT_EQ(mapping.virtual_time(rtsync::TimePoint<rtsync::SimTime>{rtsync::Nanoseconds{13 * kMs}}),
            Virtual{rtsync::Nanoseconds{10 * kMs}});
}

TEST(Port, WhatTheRigMakesUpForIsNotChargedToTheOthers) {
  PortFixture fixture;
  fixture.settings.max_consecutive_late = 2;
  fixture.set_up();
  fixture.grant(0);
  fixture.late_ns = kMs;  // a whole frame: these run back to back
  for (int i = 0; i < 20; ++i) EXPECT_EQ(fixture.run(), executive::LinkVerdict::go_on);
  EXPECT_EQ(fixture.status().late, 0);
  EXPECT_EQ(fixture.exchange->late_grants, 0);
  fixture.grant(20);
  fixture.late_ns = 5;
  EXPECT_EQ(fixture.run(), executive::LinkVerdict::go_on);
  EXPECT_EQ(fixture.run(), executive::LinkVerdict::go_on) << "late once";
  EXPECT_EQ(fixture.run(), executive::LinkVerdict::terminate);
  EXPECT_EQ(fixture.exchange->late_grants, 2);
}

TEST(Port, ARigThatIsLateAllTheTimeFindsAPeerThatHangs) {
  PortFixture fixture;
  fixture.settings.max_late = Nanoseconds{300 * kMs};
  fixture.set_up();
  fixture.grant(0);
  fixture.late_ns = kMs;
  int frames = 0;
  while (frames < 1000 && fixture.run() == executive::LinkVerdict::go_on) ++frames;
  EXPECT_EQ(frames, 401) << "suspended once, for 100 ms from the first late frame on";
}

TEST(Port, VirtualTimeDoesNotDrift) {
  PortFixture fixture;
  fixture.frame = rtsync::Period{1'000'000'000, 60};
  fixture.set_up(0, 5);
  fixture.next_frame = 60'000'001;
  fixture.run();
  EXPECT_EQ(fixture.status().virtual_time_ns, 1'000'000'000'000'000 + 16'666'666 + 5);
}

TEST(Port, CatchesUpStepByStep) {
  PortFixture fixture;
  fixture.set_up();
  fixture.grant(0);
  for (int i = 0; i < 10; ++i) fixture.run();
  EXPECT_EQ(fixture.status().late, 9);
  EXPECT_EQ(fixture.status().behind, 9);
  EXPECT_EQ(fixture.status().lateness_ns, 8 * kMs);
  fixture.grant(4);  // 10 ms after the first frame: step 1 is 9 ms late
  fixture.run();
  EXPECT_EQ(fixture.status().late, 10);
  EXPECT_EQ(fixture.status().behind, 6);
  EXPECT_EQ(fixture.status().lateness_ns, 5 * kMs) << "of step 5";
  EXPECT_EQ(fixture.port->totals().worst_lateness_ns, 9 * kMs);
  EXPECT_EQ(fixture.port->totals().worst_step, 1);
  fixture.grant(11);
  fixture.run();
  EXPECT_EQ(fixture.status().behind, 0);
  EXPECT_EQ(fixture.status().lateness_ns, 0);
  EXPECT_EQ(fixture.status().consecutive_late, 0);
  EXPECT_EQ(fixture.port->totals().late, 10);
  EXPECT_EQ(fixture.port->totals().max_consecutive_late, 10);
  EXPECT_EQ(fixture.exchange->steps_done, 12) << "every step, none skipped";
}

TEST(Port, LatenessBeyondAllItRemembersIsNotTooSmall) {
  PortFixture fixture;
  fixture.set_up();
  fixture.grant(0);
  std::int64_t frames = 0;
  for (; frames < 10'000; ++frames) {
    fixture.run();
    ASSERT_EQ(fixture.status().lateness_ns, std::max<std::int64_t>(frames - 1, 0) * kMs);
  }
  fixture.grant(3000);
  fixture.run();  // frame 10000
  EXPECT_GE(fixture.status().lateness_ns, (10'000 - 3001) * kMs)
      << "of step 3001, whose StepBegin is long forgotten";
  EXPECT_GE(fixture.port->totals().worst_lateness_ns, (10'000 - 1) * kMs);
  fixture.grant(9000);
  fixture.run();
  EXPECT_EQ(fixture.status().lateness_ns, (10'001 - 9001) * kMs) << "exact again";
  EXPECT_GE(fixture.port->totals().worst_lateness_ns, (10'001 - 3001) * kMs);
}

TEST(Port, NothingOfAPauseIsCounted) {
  PortFixture fixture;
  fixture.settings.max_late = Nanoseconds{2 * kMs};
  fixture.set_up();
  fixture.grant(0);
  fixture.run();
  fixture.exchange->lateness_suspended = true;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(fixture.run(), LinkVerdict::go_on);
  EXPECT_EQ(fixture.status().lateness_ns, 0);
  EXPECT_EQ(fixture.status().behind, 20) << "though it is behind";
  fixture.exchange->lateness_suspended = false;
  for (std::int64_t step = 1; step < 40;
       step += 2) {  // two steps a frame: slower than nothing, faster than the rig
    fixture.grant(step);
    EXPECT_EQ(fixture.run(), LinkVerdict::go_on);
  }
  fixture.grant(41);
  fixture.run();
  EXPECT_EQ(fixture.status().behind, 0);
  EXPECT_EQ(fixture.port->totals().late, 0);
  EXPECT_EQ(fixture.port->totals().worst_lateness_ns, kMs) << "from grant to grant, since it went on";
}

TEST(Port, GrantsThatCameInAFreezeAreNotLate) {
  PortFixture fixture;
  fixture.settings.max_late = Nanoseconds{10 * kMs};
  fixture.set_up();
  fixture.grant(0);
  for (int i = 0; i < 3; ++i) fixture.run();
  fixture.port->freeze("a test");
  EXPECT_TRUE(fixture.exchange->frozen);
  EXPECT_EQ(fixture.exchange->expected_end_ns, 0);
  fixture.clock_ns += 5000 * kMs;
  fixture.grant(1);
  fixture.clock_ns += 5000 * kMs;
  fixture.port->unfreeze();
  EXPECT_FALSE(fixture.exchange->frozen);
  EXPECT_EQ(fixture.run(), LinkVerdict::go_on);
  EXPECT_EQ(fixture.status().lateness_ns, 0);
  fixture.clock_ns += 100 * kMs;
  EXPECT_EQ(fixture.run(), LinkVerdict::go_on);
  EXPECT_EQ(fixture.status().lateness_ns, kMs) << "of step 2, since 100 ms after the freeze";
  EXPECT_EQ(fixture.port->totals().worst_lateness_ns, kMs);
}

TEST(Port, AFreezeIsOfThisRigWhenItHasAReason) {
  PortFixture fixture;
  fixture.settings.max_late = Nanoseconds{3 * kMs};
  fixture.settings.at_maximum = Action::freeze;
  fixture.set_up();
  const Exchange& exchange = *fixture.exchange;
  fixture.grant(0);
  fixture.run();
  fixture.port->freeze("");
  EXPECT_TRUE(exchange.frozen);
  EXPECT_FALSE(exchange.paused_here) << "for somebody else alone";
  fixture.port->freeze("the operator");
  EXPECT_TRUE(exchange.paused_here);
  EXPECT_STREQ(exchange.why, "the operator");
  fixture.port->freeze("");
  EXPECT_TRUE(exchange.frozen);
  EXPECT_FALSE(exchange.paused_here) << "the operator lets go";
  fixture.port->freeze("the operator");
  fixture.port->unfreeze();
  EXPECT_FALSE(exchange.frozen);
  EXPECT_FALSE(exchange.paused_here);

  fixture.grant(1);
  fixture.run();
  fixture.run();
  fixture.clock_ns += 9 * kMs;
  ASSERT_EQ(fixture.run(), LinkVerdict::freeze);
  const std::string why = exchange.why.load();
  EXPECT_THAT(why, ::testing::HasSubstr("link.max_late"));
  for (const char* other : {"", "the operator", ""}) {
    fixture.port->freeze(other);
    EXPECT_TRUE(exchange.paused_here);
    EXPECT_EQ(exchange.why.load(), why);
  }
  fixture.port->unfreeze();
  EXPECT_FALSE(exchange.paused_here);
  fixture.run();
  fixture.port->freeze("the operator");
  EXPECT_STREQ(exchange.why, "the operator");
}

TEST(Port, SaysWhyInWordsThatStay) {
  tactus::test::Snapshot texts;
  PortFixture fixture;
  fixture.settings.max_late = Nanoseconds{3 * kMs};
  fixture.settings.at_maximum = Action::freeze;
  fixture.set_up();
  EXPECT_STREQ(fixture.port->verdict_reason(), "");
  fixture.grant(1233);
  fixture.next_frame = 1233;
  fixture.run();
  fixture.run();
  fixture.clock_ns += 20 * kMs + 345'678;
  EXPECT_EQ(fixture.run(), LinkVerdict::freeze);
  const char* const reason = fixture.port->verdict_reason();
  texts.add(reason);
  EXPECT_EQ(fixture.exchange->why.load(), reason);
  fixture.port->freeze("a test");
  fixture.port->unfreeze();
  fixture.run();
  fixture.clock_ns += 110 * kMs;  // 11 of them after the 100 ms to go on
  fixture.grant(1239);
  EXPECT_EQ(fixture.run(), LinkVerdict::freeze);
  texts.add(fixture.port->verdict_reason());
  texts.add(reason);
}

TEST(Port, SaysWhichSubscriptionIsTooOldAndHowManyWereLate) {
  tactus::test::Snapshot texts;
  PortFixture old;
  old.settings.at_maximum = Action::degrade;
  Subscription& a = old.subscribe("set_point");
  a.max_age = Nanoseconds{2 * kMs};
  a.at_max_age = AtMaxAge::degrade;
  old.set_up();
  old.grant(99);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(old.run(), LinkVerdict::go_on);
  EXPECT_TRUE(old.exchange->degrade);
  texts.add(old.exchange->why.load());
  EXPECT_EQ(old.port->totals().too_old, 1);

  PortFixture row;
  row.settings.max_consecutive_late = 3;
  row.set_up();
  row.grant(0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(row.run(), LinkVerdict::go_on);
  EXPECT_EQ(row.run(), LinkVerdict::terminate);
  texts.add(row.port->verdict_reason());
}

TEST(Port, FramesBeginWhenTheFederationLetsThem) {
  const struct {
    LinkMode mode;
    Federation federation;
    std::int64_t granted;
    std::int64_t frame;  // the first one is 4; two frames are a step
    bool paced;
    bool may;
    const char* why;
  } rows[] = {
      {LinkMode::paced, Federation::assembling, 9, 4, true, false, "not everybody is there"},
      {LinkMode::paced, Federation::running, -1, 4, true, false, "virtual time is not known yet"},
      {LinkMode::paced, Federation::running, 0, 4, true, true, "the first grant"},
      {LinkMode::paced, Federation::running, 0, 400, true, true, "in real time no other one is needed"},
      {LinkMode::paced, Federation::running, 0, 6, false, false, "but out of real time"},
      {LinkMode::paced, Federation::running, 1, 6, false, true, "granted"},
      {LinkMode::follow, Federation::running, 0, 5, true, true, "the second frame of a step"},
      {LinkMode::follow, Federation::running, 0, 6, true, false, "the next step"},
      {LinkMode::follow, Federation::running, 1, 7, false, true, "granted"},
      {LinkMode::free, Federation::assembling, -1, 4, false, false, "not everybody is there"},
      {LinkMode::free, Federation::running, -1, 99, false, true, "nobody grants"},
      {LinkMode::follow, Federation::left, -1, 99, false, true, "nobody is asked any more"},
      {LinkMode::paced, Federation::left, -1, 4, true, true, "nobody is asked any more"},
  };
  for (const auto& row : rows) {
    PortFixture fixture;
    fixture.settings.mode = row.mode;
    fixture.settings.step = rtsync::Period{2 * kMs, 1};
    fixture.set_up(4);
    fixture.exchange->federation = row.federation;
    fixture.grant(row.granted);
    EXPECT_EQ(fixture.port->may_begin(row.frame, row.paced), row.may)
        << row.why << ", " << executive::name_of(row.mode) << ", frame " << row.frame;
  }
  PortFixture fixture;
  fixture.settings.mode = LinkMode::follow;
  fixture.set_up();
  Port unstarted(fixture.settings, fixture.frame, fixture.frame, fixture.signals, *fixture.exchange);
  EXPECT_FALSE(unstarted.may_begin(1'000'000, true));
  fixture.grant(0);
  EXPECT_TRUE(unstarted.may_begin(1'000'000, true)) << "before start() every frame is the first one";
}

TEST(Port, AStepIsAWholeNumberOfFrames) {
  const rtsync::Period third{kMs, 3};
  LinkSettings settings;
  EXPECT_EQ(frames_per_step(settings, third), 1);
  settings.step = rtsync::Period{kMs, 1};
  EXPECT_EQ(frames_per_step(settings, third), 3);
  settings.mode = LinkMode::free;
  EXPECT_EQ(frames_per_step(settings, third), 1);
  settings.mode = LinkMode::follow;
  settings.step = rtsync::Period{kMs / 2, 1};
  EXPECT_EQ(frames_per_step(settings, third), 0);
}

TEST(PortOut, IsTakenAtTheEndOfEveryStep) {
  PortFixture fixture;
  fixture.settings.step = rtsync::Period{3 * kMs, 1};
  const executive::VariableRef x = fixture.variable("m.x");
  const executive::VariableRef n = fixture.variable("m.n", TACTUS_INT16, 2);
  const executive::VariableRef y = fixture.variable("m.y");
  fixture.publish("first", {n, x});
  fixture.publish("second", {y});
  double elsewhere = 30;
  fixture.signals.publications[1].sources = {&elsewhere};
  fixture.set_up(5);
  fixture.grant(99);
  for (int i = 0; i < 6; ++i) {
    *static_cast<double*>(x.data()) = i;
    static_cast<std::int16_t*>(n.data())[1] = static_cast<std::int16_t>(-i);
    fixture.run();
    EXPECT_EQ(fixture.exchange->steps_done, (i + 1) / 3);
    const std::byte* const slot = fixture.exchange->outbox.front();
    ASSERT_EQ(slot != nullptr, i % 3 == 2);
    if (slot == nullptr) continue;
    Outgoing head;
    std::int16_t second = 0;
    double taken[2];
    std::memcpy(&head, slot, sizeof head);
    std::memcpy(&second, slot + sizeof head + 2, 2);
    std::memcpy(taken, slot + sizeof head + 4, sizeof taken);
    EXPECT_EQ(head.step, i / 3);
    EXPECT_EQ(head.frame, 5 + i);
    EXPECT_EQ(second, -i);
    EXPECT_EQ(taken[0], i);
    EXPECT_EQ(taken[1], 30) << "read where it was said";
    fixture.exchange->outbox.release();
  }
  EXPECT_EQ(fixture.port->totals().steps, 2);
  EXPECT_EQ(fixture.exchange->stepped.value(), 0U) << "in real time nobody is woken";
}

TEST(PortOut, CanBeReadElsewhere) {
  PortFixture fixture;
  const executive::VariableRef x = fixture.variable("m.x");
  const executive::VariableRef y = fixture.variable("m.y");
  fixture.publish("both", {x, y});
  fixture.set_up();
  const double moved = 7;
  *static_cast<double*>(y.data()) = 8;
  fixture.port->redirect([&](const executive::ModelInstance*, const void* data, std::size_t bytes) {
    EXPECT_EQ(bytes, sizeof(double));
    return data == x.data() ? &moved : nullptr;
  });
  EXPECT_EQ(fixture.signals.publications[0].sources[0], &moved);
  fixture.grant(0);
  fixture.run();
  double taken[2];
  std::memcpy(taken, fixture.exchange->outbox.front() + sizeof(Outgoing), sizeof taken);
  EXPECT_EQ(taken[0], 7);
  EXPECT_EQ(taken[1], 8);
}

TEST(PortOut, WhatDoesNotFitIsCountedAndTheStepIsDoneAllTheSame) {
  PortFixture fixture;
  fixture.publish("x", {fixture.variable("m.x")});
  fixture.set_up(0, 0, 4);
  fixture.grant(99);
  for (int i = 0; i < 10; ++i) fixture.run();
  EXPECT_EQ(fixture.exchange->outgoing_lost, 6);
  EXPECT_EQ(fixture.exchange->steps_done, 10);
  fixture.exchange->become(Federation::left);
  for (int i = 0; i < 10; ++i) fixture.run();
  EXPECT_EQ(fixture.exchange->outgoing_lost, 6) << "nothing is lost where nobody takes it";
}

TEST(PortOut, WhoFollowsTellsOfEveryStep) {
  PortFixture fixture;
  fixture.settings.mode = LinkMode::follow;
  fixture.settings.step = rtsync::Period{2 * kMs, 1};
  fixture.set_up();
  fixture.grant(99);
  for (int i = 0; i < 6; ++i) fixture.run();
  EXPECT_EQ(fixture.exchange->stepped.value(), 3U);
}

TEST(PortOut, FramesThatAreNotPacedTellOfEveryStepWhateverTheMode) {
  for (const LinkMode mode : {LinkMode::paced, LinkMode::free}) {
    PortFixture fixture;
    fixture.settings.mode = mode;
    fixture.set_up();
    fixture.grant(99);
    for (int i = 0; i < 3; ++i) fixture.run();
    EXPECT_EQ(fixture.exchange->stepped.value(), 0U);
    fixture.paced = false;
    for (int i = 0; i < 3; ++i) fixture.run();
    EXPECT_EQ(fixture.exchange->stepped.value(), 3U) << executive::name_of(mode);
  }
}

TEST(PortOut, TheEndIsExpectedAfterTheWorkOfTheFramesBeforeOnAverage) {
  PortFixture fixture;
  fixture.work = Nanoseconds{400'000};
  fixture.set_up();
  fixture.grant(999);
  fixture.begin();
  EXPECT_EQ(fixture.exchange->expected_end_ns, fixture.clock_ns) << "there was no frame before";
  for (int i = 0; i < 100; ++i) fixture.run();
  fixture.begin();
  EXPECT_NEAR(static_cast<double>(fixture.exchange->expected_end_ns - fixture.clock_ns), 400'000, 10);
  fixture.work = Nanoseconds{kMs * 1000};
  for (int i = 0; i < 100; ++i) fixture.run();
  fixture.begin();
  EXPECT_LE(fixture.exchange->expected_end_ns, fixture.clock_ns + kMs)
      << "a frame is never expected to overrun";
}

TEST(PortOut, TheEndOfAStepIsExpectedAfterItsLastFramesWork) {
  PortFixture fixture;
  fixture.settings.step = rtsync::Period{3 * kMs, 1};
  fixture.set_up();
  fixture.grant(99);
  for (int i = 0; i < 9; ++i) {
    const std::int64_t now = fixture.clock_ns;
    fixture.begin();
    const std::int64_t left = fixture.exchange->expected_end_ns - now;
    EXPECT_GE(left, (2 - i % 3) * kMs);
    EXPECT_LE(left, (3 - i % 3) * kMs);
    fixture.port->end_frame(fixture.next_frame++);
    const std::int64_t next = fixture.exchange->expected_end_ns - now;
    if (i % 3 == 2) {
      EXPECT_GE(next, 3 * kMs);
      EXPECT_LE(next, 4 * kMs);
    } else {
      EXPECT_EQ(next, left);
    }
    fixture.clock_ns += kMs;
  }
}

TEST(PortQueue, KeepsTheMessagesThatAreDueFirst) {
  PortFixture fixture;
  fixture.settings.queue = 3;
  fixture.subscribe("a");
  fixture.set_up(0, 0, 16);
  fixture.grant(99);
  for (const int at : {9, 8, 7, 6, 5}) EXPECT_TRUE(fixture.message(0, at * kMs, {double(at)}));
  EXPECT_TRUE(fixture.message(0, 0, {0.5}));  // due at once: no place is taken
  std::vector<double> seen;
  for (int i = 0; i < 10; ++i) {
    fixture.run();
    seen.push_back(fixture.input(0));
  }
  EXPECT_EQ(fixture.port->totals().pending_lost, 2);
  EXPECT_THAT(seen, ::testing::ElementsAre(0.5, 0.5, 0.5, 0.5, 0.5, 5, 6, 7, 7, 7));
}

TEST(PortQueue, AFullInboxIsTakenInOneFrame) {
  PortFixture fixture;
  fixture.settings.queue = 1;
  fixture.subscribe("a");
  fixture.set_up(0, 0, 16);
  fixture.grant(99);
  for (int turn = 0; turn < 5; ++turn) {
    int sent = 0;
    while (fixture.message(0, fixture.next_frame * kMs, {double(++sent)})) {
    }
    EXPECT_EQ(sent, 17);
    fixture.run();
    EXPECT_EQ(fixture.input(0), 16);
  }
  EXPECT_EQ(fixture.status().messages, 80);
  EXPECT_EQ(fixture.port->totals().pending_lost, 0);
}

TEST(PortQueue, AFloodWaitsInTheInboxOfFramesInRealTime) {
  constexpr int kSent = 1000;
  for (const bool paced : {true, false}) {
    PortFixture fixture;
    fixture.paced = paced;
    fixture.subscribe("a");
    fixture.set_up(0, 0, 1024);
    fixture.grant(99);
    for (int i = 1; i <= kSent; ++i) ASSERT_TRUE(fixture.message(0, 0, {double(i)}));
    const int at_most = paced ? static_cast<int>(Pending::kTakenPerFrame) : kSent;
    for (int seen = 0; seen < kSent;) {
      fixture.run();
      seen = std::min(seen + at_most, kSent);
      ASSERT_EQ(fixture.input(0), seen);
    }
    EXPECT_EQ(fixture.status().messages, kSent);
    EXPECT_EQ(fixture.status().messages_late, paced ? kSent - at_most : 0);
  }
}

TEST(PortQueue, ASubscriptionThatIsNotThereIsNoMessage) {
  PortFixture fixture;
  fixture.subscribe("a");
  fixture.set_up();
  fixture.message(1, 0, {5});
  fixture.message(0, 0, {6});
  fixture.run();
  EXPECT_EQ(fixture.status().messages, 1);
  EXPECT_EQ(fixture.input(0), 6);
}

TEST(PortInputs, AgesOfAnyStampDoNotOverflow) {
  const std::int64_t kFirst = INT64_MAX - 100 * kMs;
  for (const OnLate on_late : {OnLate::hold, OnLate::extrapolate}) {
    PortFixture fixture;
    fixture.subscribe("a").on_late = on_late;
    fixture.set_up(0, kFirst);
    fixture.grant(0);
    fixture.message(0, INT64_MIN + 1, {1});
    fixture.run();
    EXPECT_EQ(fixture.value<std::int64_t>("a.age"), INT64_MAX);
    fixture.message(0, INT64_MIN + 2, {2});
    fixture.message(0, INT64_MAX, {3});  // never due
    fixture.run();
    EXPECT_EQ(fixture.value<std::int64_t>("a.age"), INT64_MAX);
    EXPECT_EQ(fixture.value<std::int64_t>("a.messages"), 2);
  }
}

TEST(PortInputs, ALineOfFloatsStaysInsideOfRangesThatAreNoFloats) {
  PortFixture fixture;
  const executive::VariableRef ref = fixture.variable("m.f", TACTUS_FLOAT);
  fixture.variables.back().low = -0.6;
  fixture.variables.back().high = 0.6;
  fixture.subscribe("f", {ref}).on_late = OnLate::extrapolate;
  fixture.set_up();
  fixture.grant(1);
  const auto send = [&](std::int64_t stamp, float value) {
    std::byte* const slot = fixture.exchange->inbox.claim();
    const Incoming head{stamp, fixture.sequence++, 0};
    std::memcpy(slot, &head, sizeof head);
    std::memcpy(slot + sizeof head, &value, sizeof value);
    fixture.exchange->inbox.publish();
  };
  send(0, 0.1F);
  send(kMs, 0.5F);
  for (int i = 0; i < 4; ++i) fixture.run();
  EXPECT_LE(double(*static_cast<float*>(ref.data())), 0.6);
  EXPECT_GT(*static_cast<float*>(ref.data()), 0.599F);
  EXPECT_EQ(fixture.value<std::int32_t>("f.source"), 4);
}

/// What was said before a grant is there when the grant is seen.
TEST(PortThreads, WhoWaitsForAGrantFindsItsMessages) {
  constexpr std::int64_t kSteps = 2000;
  PortFixture fixture;
  fixture.settings.mode = LinkMode::follow;
  fixture.settings.delivery = Delivery::timestamp;
  fixture.subscribe("a");
  fixture.publish("x", {fixture.variable("m.x")});
  fixture.set_up();
  Exchange& exchange = *fixture.exchange;
  const rtsync::TimePoint<rtsync::MonotonicTime> deadline =
      rtsync::monotonic_now() + std::chrono::duration_cast<Nanoseconds>(std::chrono::seconds(50));
  std::thread participant([&] {
    for (std::int64_t step = 0; step < kSteps; ++step) {
      if (exchange.stepped.wait(static_cast<std::uint32_t>(step), rtsync::WaitMode::futex, deadline) !=
          rtsync::Gate::Result::open)
        return;
      if (exchange.steps_done.load() < step || (step > 0 && exchange.outbox.front() == nullptr)) return;
      if (step > 0) exchange.outbox.release();
      fixture.message(0, step * kMs, {static_cast<double>(step)});
      exchange.grant(step, rtsync::monotonic_now());
    }
  });
  std::int64_t wrong = 0;
  std::int64_t k = 0;
  for (; k < kSteps; ++k) {
    while (!fixture.port->may_begin(k, false) && rtsync::monotonic_now() < deadline) {
      const std::uint32_t seen = exchange.changed.value();
      if (!fixture.port->may_begin(k, false))
        (void)exchange.changed.wait(seen + 1, rtsync::WaitMode::futex, deadline);
    }
    if (!fixture.port->may_begin(k, false)) break;
    fixture.run();
    wrong += fixture.input(0) != static_cast<double>(k);
  }
  participant.join();
  EXPECT_EQ(k, kSteps);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(fixture.status().messages, kSteps);
  EXPECT_EQ(exchange.outgoing_lost, 0);
}

TEST(PortRt, NeverTouchesTheHeap) {
  if (!rtsync::HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  PortFixture fixture;
  fixture.settings.queue = 32;
  fixture.settings.max_late = Nanoseconds{2 * kMs};
  fixture.settings.max_consecutive_late = 4;
  fixture.settings.at_maximum = Action::freeze;
  fixture.subscribe("hold");
  fixture.subscribe("line").on_late = OnLate::extrapolate;
  Subscription& standard = fixture.subscribe("default");
  standard.on_late = OnLate::default_value;
  standard.default_block = PortFixture::block({9});
  standard.max_age = Nanoseconds{2 * kMs};
  standard.at_max_age = AtMaxAge::freeze;
  fixture.publish("out", {fixture.variable("m.x")});
  fixture.set_up();
  int frozen = 0;
  const rtsync::HeapWatch heap;
  std::uint64_t by_test = 0;
  for (std::int64_t k = 0; k < 10'000; ++k) {
    const std::uint64_t before = heap.calls();
    for (std::uint32_t s = 0; s < 3; ++s)
      if (k % (7 + s) < 5) fixture.message(s, (k + (k * 5 + s) % 11 - 3) * kMs, {double(k)});
    by_test += heap.calls() - before;
    if (k % 13 < 9) fixture.grant(k);
    frozen += fixture.run() == LinkVerdict::freeze;
    if (k % 100 == 0) {
      fixture.port->freeze("a test");
      fixture.port->unfreeze();
    }
    while (fixture.exchange->outbox.front() != nullptr && k % 50 == 0) fixture.exchange->outbox.release();
  }
  EXPECT_EQ(heap.calls() - by_test, 0U);
  EXPECT_GT(frozen, 100);
  EXPECT_GT(fixture.status().messages, 10'000);
  EXPECT_GT(fixture.status().messages_late, 100);
  EXPECT_GT(fixture.port->totals().too_old, 10);
}

}  // namespace
}  // namespace tactus::drivers::link::port_test
