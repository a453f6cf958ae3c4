// SPDX-License-Identifier: Apache-2.0
// Remote procedure calls: one participant among scripted ones.
#include "drivers/silkit/core/rpc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::rpc_test {
namespace {

using test::at;
using test::bytes_of;
using test::kMs;
using test::Stage;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void* context(std::uintptr_t number) {
  return reinterpret_cast<void*>(number);  // NOLINT: a number of the user's
}

class RpcCalls : public testing::Test {
 protected:
  RpcCalls() {
    stage.join();
    q = stage.newcomer("Q");
    stage.take(q);
  }

  RpcResultHandler noting_results(const std::string& who) {
    return std::make_shared<const std::function<void(const RpcResult&)>>(
        [this, who](const RpcResult& result) {
          stage.note(who + " result " + text_of(result.data) + " status " +
                     std::to_string(static_cast<int>(result.status)) + " for " +
                     std::to_string(reinterpret_cast<std::uintptr_t>(result.user)) + " " +  // NOLINT
                     at(result.time_ns));
        });
  }
  /// Answers at once with the text in brackets, unless it is "later".
  RpcCallHandler answering(const std::string& who, RpcServer*& server) {
    return std::make_shared<const std::function<void(const RpcCall&)>>(
        [this, who, &server](const RpcCall& call) {
          const std::string text = text_of(call.data);
          stage.note(who + " call " + text + " " + at(call.time_ns));
          handle = call.handle;
          if (text != "later") stage.engine().rpc().submit(*server, call.handle, bytes_of("<" + text + ">"));
        });
  }
  RpcClient& client(const std::string& name = "c", const TopicSpec& function = {"f", "", {}}) {
    RpcClient& made = stage.engine().rpc().create_client(name, function, noting_results(name));
    stage.run();
    return made;
  }
  RpcServer& server(const std::string& name = "s", const TopicSpec& function = {"f", "m", {}}) {
    RpcServer*& slot = servers[name];
    slot = &stage.engine().rpc().create_server(name, function, answering(name, slot));
    stage.run();
    return *slot;
  }
  void call(RpcClient& from, const std::string& text, std::uintptr_t user = 0,
            std::optional<std::int64_t> timeout_ns = {}) {
    stage.user([&](Engine& engine) { engine.rpc().call(from, bytes_of(text), timeout_ns, context(user)); });
  }

  /// Q has a server that is connected to the client; Q's messages for it have that index.
  ServiceDescriptor server_at_q(const RpcClient& to, std::uint64_t index = 700) {
    stage.subscribe(q, {index, to.network, std::string(message_type::kFunctionCall), 1});
    ServiceDescriptor internal;
    internal.type = ServiceType::controller;
    internal.network = to.network;
    internal.network_type = NetworkType::rpc;
    internal.name = "internal " + std::to_string(index);
    internal.attributes = {{"controller.type", "RpcServerInternal"},
                           {"Rpc::serverinternal::clientUUID", to.network},
                           {"Rpc::serverinternal::parentServiceId", "1"}};
    stage.service_of(q, internal);
    return internal;
  }
  ServiceDescriptor client_at_q(const std::string& function = "f", const std::string& media_type = "",
                                const Labels& labels = {}, const std::string& uuid = "the-uuid") {
    ServiceDescriptor service;
    service.type = ServiceType::controller;
    service.network = uuid;
    service.network_type = NetworkType::rpc;
    service.name = "client of " + uuid;
    service.attributes = {{"controller.type", "RpcClient"},
                          {"Rpc::client::functionName", function},
                          {"Rpc::client::mediaType", media_type},
                          {"Rpc::client::labels", labels_text(labels)},
                          {"Rpc::client::UUID", uuid}};
    stage.subscribe(q, {800, uuid, std::string(message_type::kFunctionCallResponse), 1});
    stage.service_of(q, service);
    return service;
  }
  void call_from_q(const std::string& text, const Uuid& uuid = {1, 2},
                   const std::string& network = "the-uuid", std::int64_t time_ns = kNoTime) {
    const Bytes data = bytes_of(text);
    stage.tell(q, message_type::kFunctionCall, FunctionCall{time_ns, uuid, data}, network);
  }
  void result_from_q(const RpcClient& to, const std::string& text, const Uuid& uuid, std::uint32_t status = 0,
                     std::int64_t time_ns = kNoTime) {
    const Bytes data = bytes_of(text);
    stage.tell(q, message_type::kFunctionCallResponse,
               FunctionCallResponse{time_ns, uuid, data, static_cast<FunctionCallResponse::Status>(status)},
               to.network);
  }
  /// Virtual time for this participant alone; the first step has been taken.
  void run_alone() {
    stage.lifecycle(OperationMode::autonomous);
    stage.time_sync();
    stage.start();
  }

