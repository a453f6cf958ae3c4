// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/configuration.hpp"

#include <string>

#include "config/document.hpp"
#include "config/place.hpp"
#include "tests/drivers/silkit/api/support/simulation.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::configuration_test {
namespace {

using namespace std::chrono_literals;
using test::Config;
using test::ok;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string problems_of(const std::string& text) {
  try {
    (void)configuration_from_text(text);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kEverything = R"(
$schema: ./schema.json
SchemaVersion: 1
Description: all of it
ParticipantName: Plant
Middleware:
  RegistryUri: silkit://localhost:1234
  ConnectAttempts: 3
  ConnectTimeoutSeconds: 2.5
  EnableDomainSockets: false
  AcceptorUris: ["tcp://127.0.0.1:0", "local:///tmp/plant.sock"]
  TcpNoDelay: false
  TcpQuickAck: true
  TcpSendBufferSize: 4096
  TcpReceiveBufferSize: 8192
  RegistryAsFallbackProxy: false
  ExperimentalRemoteParticipantConnection: false
Logging:
  Sinks:
    - { Type: Stdout, Level: Off, Format: Json }
    - { Type: File, Level: Trace, LogName: run, Format: Simple }
  FlushLevel: Critical
  LogFromRemotes: false
HealthCheck: { SoftResponseTimeout: 500, HardResponseTimeout: 5000 }
DataPublishers:
  - Name: P
    Topic: Speed
    Labels: [{ Key: K, Value: V, Kind: Mandatory }, { Key: L, Value: "", Kind: Optional }]
    History: 1
DataSubscribers:
  - { Name: S, Topic: Torque }
Experimental:
  TimeSynchronization: { AnimationFactor: 0.5, EnableMessageAggregation: Auto, DynamicSimulationStep: true }
  Metrics: { Sinks: [], CollectFromRemote: false, UpdateInterval: 1 }
Tactus:
  IoThread: { Cpus: "0-1", Policy: rr, Priority: 42 }
  MaxQueuedBytes: 1048576
  HostTimeoutSeconds: 12
  SharedMemory: false
)";

TEST(SilkitConfiguration, HasItsDefaultsWhenEmpty) {
  for (const char* text : {"", " \n\t\n", "# nothing but this\n", "{}"}) {
    const Configuration read = configuration_from_text(text);
    EXPECT_EQ(read.participant, "");
    EXPECT_FALSE(read.registry_uri);
    EXPECT_EQ(read.mesh.connect_attempts, 1);
    EXPECT_EQ(read.mesh.connect_timeout, 5s);
    EXPECT_TRUE(read.mesh.domain_sockets);
    EXPECT_THAT(read.mesh.acceptors, IsEmpty());
    EXPECT_TRUE(read.mesh.remote_connect);
    EXPECT_TRUE(read.mesh.registry_relays);
    EXPECT_TRUE(read.mesh.sockets.no_delay);
    EXPECT_FALSE(read.mesh.sockets.quick_ack);
    EXPECT_FALSE(read.mesh.sockets.send_buffer);
    EXPECT_EQ(read.mesh.sockets.host_timeout, 0s);
    EXPECT_THAT(read.logging.sinks, IsEmpty());
    EXPECT_FALSE(read.soft_timeout);
    EXPECT_FALSE(read.dynamic_step);
    EXPECT_EQ(read.json, "{}");
    EXPECT_THAT(read.warnings, IsEmpty());
  }
}

TEST(SilkitConfiguration, TakesEveryKey) {
  const Configuration read = configuration_from_text(kEverything);
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_EQ(read.participant, "Plant");
  EXPECT_EQ(read.registry_uri, "silkit://localhost:1234");
  EXPECT_EQ(read.mesh.connect_attempts, 3);
  EXPECT_EQ(read.mesh.connect_timeout, 2500ms);
  EXPECT_FALSE(read.mesh.domain_sockets);
  EXPECT_THAT(read.mesh.acceptors, ElementsAre("tcp://127.0.0.1:0", "local:///tmp/plant.sock"));
  EXPECT_FALSE(read.mesh.remote_connect);
  EXPECT_FALSE(read.mesh.registry_relays);
  EXPECT_FALSE(read.mesh.sockets.no_delay);
  EXPECT_TRUE(read.mesh.sockets.quick_ack);
  EXPECT_EQ(read.mesh.sockets.send_buffer, 4096);
  EXPECT_EQ(read.mesh.sockets.receive_buffer, 8192);
  EXPECT_EQ(read.mesh.backlog.bytes, 1048576U);
  EXPECT_EQ(read.mesh.sockets.host_timeout, 12s);
  EXPECT_FALSE(read.mesh.shared_memory);
  EXPECT_EQ(read.mesh.io_thread.cpus.text(), "0-1");
  EXPECT_EQ(read.mesh.io_thread.policy, rtsync::SchedPolicy::rr);
  EXPECT_EQ(read.mesh.io_thread.priority, 42);
  ASSERT_EQ(read.logging.sinks.size(), 2U);
  EXPECT_EQ(read.logging.sinks[0].type, SinkSettings::Type::standard_output);
  EXPECT_EQ(read.logging.sinks[0].level, kLevelOff);
  EXPECT_TRUE(read.logging.sinks[0].json);
  EXPECT_EQ(read.logging.sinks[1].type, SinkSettings::Type::file);
  EXPECT_EQ(read.logging.sinks[1].level, 0U);
  EXPECT_EQ(read.logging.sinks[1].name, "run");
  EXPECT_EQ(read.logging.flush_level, 5U);
  EXPECT_EQ(read.soft_timeout, 500ms);
  EXPECT_EQ(read.hard_timeout, 5000ms);
  ASSERT_EQ(read.publishers.size(), 1U);
  EXPECT_EQ(read.publishers[0].name, "P");
  EXPECT_EQ(read.publishers[0].topic, "Speed");
  EXPECT_EQ(read.publishers[0].labels,
            (Labels{{"K", "V", LabelKind::mandatory}, {"L", "", LabelKind::optional}}));
  EXPECT_EQ(read.publishers[0].history, true);
  ASSERT_EQ(read.subscribers.size(), 1U);
  EXPECT_EQ(read.subscribers[0].topic, "Torque");
  EXPECT_FALSE(read.subscribers[0].labels);
  EXPECT_EQ(read.animation_factor, 0.5);
  EXPECT_EQ(read.dynamic_step, true);
}

TEST(SilkitConfiguration, JsonReadsBackTheSame) {
  const Configuration read = configuration_from_text(kEverything);
  const Configuration again = configuration_from_text(read.json);
  EXPECT_EQ(again.json, read.json);
  EXPECT_EQ(again.mesh.connect_timeout, 2500ms);
  EXPECT_EQ(again.publishers[0].labels, read.publishers[0].labels);
  EXPECT_EQ(
      configuration_from_text("Description: \"1\\n\\u0001\\\"\\\\\"\nParticipantName: 007\n$schema: 1e2")
          .json,
      R"({"Description":"1\n\u0001\"\\","ParticipantName":"007","$schema":1e2})");
  const struct {
    const char* yaml;
    const char* json;
  } rows[] = {
      {"\"\\N\\_\\x7f\"", "\"\\u0085\xC2\xA0\\u007f\""},
      {"Fr\xC3\xBC"
       "h \xF0\x9F\x98\x80",
       "\"Fr\xC3\xBC"
       "h \xF0\x9F\x98\x80\""},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"-1.50E+3", "-1.50E+3"},
      {"+1", R"("+1")"},
      {"1.", R"("1.")"},
      {".5", R"(".5")"},
      {"0x10", R"("0x10")"},
      {"'1'", R"("1")"},
      {"true", "true"},
      {"'true'", R"("true")"},
      {"True", "true"},
      {"FALSE", "false"},
      {"'True'", R"("True")"},
      {"~", "null"},
  };
  for (const auto& row : rows) {
    const std::string json = configuration_from_text(std::string("Description: ") + row.yaml).json;
    EXPECT_EQ(json, std::string("{\"Description\":") + row.json + "}") << row.yaml;
    EXPECT_EQ(configuration_from_text(json).json, json) << row.yaml;
  }
}

