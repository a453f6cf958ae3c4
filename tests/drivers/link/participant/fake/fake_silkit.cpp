// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/link/participant/fake/fake_silkit.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

using namespace tactus::test;

namespace {

class World final : public FakeSilKit {
 public:
  void reset() override {
    const std::scoped_lock held(mutex_);
    answers_.clear();
    hanging_.clear();
    inside_.clear();
    calls_.clear();
    texts_.clear();
    story_.clear();
    handlers_ = {};
    major_ = 5;
    come_back_.notify_all();
  }
  void answer(const std::string& function, SilKit_ReturnCode code) override {
    const std::scoped_lock held(mutex_);
    answers_[function] = code;
  }
  void hang(const std::string& function) override {
    const std::scoped_lock held(mutex_);
    hanging_.insert(function);
  }
  void inside(const std::string& function, std::function<void()> what) override {
    const std::scoped_lock held(mutex_);
    inside_[function] = std::move(what);
  }
  void version(std::uint32_t major) override {
    const std::scoped_lock held(mutex_);
    major_ = major;
  }
  int calls(const std::string& function) override {
    const std::scoped_lock held(mutex_);
    return calls_[function];
  }
  std::string text(const std::string& function) override {
    const std::scoped_lock held(mutex_);
    return texts_[function];
  }
  std::vector<std::string> story() override {
    const std::scoped_lock held(mutex_);
    return story_;
  }
  FakeHandlers handlers() override {
    const std::scoped_lock held(mutex_);
    return handlers_;
  }

