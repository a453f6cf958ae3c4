// SPDX-License-Identifier: Apache-2.0
/// Remote procedure calls through the C API: a registry and two participants in this process.
#include <string>
#include <vector>

#include "tactus/silkit_rpc.h"
#include "tests/drivers/silkit/api/support/simulation.hpp"

namespace tactus::test::silkit_rpc_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SilKit_ByteVector bytes(const std::string& text) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the characters as bytes
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
std::string text_of(const SilKit_ByteVector& data) { return {data.data, data.data + data.size}; }

SilKit_RpcSpec spec(const char* function, const char* media_type = "") {
  SilKit_RpcSpec made = tactus_silkit_RpcSpec();
  made.functionName = function;
  made.mediaType = media_type;
  return made;
}

using Heard = Watched<std::vector<std::string>>;

void note_result(void* heard, SilKit_RpcClient*, const SilKit_RpcCallResultEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_RpcCallResultEvent);
  static_cast<Heard*>(heard)->change([&](std::vector<std::string>& lines) {
    lines.push_back(
        text_of(event->resultData) + " status " + std::to_string(event->callStatus) + " for " +
        std::to_string(reinterpret_cast<std::uintptr_t>(event->userContext)) +  // NOLINT
        (event->timestamp == TACTUS_SILKIT_NO_TIME ? "" : " at " + std::to_string(event->timestamp)));
  });
}
void answer(void*, SilKit_RpcServer* server, const SilKit_RpcCallEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_RpcCallEvent);
  const std::string result = "<" + text_of(event->argumentData) + ">";
  const SilKit_ByteVector data = bytes(result);
  if (result != "<silence>") ok(SilKit_RpcServer_SubmitResult(server, event->callHandle, &data));
}
void no_call(void*, SilKit_RpcServer*, const SilKit_RpcCallEvent*) {}

SilKit_RpcClient* client_of(ParticipantHere& participant, Heard& heard, const char* function = "f",
                            const char* name = "client") {
  SilKit_RpcSpec wanted = spec(function);
  SilKit_RpcClient* client = nullptr;
  ok(SilKit_RpcClient_Create(&client, participant.get(), name, &wanted, &heard, note_result));
  return client;
}
SilKit_RpcServer* server_of(ParticipantHere& participant, const char* function = "f",
                            const char* name = "server") {
  SilKit_RpcSpec offered = spec(function, "m");
  SilKit_RpcServer* server = nullptr;
  ok(SilKit_RpcServer_Create(&server, participant.get(), name, &offered, nullptr, answer));
  return server;
}
void* context(std::uintptr_t number) {
  return reinterpret_cast<void*>(number);  // NOLINT: a number of the user's
}

/// Calls until the server is there; then the result has status 0.
void call_when_connected(SilKit_RpcClient* client, Heard& heard, const std::string& text) {
  const SilKit_ByteVector data = bytes(text);
  for (;;) {
    heard.change([](std::vector<std::string>& lines) { lines.clear(); });
    ok(SilKit_RpcClient_Call(client, &data, context(7)));
    ASSERT_TRUE(heard.wait([](const std::vector<std::string>& lines) { return !lines.empty(); }));
    if (heard.get()[0] != " status 1 for 7") return;
  }
}

TEST(SilkitRpc, ACallOfAnotherParticipantComesBackWithItsResult) {
  const RegistryHere registry;
  Heard heard;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  server_of(b);
  SilKit_RpcClient* const client = client_of(a, heard);
  call_when_connected(client, heard, "x");
  EXPECT_THAT(heard.get(), ElementsAre("<x> status 0 for 7"));
}

TEST(SilkitRpc, ATimeoutComesWithoutVirtualTimeToo) {
  const RegistryHere registry;
  Heard heard;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  server_of(b);
  SilKit_RpcClient* const client = client_of(a, heard);
  call_when_connected(client, heard, "x");
  const std::string text = "silence";
  const SilKit_ByteVector data = bytes(text);
  ok(SilKit_RpcClient_CallWithTimeout(client, &data, 1'000'000, context(8)));
  ASSERT_TRUE(heard.wait([](const std::vector<std::string>& lines) { return lines.size() == 2; }));
  EXPECT_EQ(heard.get()[1], " status 4 for 8");
}