TEST(SilkitConfiguration, WrongValuesAreSaidWithPlaceValueAndWhatIsAllowed) {
  tactus::test::Snapshot texts;
  for (const char* const text : {
           "ParticipantName: [A]",
           "Middleware: here",
           "Middleware: {RegistryUri: 'http://x'}",
           "Middleware: {ConnectAttempts: 0}",
           "Middleware: {ConnectAttempts: 1.5}",
           "Middleware: {ConnectTimeoutSeconds: soon}",
           "Middleware: {ConnectTimeoutSeconds: -1}",
           "Middleware: {EnableDomainSockets: perhaps}",
           "Middleware: {AcceptorUris: 'tcp://x:1'}",
           "Middleware: {TcpNoDelay: 2}",
           "Middleware: {TcpSendBufferSize: -2}",
           "Middleware: {TcpReceiveBufferSize: 1e3}",
           "Logging: {Sinks: {Type: Stdout}}",
           "Logging: {Sinks: [{Type: Printer}]}",
           "Logging: {Sinks: [{Level: info}]}",
           "Logging: {Sinks: [{Format: Xml}]}",
           "Logging: {Sinks: [{Type: File}]}",
           "Logging: {FlushLevel: 3}",
           "HealthCheck: {SoftResponseTimeout: 0}",
           "HealthCheck: {HardResponseTimeout: 5 s}",
           "DataPublishers: [{Topic: T}]",
           "DataPublishers: [{Name: P, History: -1}]",
           "DataSubscribers: [{Name: P, History: 1}]",
           "FlushLevel: Info",
           "Logging: {Sinks: [{Type: Stdout, EnabledTopics: [User]}]}",
           "Logging: {Sinks: [{Experimental: {EnabledTopics: [Cars]}}]}",
           "Logging: {Sinks: [{Type: Stdout}, {Type: Stdout}]}",
           "Logging: {Sinks: [{Type: File, LogName: a}, {Type: File, LogName: a}]}",
           "SchemaVersion: 2",
           "CanControllers: [{Network: N}]",
           "CanControllers: [{Name: C, Replay: [{UseTraceSource: S}]}]",
           "RpcClients: [{Name: C, Channel: A, FunctionName: A}]",
           "FlexRayControllers: []\nFlexrayControllers: []",
           "Experimental: {Metrics: {CollectFromRemote: true, Sinks: [{Type: Remote}]}}",
           "Experimental: {Metrics: {Sinks: [{Name: M}]}}",
           "DataPublishers: [{Name: P}, {Name: P, Topic: T}]",
           "DataSubscribers: [{Name: S, Labels: [{Key: K, Kind: Must}]}]",
           "Experimental: {TimeSynchronization: {AnimationFactor: -1}}",
           "Experimental: {TimeSynchronization: {EnableMessageAggregation: Yes}}",
           "Experimental: {TimeSynchronization: {DynamicSimulationStep: 7}}",
           "Tactus: {IoThread: {Cpus: all}}",
           "Tactus: {IoThread: {Policy: FIFO}}",
           "Tactus: {IoThread: {Policy: fifo, Priority: 100}}",
           "Tactus: {IoThread: {Policy: fifo}}",
           "Tactus: {IoThread: {Priority: 5}}",
           "Tactus: {HostTimeoutSeconds: 86401}",
           "Tactus: {MaxQueuedBytes: 0}",
           "ParticipantName: A\nParticipantName: B",
       })
    texts.add(problems_of(text), text);
  EXPECT_THAT(problems_of("Middleware: {"), HasSubstr("1:")) << "the library of YAML says the rest";
}

