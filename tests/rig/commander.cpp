// SPDX-License-Identifier: Apache-2.0
#include "tests/rig/commander.hpp"

#include <gtest/gtest.h>
#include <tactus/silkit_rpc.h>

#include <condition_variable>

#include "tests/drivers/silkit/integration/programs/library.hpp"

namespace tactus::test {
namespace {

template <class Function>
Function* rpc_function(const std::string& path, const char* name) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(::dlsym(handle, name));
}

/// One for each path, for ever.
const Library& library_of(const std::string& path) {
  static auto* const all = new std::map<std::string, std::unique_ptr<Library>>;
  std::unique_ptr<Library>& one = (*all)[path];
  if (one == nullptr) one = std::make_unique<Library>(path);
  return *one;
}

}  // namespace

struct Commander::Parts {
  const Library& library;
  decltype(&SilKit_RpcClient_Create) create_client;
  decltype(&SilKit_RpcClient_Call) call_client;
  std::vector<Call> calls;
  SilKit_Participant* participant = nullptr;
  SilKit_LifecycleService* lifecycle = nullptr;
  SilKit_TimeSyncService* time = nullptr;
  std::map<std::string, SilKit_RpcClient*> clients{};
  std::mutex mutex{};
  std::condition_variable changed{};
  std::map<std::size_t, Answer> answers{};
  std::int64_t step = -1;

  SilKit_RpcClient* client(const std::string& function) {
    SilKit_RpcClient*& made = clients[function];
    if (made != nullptr) return made;
    SilKit_RpcSpec spec = tactus_silkit_RpcSpec();
    spec.functionName = function.c_str();
    spec.mediaType = "application/json";
    library.must(create_client(&made, participant, ("client of " + function).c_str(), &spec, this,
                               [](void* self, SilKit_RpcClient*, const SilKit_RpcCallResultEvent* event) {
                                 static_cast<Parts*>(self)->on_result(*event);
                               }),
                 "client");
    return made;
  }
  void on_result(const SilKit_RpcCallResultEvent& event) {
    const std::scoped_lock held(mutex);
    Answer& answer = answers[reinterpret_cast<std::size_t>(event.userContext)];
    answer.success = event.callStatus == SilKit_RpcCallStatus_Success;
    answer.text.assign(event.resultData.data, event.resultData.data + event.resultData.size);
    answer.step = static_cast<std::int64_t>(event.timestamp / 1'000'000);
    changed.notify_all();
  }
  void call(std::size_t number, const std::string& function, const std::string& argument) {
    const SilKit_ByteVector data{reinterpret_cast<const std::uint8_t*>(argument.data()), argument.size()};
    library.must(call_client(client(function), &data, reinterpret_cast<void*>(number)), "call");
  }
  void on_step(SilKit_NanosecondsTime now) {
    {
      const std::scoped_lock held(mutex);
      step = static_cast<std::int64_t>(now / 1'000'000);
    }
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (calls[i].step == step) call(i, calls[i].function, calls[i].argument);
  }
};

Commander::Commander(const std::string& path, const std::string& uri, std::vector<Call> calls)
    : parts_(new Parts{
          library_of(path), rpc_function<decltype(SilKit_RpcClient_Create)>(path, "SilKit_RpcClient_Create"),
          rpc_function<decltype(SilKit_RpcClient_Call)>(path, "SilKit_RpcClient_Call"), std::move(calls)}) {
  const Library& l = parts_->library;
  SilKit_ParticipantConfiguration* configuration = nullptr;
  l.must(l.ParticipantConfiguration_FromString(
             &configuration,
             R"({"Middleware": {"EnableDomainSockets": false, "AcceptorUris": ["tcp://127.0.0.1:0"]},
                 "Logging": {"Sinks": [{"Type": "Stdout", "Level": "Off"}]}})"),
         "configuration");
  l.must(l.Participant_Create(&parts_->participant, configuration, "Commander", uri.c_str()), "participant");
  (void)l.ParticipantConfiguration_Destroy(configuration);
  SilKit_LifecycleConfiguration lifecycle = tactus_silkit_LifecycleConfiguration();
  lifecycle.operationMode = SilKit_OperationMode_Coordinated;
  l.must(l.LifecycleService_Create(&parts_->lifecycle, parts_->participant, &lifecycle), "lifecycle");
  l.must(l.TimeSyncService_Create(&parts_->time, parts_->lifecycle), "time");
  l.must(l.TimeSyncService_SetSimulationStepHandler(
             parts_->time, parts_.get(),
             [](void* self, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
               static_cast<Parts*>(self)->on_step(now);
             },
             1'000'000),
         "step handler");
  for (const Call& call : parts_->calls) (void)parts_->client(call.function);
  l.must(l.LifecycleService_StartLifecycle(parts_->lifecycle), "start");
}

Commander::~Commander() { (void)parts_->library.Participant_Destroy(parts_->participant); }

void Commander::call(std::size_t number, const std::string& function, const std::string& argument) {
  parts_->call(number, function, argument);
}

std::map<std::size_t, Commander::Answer> Commander::answers() {
  const std::scoped_lock held(parts_->mutex);
  return parts_->answers;
}

Commander::Answer Commander::answer(std::size_t number, std::chrono::milliseconds limit) {
  std::unique_lock held(parts_->mutex);
  if (parts_->changed.wait_for(held, limit, [&] { return parts_->answers.contains(number); }))
    return parts_->answers[number];
  ADD_FAILURE() << "call " << number << " has no answer";
  return {};
}

}  // namespace tactus::test