  Stage stage;
  PeerId q = 0;
  std::uint64_t handle = 0;
  std::map<std::string, RpcServer*> servers;
};

TEST_F(RpcCalls, AClientSubscribesToResultsAndIsAnnouncedWithAllItsAttributes) {
  const RpcClient& made = client("c", {"f", "m", {{"K", "V", LabelKind::mandatory}}});
  EXPECT_THAT(stage.take(q), ElementsAre("subscribe FUNCTIONCALLRESPONSE " + made.network, "created c"));
  const ServiceDescriptor& service = stage.services.at("c");
  EXPECT_EQ(service.type, ServiceType::controller);
  EXPECT_EQ(service.network_type, NetworkType::rpc);
  EXPECT_EQ(service.network, made.network);
  EXPECT_EQ(service.network.size(), 36U);
  const std::map<std::string, std::string> wanted{
      {"controller.type", "RpcClient"},
      {"Rpc::client::functionName", "f"},
      {"Rpc::client::mediaType", "m"},
      {"Rpc::client::labels", R"([{"key":"K","value":"V","kind":2}])"},
      {"Rpc::client::UUID", made.network}};
  EXPECT_EQ(service.attributes, wanted);
}

TEST_F(RpcCalls, AServerIsAnnounced) {
  server("s", {"f", "m", {}});
  EXPECT_THAT(stage.take(q), ElementsAre("created s"));
  const ServiceDescriptor& service = stage.services.at("s");
  EXPECT_EQ(service.network, "default");
  EXPECT_EQ(service.network_type, NetworkType::rpc);
  const std::map<std::string, std::string> wanted{{"controller.type", "RpcServer"},
                                                  {"Rpc::server::functionName", "f"},
                                                  {"Rpc::server::mediaType", "m"},
                                                  {"Rpc::server::labels", "[]"}};
  EXPECT_EQ(service.attributes, wanted);
}

TEST_F(RpcCalls, WithoutAServerTheResultSaysSo) {
  RpcClient& made = client();
  call(made, "x", 7);
  EXPECT_THAT(stage.heard(), ElementsAre("c result  status 1 for 7 never"));
}

TEST_F(RpcCalls, GoToTheServersThatAreConnectedAndTheirResultsComeBack) {
  RpcClient& made = client();
  server_at_q(made);
  stage.take(q);
  call(made, "x", 7);
  EXPECT_THAT(stage.take(q), ElementsAre("function x never"));
  EXPECT_THAT(stage.heard(), IsEmpty());
  result_from_q(made, "y", stage.last_call);
  EXPECT_THAT(stage.heard(), ElementsAre("c result y status 0 for 7 never"));
  result_from_q(made, "again", stage.last_call);  // nobody waits for it
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_THAT(stage.journal.back(), HasSubstr("no call waits for"));
}

TEST_F(RpcCalls, GetOneResultOfEachServer) {
  RpcClient& made = client();
  server_at_q(made, 700);
  server_at_q(made, 701);
  stage.take(q);
  call(made, "x", 7);
  EXPECT_THAT(stage.take(q), ElementsAre("function x never", "function x never"));
  result_from_q(made, "one", stage.last_call);
  result_from_q(made, "two", stage.last_call, 1);
  result_from_q(made, "three", stage.last_call);
  EXPECT_THAT(stage.heard(),
              ElementsAre("c result one status 0 for 7 never", "c result two status 3 for 7 never"));
}

TEST_F(RpcCalls, AnUnknownStatusOfAServerIsAnUndefinedError) {
  RpcClient& made = client();
  server_at_q(made);
  call(made, "x");
  result_from_q(made, "", stage.last_call, 99);
  EXPECT_THAT(stage.heard(), ElementsAre("c result  status 2 for 0 never"));
}

TEST_F(RpcCalls, AServerThatLeavesGivesNoResultAndIsNotCalledAnyMore) {
  RpcClient& made = client();
  const ServiceDescriptor internal = server_at_q(made);
  call(made, "x", 1);
  stage.service_of(q, internal, false);
  EXPECT_THAT(stage.journal.back(), HasSubstr("has left without a result of 1 call"));
  call(made, "y", 2);
  EXPECT_THAT(stage.heard(), ElementsAre("c result  status 1 for 2 never"));
}

TEST_F(RpcCalls, OfAParticipantThatIsLostTimeOutAllTheSame) {
  RpcClient& made = client();
  server_at_q(made);
  call(made, "x", 1, 5);
  stage.leaves(q);
  EXPECT_THAT(stage.heard(), IsEmpty());
  stage.steady_ns += 5;
  stage.user([](Engine& engine) { engine.tick(); });
  EXPECT_THAT(stage.heard(), ElementsAre("c result  status 4 for 1 never"));
}

TEST_F(RpcCalls, AServerConnectsToClientsThatMatchInAnyOrder) {
  client_at_q();
  server();
  const std::vector<std::string> lines = stage.take(q);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[0], HasSubstr("acknowledge"));
  EXPECT_EQ(lines[1], "created s");
  EXPECT_EQ(lines[2], "subscribe FUNCTIONCALL the-uuid");
  const ServiceDescriptor& internal = stage.services.at(lines[3].substr(8));
  EXPECT_EQ(internal.network, "the-uuid");
  EXPECT_EQ(internal.network_type, NetworkType::rpc);
  const std::map<std::string, std::string> wanted{
      {"controller.type", "RpcServerInternal"},
      {"Rpc::serverinternal::clientUUID", "the-uuid"},
      {"Rpc::serverinternal::parentServiceId", std::to_string(stage.services.at("s").id)}};
  EXPECT_EQ(internal.attributes, wanted);

