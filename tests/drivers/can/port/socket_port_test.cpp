// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/port/socket_port.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "drivers/can/model/open_port.hpp"
#include "drivers/can/model/settings.hpp"
#include "rtsync/host/heap_watch.hpp"

namespace tactus::drivers::can::socket_port_test {
namespace {

using testing::HasSubstr;

/// A socket whose clock, queue and partner are the test's.
struct TestSocket final : CanSocket {
  int send(const CanFrame& frame) noexcept override {
    if (in_send) in_send();
    if (error != 0) return error;
    sent.push_back(frame.id);
    time += 5'000;
    return 0;
  }
  void receive(SocketEvent& event, std::int64_t) noexcept override {
    event.kind = SocketEvent::Kind::nothing;
    if (incoming.empty()) return;
    event = incoming.front();
    incoming.pop_front();
  }
  std::int64_t send_lead() const noexcept override { return lead; }
  int send_at(const CanFrame& frame, std::int64_t when) noexcept override {
    const int result = send(frame);
    if (result == 0) timed.emplace_back(frame.id, when);
    return result;
  }
  std::uint32_t dropped() const noexcept override { return drops; }
  std::int64_t now() noexcept override {
    if (in_now) std::exchange(in_now, nullptr)();
    return time;
  }
  void sleep_until(std::int64_t) noexcept override {}
  int restart() noexcept override {
    ++restarts;
    return restart_error;
  }
  bool rejoin() noexcept override {
    ++rejoins;
    return is_back;
  }

