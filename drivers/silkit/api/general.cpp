// SPDX-License-Identifier: Apache-2.0
/// Errors, versions, configurations, participants and loggers of the C API.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "drivers/silkit/api/objects.hpp"
#include "rtsync/host/plain_text.hpp"

using namespace tactus::silkit;

// ------------------------------------------------------------------------------------------------ errors

const char* SilKit_GetLastErrorString() { return last_error(); }

SilKit_ReturnCode SilKit_ReturnCodeToString(const char** outString, SilKit_ReturnCode code) {
  static constexpr std::array<const char*, 17> kNames{"SUCCESS",
                                                      "UNSPECIFIEDERROR",
                                                      "NOTSUPPORTED",
                                                      "NOTIMPLEMENTED",
                                                      "BADPARAMETER",
                                                      "BUFFERTOOSMALL",
                                                      "TIMEOUT",
                                                      "UNSUPPORTEDSERVICE",
                                                      "WRONGSTATE",
                                                      "TYPECONVERSIONERROR",
                                                      "CONFIGURATIONERROR",
                                                      "PROTOCOLERROR",
                                                      "ASSERTIONERROR",
                                                      "EXTENSIONERROR",
                                                      "LOGICERROR",
                                                      "LENGTHERROR",
                                                      "OUTOFRANGEERROR"};
  return guarded({{outString, "outString"}}, [&] {
    if (code < 0 || static_cast<std::size_t>(code) >= kNames.size())
      throw Refusal(Code::bad_parameter, "code: " + std::to_string(code) + " is not a return code");
    *outString = kNames[static_cast<std::size_t>(code)];
  });
}

// ----------------------------------------------------------------------------------------------- version

namespace {

template <class Value>
SilKit_ReturnCode answer(Value* out, const char* name, Value value) {
  return guarded([&] {
    require(out, name);
    *out = value;
  });
}

}  // namespace

SilKit_ReturnCode SilKit_Version_Major(uint32_t* outMajor) { return answer(outMajor, "outMajor", 5U); }
SilKit_ReturnCode SilKit_Version_Minor(uint32_t* outMinor) { return answer(outMinor, "outMinor", 0U); }
SilKit_ReturnCode SilKit_Version_Patch(uint32_t* outPatch) { return answer(outPatch, "outPatch", 7U); }
SilKit_ReturnCode SilKit_Version_BuildNumber(uint32_t* outBuildNumber) {
  return answer(outBuildNumber, "outBuildNumber", 0U);
}
SilKit_ReturnCode SilKit_Version_String(const char** outString) {
  return answer<const char*>(outString, "outString", "5.0.7");
}
SilKit_ReturnCode SilKit_Version_VersionSuffix(const char** outString) {
  return answer<const char*>(outString, "outString", "tactus");
}
SilKit_ReturnCode SilKit_Version_GitHash(const char** outString) {
  return answer<const char*>(outString, "outString", "0000000000000000000000000000000000000000");
}

// ----------------------------------------------------------------------------------------- configuration

namespace {

SilKit_ParticipantConfiguration* made(Configuration configuration) {
  for (const std::string& warning : configuration.warnings)
    (void)tactus::rtsync::print_plain(stderr, "%s\n", warning.c_str());
  return new SilKit_ParticipantConfiguration{std::move(configuration)};
}

}  // namespace

SilKit_ReturnCode SilKit_ParticipantConfiguration_FromString(
    SilKit_ParticipantConfiguration** outConfiguration, const char* text) {
  return guarded({{outConfiguration, "outConfiguration"}, {text, "text"}},
                 [&] { *outConfiguration = made(configuration_from_text(text)); });
}

SilKit_ReturnCode SilKit_ParticipantConfiguration_FromFile(SilKit_ParticipantConfiguration** outConfiguration,
                                                           const char* path) {
  return guarded({{outConfiguration, "outConfiguration"}, {path, "path"}},
                 [&] { *outConfiguration = made(configuration_from_file(path)); });
}

SilKit_ReturnCode SilKit_ParticipantConfiguration_Destroy(SilKit_ParticipantConfiguration* configuration) {
  return guarded({{configuration, "configuration"}}, [&] { delete configuration; });
}

SilKit_ReturnCode SilKit_ParticipantConfiguration_ToJson(const SilKit_ParticipantConfiguration* configuration,
                                                         char** buffer, size_t* size) {
  return guarded({{configuration, "configuration"}, {size, "size"}}, [&] {
    const std::string& json = configuration->value.json;
    if (buffer != nullptr && *buffer != nullptr)
      std::memcpy(*buffer, json.data(), std::min(*size, json.size()));
    *size = json.size();
  });
}

// ------------------------------------------------------------------------------------------- participant

SilKit_ReturnCode SilKit_Participant_Create(SilKit_Participant** outParticipant,
                                            SilKit_ParticipantConfiguration* configuration,
                                            const char* participantName, const char* registryUri) {
  return guarded(
      {{outParticipant, "outParticipant"},
       {configuration, "configuration"},
       {participantName, "participantName"},
       {registryUri, "registryUri"}},
      [&] { *outParticipant = new SilKit_Participant(configuration->value, participantName, registryUri); });
}

SilKit_ReturnCode SilKit_Participant_Destroy(SilKit_Participant* participant) {
  return guarded({{participant, "participant"}}, [&] {
    participant->participant.refuse_in_handler("SilKit_Participant_Destroy");
    delete participant;
  });
}

SilKit_ReturnCode SilKit_Participant_GetLogger(SilKit_Logger** outLogger, SilKit_Participant* participant) {
  return guarded({{outLogger, "outLogger"}, {participant, "participant"}},
                 [&] { *outLogger = &participant->logger; });
}

// ------------------------------------------------------------------------------------------------ logger

SilKit_ReturnCode SilKit_Logger_Log(SilKit_Logger* logger, SilKit_LoggingLevel level, const char* message) {
  return guarded({{logger, "logger"}, {message, "message"}}, [&] {
    if (logger->participant != nullptr)
      logger->participant->log(level, message);
    else
      logger->logger.log(level, message);
  });
}

SilKit_ReturnCode SilKit_Logger_GetLogLevel(SilKit_Logger* logger, SilKit_LoggingLevel* outLevel) {
  return guarded({{logger, "logger"}, {outLevel, "outLevel"}}, [&] { *outLevel = logger->logger.level(); });
}