  client_at_q("f", "m", {}, "other-uuid");
  EXPECT_TRUE(stage.is_subscribed(message_type::kFunctionCall, "other-uuid"));
}

TEST_F(RpcCalls, WhatDoesNotMatchIsNotConnected) {
  server("s", {"f", "m", {{"K", "V", LabelKind::mandatory}}});
  client_at_q("g", "m", {{"K", "V", LabelKind::optional}}, "other function");
  client_at_q("f", "n", {{"K", "V", LabelKind::optional}}, "other media type");
  client_at_q("f", "m", {}, "no label");
  client_at_q("f", "m", {{"K", "W", LabelKind::optional}}, "other label");
  EXPECT_FALSE(stage.is_subscribed(message_type::kFunctionCall, "other function"));
  EXPECT_FALSE(stage.is_subscribed(message_type::kFunctionCall, "other media type"));
  EXPECT_FALSE(stage.is_subscribed(message_type::kFunctionCall, "no label"));
  EXPECT_FALSE(stage.is_subscribed(message_type::kFunctionCall, "other label"));
  client_at_q("f", "", {{"K", "V", LabelKind::optional}}, "right");
  EXPECT_TRUE(stage.is_subscribed(message_type::kFunctionCall, "right"));
}

TEST_F(RpcCalls, AClientThatSaysTooLittleIsIgnored) {
  server();
  ServiceDescriptor service = client_at_q("nothing");
  service.name = "half a client";
  service.attributes["Rpc::client::functionName"] = "f";
  service.attributes.erase("Rpc::client::labels");
  stage.service_of(q, service);
  EXPECT_THAT(stage.journal.back(), HasSubstr("half a client"));
}