TEST(SilkitConfiguration, SaysEveryProblemInOneGo) {
  const std::string said = problems_of("Middleware: {TcpNoDelay: x, ConnectAttempts: y}\nHealthCheck: z");
  EXPECT_THAT(said, HasSubstr("TcpNoDelay"));
  EXPECT_THAT(said, HasSubstr("ConnectAttempts"));
  EXPECT_THAT(said, HasSubstr("HealthCheck"));
}

TEST(SilkitConfiguration, UnknownKeysAndThoseWithoutEffectAreWarnedOf) {
  const Configuration read = configuration_from_text(
      "participantname: A\nMiddleware: {RegistryURI: x}\nIncludes: {Filez: []}\n"
      "DataSubscribers: [{Name: S, UseTraceSinks: [T]}, {Name: R, UseTraceSinks: [T]}]\n"
      "Tracing: {TraceSinks: [{Name: T}]}\nDataPublishers: [{Name: P}, {Name: P}]");
  tactus::test::Snapshot texts;
  for (const std::string& warning : read.warnings) texts.add(warning);
  EXPECT_EQ(read.participant, "");
  EXPECT_EQ(read.publishers.size(), 1U);
}

TEST(SilkitConfiguration, TakesWhatSilKitTakes) {
  const Configuration read = configuration_from_text(R"(---
schemaVersion: 1
Middleware:
  EnableDomainSockets: FALSE
  TcpQuickAck: True
  TcpSendBufferSize: -1
  AcceptorUris: ["silkit://localhost:0", any text]
Logging:
  Sinks:
    - Level: Debug
    - Type: File
      LogName: a
    - Type: Stdout
      Experimental: { EnabledTopics: [lifecycle, User], DisabledTopics: [TimeSync] }
  LogFromRemotes: TRUE
DataPublishers: [{ Name: P, History: 2 }]
RpcServers: [{ Name: S, FunctionName: F, Labels: [{ Key: K, Value: V, Kind: Optional }] }]
RpcClients: [{ Name: C, RpcChannel: G }, { Name: D, Channel: H }]
CanControllers: [{ Name: C1, Network: CAN1 }, { Name: C2 }]
LinControllers: [{ Name: L }]
EthernetControllers: [{ Name: E }]
FlexRayControllers: [{ Name: F, ClusterParameters: { gMacroPerCycle: 1 } }]
)");
  EXPECT_FALSE(read.mesh.domain_sockets);
  EXPECT_TRUE(read.mesh.sockets.quick_ack);
  EXPECT_FALSE(read.mesh.sockets.send_buffer);
  EXPECT_EQ(read.mesh.acceptors.size(), 2U);
  EXPECT_TRUE(read.logging.from_remotes);
  ASSERT_EQ(read.logging.sinks.size(), 3U);
  EXPECT_EQ(read.logging.sinks[0].type, SinkSettings::Type::remote);
  EXPECT_EQ(read.logging.sinks[0].level, 1U);
  EXPECT_TRUE(read.logging.sinks[1].json) << "a file, unless it is to be Simple";
  EXPECT_FALSE(read.logging.sinks[2].json);
  EXPECT_EQ(read.logging.sinks[2].enabled, (std::vector{LogTopic::life_cycle, LogTopic::user}));
  EXPECT_EQ(read.logging.sinks[2].disabled, std::vector{LogTopic::time_sync});
  ASSERT_EQ(read.publishers.size(), 1U);
  EXPECT_EQ(read.publishers[0].history, 2);
  ASSERT_EQ(read.services.rpc_servers.size(), 1U);
  EXPECT_EQ(read.services.rpc_servers[0].topic, "F");
  EXPECT_EQ(read.services.rpc_servers[0].labels, (Labels{{"K", "V", LabelKind::optional}}));
  ASSERT_EQ(read.services.rpc_clients.size(), 2U);
  EXPECT_EQ(read.services.rpc_clients[0].topic, "G");
  EXPECT_EQ(read.services.rpc_clients[1].topic, "H");
  ASSERT_EQ(read.services.can.size(), 2U);
  EXPECT_EQ(read.services.can[0].network, "CAN1");
  EXPECT_FALSE(read.services.can[1].network);
  EXPECT_EQ(read.services.lin.size() + read.services.ethernet.size() + read.services.flexray.size(), 3U);
}

