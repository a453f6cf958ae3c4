// SPDX-License-Identifier: Apache-2.0
/// Calls the API with right and wrong arguments, and prints a line for each: the return code, and what was called;
/// then what handlers were given. The lines are those of SIL Kit 5.0.7, whatever library it is.
///
///     silkit_calls LIBRARY URI
#include <dlfcn.h>
#include <tactus/silkit.h>
#include <tactus/silkit_can.h>
#include <tactus/silkit_ethernet.h>
#include <tactus/silkit_rpc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

void* library = nullptr;

template <class Function>
Function* find(const char* name) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) {
    std::printf("the library lacks %s\n", name);
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): nobody else ends it
  }
  return reinterpret_cast<Function*>(found);
}

void say(int code, const char* call) {
  std::printf("%-3d %s\n", code, call);
  (void)std::fflush(stdout);
}

// NOLINTBEGIN(cppcoreguidelines-macro-usage): the call as it is written
#define CODE(name, ...) find<decltype(SilKit_##name)>("SilKit_" #name)(__VA_ARGS__)
#define CALL(name, ...) say(CODE(name, __VA_ARGS__), #name "(" #__VA_ARGS__ ")")
// NOLINTEND(cppcoreguidelines-macro-usage)

/// What handlers were given: for each topic the lines in their order.
class Heard {
 public:
  void add(const std::string& topic, const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_[topic].push_back(line);
  }
  bool has(const std::map<std::string, std::size_t>& wanted) {
    const std::lock_guard lock(mutex_);
    for (const auto& [topic, count] : wanted)
      if (lines_[topic].size() < count) return false;
    return true;
  }
  /// Until there are so many of each of these, then prints them.
  void expect(const std::map<std::string, std::size_t>& wanted) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (!has(wanted) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(mutex_);
    for (const auto& [topic, count] : wanted)
      for (std::size_t i = 0; i < lines_[topic].size() && i < count; ++i)
        std::printf("    %s: %s\n", topic.c_str(), lines_[topic][i].c_str());
    (void)std::fflush(stdout);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> lines_;
};
Heard heard;

SilKit_ByteVector bytes(const char* text) {
  return {reinterpret_cast<const std::uint8_t*>(text), std::char_traits<char>::length(text)};
}
std::string text_of(const SilKit_ByteVector& data) { return {data.data, data.data + data.size}; }

void configurations() {
  for (const char* const text : {"",
                                 "{}",
                                 "Foo: 1",

                                 "Middleware: {ConnectAttempts: 1.5}",
                                 "Middleware: {EnableDomainSockets: True}",
                                 "Middleware: {EnableDomainSockets: perhaps}",
                                 "Middleware: {AcceptorUris: foo}",
                                 "RegistryUri: silkit://a:1",
                                 "Logging: {Sinks: [{Level: info}]}",
                                 "Logging: {Sinks: [{Type: File, Level: Info}]}",
                                 "Logging: {Sinks: [{Type: Stdout}, {Type: Stdout}]}",
                                 "DataPublishers: [{Topic: T}]",
                                 "DataPublishers: [{Name: P, History: -1}]",
                                 "DataPublishers: [{Name: P, Labels: [{Key: K}, {Value: V}, {}]}]",
                                 "DataPublishers: [{Name: P, Labels: [{Key: K, Value: V, Kind: Perhaps}]}]",
                                 "CanControllers: [{Name: C}, {Name: C, Network: N}]",
                                 "CanControllers: {Name: C}",
                                 "SchemaVersion: 2",
                                 "Experimental: {TimeSynchronization: {AnimationFactor: 1.5}}",
                                 "Includes: {Files: [/no/such/file]}"}) {
    SilKit_ParticipantConfiguration* made = nullptr;
    say(CODE(ParticipantConfiguration_FromString, &made, text), text);
    if (made != nullptr) (void)CODE(ParticipantConfiguration_Destroy, made);
  }
  SilKit_ParticipantConfiguration* none = nullptr;
  CALL(ParticipantConfiguration_FromString, &none, nullptr);
  CALL(ParticipantConfiguration_FromString, nullptr, "");
  CALL(ParticipantConfiguration_FromFile, &none, "/no/such/file");
  CALL(ParticipantConfiguration_Destroy, nullptr);
}

void publish_and_subscribe(SilKit_Participant* a, SilKit_Participant* b) {
  const SilKit_DataMessageHandler_t on_data = [](void*, SilKit_DataSubscriber*,
                                                 const SilKit_DataMessageEvent* event) {
    heard.add("data", text_of(event->data));
  };
  SilKit_DataSpec spec = tactus_silkit_DataSpec();
  SilKit_DataPublisher* publisher = nullptr;
  SilKit_DataSubscriber* subscriber = nullptr;
  const SilKit_ByteVector data = bytes("hello");
  CALL(DataPublisher_Create, &publisher, a, "P", &spec, 0);
  spec.topic = "T";
  CALL(DataPublisher_Create, &publisher, a, "P", &spec, 0);
  spec.mediaType = "";
  CALL(DataSubscriber_Create, &subscriber, b, "S", &spec, nullptr, on_data);
  CALL(DataSubscriber_Create, &subscriber, b, "S", &spec, nullptr, on_data);
  CALL(DataPublisher_Create, &publisher, a, "P", nullptr, 0);
  CALL(DataPublisher_Create, &publisher, a, "", &spec, 0);
  CALL(DataPublisher_Create, &publisher, a, "P", &spec, 2);
  CALL(DataPublisher_Create, &publisher, a, "P", &spec, 1);
  CALL(DataPublisher_Create, &publisher, a, "P", &spec, 0);
  CALL(DataPublisher_Publish, nullptr, &data);
  CALL(DataPublisher_Publish, publisher, nullptr);
  CALL(DataPublisher_Publish, publisher, &data);
  heard.expect({{"data", 1}});
}

void call_procedures(SilKit_Participant* a, SilKit_Participant* b) {
  const SilKit_RpcCallHandler_t on_call = [](void*, SilKit_RpcServer* server,
                                             const SilKit_RpcCallEvent* event) {
    heard.add("call", text_of(event->argumentData));
    const SilKit_ByteVector result = bytes("answer");
    heard.add("submit", std::to_string(CODE(RpcServer_SubmitResult, server, event->callHandle, &result)));
  };
  const SilKit_RpcCallResultHandler_t on_result = [](void*, SilKit_RpcClient*,
                                                     const SilKit_RpcCallResultEvent* event) {
    if (event->callStatus == SilKit_RpcCallStatus_Success) heard.add("result", text_of(event->resultData));
  };
  SilKit_RpcSpec spec = tactus_silkit_RpcSpec();
  SilKit_RpcServer* server = nullptr;
  SilKit_RpcClient* client = nullptr;
  const SilKit_ByteVector data = bytes("question");
  CALL(RpcServer_Create, &server, b, "F", &spec, nullptr, on_call);
  CALL(RpcClient_Create, &client, a, "F", &spec, nullptr, on_result);
  spec.functionName = "F";
  CALL(RpcServer_Create, &server, b, "F", &spec, nullptr, on_call);
  CALL(RpcClient_Create, &client, a, "F", &spec, nullptr, on_result);
  spec.mediaType = "";
  CALL(RpcServer_Create, &server, b, "F", nullptr, nullptr, on_call);
  CALL(RpcServer_Create, &server, b, "F", &spec, nullptr, nullptr);
  CALL(RpcServer_Create, &server, b, "F", &spec, nullptr, on_call);
  CALL(RpcServer_Create, &server, b, "F", &spec, nullptr, on_call);
  CALL(RpcClient_Create, &client, a, "F", &spec, nullptr, on_result);
  CALL(RpcServer_SubmitResult, server, nullptr, &data);
  CALL(RpcClient_Call, client, nullptr, nullptr);
  // Client and server find each other some time after they were made.
  for (int i = 0; i < 1000 && !heard.has({{"result", 1}}); ++i) {
    (void)CODE(RpcClient_Call, client, &data, nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  heard.expect({{"call", 1}, {"submit", 1}, {"result", 1}});
}

void can(SilKit_Participant* a, SilKit_Participant* b) {
  const SilKit_CanFrameHandler_t on_frame = [](void*, SilKit_CanController*, SilKit_CanFrameEvent* event) {
    heard.add("CAN frame", std::to_string(event->direction) + " " + std::to_string(event->frame->id) + " " +
                               text_of(event->frame->data));
  };
  const SilKit_CanFrameTransmitHandler_t on_transmit = [](void*, SilKit_CanController*,
                                                          SilKit_CanFrameTransmitEvent* event) {
    heard.add("CAN transmit", std::to_string(event->canId) + " " + std::to_string(event->status));
  };
  const SilKit_CanStateChangeHandler_t on_state = [](void*, SilKit_CanController*,
                                                     SilKit_CanStateChangeEvent* event) {
    heard.add("CAN state", std::to_string(event->state));
  };
  SilKit_CanController* sender = nullptr;
  SilKit_CanController* receiver = nullptr;
  SilKit_HandlerId id = 7;
  SilKit_CanFrame frame = tactus_silkit_CanFrame();
  frame.id = 17;
  frame.dlc = 3;
  frame.data = bytes("abc");
  CALL(CanController_Create, &sender, a, "CAN", nullptr);
  CALL(CanController_Create, &sender, a, "", "N");
  CALL(CanController_Create, &sender, a, "CAN", "N");
  CALL(CanController_Create, &sender, a, "CAN", "N");
  CALL(CanController_Create, &receiver, b, "CAN", "N");
  CALL(CanController_AddStateChangeHandler, sender, nullptr, on_state, &id);
  CALL(CanController_AddFrameTransmitHandler, sender, nullptr, on_transmit,
       SilKit_CanTransmitStatus_DefaultMask, &id);
  CALL(CanController_AddFrameHandler, receiver, nullptr, on_frame, SilKit_Direction_Receive, &id);
  CALL(CanController_SetBaudRate, sender, 10'000, 1'000'000, 2'000'000);
  CALL(CanController_Start, sender);
  CALL(CanController_Start, sender);
  CALL(CanController_Start, receiver);
  CALL(CanController_SendFrame, sender, nullptr, nullptr);
  CALL(CanController_SendFrame, sender, &frame, nullptr);
  heard.expect({{"CAN frame", 1}, {"CAN transmit", 1}, {"CAN state", 1}});
  frame.structHeader.version = 0;
  CALL(CanController_SendFrame, sender, &frame, nullptr);
  CALL(CanController_RemoveFrameHandler, receiver, 777);
  CALL(CanController_Sleep, sender);
  CALL(CanController_Stop, sender);
  CALL(CanController_Reset, sender);
  heard.expect({{"CAN state", 4}});
}

void ethernet(SilKit_Participant* a, SilKit_Participant* b) {
  const SilKit_EthernetFrameHandler_t on_frame = [](void*, SilKit_EthernetController*,
                                                    SilKit_EthernetFrameEvent* event) {
    heard.add("Ethernet frame", std::to_string(event->direction) + " " + text_of(event->ethernetFrame->raw));
  };
  const SilKit_EthernetFrameTransmitHandler_t on_transmit = [](void*, SilKit_EthernetController*,
                                                               SilKit_EthernetFrameTransmitEvent* event) {
    heard.add("Ethernet transmit", std::to_string(event->status));
  };
  SilKit_EthernetController* sender = nullptr;
  SilKit_EthernetController* receiver = nullptr;
  SilKit_HandlerId id = 7;
  SilKit_EthernetFrame frame = tactus_silkit_EthernetFrame();
  const std::string text(60, 'e');
  frame.raw = bytes(text.c_str());
  CALL(EthernetController_Create, &sender, a, "E", "N");
  CALL(EthernetController_Create, &receiver, b, "E", "N");
  CALL(EthernetController_AddFrameTransmitHandler, sender, nullptr, on_transmit,
       SilKit_EthernetTransmitStatus_DefaultMask, &id);
  CALL(EthernetController_AddFrameHandler, receiver, nullptr, on_frame, SilKit_Direction_Receive, &id);
  CALL(EthernetController_Activate, sender);
  CALL(EthernetController_Activate, sender);
  CALL(EthernetController_Activate, receiver);
  CALL(EthernetController_SendFrame, sender, nullptr, nullptr);
  CALL(EthernetController_SendFrame, sender, &frame, nullptr);
  heard.expect({{"Ethernet frame", 1}, {"Ethernet transmit", 1}});
  CALL(EthernetController_Deactivate, sender);
  CALL(EthernetController_Deactivate, sender);
}

/// A lives, and stops itself in the fifth step; B watches.
void live(SilKit_Participant* a, SilKit_Participant* b) {
  SilKit_SystemMonitor* monitor = nullptr;
  SilKit_HandlerId id = 7;
  SilKit_ParticipantStatus status = tactus_silkit_ParticipantStatus();
  SilKit_SystemState system = SilKit_SystemState_Invalid;
  SilKit_Bool connected = SilKit_False;
  CALL(SystemMonitor_Create, &monitor, b);
  CALL(SystemMonitor_GetParticipantStatus, &status, monitor, "Z");
  CALL(SystemMonitor_GetSystemState, &system, monitor);
  std::printf("    %d\n", system);
  CALL(SystemMonitor_IsParticipantConnected, monitor, "Z", &connected);
  std::printf("    %d\n", connected);
  CALL(SystemMonitor_IsParticipantConnected, monitor, "A", &connected);
  std::printf("    %d\n", connected);
  const SilKit_ParticipantStatusHandler_t on_status = [](void*, SilKit_SystemMonitor*, const char* name,
                                                         SilKit_ParticipantStatus* now) {
    heard.add(std::string("state of ") + name, std::to_string(now->participantState));
  };
  CALL(SystemMonitor_AddParticipantStatusHandler, monitor, nullptr, on_status, &id);
  CALL(SystemMonitor_RemoveSystemStateHandler, monitor, 99);

  static SilKit_LifecycleService* lifecycle = nullptr;  // for the handler
  SilKit_TimeSyncService* time = nullptr;
  SilKit_ParticipantState state = 55;
  SilKit_NanosecondsTime now = 0;
  const SilKit_TimeSyncService_SimulationStepHandler_t on_step =
      [](void*, SilKit_TimeSyncService*, SilKit_NanosecondsTime at, SilKit_NanosecondsTime) {
        heard.add("step", std::to_string(at));
        if (at == 4'000'000)
          heard.add("stop", std::to_string(CODE(LifecycleService_Stop, lifecycle, "enough")));
      };
  SilKit_LifecycleConfiguration configuration = tactus_silkit_LifecycleConfiguration();
  configuration.operationMode = SilKit_OperationMode_Autonomous;
  CALL(LifecycleService_Create, &lifecycle, a, nullptr);
  CALL(LifecycleService_Create, &lifecycle, a, &configuration);
  CALL(LifecycleService_Create, &lifecycle, a, &configuration);
  CALL(LifecycleService_State, &state, lifecycle);
  std::printf("    %d\n", state);
  CALL(LifecycleService_WaitForLifecycleToComplete, lifecycle, &state);
  CALL(TimeSyncService_Create, &time, lifecycle);
  CALL(TimeSyncService_Create, &time, lifecycle);
  CALL(TimeSyncService_Now, time, &now);
  CALL(TimeSyncService_SetSimulationStepHandler, time, nullptr, on_step, 0);
  CALL(TimeSyncService_SetSimulationStepHandler, time, nullptr, nullptr, 1'000'000);
  CALL(TimeSyncService_SetSimulationStepHandler, time, nullptr, on_step, 1'000'000);
  CALL(LifecycleService_StartLifecycle, lifecycle);
  heard.expect({{"step", 5}, {"stop", 1}});
  CALL(LifecycleService_WaitForLifecycleToComplete, lifecycle, &state);
  std::printf("    %d\n", state);
  CALL(LifecycleService_WaitForLifecycleToComplete, lifecycle, &state);
  heard.expect({{"state of A", 9}});
}

void log(SilKit_Participant* a) {
  SilKit_Logger* logger = nullptr;
  SilKit_LoggingLevel level = 0;
  CALL(Participant_GetLogger, nullptr, a);
  CALL(Participant_GetLogger, &logger, a);
  CALL(Logger_Log, logger, SilKit_LoggingLevel_Info, nullptr);
  CALL(Logger_Log, logger, SilKit_LoggingLevel_Trace, "words");
  CALL(Logger_GetLogLevel, logger, &level);
  std::printf("    %u\n", level);
}

}  // namespace

int main(int argc, char** argv) {
  library = argc == 3 ? ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) {
    std::printf("usage: silkit_calls LIBRARY URI\n");
    return 2;
  }
  const char* const uri = argv[2];
  configurations();
  SilKit_ParticipantConfiguration* configuration = nullptr;
  SilKit_Participant* a = nullptr;
  SilKit_Participant* b = nullptr;
  SilKit_Participant* none = nullptr;
  CALL(ParticipantConfiguration_FromString, &configuration,
       "Logging: {Sinks: [{Type: Remote, Level: Warn}]}");
  CALL(Participant_Create, &none, nullptr, "A", uri);
  CALL(Participant_Create, &none, configuration, nullptr, uri);
  CALL(Participant_Create, &none, configuration, "A", nullptr);
  CALL(Participant_Create, &none, configuration, "A", "foo");
  CALL(Participant_Create, &a, configuration, "A", uri);
  CALL(Participant_Create, &none, configuration, "A", uri);
  CALL(Participant_Create, &b, configuration, "B", uri);
  if (a == nullptr || b == nullptr) return 1;
  publish_and_subscribe(a, b);
  call_procedures(a, b);
  can(a, b);
  ethernet(a, b);
  log(a);
  live(a, b);
  CALL(Participant_Destroy, a);
  CALL(Participant_Destroy, b);
  CALL(Participant_Destroy, nullptr);
  CALL(ParticipantConfiguration_Destroy, configuration);
  return 0;
}