TEST_F(RpcCalls, OfAPeerAreAnsweredFromTheHandlerOrLater) {
  RpcServer& made = server();
  client_at_q();
  stage.take(q);
  call_from_q("x");
  EXPECT_THAT(stage.take(q), ElementsAre("result <x> 0 never"));
  call_from_q("later", {3, 4});
  EXPECT_THAT(stage.take(q), IsEmpty());
  stage.user([&](Engine& engine) { engine.rpc().submit(made, handle, bytes_of("y")); });
  EXPECT_THAT(stage.take(q), ElementsAre("result y 0 never"));
  EXPECT_EQ(stage.last_call, (Uuid{3, 4}));
  EXPECT_THAT(stage.heard(), ElementsAre("s call x never", "s call later never"));
}

TEST_F(RpcCalls, HaveOneResult) {
  RpcServer& made = server();
  RpcServer& other = server("s2", {"g", "", {}});
  client_at_q();
  call_from_q("later");
  EXPECT_THROW(stage.engine().rpc().submit(other, handle, {}), Refusal);
  EXPECT_THROW(stage.engine().rpc().submit(made, handle + 1, {}), Refusal);
  stage.engine().rpc().submit(made, handle, {});
  EXPECT_THROW(stage.engine().rpc().submit(made, handle, {}), Refusal);
}

TEST_F(RpcCalls, WithAUuidThatIsOpenAreAnErrorOfTheServer) {
  server();
  client_at_q();
  stage.take(q);
  call_from_q("later");
  call_from_q("later");
  EXPECT_THAT(stage.take(q), ElementsAre("result  1 never"));
  EXPECT_THAT(stage.heard(), ElementsAre("s call later never"));
}

TEST_F(RpcCalls, OfAClientThatHasLeftMayBeAnswered) {
  RpcServer& made = server();
  const ServiceDescriptor service = client_at_q();
  call_from_q("later");
  stage.service_of(q, service, false);
  EXPECT_NO_THROW(stage.engine().rpc().submit(made, handle, bytes_of("x")));
  const std::vector<Subscriber> left = stage.engine().subscriptions();
  EXPECT_TRUE(std::none_of(left.begin(), left.end(),
                           [](const Subscriber& one) { return one.network == "the-uuid"; }));
}

TEST_F(RpcCalls, ReachEveryServerOfThePeersParticipant) {
  server("s1");
  server("s2");
  client_at_q();
  stage.take(q);
  // Each connection has a subscription of its own; a peer sends to both.
  std::vector<std::uint64_t> indexes;
  for (const Subscriber& one : stage.engine().subscriptions())
    if (one.type == message_type::kFunctionCall) indexes.push_back(one.index);
  ASSERT_EQ(indexes.size(), 2U);
  for (const std::uint64_t index : indexes) {
    Bytes body;
    encode_body(body, FunctionCall{kNoTime, {1, 2}, {}});
    Bytes message;
    encode_service(message, {index, 1, 1}, body);
    stage.receive(q, message);
  }
  EXPECT_THAT(stage.take(q), ElementsAre("result <> 0 never", "result <> 0 never"));
}

TEST_F(RpcCalls, WithinOneParticipantNeedNoPeer) {
  RpcClient& made = client();
  server();
  stage.take(q);
  call(made, "x", 7);
  EXPECT_THAT(stage.heard(), ElementsAre("s call x never", "c result <x> status 0 for 7 never"));
  EXPECT_THAT(stage.take(q), IsEmpty());
}

TEST_F(RpcCalls, HandlersCanBeReplaced) {
  RpcClient& made = client();
  stage.engine().rpc().on_result(made, noting_results("other"));
  EXPECT_THROW(stage.engine().rpc().on_result(made, nullptr), Refusal);
  call(made, "x");
  EXPECT_THAT(stage.heard(), ElementsAre("other result  status 1 for 0 never"));
}