TEST(SilkitConfiguration, ALabelIsOptionalUnlessItSaysMoreAndMayLackKeyAndValue) {
  const Configuration read = configuration_from_text(
      "DataPublishers: [{Name: P, Labels: [{Key: K, Value: V}, {Value: W, Kind: Mandatory}, {Key: L}, {}]}]");
  ASSERT_EQ(read.publishers.size(), 1U);
  EXPECT_EQ(read.publishers[0].labels, (Labels{{"K", "V", LabelKind::optional},
                                               {"", "W", LabelKind::mandatory},
                                               {"L", "", LabelKind::optional},
                                               {"", "", LabelKind::optional}}));
}

/// docs/silkit.md lists them.
TEST(SilkitConfiguration, SomeValuesAreRefusedThatSilKitTakes) {
  for (const char* const text :
       {"Middleware: {ConnectAttempts: 0}", "Middleware: {ConnectAttempts: -1}",
        "Middleware: {ConnectAttempts: 0x10}", "Middleware: {ConnectTimeoutSeconds: -1}",
        "Middleware: {ConnectTimeoutSeconds: 86401}",
        "Experimental: {TimeSynchronization: {AnimationFactor: -1}}",
        "Experimental: {Metrics: {UpdateInterval: -1}}", "HealthCheck: {SoftResponseTimeout: 0}",
        "HealthCheck: {HardResponseTimeout: -1}", "Middleware: {TcpSendBufferSize: 0}",
        "Logging: {Sinks: [{Type: File, LogName: ''}]}", "DataPublishers: [{Name: ''}]",
        "CanControllers: [{Name: ''}]", "Middleware: {RegistryUri: foo}", "ParticipantName: [A]",
        "RpcServers: [{Name: S, FunctionName: A}, {Name: S, FunctionName: B}]"})
    EXPECT_THROW((void)configuration_from_text(text), config::ConfigError) << text;
}

