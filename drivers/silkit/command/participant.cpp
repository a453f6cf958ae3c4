// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/command/participant.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <system_error>
#include <thread>

#include "config/json_of.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::silkit::command {
namespace {

struct Level {
  const char* option;
  const char* key;
};
constexpr Level kLevels[] = {{"trace", "Trace"},       {"debug", "Debug"},  {"info", "Info"},
                             {"warn", "Warn"},         {"warning", "Warn"}, {"error", "Error"},
                             {"critical", "Critical"}, {"off", "Off"}};

Json json_of(SilKit_ParticipantConfiguration* configuration) {
  std::size_t size = 0;
  char* buffer = nullptr;  // asks for the size
  must(SilKit_ParticipantConfiguration_ToJson(configuration, &buffer, &size), "configuration");
  std::string text(size, '\0');
  buffer = text.data();
  must(SilKit_ParticipantConfiguration_ToJson(configuration, &buffer, &size), "configuration");
  return config::json_of(text.c_str());
}

/// "" when there is no text at this place.
std::string text_at(const Json& json, const char* place) {
  const Json::json_pointer pointer(place);
  return json.contains(pointer) && json[pointer].is_string() ? json[pointer].get<std::string>() : "";
}

/// Waits until it is woken: for the signals that no other thread handles while the library joins.
void watch_joining(SignalWaiter& attention, const std::string& uri) {
  std::chrono::milliseconds limit = std::chrono::seconds(1);
  for (;;) {
    switch (attention.wait(limit)) {
      case SignalWaiter::Call::signal:
        (void)rtsync::print_plain(stderr, "tactus: interrupted while connecting to %s\n", uri.c_str());
        rtsync::end_process(kEndedEarly);  // the library cannot be told to give up
      case SignalWaiter::Call::woken:
        return;
      case SignalWaiter::Call::nothing:
        if (limit == std::chrono::seconds(1))
          (void)rtsync::print_plain(stderr, "waiting for the registry at %s\n", uri.c_str());
        limit = std::chrono::hours(1);
        break;
      case SignalWaiter::Call::resized:
        break;
    }
  }
}

}  // namespace

void must(SilKit_ReturnCode code, const std::string& what) {
  if (code == SilKit_ReturnCode_SUCCESS) return;
  const bool input = code == SilKit_ReturnCode_CONFIGURATIONERROR || code == SilKit_ReturnCode_BADPARAMETER;
  throw CommandError(input ? kWrongInput : kEndedEarly, what + ": " + SilKit_GetLastErrorString());
}

const char* state_name(SilKit_ParticipantState state) {
  static constexpr rtsync::Worded<SilKit_ParticipantState> kWords[] = {
      {SilKit_ParticipantState_Invalid, "Invalid"},
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
      {SilKit_ParticipantState_Aborting, "Aborting"}};
  return rtsync::word_of(kWords, state, "?");
}

void declare_version(CLI::App& app) {
  const char* version = "";
  (void)SilKit_Version_String(&version);
  app.set_version_flag("-v,--version", std::string("tactus, in place of SIL Kit ") + version,
                       "print the version and exit");
}

CLI::Option* declare_log(CLI::App& app, std::string& level) {
  return app
      .add_option("-l,--log,--loglevel", level,
                  "log to stderr from this level on: trace, debug, info, warn, error, critical or off")
      ->type_name("LEVEL")
      ->capture_default_str();
}

void declare_ignored(CLI::App& app, const char* option, bool& given) {
  app.add_flag(option, given)->group("");
}

std::string level_key(std::string level) {
  std::transform(level.begin(), level.end(), level.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Level& each : kLevels)
    if (level == each.option) return each.key;
  throw CommandError(
      kWrongInput,
      "--log: '" + level + "' is not a level; there are trace, debug, info, warn, error, critical and off");
}

void Arguments::declare(CLI::App& app, const char* default_name, bool log_or_configuration) {
  declare_version(app);
  app.add_option("-u,--connect-uri", uri, "join the simulation whose registry listens here")
      ->type_name("URI")
      ->capture_default_str();
  name = default_name;
  app.add_option("-n,--name", name, "take part under this name")->type_name("NAME")->capture_default_str();
  CLI::Option* const file = app.add_option("-c,--configuration", configuration,
                                           "read the participant configuration from this file (YAML or JSON)")
                                ->type_name("FILE");
  CLI::Option* const level = declare_log(app, log);
  if (log_or_configuration) file->excludes(level);
}

Configuration::Configuration(const Arguments& arguments) : arguments_(arguments) {
  const std::string& file = arguments.configuration;
  Json text{{"Tactus", {{"LogToStderr", true}}}};
  std::error_code error;
  if (file.empty()) {
    text["Logging"]["Sinks"] = {{{"Type", "Stdout"}, {"Level", level_key(arguments.log)}}};
  } else if (std::filesystem::is_regular_file(file, error)) {
    text["Includes"]["Files"] = {file};
  } else {
    must(SilKit_ParticipantConfiguration_FromFile(&handle_, file.c_str()), "--configuration " + file);
  }
  must(SilKit_ParticipantConfiguration_FromString(&handle_, text.dump().c_str()),
       file.empty() ? "--log" : "--configuration " + file);
  json_ = json_of(handle_);
}

Configuration::~Configuration() {
  if (handle_ != nullptr) (void)SilKit_ParticipantConfiguration_Destroy(handle_);
}

std::string Configuration::uri() const {
  const std::string said = text_at(json_, "/Middleware/RegistryUri");
  return said.empty() ? arguments_.uri : said;
}

std::string Configuration::name() const {
  const std::string said = text_at(json_, "/ParticipantName");
  return said.empty() ? arguments_.name : said;
}

Participant::Participant(const Configuration& configuration, SignalWaiter& attention)
    : name_(configuration.name()), uri_(configuration.uri()) {
  if (name_.empty()) throw CommandError(kWrongInput, "--name: a participant needs one; it is empty");
  std::thread watch(watch_joining, std::ref(attention), std::cref(uri_));
  const SilKit_ReturnCode code =
      SilKit_Participant_Create(&handle_, configuration.get(), name_.c_str(), uri_.c_str());
  const std::string words = code == SilKit_ReturnCode_SUCCESS ? "" : SilKit_GetLastErrorString();
  attention.wake();
  watch.join();
  if (words.find("' is there already") != std::string::npos)
    throw CommandError(kEndedEarly, name_ + " cannot join: " + words + "; choose another name: -n NAME");
  must(code, name_ + " cannot join");  // the library names the URI and what to do
  try {
    must(SilKit_SystemMonitor_Create(&monitor_, handle_), "system monitor");
  } catch (...) {
    leave();
    throw;
  }
}

void Participant::leave() {
  if (handle_ != nullptr) (void)SilKit_Participant_Destroy(handle_);
  handle_ = nullptr;
}

}  // namespace tactus::silkit::command