TEST_F(RpcCalls, NamesAreNeitherEmptyNorTaken) {
  client("c");
  server("s");
  EXPECT_THROW(client("c"), Refusal);
  EXPECT_THROW(server("s"), Refusal);
  EXPECT_THROW(client(""), Refusal);
  EXPECT_THROW(server(""), Refusal);
}

TEST_F(RpcCalls, MessagesThatAreCutOffAreRefused) {
  RpcClient& made = client();
  EXPECT_THROW(stage.tell_body(q, message_type::kFunctionCallResponse, bytes_of("short"), made.network),
               WireError);
}

/// Both synchronised, with steps of 1 ms; P runs, and waits for Q at 0.
class RpcTime : public RpcCalls {
 protected:
  RpcTime() {
    stage.time_sync_of(q);
    stage.lifecycle(OperationMode::autonomous);
    stage.time_sync();
    stage.start();
    stage.heard();
    stage.take(q);
  }
  void step_to(std::int64_t ms) { stage.next(q, ms * kMs, kMs); }
};

TEST_F(RpcTime, CallsAndResultsCarryTheTimeOfTheStep) {
  RpcClient& made = client();
  server_at_q(made);
  step_to(0);
  step_to(1);
  stage.take(q);
  stage.heard();
  call(made, "x");
  EXPECT_THAT(stage.take(q), ElementsAre("function x 1000000"));
  result_from_q(made, "mine", stage.last_call, 0, 999);
  EXPECT_THAT(stage.heard(), ElementsAre("c result mine status 0 for 0 999"));
}

TEST_F(RpcTime, WhatComesWithoutATimeGetsThatOfTheStep) {
  server();
  client_at_q();
  step_to(0);
  step_to(1);
  stage.take(q);
  stage.heard();
  call_from_q("x");
  EXPECT_THAT(stage.heard(), ElementsAre("s call x 1000000"));
  EXPECT_THAT(stage.take(q), ElementsAre("result <x> 0 1000000"));
}

TEST_F(RpcTime, AStepEndsWhenItsOwnCallsHaveEnded) {
  RpcClient& made = client();
  RpcClient& onward = client("onward", {"elsewhere", "", {}});
  server();
  server_at_q(onward);
  stage.take(q);
  stage.engine().rpc().on_result(
      made, std::make_shared<const std::function<void(const RpcResult&)>>([&](const RpcResult& result) {
        stage.note("c result " + at(result.time_ns));
        stage.engine().rpc().call(onward, bytes_of("on"), {}, nullptr);
      }));
  stage.inside = [&](std::string_view) {
    stage.inside = nullptr;
    stage.engine().rpc().call(made, bytes_of("x"), {}, nullptr);
  };
  step_to(0);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000", "s call x 0", "c result 0"));
  EXPECT_THAT(stage.take(q), ElementsAre("function on 0", "next 1000000 1000000"));
}

TEST_F(RpcTime, ATimeoutComesBeforeTheFirstStepThatIsLateEnough) {
  RpcClient& made = client();
  server_at_q(made);
  step_to(0);
  call(made, "x", 7, 2'500'000);
  stage.heard();
  step_to(2);
  EXPECT_THAT(stage.heard(), ElementsAre("step 1000000 1000000", "step 2000000 1000000"));
  stage.steady_ns += 1'000'000'000'000;
  stage.user([](Engine& engine) { engine.tick(); });
  EXPECT_THAT(stage.heard(), IsEmpty());
  step_to(3);
  EXPECT_THAT(stage.heard(), ElementsAre("c result  status 4 for 7 3000000", "step 3000000 1000000"));
  result_from_q(made, "late", stage.last_call);
  EXPECT_THAT(stage.heard(), IsEmpty());
}

TEST_F(RpcTime, ATimeoutOfACallBeforeTheFirstStepCountsFromThere) {
  RpcClient& made = client();
  server_at_q(made);
  call(made, "x", 7, kMs);
  step_to(0);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000"));
  step_to(1);
  EXPECT_THAT(stage.heard(), ElementsAre("c result  status 4 for 7 1000000", "step 1000000 1000000"));
}