TEST(SilkitConfiguration, SomeValuesAreTakenThatSilKitRefuses) {
  for (const char* const text :
       {"Middleware: {EnableDomainSockets: yes}", "Middleware: {EnableDomainSockets: no}",
        "Middleware: {EnableDomainSockets: on}", "Middleware: {EnableDomainSockets: off}",
        "Middleware: {EnableDomainSockets: 'true'}", "Middleware: {ConnectAttempts: }",
        "FlexrayControllers: [{Name: F, ClusterParameters: {gMacroPerCycle: many}}]",
        "CanControllers: [{Name: C, Replay: {UseTraceSource: S, Direction: Up}}]",
        "Tracing: {TraceSinks: [{Name: S, Type: Other}], TraceSources: [{Foo: 1}]}"})
    EXPECT_NO_THROW((void)configuration_from_text(text)) << text;
}

TEST(SilkitConfiguration, OfARegistryWinsOverTheOneThatNamesIt) {
  const test::TempDir dir;
  const std::string file = dir.write("registry.yaml",
                                     "ListenUri: silkit://127.0.0.1:7\nEnableDomainSockets: false\nLogging: "
                                     "{Sinks: [{Type: File, Level: Debug, LogName: a}], FlushLevel: Warn}\n"
                                     "Tactus: {MaxQueuedBytes: 5}\nDashboardUri: http://x:1\n");
  const std::string text =
      "Logging: {Sinks: [{Type: Stdout}]}\nTactus: {MaxQueuedBytes: 4, LogToStderr: true, "
      "RegistryConfiguration: '" +
      file + "'}";
  const Configuration read = configuration_from_text(text);
  EXPECT_EQ(read.registry_uri, "silkit://127.0.0.1:7");
  EXPECT_FALSE(read.mesh.domain_sockets);
  EXPECT_EQ(read.mesh.backlog.bytes, 5U);
  EXPECT_EQ(read.logging.flush_level, 3U);
  EXPECT_TRUE(read.logging.to_stderr);
  ASSERT_EQ(read.logging.sinks.size(), 1U);
  EXPECT_EQ(read.logging.sinks[0].name, "a");
  ASSERT_EQ(read.warnings.size(), 1U);
  EXPECT_THAT(read.warnings[0], HasSubstr("registry.yaml:5:1: DashboardUri: has no effect"));
  dir.write("registry.yaml", "");
  EXPECT_EQ(configuration_from_text(text).logging.sinks[0].type, SinkSettings::Type::standard_output);
}

