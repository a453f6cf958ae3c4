// SPDX-License-Identifier: Apache-2.0
/// A virtual bus beside a real one, in the frames.
#include "drivers/link/can_bridge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/link/port/port_fixture.hpp"

namespace tactus::drivers::link::can_bridge_test {
namespace {

using can::PortEvent;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A station whose bus is a hand.
class HandPort final : public can::Port {
 public:
  HandPort() { sent.reserve(1000); }
  void begin(std::int64_t sim_time, std::int64_t) TACTUS_RT override { now = sim_time; }
  bool receive(PortEvent& event, bool) TACTUS_RT override {
    if (next == events.size()) return false;
    event = events[next++];
    return true;
  }
  bool send(const can::CanFrame& frame, std::uint32_t, std::int64_t offset) TACTUS_RT override {
    if (is_full || sent.size() == sent.capacity()) return false;
    sent.emplace_back(frame.id, now + offset);
    return true;
  }
  void handed() TACTUS_RT override { ++handed_over; }
  int send_at_once(const can::CanFrame&) TACTUS_RT override { return 0; }
  void close() TACTUS_RT override {}

  void carry(std::uint32_t id, PortEvent::Kind kind = PortEvent::Kind::received) {
    PortEvent& event = events.emplace_back();
    event.kind = kind;
    event.frame.id = id;
    event.count = 3;
  }
  std::vector<PortEvent> events{};
  std::size_t next = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> sent{};  // id, when it is due
  int handed_over = 0;
  std::int64_t now = -1;
  bool is_full = false;
};

class HandBus final : public can::SharedBus {
 public:
  const std::string& interface() const override { return name; }
  std::vector<can::BusMessage> messages(const std::string&) const override { return {}; }
  can::Port& join() override { return port; }
  bool carries_fd() const override { return true; }
  bool keeps_when_full() const TACTUS_RT override { return keeps; }
  bool keeps = true;
  std::string name = "hand";
  HandPort port;
};

class CanBridge : public ::testing::Test {
 protected:
  CanBridge() {
    fixture.settings.mode = LinkMode::follow;
    fixture.settings.delivery = Delivery::next_step;
    CanNetwork& made = fixture.signals.networks.emplace_back();
    made.name = made.network = "body";
    made.bus = &bus;
    made.to_virtual.let_all();
    made.to_virtual.refuse({0x50, 0x5F, false});
    made.to_real.let_all();
  }
  void set_up(std::int64_t first = 0, std::int64_t first_virtual_ns = 0) {
    fixture.set_up(first, first_virtual_ns);
    fixture.port->open_buses();
    fixture.grant(1000);
  }
  bool from_peer(std::uint32_t id, std::int64_t stamp_ns) {
    std::byte* const slot = fixture.exchange->inbox.claim();
    if (slot == nullptr) return false;
    const Incoming head{stamp_ns, fixture.sequence++,
                        static_cast<std::uint32_t>(fixture.signals.subscriptions.size())};
    can::CanFrame frame;
    frame.id = id;
    std::memcpy(slot, &head, sizeof head);
    std::memcpy(slot + sizeof head, &frame, sizeof frame);
    fixture.exchange->inbox.publish();
    return true;
  }
  /// Identifiers of the frames for the peers, with the step that sends them.
  std::vector<std::pair<std::uint32_t, std::int64_t>> for_peers() {
    std::vector<std::pair<std::uint32_t, std::int64_t>> all;
    while (const std::byte* const record = fixture.exchange->can_outbox.front()) {
      OutgoingCan out;
      std::memcpy(static_cast<void*>(&out), record, sizeof out);
      all.emplace_back(out.frame.id, out.step);
      fixture.exchange->can_outbox.release();
    }
    return all;
  }
  HandBus bus;
  PortFixture fixture;
};

TEST_F(CanBridge, SendsWhatTheBusCarriedBeforeAFrameWithTheStepOfThatFrame) {
  set_up();
  (void)fixture.run();
  bus.port.carry(0x10);
  bus.port.carry(0x55);  // refused
  bus.port.carry(0x11);
  (void)fixture.run();
  EXPECT_THAT(for_peers(), ElementsAre(std::pair(0x10U, 1), std::pair(0x11U, 1)));
  EXPECT_EQ(fixture.value<std::int64_t>("body.to_virtual"), 2);
  (void)fixture.run();
  EXPECT_THAT(for_peers(), IsEmpty());
}

TEST_F(CanBridge, GivesAFrameOfAPeerToTheBusInTheFrameThatASignalOfItsTimeHas) {
  fixture.settings.delivery = Delivery::timestamp;
  set_up(7, 0);  // frame 7 is virtual time 0
  ASSERT_TRUE(from_peer(0x22, 2 * kMs));
  ASSERT_TRUE(from_peer(0x21, 1 * kMs));
  (void)fixture.run();
  EXPECT_THAT(bus.port.sent, IsEmpty());
  (void)fixture.run();
  EXPECT_THAT(bus.port.sent, ElementsAre(std::pair(0x21U, 8 * kMs))) << "due at the beginning of frame 8";
  (void)fixture.run();
  EXPECT_THAT(bus.port.sent, ElementsAre(std::pair(0x21U, 8 * kMs), std::pair(0x22U, 9 * kMs)));
  EXPECT_EQ(bus.port.handed_over, 3) << "once a frame";
}

TEST_F(CanBridge, WaitsForTheStepAfterTheStamp) {
  set_up();
  ASSERT_TRUE(from_peer(0x21, 0));
  (void)fixture.run();
  EXPECT_THAT(bus.port.sent, IsEmpty());
  (void)fixture.run();
  EXPECT_EQ(bus.port.sent.size(), 1U);
  EXPECT_EQ(fixture.value<std::int64_t>("messages"), 1);
  EXPECT_EQ(fixture.value<std::int64_t>("messages_late"), 0);
}

TEST_F(CanBridge, KeepsTheOrderOfAPeerAmongSignals) {
  fixture.subscribe("target");
  set_up();
  ASSERT_TRUE(from_peer(3, 0));
  ASSERT_TRUE(fixture.message(0, 0, {4.5}));
  ASSERT_TRUE(from_peer(1, 0));
  ASSERT_TRUE(from_peer(2, 0));
  (void)fixture.run();
  (void)fixture.run();
  EXPECT_THAT(bus.port.sent, ElementsAre(std::pair(3U, kMs), std::pair(1U, kMs), std::pair(2U, kMs)));
  EXPECT_EQ(fixture.input(0), 4.5);
}

TEST_F(CanBridge, TakesNothingBackThatItGave) {
  set_up();
  bus.port.carry(0x21, PortEvent::Kind::taken);
  bus.port.carry(0x21, PortEvent::Kind::echo);
  (void)fixture.run();
  EXPECT_THAT(for_peers(), IsEmpty());
}

TEST_F(CanBridge, CountsWhatFindsNoRoom) {
  set_up();
  (void)fixture.run();
  bus.port.is_full = true;
  ASSERT_TRUE(from_peer(0x21, 0));
  bus.port.carry(0, PortEvent::Kind::lost);  // three
  (void)fixture.run();
  (void)fixture.run();
  EXPECT_EQ(fixture.value<std::int64_t>("body.lost"), 4);
  EXPECT_EQ(fixture.value<std::int64_t>("body.to_real"), 0);
  const std::size_t room = fixture.exchange->can_outbox.capacity();
  for (std::size_t i = 0; i < room + 5; ++i) bus.port.carry(0x10);
  (void)fixture.run();
  EXPECT_EQ(for_peers().size(), room);
  EXPECT_EQ(fixture.value<std::int64_t>("body.lost"), 9);
}

TEST_F(CanBridge, ThrowsAwayWhatCameBeforeTheFirstFrame) {
  set_up();
  for (int i = 0; i < 5000; ++i) bus.port.carry(0x10);
  bus.port.carry(0, PortEvent::Kind::lost);
  (void)fixture.run();
  EXPECT_THAT(for_peers(), IsEmpty());
  EXPECT_EQ(fixture.value<std::int64_t>("body.lost"), 0);
  bus.port.carry(0x11);
  (void)fixture.run();
  EXPECT_THAT(for_peers(), ElementsAre(std::pair(0x11U, 1)));
}

TEST_F(CanBridge, ThrowsAwayWhatCameInAPause) {
  set_up();
  ASSERT_TRUE(from_peer(0x21, 0));
  (void)fixture.run();
  (void)fixture.run();
  fixture.port->freeze("");
  for (int i = 0; i < 5000; ++i) bus.port.carry(0x10);
  bus.port.carry(0x21, PortEvent::Kind::failed);
  fixture.port->unfreeze();
  (void)fixture.run();
  EXPECT_THAT(for_peers(), IsEmpty());
  EXPECT_EQ(fixture.value<std::int64_t>("body.to_virtual"), 0);
  EXPECT_EQ(fixture.value<std::int64_t>("body.lost"), 1)
      << "what became of a frame of a peer counts all the same";
}

TEST_F(CanBridge, CountsAFrameThatAFullControllerDrops) {
  bus.keeps = false;
  set_up();
  ASSERT_TRUE(from_peer(0x21, 0));
  (void)fixture.run();
  (void)fixture.run();
  EXPECT_EQ(fixture.value<std::int64_t>("body.to_real"), 1);
  bus.port.carry(0x21, PortEvent::Kind::full);
  (void)fixture.run();
  EXPECT_EQ(fixture.value<std::int64_t>("body.to_real"), 0);
  EXPECT_EQ(fixture.value<std::int64_t>("body.lost"), 1);
  bus.keeps = true;
  bus.port.carry(0x21, PortEvent::Kind::full);
  (void)fixture.run();
  EXPECT_EQ(fixture.value<std::int64_t>("body.lost"), 1) << "with retry it is kept";
}

TEST_F(CanBridge, ShowsWhatTheParticipantLost) {
  set_up();
  fixture.exchange->can[0].lost = 2;
  (void)fixture.run();
  EXPECT_EQ(fixture.value<std::int64_t>("body.lost"), 2);
  EXPECT_EQ(fixture.exchange->can[0].lost_in_frames, 0) << "counted once in the summary";
}

TEST_F(CanBridge, HasRoomForAFullBusInAllStepsThatMayWait) {
  EXPECT_GE(Exchange::can_room(64, 1'000'000), 64U * 21) << "47 bits at 1 Mbit/s";
  EXPECT_GE(Exchange::can_room(64, 10'000'000), 64U * 210);
  EXPECT_EQ(Exchange::can_room(1024, 10'000), 1024U * 8) << "a step is shorter than a frame";
  EXPECT_EQ(Exchange::can_room(1024, 10'000'000'000), 65'536U);
  EXPECT_EQ(Exchange::can_room(65'536, 1'000'000), 65'536U * 8);
}

TEST_F(CanBridge, SendsPeersNothingThatAreNotThere) {
  set_up();
  fixture.exchange->federation = Federation::left;
  bus.port.carry(0x10);
  (void)fixture.run();
  EXPECT_THAT(for_peers(), IsEmpty());
  EXPECT_EQ(bus.port.next, 1U) << "and the station does not fill up";
}

TEST_F(CanBridge, ShowsTheStateOfItsController) {
  set_up();
  fixture.exchange->can[0].state = 2;
  fixture.exchange->can[0].error_state = 3;
  (void)fixture.run();
  EXPECT_EQ(fixture.value<std::int32_t>("body.state"), 2);
  EXPECT_EQ(fixture.value<std::int32_t>("body.error_state"), 3);
}

TEST_F(CanBridge, NeitherAllocatesNorFrees) {
  set_up();
  for (int i = 0; i < 100; ++i) bus.port.carry(0x10);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(from_peer(0x21, 0));
  if (!rtsync::HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  const rtsync::HeapWatch heap;
  for (int k = 0; k < 5; ++k) (void)fixture.run();
  EXPECT_EQ(heap.calls(), 0U);
  EXPECT_EQ(bus.port.sent.size(), 50U);
}

}  // namespace
}  // namespace tactus::drivers::link::can_bridge_test
