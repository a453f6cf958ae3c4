// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/link/participant/support/peer.hpp"

#include <cstring>
#include <memory>

namespace tactus::test {

const char* const kLoopbackOnly =
    R"({"Middleware": {"EnableDomainSockets": false, "AcceptorUris": ["tcp://127.0.0.1:0"]},
        "Logging": {"Sinks": [{"Type": "Stdout", "Level": "Off"}]}})";

const Library& library_at(const std::string& path) {
  static auto* const all = new std::map<std::string, std::unique_ptr<Library>>;
  std::unique_ptr<Library>& one = (*all)[path];
  if (one == nullptr) one = std::make_unique<Library>(path);
  return *one;
}

namespace {

/// What the list of the library lacks.
template <class Function>
Function* more(const std::string& path, const char* name) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(::dlsym(handle, name));
}

}  // namespace

RegistryOf::RegistryOf(const std::string& path) : library_(path) {
  const Library& library = library_at(path);
  SilKit_ParticipantConfiguration* configuration = nullptr;
  library.must(library.ParticipantConfiguration_FromString(&configuration, kLoopbackOnly), "configuration");
  library.must(more<decltype(SilKit_Vendor_Vector_SilKitRegistry_Create)>(
                   path, "SilKit_Vendor_Vector_SilKitRegistry_Create")(&registry_, configuration),
               "registry");
  const char* uri = nullptr;
  library.must(more<decltype(SilKit_Vendor_Vector_SilKitRegistry_StartListening)>(
                   path, "SilKit_Vendor_Vector_SilKitRegistry_StartListening")(registry_,
                                                                               "silkit://127.0.0.1:0", &uri),
               "listening");
  uri_ = uri;
  (void)library.ParticipantConfiguration_Destroy(configuration);
}

RegistryOf::~RegistryOf() {
  (void)more<decltype(SilKit_Vendor_Vector_SilKitRegistry_Destroy)>(
      library_, "SilKit_Vendor_Vector_SilKitRegistry_Destroy")(registry_);
}

Peer::Peer(const std::string& path, const std::string& uri, bool timed) : library_(library_at(path)) {
  const Library& l = library_;
  SilKit_ParticipantConfiguration* configuration = nullptr;
  l.must(l.ParticipantConfiguration_FromString(&configuration, kLoopbackOnly), "configuration");
  l.must(l.Participant_Create(&participant_, configuration, "Plant", uri.c_str()), "participant");
  (void)l.ParticipantConfiguration_Destroy(configuration);

  SilKit_LifecycleConfiguration lifecycle = tactus_silkit_LifecycleConfiguration();
  lifecycle.operationMode = SilKit_OperationMode_Coordinated;
  l.must(l.LifecycleService_Create(&lifecycle_, participant_, &lifecycle), "lifecycle");
  if (timed) {
    l.must(l.TimeSyncService_Create(&time_, lifecycle_), "time");
    l.must(l.TimeSyncService_SetSimulationStepHandler(
               time_, this,
               [](void* self, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {
                 static_cast<Peer*>(self)->step();
               },
               1'000'000),
           "step handler");
  }
  SilKit_HandlerId id = 0;
  l.must(l.SystemMonitor_Create(&monitor_, participant_), "monitor");
  l.must(l.SystemMonitor_AddParticipantStatusHandler(
             monitor_, this,
             [](void* self, SilKit_SystemMonitor*, const char* name, SilKit_ParticipantStatus* status) {
               if (std::strcmp(name, "Rig") != 0) return;
               Peer& peer = *static_cast<Peer*>(self);
               const std::scoped_lock held(peer.mutex_);
               peer.rig_.emplace_back(status->participantState, status->enterReason);
             },
             &id),
         "status");
  SilKit_DataSpec setpoint = tactus_silkit_DataSpec();
  setpoint.topic = "setpoint";
  setpoint.mediaType = "application/octet-stream";
  l.must(l.DataPublisher_Create(&publisher_, participant_, "setpoint", &setpoint, 0), "publisher");
  SilKit_DataSpec position = tactus_silkit_DataSpec();
  position.topic = "position";
  position.mediaType = "application/octet-stream";
  SilKit_DataSubscriber* subscriber = nullptr;
  l.must(
      l.DataSubscriber_Create(&subscriber, participant_, "position", &position, this,
                              [](void* self, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* event) {
                                Peer& peer = *static_cast<Peer*>(self);
                                Heard one{event->timestamp, -1};
                                if (event->data.size == sizeof one.value)
                                  std::memcpy(&one.value, event->data.data, sizeof one.value);
                                const std::scoped_lock held(peer.mutex_);
                                peer.heard_.push_back(one);
                              }),
      "subscriber");

  std::string names[] = {"Rig", "Plant"};
  char* texts[] = {names[0].data(), names[1].data()};
  SilKit_StringList list{2, texts};
  SilKit_WorkflowConfiguration workflow = tactus_silkit_WorkflowConfiguration();
  workflow.requiredParticipantNames = &list;
  SilKit_Experimental_SystemController* controller = nullptr;
  l.must(l.Experimental_SystemController_Create(&controller, participant_), "controller");
  l.must(l.Experimental_SystemController_SetWorkflowConfiguration(controller, &workflow), "workflow");
  l.must(l.LifecycleService_StartLifecycle(lifecycle_), "start");
}

Peer::~Peer() { destroy(); }

void Peer::destroy() {
  hold(false);
  if (participant_ != nullptr) (void)library_.Participant_Destroy(participant_);
  participant_ = nullptr;
}

void Peer::step() {
  double value = 0;
  {
    std::unique_lock held(mutex_);
    changed_.wait(held, [&] { return !held_; });
    value = steps_++;
  }
  publish(value);
}

void Peer::publish(double value) {
  std::uint8_t bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  const SilKit_ByteVector data{bytes, sizeof bytes};
  (void)library_.DataPublisher_Publish(publisher_, &data);
}

std::vector<Peer::Heard> Peer::heard() {
  const std::scoped_lock held(mutex_);
  return heard_;
}
int Peer::steps() {
  const std::scoped_lock held(mutex_);
  return steps_;
}
std::vector<std::pair<SilKit_ParticipantState, std::string>> Peer::rig() {
  const std::scoped_lock held(mutex_);
  return rig_;
}
bool Peer::rig_was(SilKit_ParticipantState state, const std::string& reason) {
  for (const auto& [was, why] : rig())
    if (was == state && why.find(reason) != std::string::npos) return true;
  return false;
}
void Peer::hold(bool yes) {
  const std::scoped_lock held(mutex_);
  held_ = yes;
  changed_.notify_all();
}

}  // namespace tactus::test