TEST(SilkitConfiguration, ANameThatIsNoTextIsNotMissingToo) {
  for (const char* const text :
       {"DataPublishers: [{Name: [a], Topic: t}]", "CanControllers: [{Name: {a: b}, Network: n}]"}) {
    const std::string problems = problems_of(text);
    EXPECT_THAT(problems, HasSubstr("[0].Name: expected a text, found a ")) << text;
    EXPECT_EQ(problems.find("is missing"), std::string::npos) << problems;
  }
  for (const char* const text : {"DataPublishers: [{Topic: t}]", "CanControllers: [{Name: , Network: n}]"})
    EXPECT_THAT(problems_of(text), HasSubstr("[0]: Name is missing; add the name")) << text;
}

TEST(SilkitConfiguration, OfARegistryIsFoundBesideTheFileThatNamesIt) {
  const test::TempDir dir;
  (void)dir.write("here/named-beside.yaml", "ListenUri: silkit://127.0.0.1:7\n");
  const std::string file =
      dir.write("here/participant.yaml", "Tactus: { RegistryConfiguration: named-beside.yaml }\n");
  EXPECT_EQ(configuration_from_file(file).registry_uri, "silkit://127.0.0.1:7");
  const std::string other = dir.write("other.yaml", "Includes: { Files: ['" + file + "'] }\n");
  EXPECT_EQ(configuration_from_file(other).registry_uri, "silkit://127.0.0.1:7")
      << "beside the one that names it, whoever includes that";
  EXPECT_THAT(problems_of("Tactus: { RegistryConfiguration: named-beside.yaml }"),
              HasSubstr("named-beside.yaml:1:1: cannot be opened"));
}

TEST(SilkitConfiguration, HistoryIsCheckedWhenAPublisherIsMade) {
  const test::RegistryHere registry;
  test::ParticipantHere a(registry.uri(), "A", "DataPublishers: [{Name: P, History: 2}]");
  SilKit_DataPublisher* publisher = nullptr;
  SilKit_DataSpec spec = tactus_silkit_DataSpec();
  spec.topic = "T";
  spec.mediaType = "";
  EXPECT_EQ(SilKit_DataPublisher_Create(&publisher, a.get(), "P", &spec, 0),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr("history: 2 is outside 0 .. 1"));
  EXPECT_EQ(SilKit_DataPublisher_Create(&publisher, a.get(), "Q", &spec, 0), SilKit_ReturnCode_SUCCESS);
}

TEST(SilkitConfiguration, ParticipantsListenAtUrisOfEveryScheme) {
  const test::RegistryHere registry;
  const test::ParticipantHere a(registry.uri(), "A", "Middleware: {AcceptorUris: ['silkit://127.0.0.1:0']}");
  const test::ParticipantHere b(registry.uri(), "B", "Middleware: {EnableDomainSockets: false}");
  SilKit_ParticipantConfiguration* bad = nullptr;
  ok(SilKit_ParticipantConfiguration_FromString(&bad, "Middleware: {AcceptorUris: [not one]}"));
  SilKit_Participant* none = nullptr;
  EXPECT_EQ(SilKit_Participant_Create(&none, bad, "C", registry.uri().c_str()),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr("Middleware.AcceptorUris: the URI 'not one'"));
  ok(SilKit_ParticipantConfiguration_Destroy(bad));
}

TEST(SilkitConfiguration, WarningsGoToStderrWhenItIsMade) {
  testing::internal::CaptureStderr();
  const Config config("NoSuchKey: 1");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("configuration:1:1: NoSuchKey: unknown key, ignored"));
}

TEST(SilkitConfiguration, KeysWithNothingBehindThemAreAsGoodAsNone) {
  const Configuration read = configuration_from_text("ParticipantName:\nMiddleware:\nLogging: {Sinks: }\n");
  EXPECT_EQ(read.participant, "");
  EXPECT_THAT(read.warnings, IsEmpty());
}

