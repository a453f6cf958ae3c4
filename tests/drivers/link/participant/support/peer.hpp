// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A registry and scripted participants in this process, of a SIL Kit library that is given by path.
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/drivers/silkit/integration/programs/library.hpp"

namespace tactus::test {

/// One for each path, for ever.
const Library& library_at(const std::string& path);

/// Listens on a port of loopback that is free.
class RegistryOf {
 public:
  explicit RegistryOf(const std::string& library);
  ~RegistryOf();
  RegistryOf(const RegistryOf&) = delete;
  RegistryOf& operator=(const RegistryOf&) = delete;
  const std::string& uri() const { return uri_; }

 private:
  std::string library_;
  SilKit_Vendor_Vector_SilKitRegistry* registry_ = nullptr;
  std::string uri_;
};

/// "Plant": coordinated, with 1 ms steps unless it is to be without virtual time. In each step it publishes
/// the number of the step as `setpoint`, and hears `position`. It says who takes part: Rig and Plant.
class Peer {
 public:
  Peer(const std::string& library, const std::string& uri, bool timed = true);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  struct Heard {
    std::uint64_t stamp = 0;
    double value = 0;
  };
  std::vector<Heard> heard();
  int steps();
  /// States of Rig so far, with their reasons.
  std::vector<std::pair<SilKit_ParticipantState, std::string>> rig();
  bool rig_was(SilKit_ParticipantState state, const std::string& reason = "");
  /// Keeps the next step open, until released.
  void hold(bool yes);
  void publish(double value);
  void pause() { (void)library_.LifecycleService_Pause(lifecycle_, "look"); }
  void resume() { (void)library_.LifecycleService_Continue(lifecycle_); }
  void stop() { (void)library_.LifecycleService_Stop(lifecycle_, "enough"); }
  void fail() { (void)library_.LifecycleService_ReportError(lifecycle_, "broken"); }
  /// Is gone, without a word.
  void destroy();

 private:
  void step();

  const Library& library_;
  SilKit_Participant* participant_ = nullptr;
  SilKit_LifecycleService* lifecycle_ = nullptr;
  SilKit_TimeSyncService* time_ = nullptr;
  SilKit_SystemMonitor* monitor_ = nullptr;
  SilKit_DataPublisher* publisher_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Heard> heard_;
  std::vector<std::pair<SilKit_ParticipantState, std::string>> rig_;
  int steps_ = 0;
  bool held_ = false;
};

/// Sockets on loopback only, and no log.
extern const char* const kLoopbackOnly;

}  // namespace tactus::test