  bool is_back = false;
  int rejoins = 0;
  int restarts = 0, restart_error = 0;
  std::function<void()> in_send, in_now;
  std::int64_t time = 0, lead = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> timed;  // frames that the kernel was to send at a time
  int error = 0;
  std::uint32_t drops = 0;
  std::vector<std::uint32_t> sent;
  std::deque<SocketEvent> incoming;
};

CanFrame frame_of(std::uint32_t id) {
  CanFrame frame;
  frame.id = id;
  frame.length = 1;
  return frame;
}

class SocketPortTest : public testing::Test {
 protected:
  void make(const SocketPortSettings& settings, std::int64_t lead = 0) {
    auto socket = std::make_unique<TestSocket>();
    socket->lead = lead;
    socket_ = socket.get();
    port_ = std::make_unique<SocketPort>(std::move(socket), settings, false);
  }
  std::vector<PortEvent> all(bool delayed = false) {
    std::vector<PortEvent> events;
    PortEvent event;
    while (port_->receive(event, delayed)) events.push_back(event);
    return events;
  }
  void comes(SocketEvent::Kind kind, std::uint32_t id, std::int64_t stamp) {
    SocketEvent event;
    event.kind = kind;
    event.frame = frame_of(id);
    event.stamp = stamp;
    socket_->incoming.push_back(event);
    port_->step_receiver(0);
  }
  TestSocket* socket_ = nullptr;
  std::unique_ptr<SocketPort> port_;
};

TEST_F(SocketPortTest, SendsAtTheOffsetInTheFrame) {
  make({.queue = 8, .at = 400'000});
  socket_->time = 10'000'000;
  port_->begin(0, 1'000'000);
  EXPECT_EQ(port_->step_sender(), 10'050'000) << "it looks again soon: the frame's job has not ended";
  EXPECT_TRUE(port_->send(frame_of(1), 7, 400'000));
  EXPECT_TRUE(port_->send(frame_of(2), 8, 600'000));
  port_->handed();
  EXPECT_EQ(port_->step_sender(), 10'400'000);
  EXPECT_TRUE(socket_->sent.empty());
  socket_->time = 10'412'000;
  EXPECT_EQ(port_->step_sender(), 10'600'000);
  EXPECT_THAT(socket_->sent, testing::ElementsAre(1));
  socket_->time = 10'600'000;
  EXPECT_EQ(port_->step_sender(), 11'400'000) << "then in the next frame";
  const auto events = all();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, PortEvent::Kind::taken);
  EXPECT_EQ(events[0].tag, 7U);
  EXPECT_EQ(events[0].planned, 10'400'000);
  EXPECT_EQ(events[0].stamp, 10'417'000);
}

TEST_F(SocketPortTest, ItsSenderRestartsTheController) {
  make({});
  port_->restart();
  EXPECT_EQ(socket_->restarts, 0) << "not the thread of the frames";
  (void)port_->step_sender();
  (void)port_->step_sender();
  EXPECT_EQ(socket_->restarts, 1);
  EXPECT_TRUE(all().empty());
  socket_->restart_error = EBUSY;
  port_->restart();
  (void)port_->step_sender();
  EXPECT_TRUE(all().empty()) << "it is on the bus already";
  socket_->restart_error = EPERM;
  port_->restart();
  (void)port_->step_sender();
  const auto events = all();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, PortEvent::Kind::restart_failed);
  EXPECT_EQ(events[0].error, EPERM);
}

TEST_F(SocketPortTest, EchoesHaveNoTag) {
  make({});
  comes(SocketEvent::Kind::echo, 2, 50);
  const auto events = all();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, PortEvent::Kind::echo);
  EXPECT_EQ(events[0].tag, PortEvent::kNoTag);
  EXPECT_EQ(events[0].stamp, 50);
}

TEST_F(SocketPortTest, AFullQueueKeepsTheFrameOrDropsIt) {
  for (const bool retry : {true, false}) {
    make({.queue = 8, .retry = retry});
    port_->begin(0, 1'000'000);
    EXPECT_TRUE(port_->send(frame_of(1), 1, 0));
    EXPECT_TRUE(port_->send(frame_of(2), 2, 0));
    port_->handed();
    socket_->error = ENOBUFS;
    const std::int64_t next = port_->step_sender();
    if (retry) EXPECT_EQ(next, 1'000'000);
    (void)port_->step_sender();
    socket_->error = 0;
    (void)port_->step_sender();
    EXPECT_EQ(socket_->sent.size(), retry ? 2U : 0U);
    int full = 0;
    for (const PortEvent& each : all()) full += each.kind == PortEvent::Kind::full ? 1 : 0;
    EXPECT_EQ(full, retry ? 1 : 2) << "each frame counts once";
  }
}

TEST_F(SocketPortTest, AFullQueueIsTriedEachMillisecondOfALongFrame) {
  make({.queue = 8});
  port_->begin(0, 20'000'000);
  EXPECT_TRUE(port_->send(frame_of(1), 1, 0));
  port_->handed();
  socket_->error = ENOBUFS;
  EXPECT_EQ(port_->step_sender(), 1'000'000) << "a queue of 12 frames is empty long before the next frame";
}

TEST_F(SocketPortTest, AFrameThatCannotBeSentIsNamed) {
  make({.queue = 2});
  port_->begin(0, 1'000'000);
  EXPECT_TRUE(port_->send(frame_of(1), 5, 0));
  EXPECT_TRUE(port_->send(frame_of(1), 6, 0));
  EXPECT_FALSE(port_->send(frame_of(1), 7, 0)) << "the queue is full";
  socket_->error = ENETDOWN;
  (void)port_->step_sender();
  const auto events = all();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, PortEvent::Kind::failed);
  EXPECT_EQ(events[0].error, ENETDOWN);
  EXPECT_EQ(events[0].tag, 5U);
}

TEST_F(SocketPortTest, AnInterfaceIsDownAlsoIfItsSenderWasTheFirstThatSawIt) {
  for (const int error : {ENETDOWN, ENXIO}) {
    make({.queue = 2});
    socket_->time = 1'000;
    port_->begin(0, 1'000'000);
    EXPECT_TRUE(port_->send(frame_of(1), 5, 0));
    socket_->error = error;
    (void)port_->step_sender();
    port_->step_receiver(0);  // the kernel has told of it already
    auto events = all();
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].kind, PortEvent::Kind::failed);
    EXPECT_EQ(events[1].kind, PortEvent::Kind::status);
    EXPECT_EQ(events[1].status.state, BusState::down);
    comes(SocketEvent::Kind::echo, 1, 2'000);
    events = all();
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].status.state, BusState::active);
    port_->step_receiver(0);
    EXPECT_TRUE(all().empty()) << "it is up again, whatever was seen before";
  }
}

TEST_F(SocketPortTest, AnInterfaceThatWasUnpluggedIsUsedAgain) {
  make({.queue = 2});
  SocketEvent down;
  down.kind = SocketEvent::Kind::status;
  down.status.state = BusState::down;
  down.has_state = true;
  socket_->incoming.push_back(down);
  port_->step_receiver(0);
  port_->step_receiver(0);
  EXPECT_EQ(socket_->rejoins, 0) << "one that is down alone keeps its sockets";
  down.is_gone = true;
  socket_->incoming.push_back(down);
  for (int i = 0; i < 3; ++i) port_->step_receiver(0);
  EXPECT_EQ(socket_->rejoins, 2) << "as long as it is not back";
  socket_->is_back = true;
  for (int i = 0; i < 3; ++i) port_->step_receiver(0);
  EXPECT_EQ(socket_->rejoins, 3);
  (void)all();
  comes(SocketEvent::Kind::echo, 2, 50);
  const auto events = all();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].status.state, BusState::active);
  EXPECT_EQ(events[1].kind, PortEvent::Kind::echo);
  port_->begin(0, 1'000'000);
  EXPECT_TRUE(port_->send(frame_of(1), 5, 0));
  socket_->error = ENXIO;
  (void)port_->step_sender();
  port_->step_receiver(0);
  EXPECT_EQ(socket_->rejoins, 4) << "its sender was the first that saw it";
}

