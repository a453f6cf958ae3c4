// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A SIL Kit library, opened by path: one program can be run with ours and with the genuine one.
#include <dlfcn.h>
#include <tactus/silkit.h>

#include <stdexcept>
#include <string>

namespace tactus::test {

// NOLINTBEGIN(cppcoreguidelines-macro-usage): a list of names that becomes members and lookups
#define TACTUS_SILKIT_FUNCTIONS(F)                          \
  F(GetLastErrorString)                                     \
  F(ParticipantConfiguration_FromString)                    \
  F(ParticipantConfiguration_Destroy)                       \
  F(Participant_Create)                                     \
  F(Participant_Destroy)                                    \
  F(LifecycleService_Create)                                \
  F(LifecycleService_SetCommunicationReadyHandler)          \
  F(LifecycleService_SetStartingHandler)                    \
  F(LifecycleService_SetStopHandler)                        \
  F(LifecycleService_SetShutdownHandler)                    \
  F(LifecycleService_SetAbortHandler)                       \
  F(LifecycleService_StartLifecycle)                        \
  F(LifecycleService_WaitForLifecycleToComplete)            \
  F(LifecycleService_Pause)                                 \
  F(LifecycleService_Continue)                              \
  F(LifecycleService_Stop)                                  \
  F(LifecycleService_ReportError)                           \
  F(LifecycleService_State)                                 \
  F(TimeSyncService_Create)                                 \
  F(TimeSyncService_SetSimulationStepHandler)               \
  F(TimeSyncService_SetSimulationStepHandlerAsync)          \
  F(TimeSyncService_CompleteSimulationStep)                 \
  F(TimeSyncService_Now)                                    \
  F(SystemMonitor_Create)                                   \
  F(SystemMonitor_AddParticipantStatusHandler)              \
  F(SystemMonitor_AddSystemStateHandler)                    \
  F(SystemMonitor_SetParticipantConnectedHandler)           \
  F(SystemMonitor_SetParticipantDisconnectedHandler)        \
  F(Experimental_SystemController_Create)                   \
  F(Experimental_SystemController_SetWorkflowConfiguration) \
  F(DataPublisher_Create)                                   \
  F(DataPublisher_Publish)                                  \
  F(DataSubscriber_Create)

class Library {
 public:
  /// Throws std::runtime_error naming the file, or the function that it lacks.
  explicit Library(const std::string& path) {
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error(::dlerror());
#define TACTUS_LOAD(name) name = reinterpret_cast<decltype(name)>(find("SilKit_" #name));
    TACTUS_SILKIT_FUNCTIONS(TACTUS_LOAD)
#undef TACTUS_LOAD
  }
  Library(const Library&) = delete;  // never closed: its threads may outlive main()
  Library& operator=(const Library&) = delete;

  /// Throws std::runtime_error with the library's own words unless the code says success.
  void must(SilKit_ReturnCode code, const char* what) const {
    if (code != SilKit_ReturnCode_SUCCESS)
      throw std::runtime_error(std::string(what) + ": code " + std::to_string(code) + ": " +
                               GetLastErrorString());
  }

#define TACTUS_MEMBER(name) decltype(&SilKit_##name) name = nullptr;
  TACTUS_SILKIT_FUNCTIONS(TACTUS_MEMBER)
#undef TACTUS_MEMBER

 private:
  void* find(const char* name) const {
    void* const found = ::dlsym(handle_, name);
    if (found == nullptr) throw std::runtime_error(std::string("the library lacks ") + name);
    return found;
  }
  void* handle_ = nullptr;
};
// NOLINTEND(cppcoreguidelines-macro-usage)

}  // namespace tactus::test
