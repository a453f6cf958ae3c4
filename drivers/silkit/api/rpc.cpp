// SPDX-License-Identifier: Apache-2.0
/// Remote procedure calls of the C API.
#include "drivers/silkit/core/rpc.hpp"

#include "drivers/silkit/api/bytes.hpp"
#include "drivers/silkit/api/configured.hpp"
#include "drivers/silkit/api/objects.hpp"
#include "tactus/silkit_rpc.h"

using namespace tactus::silkit;

namespace {

/// Makes the specification; the configuration of the service of this name wins.
TopicSpec function_of(Participant& participant, const std::string& kind, const SilKit_RpcSpec& spec,
                      const char* name, const std::vector<ServiceSettings>& configured) {
  return topic_of(participant, kind + name, settings_of(configured, name), spec, "rpcSpec", spec.functionName,
                  "functionName", "function");
}

RpcCallHandler call_handler(SilKit_RpcServer* server, void* context, SilKit_RpcCallHandler_t handler) {
  return handler_of<RpcCallHandler>([=](const RpcCall& call) {
    SilKit_RpcCallEvent event = tactus_silkit_RpcCallEvent();
    event.timestamp = static_cast<SilKit_NanosecondsTime>(call.time_ns);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast,performance-no-int-to-ptr): a number for users
    event.callHandle = reinterpret_cast<SilKit_RpcCallHandle*>(call.handle);
    event.argumentData = byte_vector(call.data);
    handler(context, server, &event);
  });
}

RpcResultHandler result_handler(SilKit_RpcClient* client, void* context,
                                SilKit_RpcCallResultHandler_t handler) {
  return handler_of<RpcResultHandler>([=](const RpcResult& result) {
    SilKit_RpcCallResultEvent event = tactus_silkit_RpcCallResultEvent();
    event.timestamp = static_cast<SilKit_NanosecondsTime>(result.time_ns);
    event.userContext = result.user;
    event.callStatus = static_cast<SilKit_RpcCallStatus>(result.status);
    event.resultData = byte_vector(result.data);
    handler(context, client, &event);
  });
}

}  // namespace

SilKit_ReturnCode SilKit_RpcServer_Create(SilKit_RpcServer** outServer, SilKit_Participant* participant,
                                          const char* controllerName, SilKit_RpcSpec* rpcSpec, void* context,
                                          SilKit_RpcCallHandler_t handler) {
  return guarded({{outServer, "outServer"},
                  {participant, "participant"},
                  {controllerName, "controllerName"},
                  {rpcSpec, "rpcSpec"},
                  {handler, "handler"}},
                 [&] {
                   const TopicSpec function =
                       function_of(participant->participant, "RPC server ", *rpcSpec, controllerName,
                                   participant->participant.configuration().services.rpc_servers);
                   make_kept(
                       outServer, *participant, [&](Engine & engine, SilKit_RpcServer & made) -> auto& {
                         return engine.rpc().create_server(controllerName, function,
                                                           call_handler(&made, context, handler));
                       });
                 });
}

SilKit_ReturnCode SilKit_RpcServer_SubmitResult(SilKit_RpcServer* server, SilKit_RpcCallHandle* callHandle,
                                                const SilKit_ByteVector* returnData) {
  return guarded({{server, "server"}, {callHandle, "callHandle"}}, [&] {
    const ByteView data = byte_view(returnData, "returnData");
    server->owner.participant.with_engine([&](Engine& engine) {
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): see call_handler()
      engine.rpc().submit(*server->service, reinterpret_cast<std::uintptr_t>(callHandle), data);
    });
  });
}

SilKit_ReturnCode SilKit_RpcServer_SetCallHandler(SilKit_RpcServer* server, void* context,
                                                  SilKit_RpcCallHandler_t handler) {
  return in_engine(server, {{server, "server"}, {handler, "handler"}}, [&](Engine& engine) {
    engine.rpc().on_call(*server->service, call_handler(server, context, handler));
  });
}

SilKit_ReturnCode SilKit_RpcClient_Create(SilKit_RpcClient** outClient, SilKit_Participant* participant,
                                          const char* controllerName, SilKit_RpcSpec* rpcSpec, void* context,
                                          SilKit_RpcCallResultHandler_t handler) {
  return guarded({{outClient, "outClient"},
                  {participant, "participant"},
                  {controllerName, "controllerName"},
                  {rpcSpec, "rpcSpec"},
                  {handler, "handler"}},
                 [&] {
                   const TopicSpec function =
                       function_of(participant->participant, "RPC client ", *rpcSpec, controllerName,
                                   participant->participant.configuration().services.rpc_clients);
                   make_kept(
                       outClient, *participant, [&](Engine & engine, SilKit_RpcClient & made) -> auto& {
                         return engine.rpc().create_client(controllerName, function,
                                                           result_handler(&made, context, handler));
                       });
                   participant->participant.wait_until_known();
                 });
}

SilKit_ReturnCode SilKit_RpcClient_Call(SilKit_RpcClient* client, const SilKit_ByteVector* argumentData,
                                        void* userContext) {
  return guarded({{client, "client"}}, [&] {
    const ByteView data = byte_view(argumentData, "argumentData");
    client->owner.participant.with_engine(
        [&](Engine& engine) { engine.rpc().call(*client->service, data, std::nullopt, userContext); });
  });
}

SilKit_ReturnCode SilKit_RpcClient_CallWithTimeout(SilKit_RpcClient* client,
                                                   const SilKit_ByteVector* argumentData,
                                                   SilKit_NanosecondsTime timeout, void* userContext) {
  return guarded({{client, "client"}}, [&] {
    const ByteView data = byte_view(argumentData, "argumentData");
    if (timeout > static_cast<SilKit_NanosecondsTime>(INT64_MAX))
      throw Refusal(Code::bad_parameter, "timeout: " + std::to_string(timeout) + " ns is 2^63 ns or more");
    client->owner.participant.with_engine([&](Engine& engine) {
      engine.rpc().call(*client->service, data, static_cast<std::int64_t>(timeout), userContext);
    });
  });
}

SilKit_ReturnCode SilKit_RpcClient_SetCallResultHandler(SilKit_RpcClient* client, void* context,
                                                        SilKit_RpcCallResultHandler_t handler) {
  return in_engine(client, {{client, "client"}, {handler, "handler"}}, [&](Engine& engine) {
    engine.rpc().on_result(*client->service, result_handler(client, context, handler));
  });
}