TEST_F(SocketPortTest, DeliversByTheTimeStamp) {
  make({});
  socket_->time = 5'000'000;
  port_->begin(0, 1'000'000);
  comes(SocketEvent::Kind::frame, 1, 5'000'000);
  comes(SocketEvent::Kind::frame, 2, 5'000'001);
  EXPECT_EQ(all(true).size(), 1U);
  socket_->time = 6'000'000;
  port_->begin(1'000'000, 1'000'000);
  EXPECT_EQ(all(true).size(), 1U);
  comes(SocketEvent::Kind::frame, 3, 6'000'001);
  EXPECT_EQ(all(false).size(), 1U) << "next_step takes what has come";
}

TEST_F(SocketPortTest, TheSlotIsWhereFramesBeginAtTheEarliest) {
  make({});
  socket_->time = 1'000'000;
  port_->begin(0, 1'000'000);
  for (int i = 1; i < 200; ++i) {
    socket_->time = 1'000'000 + i * 1'000'000LL + (i % 10 == 0 ? 2'000 : 60'000);
    port_->begin(0, 1'000'000);
    EXPECT_LE(port_->slot(), socket_->time) << i;
  }
  EXPECT_LT(port_->slot() - 200'000'000, 10'000) << "60 us late most of the time, but 2 us each tenth";
  socket_->time += 50'000'000;
  port_->begin(0, 1'000'000);
  EXPECT_EQ(port_->slot(), socket_->time) << "after a pause it begins anew";
}

TEST_F(SocketPortTest, TellsStatesAndLosses) {
  make({});
  SocketEvent event;
  event.kind = SocketEvent::Kind::status;
  event.has_state = event.has_counters = true;
  event.status = {BusState::passive, 128, 3};
  socket_->incoming.push_back(event);
  event.has_counters = false;
  event.status = {BusState::bus_off, 0, 0};
  socket_->incoming.push_back(event);
  event.kind = SocketEvent::Kind::restarted;
  socket_->incoming.push_back(event);
  for (int i = 0; i < 3; ++i) port_->step_receiver(0);
  socket_->drops = 12;
  port_->step_receiver(0);
  const auto events = all();
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0].kind, PortEvent::Kind::lost);
  EXPECT_EQ(events[0].count, 12U);
  EXPECT_EQ(events[1].status.transmit_errors, 128U);
  EXPECT_EQ(events[2].status.state, BusState::bus_off);
  EXPECT_EQ(events[2].status.transmit_errors, 128U) << "a frame without counters leaves them";
  EXPECT_EQ(events[3].kind, PortEvent::Kind::restarted);
  EXPECT_EQ(events[4].status.state, BusState::active);
}

TEST_F(SocketPortTest, AClosedPortSendsNothingThatWaits) {
  make({});
  port_->begin(0, 1'000'000);
  EXPECT_TRUE(port_->send(frame_of(1), 0, 0));
  port_->close();
  EXPECT_FALSE(port_->send(frame_of(2), 0, 0));
  (void)port_->step_sender();
  EXPECT_TRUE(socket_->sent.empty());
  EXPECT_EQ(port_->send_at_once(frame_of(3)), 0);
  EXPECT_THAT(socket_->sent, testing::ElementsAre(3));
}