TEST(SilkitRpc, ACallInAStepHasItsResultInTheNextOneOfALockStep) {
  const RegistryHere registry;
  struct Run {
    Heard heard;
    SilKit_RpcClient* client = nullptr;
    SilKit_LifecycleService* lifecycle = nullptr;
  } run;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  server_of(b);
  run.client = client_of(a, run.heard);
  run.lifecycle = a.lifecycle();
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(
      a.time_sync(), &run,
      [](void* self, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
        Run& of = *static_cast<Run*>(self);
        const std::string text = std::to_string(now);
        const SilKit_ByteVector data = bytes(text);
        if (now < 3'000'000) ok(SilKit_RpcClient_Call(of.client, &data, nullptr));
        if (now == 5'000'000) ok(SilKit_LifecycleService_Stop(of.lifecycle, "done"));
      },
      1'000'000));
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(
      b.time_sync(), nullptr,
      [](void*, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {}, 1'000'000));
  b.lifecycle();
  a.require({"A", "B"});
  a.start();
  b.start();
  EXPECT_EQ(a.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(b.wait(), SilKit_ParticipantState_Shutdown);
  const std::vector<std::string> lines = run.heard.get();
  ASSERT_EQ(lines.size(), 3U);
  for (std::size_t k = 0; k < lines.size(); ++k) {  // the server may run in the same step, or one ahead
    const std::string call = std::to_string(k * 1'000'000);
    const std::string head = "<" + call + "> status 0 for 0 at ";
    EXPECT_TRUE(lines[k] == head + call || lines[k] == head + std::to_string((k + 1) * 1'000'000))
        << lines[k];
  }
}

TEST(SilkitRpc, TheConfigurationWinsOverTheCall) {
  const RegistryHere registry;
  Heard heard;
  ParticipantHere a(registry.uri(), "A", R"(
RpcClients:
- Name: client
  FunctionName: real
  Labels: [{Key: K, Value: V, Kind: Mandatory}]
)");
  ParticipantHere b(registry.uri(), "B", R"(
RpcServers:
- Name: server
  FunctionName: real
  Labels: [{Key: K, Value: V, Kind: Optional}]
)");
  server_of(b, "something");
  SilKit_RpcClient* const client = client_of(a, heard, "else");
  call_when_connected(client, heard, "x");
  EXPECT_THAT(heard.get(), ElementsAre("<x> status 0 for 7"));
}

