// SPDX-License-Identifier: Apache-2.0
// CAN controllers: one participant among scripted ones.
#include "drivers/silkit/core/can.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::can_test {
namespace {

using test::at;
using test::bytes_of;
using test::handler;
using test::kMs;
using test::Stage;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CanBus : public testing::Test {
 protected:
  CanBus() {
    stage.join();
    q = stage.newcomer("Q");
    stage.take(q);
  }
  /// Notes everything it hears.
  CanController& controller(const std::string& name = "can", const std::string& network = "bus") {
    CanController& made = can().create(name, network);
    made.frames.add(handler<CanFrameEvent>([this, name](const CanFrameEvent& event) {
      stage.note(name + (event.direction == Direction::send ? " sent " : " got ") +
                 std::to_string(event.frame.id) + " " + text_of(event.frame.data) + " " + at(event.time_ns) +
                 (event.user == nullptr ? "" : " mine"));
    }));
    made.transmits.add(handler<CanTransmitEvent>([this, name](const CanTransmitEvent& event) {
      stage.note(name + " transmitted " + std::to_string(event.id) + " " + at(event.time_ns) +
                 (event.user == &stage ? " mine" : ""));
    }));
    made.states.add(handler<CanStateEvent>([this, name](const CanStateEvent& event) {
      stage.note(name + " state " + std::to_string(static_cast<int>(event.state)) + " " + at(event.time_ns));
    }));
    stage.run();
    return made;
  }
  void set(CanController& which, CanState state) {
    stage.user([&](Engine& engine) { engine.can().set_state(which, state); });
  }
  void send(CanController& from, std::uint32_t id, const std::string& text) {
    const CanFrame frame{id, 0x1000, 9, 1, 2, 3, bytes_of(text)};
    stage.user([&](Engine& engine) { engine.can().send(from, frame, &stage); });
  }
  void q_listens(const std::string& network = "bus") {
    stage.subscribe(q, {600, network, std::string(message_type::kCanFrameEvent), 1});
    stage.take(q);
  }
  void frame_from_q(std::uint32_t id, const std::string& text, std::int64_t time_ns = kNoTime,
                    const std::string& network = "bus", Direction direction = Direction::receive) {
    const Bytes data = bytes_of(text);
    stage.tell(q, message_type::kCanFrameEvent,
               CanFrameMessage{time_ns, {id, 0, 0, 0, 0, 0, data}, static_cast<std::uint8_t>(direction), 99},
               network);
  }
  Can& can() { return stage.engine().can(); }

  Stage stage;
  PeerId q = 0;
};

TEST_F(CanBus, AControllerSubscribesToItsNetworkAndIsAnnounced) {
  controller("can", "bus");
  EXPECT_THAT(stage.take(q), ElementsAre("subscribe CANFRAMEEVENT bus", "created can"));
  const ServiceDescriptor& service = stage.services.at("can");
  EXPECT_EQ(service.type, ServiceType::controller);
  EXPECT_EQ(service.network, "bus");
  EXPECT_EQ(service.network_type, NetworkType::can);
  EXPECT_EQ(service.attributes, (std::map<std::string, std::string>{{"controller.type", "CAN"}}));
  controller("second", "bus");
  EXPECT_THAT(stage.take(q), ElementsAre("created second"));
}

TEST_F(CanBus, ThePeersKnowOfAControllerOnceTheyHaveAcknowledgedIt) {
  EXPECT_TRUE(stage.engine().peers_know_services());
  test::PeerTraits slow;
  slow.acknowledges = false;
  const PeerId r = stage.newcomer("R", slow);
  const PeerId s = stage.newcomer("S", slow);
  controller("can", "bus");
  EXPECT_FALSE(stage.engine().peers_know_services());
  stage.release(r);
  EXPECT_FALSE(stage.engine().peers_know_services()) << "S has not";
  stage.leaves(s);
  EXPECT_TRUE(stage.engine().peers_know_services());
}

TEST_F(CanBus, StatesFollowTheCallsAndAreToldWhenTheyChange) {
  CanController& one = controller();
  EXPECT_EQ(one.state, CanState::uninit);
  set(one, CanState::uninit);
  EXPECT_THAT(stage.heard(), IsEmpty());
  for (const CanState state : {CanState::started, CanState::started, CanState::sleep, CanState::stopped})
    set(one, state);
  EXPECT_THAT(stage.heard(), ElementsAre("can state 2 never", "can state 3 never", "can state 1 never"));
}

TEST_F(CanBus, AFrameGoesToTheOthersAndIsToldAndAcknowledgedAtHome) {
  CanController& one = controller();
  set(one, CanState::started);
  q_listens();
  stage.heard();
  send(one, 17, "data");
  EXPECT_THAT(stage.take(q), ElementsAre("can 17 data never"));
  EXPECT_THAT(stage.heard(), ElementsAre("can sent 17 data never mine", "can transmitted 17 never mine"));
}

TEST_F(CanBus, OfAControllerThatIsNotStartedNothingIsSent) {
  CanController& one = controller();
  q_listens();
  send(one, 17, "data");
  EXPECT_THAT(stage.take(q), IsEmpty());
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_THAT(stage.journal.back(), HasSubstr("CAN controller can is not started: a frame was not sent"));
}

TEST_F(CanBus, AFrameOfAPeerIsHeardInEveryState) {
  controller();
  frame_from_q(5, "hello");
  EXPECT_THAT(stage.heard(), ElementsAre("can got 5 hello never"));
}

TEST_F(CanBus, EveryMemberOfAFrameArrives) {
  CanController& one = controller("can", "bus");
  set(one, CanState::started);
  CanFrame seen;
  one.frames.add(handler<CanFrameEvent>([&](const CanFrameEvent& event) { seen = event.frame; }));
  const Bytes data = bytes_of("0123");
  stage.tell(q, message_type::kCanFrameEvent, CanFrameMessage{1, {2, 3, 4, 5, 6, 7, data}, 2, 8}, "bus");
  EXPECT_EQ(seen.id, 2U);
  EXPECT_EQ(seen.flags, 3U);
  EXPECT_EQ(seen.dlc, 4U);
  EXPECT_EQ(seen.sdt, 5U);
  EXPECT_EQ(seen.vcid, 6U);
  EXPECT_EQ(seen.af, 7U);
  EXPECT_EQ(seen.data, data);
}

TEST_F(CanBus, ControllersOfOneParticipantHearEachOther) {
  CanController& one = controller("one", "bus");
  controller("two", "bus");
  controller("far", "other bus");
  set(one, CanState::started);
  stage.heard();
  send(one, 1, "x");
  EXPECT_THAT(stage.heard(),
              ElementsAre("two got 1 x never", "one sent 1 x never mine", "one transmitted 1 never mine"));
  frame_from_q(2, "y");
  EXPECT_THAT(stage.heard(), ElementsAre("one got 2 y never", "two got 2 y never"));
}

TEST_F(CanBus, HandlersTakeWhatTheirMaskHas) {
  CanController& one = can().create("can", "bus");
  const auto note = [this](const std::string& who) {
    return handler<CanFrameEvent>([this, who](const CanFrameEvent&) { stage.note(who); });
  };
  EXPECT_EQ(one.frames.add(note("receive"), 2), 0U);
  EXPECT_EQ(one.frames.add(note("send"), 1), 1U);
  EXPECT_EQ(one.frames.add(note("both"), 3), 2U);
  EXPECT_EQ(one.transmits.add(
                handler<CanTransmitEvent>([this](const CanTransmitEvent&) { stage.note("cancel"); }), 2),
            0U);
  set(one, CanState::started);
  send(one, 1, "x");
  EXPECT_THAT(stage.heard(), ElementsAre("send", "both"));
  frame_from_q(1, "x");
  EXPECT_THAT(stage.heard(), ElementsAre("receive", "both"));
  EXPECT_TRUE(one.frames.remove(2));
  EXPECT_FALSE(one.frames.remove(2));
  frame_from_q(1, "x");
  EXPECT_THAT(stage.heard(), ElementsAre("receive"));
}

TEST_F(CanBus, AHandlerThatIsRemovedBeforeItsTurnIsNotCalled) {
  CanController& one = controller();
  set(one, CanState::started);
  stage.heard();
  stage.engine().can().send(one, {}, nullptr);
  one.frames.remove(0);
  one.transmits.remove(0);
  stage.run();
  EXPECT_THAT(stage.heard(), IsEmpty());
}

TEST_F(CanBus, ASimulatedNetworkIsSaidNotToBeFollowed) {
  controller("can", "bus");
  ServiceDescriptor simulated;
  simulated.type = ServiceType::link;
  simulated.network = "bus";
  simulated.network_type = NetworkType::can;
  simulated.name = "bus";
  stage.service_of(q, simulated);
  EXPECT_THAT(stage.journal.back(), HasSubstr("participant Q simulates the CAN network bus"));
}

TEST_F(CanBus, NamesAreNeitherEmptyNorTaken) {
  controller("can");
  EXPECT_THROW(controller("can", "other"), Refusal);
  EXPECT_THROW(controller(""), Refusal);
}

TEST_F(CanBus, AFrameThatIsCutOffIsRefused) {
  controller();
  EXPECT_THROW(stage.tell_body(q, message_type::kCanFrameEvent, bytes_of("short"), "bus"), WireError);
}

class CanTime : public CanBus {
 protected:
  CanTime() {
    stage.time_sync_of(q);
    stage.lifecycle(OperationMode::autonomous);
    stage.time_sync();
    stage.start();
    stage.heard();
    stage.take(q);
  }
};

TEST_F(CanTime, FramesCarryTheTimeOfTheStepAndTheStepEndsBehindWhatTheyCause) {
  CanController& one = controller();
  set(one, CanState::started);
  q_listens();
  stage.heard();
  one.transmits.add(handler<CanTransmitEvent>([&](const CanTransmitEvent& event) {
    if (event.id < 3) can().send(one, {event.id + 1, 0, 0, 0, 0, 0, bytes_of("on")}, nullptr);
  }));
  stage.inside = [&](std::string_view) {
    stage.inside = nullptr;
    can().send(one, {1, 0, 0, 0, 0, 0, bytes_of("first")}, nullptr);
  };
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.take(q),
              ElementsAre("can 1 first 0", "can 2 on 0", "can 3 on 0", "next 1000000 1000000"));
}

TEST_F(CanTime, AFrameWithoutATimeGetsThatOfTheStepInWhichItIsHeard) {
  controller();
  stage.next(q, 0, kMs);
  stage.next(q, kMs, kMs);
  stage.heard();
  frame_from_q(1, "x");
  frame_from_q(2, "y", 5);
  EXPECT_THAT(stage.heard(), ElementsAre("can got 1 x 1000000", "can got 2 y 5"));
}

}  // namespace
}  // namespace tactus::silkit::can_test
