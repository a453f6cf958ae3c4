#include "executive/app/silkit_participant.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "config/json.hpp"

namespace tactus::app {
namespace {

struct Level {
  const char* option;
  const char* key;
};
constexpr Level kLevels[] = {{"trace", "Trace"},      {"debug", "Debug"},  {"info", "Info"},
                             {"warn", "Warn"},        {"warning", "Warn"}, {"error", "Error"},
                             {"critical", "Critical"}};

/// A configuration that logs from this level on.
std::string logging(std::string level) {
  std::transform(level.begin(), level.end(), level.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (level == "off") return "";
  for (const Level& each : kLevels)
    if (level == each.option)
      return R"({"Logging": {"Sinks": [{"Type": "Stdout", "Level": ")" + std::string(each.key) + R"("}]}})";
  throw CommandError(
      kWrongInput,
      "--log: '" + level + "' is no level; there are trace, debug, info, warn, error, critical and off");
}

}  // namespace

void must(SilKit_ReturnCode code, const std::string& what) {
  if (code == SilKit_ReturnCode_SUCCESS) return;
  const bool input = code == SilKit_ReturnCode_CONFIGURATIONERROR || code == SilKit_ReturnCode_BADPARAMETER;
  throw CommandError(input ? kWrongInput : kEndedEarly, what + ": " + SilKit_GetLastErrorString());
}

const char* state_name(SilKit_ParticipantState state) {
  switch (state) {
    case SilKit_ParticipantState_Invalid:
      return "Invalid";
    case SilKit_ParticipantState_ServicesCreated:
      return "ServicesCreated";
    case SilKit_ParticipantState_CommunicationInitializing:
      return "CommunicationInitializing";
    case SilKit_ParticipantState_CommunicationInitialized:
      return "CommunicationInitialized";
    case SilKit_ParticipantState_ReadyToRun:
      return "ReadyToRun";
    case SilKit_ParticipantState_Running:
      return "Running";
    case SilKit_ParticipantState_Paused:
      return "Paused";
    case SilKit_ParticipantState_Stopping:
      return "Stopping";
    case SilKit_ParticipantState_Stopped:
      return "Stopped";
    case SilKit_ParticipantState_Error:
      return "Error";
    case SilKit_ParticipantState_ShuttingDown:
      return "ShuttingDown";
    case SilKit_ParticipantState_Shutdown:
      return "Shutdown";
    case SilKit_ParticipantState_Aborting:
      return "Aborting";
    default:
      return "?";
  }
}

SilKitConfiguration::SilKitConfiguration(const SilKitArguments& arguments) : uri_(arguments.uri) {
  const bool from_file = !arguments.configuration.empty();
  const SilKit_ReturnCode code =
      from_file ? SilKit_ParticipantConfiguration_FromFile(&handle_, arguments.configuration.c_str())
                : SilKit_ParticipantConfiguration_FromString(&handle_, logging(arguments.log).c_str());
  must(code, from_file ? "--configuration " + arguments.configuration : "--log");
}

SilKitConfiguration::~SilKitConfiguration() { (void)SilKit_ParticipantConfiguration_Destroy(handle_); }

std::string SilKitConfiguration::uri() const {
  std::size_t size = 0;
  char* buffer = nullptr;  // asks for the size
  must(SilKit_ParticipantConfiguration_ToJson(handle_, &buffer, &size), "configuration");
  std::string text(size, '\0');
  buffer = text.data();
  must(SilKit_ParticipantConfiguration_ToJson(handle_, &buffer, &size), "configuration");
  const config::Json json = config::Json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("Middleware") && json["Middleware"].contains("RegistryUri"))
    if (const auto uri = json["Middleware"]["RegistryUri"].get<std::string>(); !uri.empty()) return uri;
  return uri_;
}

SilKitParticipant::SilKitParticipant(const SilKitArguments& arguments) {
  const SilKitConfiguration configuration(arguments);
  const std::string uri = configuration.uri();
  const SilKit_ReturnCode code =
      SilKit_Participant_Create(&handle_, configuration.get(), arguments.name.c_str(), uri.c_str());
  must(code, arguments.name + " cannot join");  // the library names the URI and what to do
  try {
    must(SilKit_SystemMonitor_Create(&monitor_, handle_), "system monitor");
  } catch (...) {
    leave();
    throw;
  }
}

void SilKitParticipant::leave() {
  if (handle_ != nullptr) (void)SilKit_Participant_Destroy(handle_);
  handle_ = nullptr;
}

Attention::Attention() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);  // fails only for a wrong first argument
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  wakes_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (signals_ < 0 || wakes_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

Attention::~Attention() {
  ::close(signals_);
  ::close(wakes_);
}

Attention::Call Attention::wait(std::chrono::milliseconds limit) {
  pollfd ready[] = {{signals_, POLLIN, 0}, {wakes_, POLLIN, 0}};
  if (::poll(ready, 2, static_cast<int>(limit.count())) <= 0) return Call::nothing;
  if (signalfd_siginfo info{}; ::read(signals_, &info, sizeof info) == sizeof info) return Call::signal;
  std::uint64_t count = 0;
  return ::read(wakes_, &count, sizeof count) == sizeof count ? Call::woken : Call::nothing;
}

void Attention::wake() {
  const std::uint64_t one = 1;
  (void)!::write(wakes_, &one, sizeof one);  // full: somebody else's wake is still to be told
}

}  // namespace tactus::app