TEST(SilkitConfiguration, ShortTimeoutsAreMadeLongEnough) {
  EXPECT_EQ(configuration_from_text("Middleware: {ConnectTimeoutSeconds: 0}").mesh.connect_timeout, 100ms);
}

TEST(SilkitConfiguration, IsReadFromRegularFilesOnly) {
  const test::TempDir dir;
  EXPECT_EQ(configuration_from_file(dir.write("good.json", R"({"ParticipantName": "A"})")).participant, "A");
  EXPECT_EQ(configuration_from_file(dir.write("empty.yaml", "")).json, "{}");
  EXPECT_THROW((void)configuration_from_file(dir / "missing.yaml"), config::ConfigError);
  EXPECT_THROW((void)configuration_from_file(dir.path()), config::ConfigError);
  EXPECT_THROW((void)configuration_from_file("/dev/zero"), config::ConfigError);
  const std::string huge = "Description: " + std::string(config::Limits::kFileBytes, 'x');
  EXPECT_THROW((void)configuration_from_file(dir.write("huge.yaml", huge)), config::ConfigError);
  EXPECT_NE(problems_of(huge), "");
  EXPECT_NE(problems_of(std::string(100'000, '[')), "");
}

TEST(SilkitConfiguration, JsonIsCopiedAsFarAsItFits) {
  const Config config("ParticipantName: A");
  const std::string whole = R"({"ParticipantName":"A"})";
  char* buffer = nullptr;
  std::size_t size = 0;
  ok(SilKit_ParticipantConfiguration_ToJson(config.get(), &buffer, &size));
  size_t alone = 0;
  ok(SilKit_ParticipantConfiguration_ToJson(config.get(), nullptr, &alone));
  EXPECT_EQ(alone, size);
  EXPECT_EQ(size, whole.size());
  std::string room(whole.size() + 2, '#');
  buffer = room.data();
  size = 5;
  ok(SilKit_ParticipantConfiguration_ToJson(config.get(), &buffer, &size));
  EXPECT_EQ(room.substr(0, 6), whole.substr(0, 5) + '#');
  EXPECT_EQ(size, whole.size());
  size = room.size();
  ok(SilKit_ParticipantConfiguration_ToJson(config.get(), &buffer, &size));
  EXPECT_EQ(room, whole + "##") << "no zero at the end";
  EXPECT_EQ(size, whole.size());
}

TEST(SilkitConfiguration, NameAndUriInsideItWin) {
  const test::RegistryHere registry;
  const std::string text = "{ParticipantName: Inside, Middleware: {RegistryUri: '" + registry.uri() + "'}}";
  test::ParticipantHere a("silkit://localhost:1", "Outside", text);
  test::ParticipantHere b(registry.uri(), "B");
  SilKit_Bool connected = 0;
  ok(SilKit_SystemMonitor_IsParticipantConnected(b.monitor(), "Inside", &connected));
  EXPECT_EQ(connected, 1);
}

TEST(SilkitConfiguration, EntriesOfPublishersAndSubscribersWin) {
  test::Watched<std::string> got;
  const test::RegistryHere registry;
  const char* labels = "Labels: [{Key: K, Value: V, Kind: Mandatory}]";
  test::ParticipantHere a(
      registry.uri(), "A",
      std::string("DataPublishers: [{Name: P, Topic: Real, History: 1, ") + labels + "}]");
  test::ParticipantHere b(registry.uri(), "B",
                          std::string("DataSubscribers: [{Name: S, Topic: Real, ") + labels + "}]");
  test::publish(a.publisher("P", "Written in the program"), "kept");
  (void)b.subscriber("S", "Also written", &got,
                     [](void* to, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* e) {
                       static_cast<test::Watched<std::string>*>(to)->change(
                           [&](std::string& text) { text = test::text_of(*e); });
                     });
  EXPECT_TRUE(got.wait([](const std::string& text) { return text == "kept"; })) << got.get();
}

}  // namespace
}  // namespace tactus::silkit::configuration_test