TEST(SilkitRpc, MistakesHaveTheirCodes) {
  const RegistryHere registry;
  Heard heard;
  ParticipantHere a(registry.uri(), "A");
  SilKit_RpcServer* server = server_of(a);
  SilKit_RpcClient* client = client_of(a, heard, "nobody has it");
  SilKit_RpcSpec good = spec("f");
  EXPECT_EQ(SilKit_RpcServer_Create(&server, a.get(), "server", &good, nullptr, answer),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(SilKit_RpcServer_Create(&server, a.get(), "", &good, nullptr, answer),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(SilKit_RpcClient_Create(&client, a.get(), "client", &good, nullptr, note_result),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  SilKit_Label label{"K", "V", 7};
  SilKit_RpcSpec bad = good;
  bad.labelList = {1, &label};
  EXPECT_EQ(SilKit_RpcClient_Create(&client, a.get(), "other", &bad, nullptr, note_result),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr("label K"));
  const std::string text = "x";
  const SilKit_ByteVector data = bytes(text);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast,performance-no-int-to-ptr): of no call
  auto* const handle = reinterpret_cast<SilKit_RpcCallHandle*>(std::uintptr_t{4711});
  EXPECT_EQ(SilKit_RpcServer_SubmitResult(server, handle, &data), SilKit_ReturnCode_WRONGSTATE);
  EXPECT_EQ(SilKit_RpcClient_CallWithTimeout(client, &data, SilKit_NanosecondsTime{1} << 63U, nullptr),
            SilKit_ReturnCode_BADPARAMETER);
  const SilKit_ByteVector impossible{nullptr, 1};
  EXPECT_EQ(SilKit_RpcClient_Call(client, &impossible, nullptr), SilKit_ReturnCode_BADPARAMETER);
}

TEST(SilkitRpc, NullIsRefusedByName) {
  const RegistryHere registry;
  Heard heard;
  ParticipantHere a(registry.uri(), "A");
  SilKit_RpcServer* server = server_of(a);
  SilKit_RpcClient* client = client_of(a, heard);
  SilKit_RpcSpec good = spec("f");
  SilKit_RpcSpec listless = spec("f");
  listless.labelList.numLabels = 1;
  const std::string text = "x";
  const SilKit_ByteVector data = bytes(text);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast,performance-no-int-to-ptr): of no call
  auto* const handle = reinterpret_cast<SilKit_RpcCallHandle*>(std::uintptr_t{1});
  const auto refused = [](SilKit_ReturnCode code, const char* parameter) {
    EXPECT_EQ(code, SilKit_ReturnCode_BADPARAMETER) << parameter;
    EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr(std::string(parameter) + " must not be null"));
  };
  refused(SilKit_RpcServer_Create(nullptr, a.get(), "n", &good, nullptr, no_call), "outServer");
  refused(SilKit_RpcServer_Create(&server, nullptr, "n", &good, nullptr, no_call), "participant");
  refused(SilKit_RpcServer_Create(&server, a.get(), nullptr, &good, nullptr, no_call), "controllerName");
  refused(SilKit_RpcServer_Create(&server, a.get(), "n", nullptr, nullptr, no_call), "rpcSpec");
  refused(SilKit_RpcServer_Create(&server, a.get(), "n", &listless, nullptr, no_call),
          "rpcSpec->labelList.labels");
  refused(SilKit_RpcServer_Create(&server, a.get(), "n", &good, nullptr, nullptr), "handler");
  refused(SilKit_RpcServer_SetCallHandler(nullptr, nullptr, no_call), "server");
  refused(SilKit_RpcServer_SetCallHandler(server, nullptr, nullptr), "handler");
  refused(SilKit_RpcServer_SubmitResult(nullptr, handle, &data), "server");
  refused(SilKit_RpcServer_SubmitResult(server, nullptr, &data), "callHandle");
  refused(SilKit_RpcServer_SubmitResult(server, handle, nullptr), "returnData");
  refused(SilKit_RpcClient_Create(nullptr, a.get(), "n", &good, nullptr, note_result), "outClient");
  refused(SilKit_RpcClient_Create(&client, nullptr, "n", &good, nullptr, note_result), "participant");
  refused(SilKit_RpcClient_Create(&client, a.get(), nullptr, &good, nullptr, note_result), "controllerName");
  refused(SilKit_RpcClient_Create(&client, a.get(), "n", nullptr, nullptr, note_result), "rpcSpec");
  refused(SilKit_RpcClient_Create(&client, a.get(), "n", &good, nullptr, nullptr), "handler");
  refused(SilKit_RpcClient_Call(nullptr, &data, nullptr), "client");
  refused(SilKit_RpcClient_Call(client, nullptr, nullptr), "argumentData");
  refused(SilKit_RpcClient_CallWithTimeout(nullptr, &data, 1, nullptr), "client");
  refused(SilKit_RpcClient_CallWithTimeout(client, nullptr, 1, nullptr), "argumentData");
  refused(SilKit_RpcClient_SetCallResultHandler(nullptr, nullptr, note_result), "client");
  refused(SilKit_RpcClient_SetCallResultHandler(client, nullptr, nullptr), "handler");
}

TEST(SilkitRpc, NullInASpecificationIsTheErrorThatSilKitHasForIt) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  const struct {
    SilKit_RpcSpec spec;
    const char* member;
  } rows[] = {{spec(nullptr), "functionName"}, {spec("f", nullptr), "mediaType"}};
  for (auto [spec, member] : rows) {
    SilKit_RpcServer* server = nullptr;
    SilKit_RpcClient* client = nullptr;
    const auto words = HasSubstr("rpcSpec->" + std::string(member) + " must not be null");
    EXPECT_EQ(SilKit_RpcServer_Create(&server, a.get(), "n", &spec, nullptr, no_call),
              SilKit_ReturnCode_UNSPECIFIEDERROR);
    EXPECT_THAT(SilKit_GetLastErrorString(), words);
    EXPECT_EQ(SilKit_RpcClient_Create(&client, a.get(), "n", &spec, nullptr, note_result),
              SilKit_ReturnCode_UNSPECIFIEDERROR);
    EXPECT_THAT(SilKit_GetLastErrorString(), words);
  }
}

}  // namespace
}  // namespace tactus::test::silkit_rpc_test
