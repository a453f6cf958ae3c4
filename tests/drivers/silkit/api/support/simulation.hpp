// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A registry and participants in this process, for tests of the C API.
///
/// Threads  one; handlers come on the participants' own.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tactus/silkit.h"

namespace tactus::test {

/// Throws std::runtime_error with the error text unless the call succeeded.
void ok(SilKit_ReturnCode code);

class Config {
 public:
  explicit Config(const std::string& text = "");
  ~Config();
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;
  SilKit_ParticipantConfiguration* get() const { return configuration_; }

 private:
  SilKit_ParticipantConfiguration* configuration_ = nullptr;
};

/// Listens on a port of loopback that is free.
class RegistryHere {
 public:
  RegistryHere();
  ~RegistryHere();
  RegistryHere(const RegistryHere&) = delete;
  RegistryHere& operator=(const RegistryHere&) = delete;
  const std::string& uri() const { return uri_; }
  SilKit_Vendor_Vector_SilKitRegistry* get() const { return registry_; }

 private:
  SilKit_Vendor_Vector_SilKitRegistry* registry_ = nullptr;
  std::string uri_;
};

class ParticipantHere {
 public:
  ParticipantHere(const std::string& registry_uri, const std::string& name, const std::string& config = "");
  ~ParticipantHere();
  ParticipantHere(const ParticipantHere&) = delete;
  ParticipantHere& operator=(const ParticipantHere&) = delete;

  SilKit_Participant* get() const { return participant_; }
  SilKit_LifecycleService* lifecycle(SilKit_OperationMode mode = SilKit_OperationMode_Coordinated);
  SilKit_TimeSyncService* time_sync();
  SilKit_SystemMonitor* monitor();
  SilKit_DataPublisher* publisher(const std::string& name, const std::string& topic,
                                  std::uint8_t history = 0);
  SilKit_DataSubscriber* subscriber(const std::string& name, const std::string& topic, void* context,
                                    SilKit_DataMessageHandler_t handler);
  void require(const std::vector<std::string>& names);
  void start();
  SilKit_ParticipantState wait();
  void destroy();

 private:
  SilKit_Participant* participant_ = nullptr;
  SilKit_LifecycleService* lifecycle_ = nullptr;
  SilKit_TimeSyncService* time_sync_ = nullptr;
  SilKit_SystemMonitor* monitor_ = nullptr;
};

SilKit_ParticipantState state_of(ParticipantHere& participant);
/// False when it is not in that state within half a minute.
bool reaches(ParticipantHere& participant, SilKit_ParticipantState state);

void publish(SilKit_DataPublisher* publisher, const std::string& text);
std::string text_of(const SilKit_DataMessageEvent& event);

/// Something that handlers change and the test waits for.
template <class T>
class Watched {
 public:
  template <class Change>
  void change(Change change) {
    const std::scoped_lock held(mutex_);
    change(value_);
    changed_.notify_all();
  }
  /// False when it does not come true within a minute.
  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock held(mutex_);
    return changed_.wait_for(held, std::chrono::seconds(120), [&] { return condition(value_); });
  }
  T get() {
    const std::scoped_lock held(mutex_);
    return value_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  T value_{};
};

}  // namespace tactus::test