TEST_F(SocketPortTest, WhatIsDiscardedIsNotSentAndCounted) {
  make({.queue = 4});
  port_->begin(0, 1'000'000);
  EXPECT_TRUE(port_->send(frame_of(1), 1, 0));
  EXPECT_TRUE(port_->send(frame_of(2), 2, 700'000));
  socket_->error = ENOBUFS;
  (void)port_->step_sender();  // 1 waits for room
  socket_->error = 0;
  EXPECT_TRUE(port_->send(frame_of(3), 3, 0));
  port_->discard();
  EXPECT_TRUE(port_->send(frame_of(4), 4, 0));
  port_->handed();
  socket_->time = 2'000'000;
  (void)port_->step_sender();
  EXPECT_THAT(socket_->sent, testing::ElementsAre(4));
  std::vector<std::uint32_t> discarded;
  for (const PortEvent& each : all())
    if (each.kind == PortEvent::Kind::discarded) discarded.push_back(each.tag);
  EXPECT_THAT(discarded, testing::UnorderedElementsAre(1, 2, 3));
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(port_->send(frame_of(5), 5, 0)) << "there is room again";
  EXPECT_FALSE(port_->send(frame_of(5), 5, 0));
}

TEST_F(SocketPortTest, SendsInTheOrderOfPlannedTimes) {
  make({.queue = 8});
  port_->begin(0, 1'000'000);
  EXPECT_TRUE(port_->send(frame_of(1), 1, 800'000));
  EXPECT_TRUE(port_->send(frame_of(2), 2, 200'000));
  EXPECT_TRUE(port_->send(frame_of(3), 3, 5'300'000));
  EXPECT_TRUE(port_->send(frame_of(4), 4, 200'000));
  port_->handed();
  EXPECT_EQ(port_->step_sender(), 200'000);
  socket_->time = 210'000;
  EXPECT_EQ(port_->step_sender(), 800'000);
  EXPECT_THAT(socket_->sent, testing::ElementsAre(2, 4));
  socket_->time = 800'000;
  EXPECT_EQ(port_->step_sender(), 1'500'000) << "then in the next frame, though 3 waits for a later one";
  EXPECT_THAT(socket_->sent, testing::ElementsAre(2, 4, 1));
}

TEST_F(SocketPortTest, AwakesForAMessageBeforeTheOthers) {
  make({.at = 400'000, .earliest_own = 100'000});
  port_->begin(0, 1'000'000);
  port_->handed();
  EXPECT_EQ(port_->step_sender(), 1'100'000);
  Settings settings;
  EXPECT_EQ(port_settings(settings).at, -1);
  settings.at = nanoseconds{300'000};
  settings.send.resize(3);
  settings.send[1].at = nanoseconds{0};
  settings.send[2].at = nanoseconds{700'000};
  EXPECT_EQ(port_settings(settings).at, 300'000);
  EXPECT_EQ(port_settings(settings).earliest_own, 0);
}

TEST_F(SocketPortTest, ALateFrameIsAwaited) {
  make({.at = 400'000});
  port_->begin(0, 1'000'000);
  port_->handed();
  socket_->time = 1'450'000;
  EXPECT_EQ(port_->step_sender(), 1'500'000) << "the next frame has not begun yet";
  socket_->time = 500'000'000;
  EXPECT_EQ(port_->step_sender(), 501'000'000) << "the rig stands";
}

TEST_F(SocketPortTest, SeesWhatIsHandedOverWhileItLooks) {
  make({.at = 400'000});
  port_->begin(0, 1'000'000);
  socket_->time = 500'000;
  socket_->in_now = [&] {  // it found nothing, and now the job comes
    EXPECT_TRUE(port_->send(frame_of(1), 1, 400'000));
    port_->handed();
  };
  EXPECT_LE(port_->step_sender(), 550'000);
}

TEST_F(SocketPortTest, AnEndWaitsForAFrameThatIsBeingSent) {
  make({});
  port_->begin(0, 1'000'000);
  EXPECT_TRUE(port_->send(frame_of(1), 0, 0));
  std::chrono::steady_clock::duration took{};
  socket_->in_send = [&] {  // as a signal on the sender's thread: nobody ends its call
    const auto begin = std::chrono::steady_clock::now();
    port_->close();
    took = std::chrono::steady_clock::now() - begin;
  };
  (void)port_->step_sender();
  EXPECT_GE(took, std::chrono::milliseconds(2));
  socket_->in_send = nullptr;
  const auto begin = std::chrono::steady_clock::now();
  port_->close();
  took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took, std::chrono::seconds(60)) << "and it ends";
}

TEST_F(SocketPortTest, AnEchoSaysThatTheInterfaceIsUp) {
  make({});
  SocketEvent down;
  down.kind = SocketEvent::Kind::status;
  down.has_state = true;
  down.status.state = BusState::down;
  down.stamp = 1'000;
  socket_->incoming.push_back(down);
  port_->step_receiver(0);
  comes(SocketEvent::Kind::echo, 1, 900);
  auto events = all();
  ASSERT_EQ(events.size(), 2U) << "this one is older";
  comes(SocketEvent::Kind::echo, 1, 2'000);
  events = all();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, PortEvent::Kind::status);
  EXPECT_EQ(events[0].status.state, BusState::active);
}

TEST_F(SocketPortTest, TouchesNoHeapInAFrame) {
  make({});
  socket_->sent.reserve(100);
  const rtsync::HeapWatch watch;
  PortEvent event;
  for (int i = 0; i < 10; ++i) {
    port_->begin(0, 1'000'000);
    while (port_->receive(event, false)) {
    }
    EXPECT_TRUE(port_->send(frame_of(1), 0, 0));
    port_->handed();
    (void)port_->step_sender();
  }
  EXPECT_EQ(watch.calls(), 0U);
}

TEST_F(SocketPortTest, HandsTheKernelWhatItSendsAtItsTime) {
  make({.queue = 8, .at = 400'000}, 300'000);
  EXPECT_TRUE(port_->is_timed_by_kernel());
  socket_->time = 10'000'000;
  port_->begin(0, 1'000'000);
  EXPECT_TRUE(port_->send(frame_of(1), 7, 400'000));
  EXPECT_TRUE(port_->send(frame_of(2), 8, 700'000));
  port_->handed();
  EXPECT_EQ(port_->step_sender(), 10'100'000) << "a little before its time";
  EXPECT_TRUE(socket_->sent.empty());
  socket_->time = 10'110'000;
  EXPECT_EQ(port_->step_sender(), 10'400'000);
  EXPECT_THAT(socket_->timed, testing::ElementsAre(std::pair(1U, 10'400'000)));
  socket_->time = 10'650'000;
  EXPECT_EQ(port_->step_sender(), 11'100'000) << "then in the next frame";
  EXPECT_THAT(socket_->timed, testing::ElementsAre(std::pair(1U, 10'400'000), std::pair(2U, 10'700'000)));
  const auto events = all();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].planned, 10'400'000);
  EXPECT_EQ(events[0].stamp, 10'400'000) << "the rig was not late: the rest is the kernel's and the bus's";
}

TEST_F(SocketPortTest, SendsAtOnceWhatIsLateForTheKernel) {
  make({.queue = 8}, 300'000);
  socket_->time = 10'000'000;
  port_->begin(0, 1'000'000);
  EXPECT_TRUE(port_->send(frame_of(1), 7, 400'000));
  port_->handed();
  socket_->time = 10'450'000;
  (void)port_->step_sender();
  EXPECT_TRUE(socket_->timed.empty());
  EXPECT_THAT(socket_->sent, testing::ElementsAre(1));
  const auto events = all();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].stamp - events[0].planned, 55'000) << "the rig's own lateness";
}

TEST_F(SocketPortTest, AFullQueueOfTheKernelKeepsAFrameWithItsTime) {
  make({.queue = 8}, 300'000);
  port_->begin(0, 1'000'000);
  EXPECT_TRUE(port_->send(frame_of(1), 7, 200'000));
  port_->handed();
  socket_->error = ENOBUFS;
  (void)port_->step_sender();
  EXPECT_TRUE(socket_->timed.empty());
  socket_->error = 0;
  (void)port_->step_sender();
  EXPECT_THAT(socket_->timed, testing::ElementsAre(std::pair(1U, 200'000)));
}

/// The kernel keeps what it has: safe values wait until all of it is out.
TEST_F(SocketPortTest, AnEndWaitsForWhatTheKernelHolds) {
  for (const std::int64_t lead : {std::int64_t{0}, std::int64_t{20'000'000}}) {
    make({.queue = 8}, lead);
    const auto begin = std::chrono::steady_clock::now();
    port_->close();
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (lead > 0) EXPECT_GE(waited, std::chrono::nanoseconds(lead));
  }
}

}  // namespace
}  // namespace tactus::drivers::can::socket_port_test
