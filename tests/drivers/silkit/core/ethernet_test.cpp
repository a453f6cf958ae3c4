// SPDX-License-Identifier: Apache-2.0
// Ethernet controllers: one participant among scripted ones.
#include "drivers/silkit/core/ethernet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::ethernet_test {
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

class EthernetNetwork : public testing::Test {
 protected:
  EthernetNetwork() {
    stage.join();
    q = stage.newcomer("Q");
    stage.take(q);
  }
  /// Notes everything it hears.
  EthernetController& controller(const std::string& name = "eth", const std::string& network = "net") {
    EthernetController& made = stage.engine().ethernet().create(name, network);
    made.frames.add(handler<EthernetFrameEvent>([this, name](const EthernetFrameEvent& event) {
      stage.note(name + (event.direction == Direction::send ? " sent " : " got ") +
                 std::to_string(event.raw.size()) + " " + text_of(event.raw).substr(0, 1) + " " +
                 at(event.time_ns) + (event.user == nullptr ? "" : " mine"));
    }));
    made.transmits.add(handler<EthernetTransmitEvent>([this, name](const EthernetTransmitEvent& event) {
      stage.note(name + " status " + std::to_string(static_cast<int>(event.status)) + " " +
                 at(event.time_ns) + (event.user == &stage ? " mine" : ""));
    }));
    made.states.add(handler<EthernetStateEvent>([this, name](const EthernetStateEvent& event) {
      stage.note(name + " state " + std::to_string(static_cast<int>(event.state)) + " " + at(event.time_ns));
    }));
    stage.run();
    return made;
  }
  void set(EthernetController& which, bool active) {
    stage.user([&](Engine& engine) { engine.ethernet().set_active(which, active); });
  }
  void send(EthernetController& from, const std::string& text) {
    stage.user([&](Engine& engine) { engine.ethernet().send(from, bytes_of(text), &stage); });
  }
  void q_listens() {
    stage.subscribe(q, {600, "net", std::string(message_type::kEthernetFrameEvent), 1});
    stage.take(q);
  }
  void frame_from_q(const std::string& text, std::int64_t time_ns = kNoTime) {
    const Bytes raw = bytes_of(text);
    stage.tell(q, message_type::kEthernetFrameEvent, EthernetFrameMessage{time_ns, raw, 2, 99}, "net");
  }

  Stage stage;
  PeerId q = 0;
};

TEST_F(EthernetNetwork, AControllerSubscribesToItsNetworkAndIsAnnounced) {
  controller();
  EXPECT_THAT(stage.take(q), ElementsAre("subscribe ETHERNETFRAMEEVENT net", "created eth"));
  const ServiceDescriptor& service = stage.services.at("eth");
  EXPECT_EQ(service.type, ServiceType::controller);
  EXPECT_EQ(service.network, "net");
  EXPECT_EQ(service.network_type, NetworkType::ethernet);
  EXPECT_EQ(service.attributes, (std::map<std::string, std::string>{{"controller.type", "Ethernet"}}));
}

TEST_F(EthernetNetwork, TheLinkIsUpWhileTheControllerIsActive) {
  EthernetController& one = controller();
  set(one, false);
  set(one, true);
  set(one, true);
  set(one, false);
  EXPECT_THAT(stage.heard(), ElementsAre("eth state 2 never", "eth state 0 never"));
}

TEST_F(EthernetNetwork, AFrameGoesToTheOthersAndIsToldAndAcknowledgedAtHome) {
  EthernetController& one = controller();
  set(one, true);
  q_listens();
  stage.heard();
  send(one, std::string(61, 'a'));
  EXPECT_THAT(stage.take(q), ElementsAre("ethernet 61 never"));
  EXPECT_THAT(stage.heard(), ElementsAre("eth sent 61 a never mine", "eth status 1 never mine"));
}

TEST_F(EthernetNetwork, AShortFrameIsPaddedBothWays) {
  EthernetController& one = controller();
  set(one, true);
  q_listens();
  stage.heard();
  send(one, "a");
  EXPECT_THAT(stage.take(q), ElementsAre("ethernet 60 never"));
  EXPECT_THAT(stage.heard(), ElementsAre("eth sent 60 a never mine", "eth status 1 never mine"));
  frame_from_q("b");
  EXPECT_THAT(stage.heard(), ElementsAre("eth got 60 b never"));
}

TEST_F(EthernetNetwork, AnInactiveControllerSendsNothingAndSaysSoButHears) {
  EthernetController& one = controller();
  q_listens();
  send(one, "a");
  EXPECT_THAT(stage.take(q), IsEmpty());
  EXPECT_THAT(stage.heard(), ElementsAre("eth status 2 never mine"));
  frame_from_q("b");
  EXPECT_THAT(stage.heard(), ElementsAre("eth got 60 b never"));
}

TEST_F(EthernetNetwork, ControllersOfOneParticipantHearEachOther) {
  EthernetController& one = controller("one");
  controller("two");
  controller("far", "other");
  set(one, true);
  stage.heard();
  send(one, "a");
  EXPECT_THAT(stage.heard(),
              ElementsAre("two got 60 a never", "one sent 60 a never mine", "one status 1 never mine"));
}

TEST_F(EthernetNetwork, NamesAreNeitherEmptyNorTaken) {
  controller("eth");
  EXPECT_THROW(controller("eth", "other"), Refusal);
  EXPECT_THROW(controller(""), Refusal);
}

TEST_F(EthernetNetwork, AFrameThatIsCutOffIsRefused) {
  controller();
  EXPECT_THROW(stage.tell_body(q, message_type::kEthernetFrameEvent, bytes_of("short"), "net"), WireError);
}

TEST_F(EthernetNetwork, FramesOfAStepCarryItsTimeAndComeBeforeItsEnd) {
  stage.time_sync_of(q);
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  stage.start();
  EthernetController& one = controller();
  set(one, true);
  q_listens();
  stage.heard();
  bool again = true;
  one.transmits.add(handler<EthernetTransmitEvent>([&](const EthernetTransmitEvent&) {
    if (std::exchange(again, false)) stage.engine().ethernet().send(one, bytes_of("b"), nullptr);
  }));
  stage.inside = [&](std::string_view) {
    stage.inside = nullptr;
    stage.engine().ethernet().send(one, bytes_of("a"), nullptr);
  };
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.take(q), ElementsAre("ethernet 60 0", "ethernet 60 0", "next 1000000 1000000"));
}

}  // namespace
}  // namespace tactus::silkit::ethernet_test
