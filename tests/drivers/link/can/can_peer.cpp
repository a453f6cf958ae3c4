// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/link/can/can_peer.hpp"

#include <tactus/silkit_can.h>

#include <utility>

#include "tests/drivers/link/participant/support/peer.hpp"

namespace tactus::test {
namespace {

template <class Function>
Function* can_function(const std::string& path, const char* name) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(::dlsym(handle, name));
}
#define CAN(name) can_function<decltype(SilKit_CanController_##name)>(path_, "SilKit_CanController_" #name)

}  // namespace

CanPeer::CanPeer(const std::string& path, const std::string& uri, const std::string& network)
    : library_(library_at(path)), path_(path) {
  const Library& l = library_;
  SilKit_ParticipantConfiguration* configuration = nullptr;
  l.must(l.ParticipantConfiguration_FromString(&configuration, kLoopbackOnly), "configuration");
  l.must(l.Participant_Create(&participant_, configuration, "Peer", uri.c_str()), "participant");
  (void)l.ParticipantConfiguration_Destroy(configuration);
  SilKit_LifecycleConfiguration lifecycle = tactus_silkit_LifecycleConfiguration();
  lifecycle.operationMode = SilKit_OperationMode_Coordinated;
  l.must(l.LifecycleService_Create(&lifecycle_, participant_, &lifecycle), "lifecycle");
  l.must(l.TimeSyncService_Create(&time_, lifecycle_), "time");
  l.must(l.TimeSyncService_SetSimulationStepHandler(
             time_, this,
             [](void* self, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
               static_cast<CanPeer*>(self)->step(now);
             },
             1'000'000),
         "step handler");
  l.must(CAN(Create)(&controller_, participant_, "Can", network.c_str()), "controller");
  SilKit_HandlerId id = 0;
  l.must(CAN(AddFrameHandler)(
             controller_, this,
             [](void* self, SilKit_CanController*, SilKit_CanFrameEvent* event) {
               CanPeer& peer = *static_cast<CanPeer*>(self);
               const std::scoped_lock held(peer.mutex_);
               const SilKit_ByteVector& data = event->frame->data;
               peer.heard_.push_back(
                   {event->frame->id, event->timestamp, peer.now_, {data.data, data.data + data.size}});
             },
             SilKit_Direction_Receive, &id),
         "frame handler");
  l.must(CAN(AddFrameTransmitHandler)(
             controller_, this,
             [](void* self, SilKit_CanController*, SilKit_CanFrameTransmitEvent* event) {
               CanPeer& peer = *static_cast<CanPeer*>(self);
               const std::scoped_lock held(peer.mutex_);
               if (event->status == SilKit_CanTransmitStatus_Transmitted) ++peer.acknowledged_;
             },
             SilKit_CanTransmitStatus_DefaultMask, &id),
         "transmit handler");
  std::string names[] = {"Rig", "Peer"};
  char* texts[] = {names[0].data(), names[1].data()};
  SilKit_StringList list{2, texts};
  SilKit_WorkflowConfiguration workflow = tactus_silkit_WorkflowConfiguration();
  workflow.requiredParticipantNames = &list;
  SilKit_Experimental_SystemController* system = nullptr;
  l.must(l.Experimental_SystemController_Create(&system, participant_), "system controller");
  l.must(l.Experimental_SystemController_SetWorkflowConfiguration(system, &workflow), "workflow");
  l.must(l.LifecycleService_StartLifecycle(lifecycle_), "start");
}

CanPeer::~CanPeer() { (void)library_.Participant_Destroy(participant_); }

void CanPeer::step(std::uint64_t now) {
  int number = 0;
  std::vector<Also> also;
  {
    const std::scoped_lock held(mutex_);
    also = also_;
    now_ = now;
    number = steps_++;
  }
  if (number == 0) {
    library_.must(CAN(SetBaudRate)(controller_, 500'000, 2'000'000, 0), "baud rate");
    library_.must(CAN(Start)(controller_), "start");
  }
  send(0x200, {static_cast<std::uint8_t>(number & 0xFF), static_cast<std::uint8_t>(number >> 8)});
  if (number % 10 == 0) send(0x201, {1});
  if (number == 0) return;
  for (const Also& each : also) send(each.id, std::vector<std::uint8_t>(each.data), each.flags);
}

void CanPeer::also_send(std::uint32_t id, std::uint32_t flags, std::size_t data) {
  const std::scoped_lock held(mutex_);
  also_.push_back({id, flags, data});
}

void CanPeer::send(std::uint32_t id, std::vector<std::uint8_t> data, std::uint32_t flags) {
  SilKit_CanFrame frame = tactus_silkit_CanFrame();
  frame.id = id;
  frame.flags = flags;
  frame.dlc = static_cast<std::uint16_t>(data.size() > 8 ? 9 : data.size());  // FD: 12 bytes
  frame.data = {data.data(), data.size()};
  library_.must(CAN(SendFrame)(controller_, &frame, nullptr), "send");
  const std::scoped_lock held(mutex_);
  ++sent_;
}

std::vector<CanPeer::Heard> CanPeer::heard() {
  const std::scoped_lock held(mutex_);
  return heard_;
}
int CanPeer::acknowledged() {
  const std::scoped_lock held(mutex_);
  return acknowledged_;
}
int CanPeer::sent() {
  const std::scoped_lock held(mutex_);
  return sent_;
}

}  // namespace tactus::test
