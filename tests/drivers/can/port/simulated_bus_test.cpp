// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/port/simulated_bus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace tactus::drivers::can::simulated_bus_test {
namespace {

using testing::ElementsAre;

CanFrame frame_of(std::uint32_t id, unsigned length = 8, bool extended = false) {
  CanFrame frame;
  frame.id = id;
  frame.length = static_cast<std::uint8_t>(length);
  frame.extended = extended;
  return frame;
}

class SimulatedBusTest : public testing::Test {
 protected:
  SimulatedBusTest() : bus_(std::make_shared<SimulatedBus>(BitRates{500'000, 0})) {
    a_ = bus_->join({500'000, 0}, 10);
    b_ = bus_->join({500'000, 0}, 10);
  }
  static std::vector<PortEvent> all(SimulatedPort& port) {
    std::vector<PortEvent> events;
    PortEvent event;
    while (port.receive(event, false)) events.push_back(event);
    return events;
  }
  std::shared_ptr<SimulatedBus> bus_;
  std::unique_ptr<SimulatedPort> a_, b_;
};

TEST_F(SimulatedBusTest, TheMostImportantFrameThatWaitsIsNext) {
  a_->begin(0, 1'000'000);
  b_->begin(0, 1'000'000);
  EXPECT_TRUE(a_->send(frame_of(0x300), 1, 0));
  EXPECT_TRUE(a_->send(frame_of(0x200), 2, 1'000));
  EXPECT_TRUE(b_->send(frame_of(0x100), 3, 2'000));
  EXPECT_TRUE(b_->send(frame_of(0x100 << 18U, 8, true), 4, 2'000));
  b_->begin(2'000'000, 1'000'000);
  const auto seen = all(*b_);
  std::vector<std::uint32_t> ids;
  std::vector<std::int64_t> stamps;
  for (const PortEvent& each : seen)
    if (each.kind == PortEvent::Kind::received || each.kind == PortEvent::Kind::echo) {
      ids.push_back(each.frame.id);
      stamps.push_back(each.stamp);
    }
  EXPECT_THAT(ids, ElementsAre(0x300, 0x100, 0x100 << 18U, 0x200)) << "what has begun is not stopped";
  EXPECT_THAT(stamps, ElementsAre(270'000, 540'000, 860'000, 1'130'000)) << "135 bits, 160 with 29-bit ids";
  const auto own = all(*a_);
  ASSERT_EQ(own.size(), 6U) << "two of its own, taken and sent, and two of the other";
  EXPECT_EQ(own[0].kind, PortEvent::Kind::taken);
  EXPECT_EQ(own[0].tag, 1U);
  EXPECT_EQ(own[0].planned, 0);
  EXPECT_EQ(own[1].kind, PortEvent::Kind::echo);
}

TEST_F(SimulatedBusTest, AFrameComesWithTheFirstOneAfterItsEnd) {
  a_->begin(0, 1'000'000);
  EXPECT_TRUE(a_->send(frame_of(1), 0, 800'000));
  b_->begin(1'000'000, 1'000'000);
  EXPECT_TRUE(all(*b_).empty()) << "it takes 270 us";
  b_->begin(2'000'000, 1'000'000);
  ASSERT_EQ(all(*b_).size(), 1U);
}

TEST_F(SimulatedBusTest, AFullQueueRefuses) {
  a_->begin(0, 1'000'000);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_TRUE(a_->send(frame_of(i), i, 0)) << i;
  EXPECT_FALSE(a_->send(frame_of(10), 10, 0));
  a_->begin(1'000'000, 1'000'000);
  EXPECT_TRUE(a_->send(frame_of(10), 10, 0));
}

TEST_F(SimulatedBusTest, AResetEmptiesIt) {
  a_->begin(5'000'000, 1'000'000);
  EXPECT_TRUE(a_->send(frame_of(1), 0, 0));
  a_->begin(0, 1'000'000);
  b_->begin(10'000'000, 1'000'000);
  EXPECT_TRUE(all(*b_).empty());
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_TRUE(a_->send(frame_of(i), i, 0)) << "no place is lost";
}

TEST_F(SimulatedBusTest, AStationThatLeavesTakesItsFramesAlong) {
  a_->begin(0, 1'000'000);
  EXPECT_TRUE(a_->send(frame_of(1), 0, 2'000'000));
  b_->begin(1'000'000, 1'000'000);
  a_.reset();
  b_->begin(9'000'000, 1'000'000);
  EXPECT_TRUE(all(*b_).empty());
}

TEST_F(SimulatedBusTest, WhatFindsNoRoomIsCounted) {
  auto c = bus_->join({500'000, 0}, 1000);
  std::uint64_t lost = 0, received = 0;
  for (int i = 0; i < 6; ++i) {
    c->begin(i * 1'000'000'000LL, 1'000'000);
    for (std::uint32_t k = 0; k < 1000; ++k) EXPECT_TRUE(c->send(frame_of(k, 0), k, 0));
  }
  c->begin(9'000'000'000LL, 1'000'000);
  for (const PortEvent& each : all(*b_)) {
    received += each.kind == PortEvent::Kind::received ? 1 : 0;
    lost += each.kind == PortEvent::Kind::lost ? each.count : 0;
  }
  EXPECT_EQ(received + lost, 6000U);
  EXPECT_GT(lost, 1000U);
}

TEST_F(SimulatedBusTest, HasOneBitRate) {
  EXPECT_THROW((void)bus_->join({250'000, 0}, 10), std::runtime_error);
  const auto one = SimulatedBus::named("simulated:x", {500'000, 0});
  EXPECT_EQ(SimulatedBus::named("simulated:x", {500'000, 0}), one);
  EXPECT_NE(SimulatedBus::named("simulated:y", {500'000, 0}), one);
}

}  // namespace
}  // namespace tactus::drivers::can::simulated_bus_test