  /// A function is called.
  SilKit_ReturnCode called(const std::string& function, const char* text = nullptr,
                           const std::function<void(FakeHandlers&)>& set = {}) {
    std::unique_lock held(mutex_);
    ++calls_[function];
    if (text != nullptr) texts_[function] = text;
    story_.push_back(function);
    if (set) set(handlers_);
    if (const auto found = inside_.find(function); found != inside_.end()) {
      const std::function<void()> what = found->second;
      held.unlock();
      what();
      held.lock();
    }
    come_back_.wait(held, [&] { return !hanging_.contains(function); });
    const auto found = answers_.find(function);
    return found == answers_.end() ? SilKit_ReturnCode_SUCCESS : found->second;
  }
  std::uint32_t major() {
    const std::scoped_lock held(mutex_);
    return major_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable come_back_;
  std::map<std::string, SilKit_ReturnCode> answers_;
  std::set<std::string> hanging_;
  std::map<std::string, std::function<void()>> inside_;
  std::map<std::string, int> calls_;
  std::map<std::string, std::string> texts_;
  std::vector<std::string> story_;
  FakeHandlers handlers_;
  std::uint32_t major_ = 5;
};

World& world() {
  static auto* const made = new World;  // a thread may hang in it when the program ends
  return *made;
}

template <class T>
T* some() {
  static char memory[16];
  void* const at = memory;
  return static_cast<T*>(at);
}

}  // namespace

FakeSilKit* tactus_fake_silkit() { return &world(); }

// What follows has the C library's names; nothing of it calls another.
const char* SilKit_GetLastErrorString() { return "as the test wants it"; }
SilKit_ReturnCode SilKit_ReturnCodeToString(const char** text, SilKit_ReturnCode code) {
  *text = code == SilKit_ReturnCode_WRONGSTATE ? "WRONGSTATE" : "UNSPECIFIEDERROR";
  return world().called("ReturnCodeToString");
}
SilKit_ReturnCode SilKit_Version_Major(uint32_t* major) {
  *major = world().major();
  return world().called("Version_Major");
}
SilKit_ReturnCode SilKit_Version_String(const char** text) {
  *text = "5.9.9";
  return world().called("Version_String");
}
SilKit_ReturnCode SilKit_ParticipantConfiguration_FromString(SilKit_ParticipantConfiguration** made,
                                                             const char* text) {
  *made = some<SilKit_ParticipantConfiguration>();
  return world().called("ParticipantConfiguration_FromString", text);
}
SilKit_ReturnCode SilKit_ParticipantConfiguration_FromFile(SilKit_ParticipantConfiguration** made,
                                                           const char* path) {
  *made = some<SilKit_ParticipantConfiguration>();
  return world().called("ParticipantConfiguration_FromFile", path);
}
SilKit_ReturnCode SilKit_ParticipantConfiguration_Destroy(SilKit_ParticipantConfiguration*) {
  return world().called("ParticipantConfiguration_Destroy");
}
SilKit_ReturnCode SilKit_Participant_Create(SilKit_Participant** made, SilKit_ParticipantConfiguration*,
                                            const char* name, const char*) {
  const SilKit_ReturnCode code = world().called("Participant_Create", name);
  if (code == SilKit_ReturnCode_SUCCESS) *made = some<SilKit_Participant>();
  return code;
}
SilKit_ReturnCode SilKit_Participant_Destroy(SilKit_Participant*) {
  return world().called("Participant_Destroy");
}
SilKit_ReturnCode SilKit_LifecycleService_Create(SilKit_LifecycleService** made, SilKit_Participant*,
                                                 const SilKit_LifecycleConfiguration*) {
  *made = some<SilKit_LifecycleService>();
  return world().called("LifecycleService_Create");
}
SilKit_ReturnCode SilKit_LifecycleService_Status(SilKit_ParticipantStatus* status, SilKit_LifecycleService*) {
  status->participantName = "Rig";
  return world().called("LifecycleService_Status");
}
SilKit_ReturnCode SilKit_LifecycleService_State(SilKit_ParticipantState*, SilKit_LifecycleService*) {
  (void)world().called("LifecycleService_State");
  return SilKit_ReturnCode_NOTSUPPORTED;  // what was said by handlers counts
}
SilKit_ReturnCode SilKit_LifecycleService_SetCommunicationReadyHandlerAsync(
    SilKit_LifecycleService*, void* context, SilKit_LifecycleService_CommunicationReadyHandler_t handler) {
  return world().called("LifecycleService_SetCommunicationReadyHandlerAsync", nullptr,
                        [&](FakeHandlers& all) {
                          all.context = context;
                          all.communication_ready = handler;
                        });
}
SilKit_ReturnCode SilKit_LifecycleService_CompleteCommunicationReadyHandlerAsync(SilKit_LifecycleService*) {
  return world().called("LifecycleService_CompleteCommunicationReadyHandlerAsync");
}
SilKit_ReturnCode SilKit_LifecycleService_SetStartingHandler(
    SilKit_LifecycleService*, void*, SilKit_LifecycleService_StartingHandler_t handler) {
  return world().called("LifecycleService_SetStartingHandler", nullptr,
                        [&](FakeHandlers& all) { all.starting = handler; });
}
SilKit_ReturnCode SilKit_LifecycleService_SetStopHandler(SilKit_LifecycleService*, void*,
                                                         SilKit_LifecycleService_StopHandler_t handler) {
  return world().called("LifecycleService_SetStopHandler", nullptr,
                        [&](FakeHandlers& all) { all.stop = handler; });
}
SilKit_ReturnCode SilKit_LifecycleService_SetShutdownHandler(
    SilKit_LifecycleService*, void*, SilKit_LifecycleService_ShutdownHandler_t handler) {
  return world().called("LifecycleService_SetShutdownHandler", nullptr,
                        [&](FakeHandlers& all) { all.shutdown = handler; });
}
SilKit_ReturnCode SilKit_LifecycleService_SetAbortHandler(SilKit_LifecycleService*, void*,
                                                          SilKit_LifecycleService_AbortHandler_t handler) {
  return world().called("LifecycleService_SetAbortHandler", nullptr,
                        [&](FakeHandlers& all) { all.abort = handler; });
}
SilKit_ReturnCode SilKit_LifecycleService_StartLifecycle(SilKit_LifecycleService*) {
  return world().called("LifecycleService_StartLifecycle");
}
SilKit_ReturnCode SilKit_LifecycleService_Pause(SilKit_LifecycleService*, const char* reason) {
  return world().called("LifecycleService_Pause", reason);
}
SilKit_ReturnCode SilKit_LifecycleService_Continue(SilKit_LifecycleService*) {
  return world().called("LifecycleService_Continue");
}
SilKit_ReturnCode SilKit_LifecycleService_Stop(SilKit_LifecycleService*, const char* reason) {
  return world().called("LifecycleService_Stop", reason);
}
SilKit_ReturnCode SilKit_LifecycleService_ReportError(SilKit_LifecycleService*, const char* reason) {
  return world().called("LifecycleService_ReportError", reason);
}
SilKit_ReturnCode SilKit_TimeSyncService_Create(SilKit_TimeSyncService** made, SilKit_LifecycleService*) {
  *made = some<SilKit_TimeSyncService>();
  return world().called("TimeSyncService_Create");
}
SilKit_ReturnCode SilKit_TimeSyncService_SetSimulationStepHandlerAsync(
    SilKit_TimeSyncService*, void* context, SilKit_TimeSyncService_SimulationStepHandler_t handler,
    SilKit_NanosecondsTime step) {
  return world().called("TimeSyncService_SetSimulationStepHandlerAsync", std::to_string(step).c_str(),
                        [&](FakeHandlers& all) {
                          all.step_context = context;
                          all.step = handler;
                        });
}
SilKit_ReturnCode SilKit_TimeSyncService_CompleteSimulationStep(SilKit_TimeSyncService*) {
  return world().called("TimeSyncService_CompleteSimulationStep");
}
SilKit_ReturnCode SilKit_SystemMonitor_Create(SilKit_SystemMonitor** made, SilKit_Participant*) {
  *made = some<SilKit_SystemMonitor>();
  return world().called("SystemMonitor_Create");
}
SilKit_ReturnCode SilKit_SystemMonitor_AddSystemStateHandler(SilKit_SystemMonitor*, void*,
                                                             SilKit_SystemStateHandler_t handler,
                                                             SilKit_HandlerId*) {
  return world().called("SystemMonitor_AddSystemStateHandler", nullptr,
                        [&](FakeHandlers& all) { all.system_state = handler; });
}
SilKit_ReturnCode SilKit_SystemMonitor_AddParticipantStatusHandler(SilKit_SystemMonitor*, void*,
                                                                   SilKit_ParticipantStatusHandler_t handler,
                                                                   SilKit_HandlerId*) {
  return world().called("SystemMonitor_AddParticipantStatusHandler", nullptr,
                        [&](FakeHandlers& all) { all.status = handler; });
}
SilKit_ReturnCode SilKit_SystemMonitor_SetParticipantConnectedHandler(
    SilKit_SystemMonitor*, void*, SilKit_SystemMonitor_ParticipantConnectedHandler_t handler) {
  return world().called("SystemMonitor_SetParticipantConnectedHandler", nullptr,
                        [&](FakeHandlers& all) { all.connected = handler; });
}
SilKit_ReturnCode SilKit_SystemMonitor_SetParticipantDisconnectedHandler(
    SilKit_SystemMonitor*, void*, SilKit_SystemMonitor_ParticipantDisconnectedHandler_t handler) {
  return world().called("SystemMonitor_SetParticipantDisconnectedHandler", nullptr,
                        [&](FakeHandlers& all) { all.disconnected = handler; });
}
SilKit_ReturnCode SilKit_DataPublisher_Create(SilKit_DataPublisher** made, SilKit_Participant*,
                                              const char* name, SilKit_DataSpec*, uint8_t) {
  *made = some<SilKit_DataPublisher>();
  return world().called("DataPublisher_Create", name);
}
SilKit_ReturnCode SilKit_DataPublisher_Publish(SilKit_DataPublisher*, const SilKit_ByteVector*) {
  return world().called("DataPublisher_Publish");
}
SilKit_ReturnCode SilKit_DataSubscriber_Create(SilKit_DataSubscriber** made, SilKit_Participant*,
                                               const char* name, SilKit_DataSpec*, void* context,
                                               SilKit_DataMessageHandler_t handler) {
  *made = some<SilKit_DataSubscriber>();
  return world().called("DataSubscriber_Create", name, [&](FakeHandlers& all) {
    all.subscribers.push_back({context, handler});
  });
}
SilKit_ReturnCode SilKit_RpcServer_Create(SilKit_RpcServer** made, SilKit_Participant*, const char* name,
                                          SilKit_RpcSpec*, void*, SilKit_RpcCallHandler_t) {
  *made = some<SilKit_RpcServer>();
  return world().called("RpcServer_Create", name);
}
SilKit_ReturnCode SilKit_RpcServer_SubmitResult(SilKit_RpcServer*, SilKit_RpcCallHandle*,
                                                const SilKit_ByteVector*) {
  return world().called("RpcServer_SubmitResult");
}
