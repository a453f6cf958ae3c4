// SPDX-License-Identifier: Apache-2.0
/// Ethernet controllers through the C API: a registry and two participants in this process.
#include <string>
#include <vector>

#include "tactus/silkit_ethernet.h"
#include "tests/drivers/silkit/api/support/simulation.hpp"

namespace tactus::test::silkit_ethernet_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Heard = Watched<std::vector<std::string>>;

void note(void* heard, const std::string& line) {
  static_cast<Heard*>(heard)->change([&](std::vector<std::string>& lines) { lines.push_back(line); });
}
void on_frame(void* heard, SilKit_EthernetController*, SilKit_EthernetFrameEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_EthernetFrameEvent);
  EXPECT_EQ(event->ethernetFrame->structHeader.version, TACTUS_SILKIT_VERSION_EthernetFrame);
  EXPECT_EQ(event->timestamp, TACTUS_SILKIT_NO_TIME);
  note(heard, std::string(event->direction == SilKit_Direction_Send ? "sent " : "got ") +
                  std::to_string(event->ethernetFrame->raw.size) + " " +
                  std::to_string(event->ethernetFrame->raw.data[0]));
}
void on_transmit(void* heard, SilKit_EthernetController*, SilKit_EthernetFrameTransmitEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_EthernetFrameTransmitEvent);
  note(heard, "status " + std::to_string(event->status) + (event->userContext == heard ? " mine" : ""));
}
void on_state(void* heard, SilKit_EthernetController*, SilKit_EthernetStateChangeEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_EthernetStateChangeEvent);
  note(heard, "state " + std::to_string(event->state));
}
void on_bitrate(void*, SilKit_EthernetController*, SilKit_EthernetBitrateChangeEvent*) {}

SilKit_EthernetController* controller_of(ParticipantHere& participant, Heard& heard, const char* network) {
  SilKit_EthernetController* made = nullptr;
  SilKit_HandlerId id = 7;
  ok(SilKit_EthernetController_Create(&made, participant.get(), "eth", network));
  ok(SilKit_EthernetController_AddFrameHandler(made, &heard, on_frame, SilKit_Direction_SendReceive, &id));
  EXPECT_EQ(id, 0U);
  ok(SilKit_EthernetController_AddFrameTransmitHandler(made, &heard, on_transmit,
                                                       SilKit_EthernetTransmitStatus_DefaultMask, &id));
  ok(SilKit_EthernetController_AddStateChangeHandler(made, &heard, on_state, &id));
  ok(SilKit_EthernetController_AddBitrateChangeHandler(made, &heard, on_bitrate, &id));
  return made;
}
void send(SilKit_EthernetController* controller, const std::vector<std::uint8_t>& raw, void* user) {
  SilKit_EthernetFrame frame = tactus_silkit_EthernetFrame();
  frame.raw = {raw.data(), raw.size()};
  ok(SilKit_EthernetController_SendFrame(controller, &frame, user));
}

TEST(SilkitEthernet, AFrameArrivesAndIsAcknowledged) {
  const RegistryHere registry;
  Heard sender;
  Heard receiver;
  ParticipantHere a(registry.uri(), "A", "EthernetControllers: [{Name: eth, Network: real}]");
  ParticipantHere b(registry.uri(), "B");
  controller_of(b, receiver, "real");
  SilKit_EthernetController* const eth = controller_of(a, sender, "not this one");
  send(eth, {9}, &sender);
  ok(SilKit_EthernetController_Activate(eth));
  for (std::size_t sent = 1; receiver.get().empty(); ++sent) {  // until the subscription has come
    send(eth, {5, 6}, &sender);
    ASSERT_TRUE(
        sender.wait([&](const std::vector<std::string>& lines) { return lines.size() == 2 + 2 * sent; }));
  }
  const std::vector<std::string> lines = sender.get();
  EXPECT_THAT(std::vector<std::string>(lines.begin(), lines.begin() + 4),
              ElementsAre("status 2 mine", "state 2", "sent 60 5", "status 1 mine"));
  EXPECT_EQ(receiver.get()[0], "got 60 5");
  ok(SilKit_EthernetController_Deactivate(eth));
  ASSERT_TRUE(sender.wait([](const std::vector<std::string>& all) { return all.back() == "state 0"; }));
}