TEST_F(RpcTime, TimeoutsComeInTheOrderOfTheCalls) {
  RpcClient& made = client();
  server_at_q(made);
  step_to(0);
  for (std::uintptr_t user = 1; user <= 3; ++user) call(made, "x", user, user == 1 ? kMs : kMs / 2);
  stage.heard();
  step_to(1);
  EXPECT_THAT(stage.heard(),
              ElementsAre("c result  status 4 for 1 1000000", "c result  status 4 for 2 1000000",
                          "c result  status 4 for 3 1000000", "step 1000000 1000000"));
}

TEST_F(RpcCalls, AStepThatIsTakenComesBeforeAStopThatIsHeardDuringItsTimeouts) {
  RpcClient& made = client();
  server_at_q(made);
  stage.time_sync_of(q);
  stage.lifecycle(OperationMode::coordinated);
  stage.time_sync();
  stage.required(q, {"P", "Q"});
  stage.start();
  for (const int state : {10, 20, 30, 40, 50}) stage.status(q, state);
  stage.next(q, 0, kMs);
  ASSERT_EQ(stage.state(), 50);
  call(made, "x", 7, kMs);
  stage.engine().rpc().on_result(
      made, std::make_shared<const std::function<void(const RpcResult&)>>([&](const RpcResult&) {
        stage.note("c result");
        stage.status(q, 70);
      }));
  stage.heard();
  int state_in_step = 0;
  stage.inside = [&](std::string_view handler) {
    if (handler == "step") state_in_step = stage.state();
  };
  stage.next(q, kMs, kMs);
  EXPECT_EQ(state_in_step, 50);
  EXPECT_THAT(stage.heard(),
              ElementsAre("c result", "step 1000000 1000000", "stop in 70", "shutdown in 100"));
}

TEST_F(RpcCalls, WithoutVirtualTimeTimeOutByTheClock) {
  RpcClient& made = client();
  server_at_q(made);
  EXPECT_EQ(stage.engine().wake_at(), std::nullopt);
  call(made, "x", 7, 300);
  call(made, "y", 8, 200);
  EXPECT_EQ(stage.engine().wake_at(), stage.steady_ns + 200);
  stage.steady_ns += 299;
  stage.user([](Engine& engine) { engine.tick(); });
  EXPECT_THAT(stage.heard(), ElementsAre("c result  status 4 for 8 never"));
  stage.steady_ns += 1;
  stage.user([](Engine& engine) { engine.tick(); });
  EXPECT_THAT(stage.heard(), ElementsAre("c result  status 4 for 7 never"));
  EXPECT_EQ(stage.engine().wake_at(), std::nullopt);
}

TEST_F(RpcCalls, ThatAreAnsweredTooLateTimeOutThoughTheTimerHasNotFired) {
  RpcClient& made = client();
  server_at_q(made);
  call(made, "x", 7, 300);
  stage.steady_ns += 300;
  result_from_q(made, "late", stage.last_call);
  EXPECT_THAT(stage.heard(), ElementsAre("c result  status 4 for 7 never"));
}

TEST_F(RpcCalls, ThatAreAnsweredDoNotTimeOut) {
  RpcClient& made = client();
  server_at_q(made);
  call(made, "x", 7, 300);
  result_from_q(made, "y", stage.last_call);
  EXPECT_EQ(stage.engine().wake_at(), std::nullopt);
  call(made, "x", 8, INT64_MAX);  // no clock comes there
  EXPECT_EQ(stage.engine().wake_at(), INT64_MAX);
  EXPECT_THAT(stage.heard(), ElementsAre("c result y status 0 for 7 never"));
}

TEST_F(RpcCalls, TheLifecycleWaitsForTheAcknowledgesOfConnections) {
  const PeerId slow = stage.newcomer("R", {.acknowledges = false});
  server();
  client_at_q();
  stage.lifecycle(OperationMode::autonomous);
  stage.start();
  EXPECT_EQ(stage.state(), 20);
  stage.release(slow);
  EXPECT_EQ(stage.state(), 50);
}

}  // namespace
}  // namespace tactus::silkit::rpc_test
