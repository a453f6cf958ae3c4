// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/silkit.h>
#include <tactus/silkit_rpc.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tactus::test {

/// What the participant gave the library to call.
struct FakeHandlers {
  void* context = nullptr;  ///< of all but the subscribers
  SilKit_LifecycleService_CommunicationReadyHandler_t communication_ready = nullptr;
  SilKit_LifecycleService_StartingHandler_t starting = nullptr;
  SilKit_LifecycleService_StopHandler_t stop = nullptr;
  SilKit_LifecycleService_ShutdownHandler_t shutdown = nullptr;
  SilKit_LifecycleService_AbortHandler_t abort = nullptr;
  SilKit_TimeSyncService_SimulationStepHandler_t step = nullptr;
  void* step_context = nullptr;
  SilKit_SystemStateHandler_t system_state = nullptr;
  SilKit_ParticipantStatusHandler_t status = nullptr;
  SilKit_SystemMonitor_ParticipantConnectedHandler_t connected = nullptr;
  SilKit_SystemMonitor_ParticipantDisconnectedHandler_t disconnected = nullptr;
  struct Subscriber {
    void* context = nullptr;
    SilKit_DataMessageHandler_t handler = nullptr;
  };
  std::vector<Subscriber> subscribers;

  // Each calls a handler on the caller's thread, if there is one.
  void grant(std::uint64_t now_ns, std::uint64_t duration_ns) const {
    if (step != nullptr) step(step_context, nullptr, now_ns, duration_ns);
  }
  void say(const char* name, SilKit_ParticipantState state, const char* reason,
           std::uint64_t entered_ns = 0) const {
    SilKit_ParticipantStatus said = tactus_silkit_ParticipantStatus();
    said.participantName = name;
    said.participantState = state;
    said.enterReason = reason;
    said.enterTime = entered_ns;
    if (status != nullptr) status(context, nullptr, name, &said);
  }
  void say_system(SilKit_SystemState state) const {
    if (system_state != nullptr) system_state(context, nullptr, state);
  }
  void connect(const char* name, bool yes) const {
    SilKit_ParticipantConnectionInformation who = tactus_silkit_ParticipantConnectionInformation();
    who.participantName = name;
    if (yes && connected != nullptr) connected(context, nullptr, &who);
    if (!yes && disconnected != nullptr) disconnected(context, nullptr, &who);
  }
  void send(std::size_t subscriber, std::uint64_t stamp, const void* bytes, std::size_t size) const {
    if (subscriber >= subscribers.size()) return;
    SilKit_DataMessageEvent event = tactus_silkit_DataMessageEvent();
    event.timestamp = stamp;
    event.data = {static_cast<const std::uint8_t*>(bytes), size};
    subscribers[subscriber].handler(subscribers[subscriber].context, nullptr, &event);
  }
};

/// The strings that pull the library `link_fake_silkit`; it does nothing by itself. Functions are named
/// without "SilKit_".
///
/// Threads  any.
class FakeSilKit {
 public:
  virtual ~FakeSilKit() = default;
  /// As new; whoever hangs comes back.
  virtual void reset() = 0;
  /// What a function answers from now on.
  virtual void answer(const std::string& function, SilKit_ReturnCode code) = 0;
  /// A function does not come back, until reset().
  virtual void hang(const std::string& function) = 0;
  /// Done inside of a function, on its caller's thread, before it answers.
  virtual void inside(const std::string& function, std::function<void()> what) = 0;
  virtual void version(std::uint32_t major) = 0;
  virtual int calls(const std::string& function) = 0;
  /// The text a function was last given: a reason, a name.
  virtual std::string text(const std::string& function) = 0;
  /// Names of all functions that were called in order.
  virtual std::vector<std::string> story() = 0;
  virtual FakeHandlers handlers() = 0;
};

}  // namespace tactus::test

extern "C" TACTUS_SILKIT_API tactus::test::FakeSilKit* tactus_fake_silkit();
