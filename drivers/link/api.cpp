// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/api.hpp"

#include <dlfcn.h>

#include <system_error>

#include "executive/driver/device_error.hpp"
#include "executive/model/model_library.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::drivers::link {
namespace {

using executive::DeviceError;

constexpr const char* kBuiltin = TACTUS_SILKIT_FILE;  // libtactus-silkit.so.<version of its API>
constexpr std::uint32_t kOldest = 4;
#ifdef TACTUS_SANITIZED
constexpr int kOwnNamesFirst = 0;  // which a sanitizer does not stand
#else
constexpr int kOwnNamesFirst = RTLD_DEEPBIND;
#endif

std::string dl_reason() {
  const char* reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps one for each thread
  return reason == nullptr ? "unknown reason" : reason;
}

/// Opens the library beside the plug-ins, or in the folder above them: <prefix>/lib.
void* open_builtin(std::string& file) {
  file = kBuiltin;
  // A program that is linked with it has it already.
  if (void* const there = ::dlopen(kBuiltin, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return there;
  std::string tried;
  for (const std::filesystem::path& folder : executive::plugin_folders()) {
    for (const std::filesystem::path& candidate : {folder / kBuiltin, folder.parent_path() / kBuiltin}) {
      std::error_code error;
      if (std::filesystem::is_regular_file(candidate, error)) {
        file = candidate.string();
        return ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      }
      tried += (tried.empty() ? "" : ", ") + candidate.string();
    }
  }
  throw DeviceError(
      "link.library: builtin: no file " + std::string(kBuiltin) + "; looked for " + tried +
      "; this tactus was built without asio, or is not installed as a whole: build it with asio, "
      "or name a library of SIL Kit: library: /path/libSilKit.so");
}

void* open_file(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw DeviceError(
        "link.library: no file '" + file + "'" + (error ? " (" + error.message() + ")" : "") +
        "; give the path of a libSilKit.so, or 'builtin' for the library that comes with tactus");
  // Its own names first: a program that is linked with the library in the box has the same ones.
  return ::dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL | kOwnNamesFirst);
}

constexpr rtsync::Worded<SilKit_ParticipantState> kStates[] = {
    {SilKit_ParticipantState_ServicesCreated, "ServicesCreated"},
    {SilKit_ParticipantState_CommunicationInitializing, "CommunicationInitializing"},
    {SilKit_ParticipantState_CommunicationInitialized, "CommunicationInitialized"},
    {SilKit_ParticipantState_ReadyToRun, "ReadyToRun"},
    {SilKit_ParticipantState_Running, "Running"},
    {SilKit_ParticipantState_Paused, "Paused"},
    {SilKit_ParticipantState_Stopping, "Stopping"},
    {SilKit_ParticipantState_Stopped, "Stopped"},
    {SilKit_ParticipantState_Error, "Error"},
    {SilKit_ParticipantState_ShuttingDown, "ShuttingDown"},
    {SilKit_ParticipantState_Shutdown, "Shutdown"},
    {SilKit_ParticipantState_Aborting, "Aborting"},
};

}  // namespace

Api::Api(const std::string& library, bool can) {
  std::string file = library;
  void* const handle = library == "builtin" ? open_builtin(file) : open_file(file);
  if (handle == nullptr)
    throw DeviceError("link.library: " + file + " cannot be loaded: " + dl_reason() +
                      "; it has to be a shared library for this machine, with all that it needs itself");
  std::string missing;
  // NOLINTBEGIN(bugprone-macro-parentheses): names of members
#define TACTUS_LINK_RESOLVE(function)                                                              \
  function.address = reinterpret_cast<decltype(function.address)>(::dlsym(handle, function.name)); \
  if (function.address == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(function.name);
  TACTUS_LINK_FUNCTIONS(TACTUS_LINK_RESOLVE)
  if (can) {
    TACTUS_LINK_CAN_FUNCTIONS(TACTUS_LINK_RESOLVE)
  }
#undef TACTUS_LINK_RESOLVE
  // NOLINTEND(bugprone-macro-parentheses)
  ParticipantConfiguration_ToJson.address =
      reinterpret_cast<decltype(ParticipantConfiguration_ToJson.address)>(
          ::dlsym(handle, ParticipantConfiguration_ToJson.name));

  std::uint32_t major = kOldest;
  const char* version = nullptr;
  if (Version_Major.address != nullptr && Version_Major.address(&major) != SilKit_ReturnCode_SUCCESS)
    throw DeviceError("link.library: " + file +
                      " does not report its version; use a SIL Kit of version 4 or later");
  if (Version_String.address != nullptr && Version_String.address(&version) != SilKit_ReturnCode_SUCCESS)
    version = nullptr;
  title_ = std::filesystem::path(file).filename().string() + " " +
           (version == nullptr ? std::to_string(major) : std::string(version));
  if (major < kOldest)
    throw DeviceError(
        "link.library: " + file + " is SIL Kit " + (version == nullptr ? "" : version) +
        "; its C API is older than version 4: use a SIL Kit of version 4 or later, or 'builtin'");
  if (!missing.empty())
    throw DeviceError(
        "link.library: " + file + " lacks " + missing +
        ": it is not a SIL Kit library of version 4 or later; give the path of a libSilKit.so, or "
        "'builtin' for the library that comes with tactus");
}

std::string Api::name_of(SilKit_ReturnCode code) const {
  const char* name = nullptr;
  const bool known = ReturnCodeToString.address(&name, code) == SilKit_ReturnCode_SUCCESS && name != nullptr;
  return known ? name : "no code of SIL Kit";
}

const char* name_of_state(SilKit_ParticipantState state) {
  return rtsync::word_of(kStates, state, "Invalid");
}

}  // namespace tactus::drivers::link
