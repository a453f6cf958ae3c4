// SPDX-License-Identifier: Apache-2.0
// What a configuration says of RPC and of bus controllers.
#include "drivers/silkit/api/service_settings.hpp"

#include <tactus/silkit_can.h>

#include <filesystem>

#include "drivers/silkit/api/configuration.hpp"
#include "tests/drivers/silkit/api/support/simulation.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::service_settings_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string complaint(const std::string& text) {
  try {
    (void)configuration_from_text(text);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(SilkitServiceSettings, AreReadByName) {
  const Configuration read = configuration_from_text(R"(
RpcClients:
- Name: c
  FunctionName: f
  Labels: [{Key: K, Value: V, Kind: Mandatory}, {Key: L, Value: W, Kind: Optional}]
RpcServers: [{Name: s, Channel: g}, {Name: t, RpcChannel: h}]
CanControllers: [{Name: can, Network: bus}, {Name: plain}]
EthernetControllers: [{Name: eth, Network: net}]
LinControllers: [{Name: lin, Network: doors}]
)");
  EXPECT_THAT(read.warnings, IsEmpty());
  const ServiceSettings* const client = settings_of(read.services.rpc_clients, "c");
  ASSERT_NE(client, nullptr);
  EXPECT_EQ(client->topic, "f");
  EXPECT_THAT(client->labels.value(),
              ElementsAre(Label{"K", "V", LabelKind::mandatory}, Label{"L", "W", LabelKind::optional}));
  EXPECT_EQ(settings_of(read.services.rpc_clients, "s"), nullptr);
  EXPECT_EQ(settings_of(read.services.rpc_servers, "s")->topic, "g");
  EXPECT_EQ(settings_of(read.services.rpc_servers, "t")->topic, "h");
  EXPECT_EQ(settings_of(read.services.rpc_servers, "t")->labels, std::nullopt);
  EXPECT_EQ(settings_of(read.services.can, "can")->network, "bus");
  EXPECT_EQ(settings_of(read.services.can, "plain")->network, std::nullopt);
  EXPECT_EQ(settings_of(read.services.ethernet, "eth")->network, "net");
  EXPECT_EQ(settings_of(read.services.lin, "lin")->network, "doors");
}

TEST(SilkitServiceSettings, WhatHasNoEffectOrIsUnknownIsSaid) {
  const Configuration read = configuration_from_text(R"(
CanControllers: [{Name: can, Replay: {UseTraceSource: t}, UseTraceSinks: [s], Netwrok: bus}]
)");
  EXPECT_THAT(read.warnings,
              ElementsAre(HasSubstr("CanControllers[0].Replay: has no effect with this library"),
                          HasSubstr("CanControllers[0].UseTraceSinks: has no effect with this library"),
                          HasSubstr("CanControllers[0].Netwrok: unknown key, ignored")));
  EXPECT_THAT(configuration_from_text("LinControllers: [{Name: lin, Replay: {UseTraceSource: t}}]").warnings,
              ElementsAre(HasSubstr("LinControllers[0].Replay: has no effect with this library")));
}

TEST(SilkitServiceSettings, MistakesAreRefusedWithTheirPlace) {
  EXPECT_THAT(complaint("RpcClients: 1"), HasSubstr("RpcClients: '1' is not a list"));
  EXPECT_THAT(complaint("RpcClients: [1]"), HasSubstr("RpcClients[0]: '1' is not a map"));
  EXPECT_THAT(complaint("RpcServers: [{FunctionName: f}]"), HasSubstr("RpcServers[0]: Name is missing"));
  EXPECT_THAT(complaint("RpcServers: [{Name: s, FunctionName: [f]}]"),
              HasSubstr("RpcServers[0].FunctionName: expected a text, found a list"));
  EXPECT_THAT(complaint("RpcServers: [{Name: s, Labels: [{Key: K, Value: V, Kind: Perhaps}]}]"),
              HasSubstr("RpcServers[0].Labels[0].Kind: 'Perhaps' is not one of Mandatory, Optional"));
  EXPECT_THAT(complaint("LinControllers: [{Network: n}]"), HasSubstr("LinControllers[0]: Name is missing"));
}

TEST(SilkitServiceSettings, ThatDifferFromTheCallAreSaidInTheLog) {
  const tactus::test::TempDir dir;
  tactus::test::RegistryHere registry;
  {
    tactus::test::ParticipantHere participant(
        registry.uri(), "P",
        "{Logging: {Sinks: [{Type: File, Level: Info, Format: Simple, LogName: '" + (dir / "log").string() +
            "'}]}, DataPublishers: [{Name: p, Topic: B}, {Name: same, Topic: A}], CanControllers: [{Name: c, "
            "Network: CAN2}]}");
    (void)participant.publisher("p", "A");
    (void)participant.publisher("same", "A");
    SilKit_CanController* controller = nullptr;
    tactus::test::ok(SilKit_CanController_Create(&controller, participant.get(), "c", "CAN1"));
  }
  std::string log;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    log += tactus::test::read_file(entry.path());
  EXPECT_THAT(log, HasSubstr("[info] [Participant] topic A of publisher p is B by configuration"));
  EXPECT_THAT(log,
              HasSubstr("[info] [Participant] network CAN1 of CAN controller c is CAN2 by configuration"));
  EXPECT_THAT(log, testing::Not(HasSubstr("publisher same")));
}

}  // namespace
}  // namespace tactus::silkit::service_settings_test
