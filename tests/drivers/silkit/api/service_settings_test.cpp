// What a configuration says of RPC and of bus controllers.
#include "drivers/silkit/api/service_settings.hpp"

#include "drivers/silkit/api/configuration.hpp"

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
              HasSubstr("RpcServers[0].FunctionName: a list is not a text"));
  EXPECT_THAT(complaint("RpcServers: [{Name: s, Labels: [{Key: K, Value: V, Kind: Perhaps}]}]"),
              HasSubstr("RpcServers[0].Labels[0].Kind: 'Perhaps' is not one of Mandatory, Optional"));
  EXPECT_THAT(complaint("RpcServers: [{Name: s, Labels: [{Value: V, Kind: Optional}]}]"),
              HasSubstr("a label needs Key, Value, and Kind"));
  EXPECT_THAT(complaint("LinControllers: [{Network: n}]"), HasSubstr("LinControllers[0]: Name is missing"));
}

}  // namespace
}  // namespace tactus::silkit::service_settings_test
