// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/silkit/api/support/simulation.hpp"

#include <stdexcept>
#include <thread>

namespace tactus::test {

void ok(SilKit_ReturnCode code) {
  if (code != SilKit_ReturnCode_SUCCESS)
    throw std::runtime_error(std::to_string(code) + ": " + SilKit_GetLastErrorString());
}

Config::Config(const std::string& text) {
  ok(SilKit_ParticipantConfiguration_FromString(&configuration_, text.c_str()));
}
Config::~Config() { (void)SilKit_ParticipantConfiguration_Destroy(configuration_); }

RegistryHere::RegistryHere() {
  ok(SilKit_Vendor_Vector_SilKitRegistry_Create(&registry_, Config().get()));
  const char* uri = nullptr;
  ok(SilKit_Vendor_Vector_SilKitRegistry_StartListening(registry_, "silkit://127.0.0.1:0", &uri));
  uri_ = uri;
}
RegistryHere::~RegistryHere() { (void)SilKit_Vendor_Vector_SilKitRegistry_Destroy(registry_); }

ParticipantHere::ParticipantHere(const std::string& uri, const std::string& name, const std::string& config) {
  ok(SilKit_Participant_Create(&participant_, Config(config).get(), name.c_str(), uri.c_str()));
}
ParticipantHere::~ParticipantHere() { destroy(); }
void ParticipantHere::destroy() {
  if (participant_ != nullptr) (void)SilKit_Participant_Destroy(participant_);
  participant_ = nullptr;
}

SilKit_LifecycleService* ParticipantHere::lifecycle(SilKit_OperationMode mode) {
  if (lifecycle_ == nullptr) {
    SilKit_LifecycleConfiguration configuration = tactus_silkit_LifecycleConfiguration();
    configuration.operationMode = mode;
    ok(SilKit_LifecycleService_Create(&lifecycle_, participant_, &configuration));
  }
  return lifecycle_;
}
SilKit_TimeSyncService* ParticipantHere::time_sync() {
  if (time_sync_ == nullptr) ok(SilKit_TimeSyncService_Create(&time_sync_, lifecycle()));
  return time_sync_;
}
SilKit_SystemMonitor* ParticipantHere::monitor() {
  if (monitor_ == nullptr) ok(SilKit_SystemMonitor_Create(&monitor_, participant_));
  return monitor_;
}

SilKit_DataPublisher* ParticipantHere::publisher(const std::string& name, const std::string& topic,
                                                 std::uint8_t history) {
  SilKit_DataSpec spec = tactus_silkit_DataSpec();
  spec.topic = topic.c_str();
  spec.mediaType = "text/plain";
  SilKit_DataPublisher* publisher = nullptr;
  ok(SilKit_DataPublisher_Create(&publisher, participant_, name.c_str(), &spec, history));
  return publisher;
}
SilKit_DataSubscriber* ParticipantHere::subscriber(const std::string& name, const std::string& topic,
                                                   void* context, SilKit_DataMessageHandler_t handler) {
  SilKit_DataSpec spec = tactus_silkit_DataSpec();
  spec.topic = topic.c_str();
  spec.mediaType = "";
  SilKit_DataSubscriber* subscriber = nullptr;
  ok(SilKit_DataSubscriber_Create(&subscriber, participant_, name.c_str(), &spec, context, handler));
  return subscriber;
}

void ParticipantHere::require(const std::vector<std::string>& names) {
  std::vector<std::string> copies = names;
  std::vector<char*> texts;
  for (std::string& name : copies) texts.push_back(name.data());
  SilKit_StringList list{texts.size(), texts.data()};
  SilKit_WorkflowConfiguration configuration = tactus_silkit_WorkflowConfiguration();
  configuration.requiredParticipantNames = &list;
  SilKit_Experimental_SystemController* controller = nullptr;
  ok(SilKit_Experimental_SystemController_Create(&controller, participant_));
  ok(SilKit_Experimental_SystemController_SetWorkflowConfiguration(controller, &configuration));
}

void ParticipantHere::start() { ok(SilKit_LifecycleService_StartLifecycle(lifecycle())); }
SilKit_ParticipantState ParticipantHere::wait() {
  SilKit_ParticipantState state = SilKit_ParticipantState_Invalid;
  ok(SilKit_LifecycleService_WaitForLifecycleToComplete(lifecycle(), &state));
  return state;
}

SilKit_ParticipantState state_of(ParticipantHere& participant) {
  SilKit_ParticipantState state = 0;
  ok(SilKit_LifecycleService_State(&state, participant.lifecycle()));
  return state;
}

bool reaches(ParticipantHere& participant, SilKit_ParticipantState state) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (state_of(participant) != state) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void publish(SilKit_DataPublisher* publisher, const std::string& text) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the characters as bytes
  const SilKit_ByteVector data{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  ok(SilKit_DataPublisher_Publish(publisher, &data));
}

std::string text_of(const SilKit_DataMessageEvent& event) {
  return {event.data.data, event.data.data + event.data.size};
}

}  // namespace tactus::test