TEST(SilkitEthernet, MistakesHaveTheirCodes) {
  const RegistryHere registry;
  Heard heard;
  ParticipantHere a(registry.uri(), "A");
  SilKit_EthernetController* eth = controller_of(a, heard, "net");
  SilKit_EthernetController* other = nullptr;
  EXPECT_EQ(SilKit_EthernetController_Create(&other, a.get(), "eth", "net"),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(SilKit_EthernetController_Create(&other, a.get(), "", "net"),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  SilKit_HandlerId id = 0;
  SilKit_EthernetFrame frame = tactus_silkit_EthernetFrame();
  frame.raw.size = 1;
  EXPECT_EQ(SilKit_EthernetController_SendFrame(eth, &frame, nullptr), SilKit_ReturnCode_BADPARAMETER);
  EXPECT_EQ(SilKit_EthernetController_RemoveFrameHandler(eth, 99), SilKit_ReturnCode_SUCCESS);
  EXPECT_EQ(SilKit_EthernetController_RemoveFrameTransmitHandler(eth, 99), SilKit_ReturnCode_SUCCESS);
  EXPECT_EQ(SilKit_EthernetController_RemoveStateChangeHandler(eth, 99), SilKit_ReturnCode_SUCCESS);
  EXPECT_EQ(SilKit_EthernetController_RemoveBitrateChangeHandler(eth, 99), SilKit_ReturnCode_SUCCESS);
  const auto refused = [](SilKit_ReturnCode code, const char* parameter) {
    EXPECT_EQ(code, SilKit_ReturnCode_BADPARAMETER) << parameter;
    EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr(std::string(parameter) + " must not be null"));
  };
  refused(SilKit_EthernetController_Create(nullptr, a.get(), "n", "net"), "outController");
  refused(SilKit_EthernetController_Create(&eth, nullptr, "n", "net"), "participant");
  refused(SilKit_EthernetController_Create(&eth, a.get(), nullptr, "net"), "name");
  refused(SilKit_EthernetController_Create(&eth, a.get(), "n", nullptr), "network");
  refused(SilKit_EthernetController_Activate(nullptr), "controller");
  refused(SilKit_EthernetController_Deactivate(nullptr), "controller");
  refused(SilKit_EthernetController_SendFrame(nullptr, &frame, nullptr), "controller");
  refused(SilKit_EthernetController_SendFrame(eth, nullptr, nullptr), "frame");
  refused(SilKit_EthernetController_AddFrameHandler(nullptr, nullptr, on_frame, 3, &id), "controller");
  refused(SilKit_EthernetController_AddFrameHandler(eth, nullptr, nullptr, 3, &id), "handler");
  refused(SilKit_EthernetController_AddFrameHandler(eth, nullptr, on_frame, 3, nullptr), "outHandlerId");
  refused(SilKit_EthernetController_AddFrameTransmitHandler(nullptr, nullptr, on_transmit, 1, &id),
          "controller");
  refused(SilKit_EthernetController_AddFrameTransmitHandler(eth, nullptr, nullptr, 1, &id), "handler");
  refused(SilKit_EthernetController_AddFrameTransmitHandler(eth, nullptr, on_transmit, 1, nullptr),
          "outHandlerId");
  refused(SilKit_EthernetController_AddStateChangeHandler(nullptr, nullptr, on_state, &id), "controller");
  refused(SilKit_EthernetController_AddStateChangeHandler(eth, nullptr, nullptr, &id), "handler");
  refused(SilKit_EthernetController_AddStateChangeHandler(eth, nullptr, on_state, nullptr), "outHandlerId");
  refused(SilKit_EthernetController_AddBitrateChangeHandler(nullptr, nullptr, on_bitrate, &id), "controller");
  refused(SilKit_EthernetController_AddBitrateChangeHandler(eth, nullptr, nullptr, &id), "handler");
  refused(SilKit_EthernetController_AddBitrateChangeHandler(eth, nullptr, on_bitrate, nullptr),
          "outHandlerId");
  refused(SilKit_EthernetController_RemoveFrameHandler(nullptr, 0), "controller");
  refused(SilKit_EthernetController_RemoveFrameTransmitHandler(nullptr, 0), "controller");
  refused(SilKit_EthernetController_RemoveStateChangeHandler(nullptr, 0), "controller");
  refused(SilKit_EthernetController_RemoveBitrateChangeHandler(nullptr, 0), "controller");
}

}  // namespace
}  // namespace tactus::test::silkit_ethernet_test
