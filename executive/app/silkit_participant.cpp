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
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "rtsync/crash/exit_guard.hpp"

namespace tactus::app {
namespace {

using config::Json;

struct Level {
  const char* option;
  const char* key;
};
constexpr Level kLevels[] = {{"trace", "Trace"},       {"debug", "Debug"},  {"info", "Info"},
                             {"warn", "Warn"},         {"warning", "Warn"}, {"error", "Error"},
                             {"critical", "Critical"}, {"off", "Off"}};

/// A configuration that logs from this level on.
std::string logging(std::string level) {
  std::transform(level.begin(), level.end(), level.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Level& each : kLevels)
    if (level == each.option)
      return R"({"Logging": {"Sinks": [{"Type": "Stdout", "Level": ")" + std::string(each.key) +
             R"("}]}, "Tactus": {"LogToStderr": true}})";
  throw CommandError(
      kWrongInput,
      "--log: '" + level + "' is no level; there are trace, debug, info, warn, error, critical and off");
}

Json json_of(SilKit_ParticipantConfiguration* configuration) {
  std::size_t size = 0;
  char* buffer = nullptr;  // asks for the size
  must(SilKit_ParticipantConfiguration_ToJson(configuration, &buffer, &size), "configuration");
  std::string text(size, '\0');
  buffer = text.data();
  must(SilKit_ParticipantConfiguration_ToJson(configuration, &buffer, &size), "configuration");
  return Json::parse(text.c_str(), nullptr, false);
}

/// "" when there is no text at this place.
std::string text_at(const Json& json, const char* place) {
  const Json::json_pointer pointer(place);
  return json.contains(pointer) && json[pointer].is_string() ? json[pointer].get<std::string>() : "";
}

bool logs_to_stdout(const Json& json) {
  const Json::json_pointer place("/Logging/Sinks");
  if (!json.contains(place) || !json[place].is_array()) return false;
  return std::any_of(json[place].begin(), json[place].end(), [](const Json& sink) {
    const std::string type = text_at(sink, "/Type");
    return type.empty() || type == "Stdout";
  });
}

/// Until it is woken: the signals that nobody else hears while the library joins.
void watch_joining(SignalWaiter& attention, const std::string& uri) {
  std::chrono::milliseconds limit = std::chrono::seconds(1);
  for (;;) {
    switch (attention.wait(limit)) {
      case SignalWaiter::Call::signal:
        std::fprintf(stderr, "tactus: interrupted while connecting to %s\n", uri.c_str());
        rtsync::end_process(kEndedEarly);  // the library cannot be told to give up
      case SignalWaiter::Call::woken:
        return;
      case SignalWaiter::Call::nothing:
        if (limit == std::chrono::seconds(1))
          std::fprintf(stderr, "waiting for the registry at %s\n", uri.c_str());
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

std::string error_text(int error) { return std::generic_category().message(error); }

int print_line(const std::string& line) {
  errno = 0;
  const bool done = std::fprintf(stdout, "%s\n", line.c_str()) >= 0 && std::fflush(stdout) == 0;
  return done ? 0 : errno != 0 ? errno : EIO;
}

SilKitConfiguration::SilKitConfiguration(const SilKitArguments& arguments) : arguments_(arguments) {
  const std::string& file = arguments.configuration;
  if (file.empty()) {
    must(SilKit_ParticipantConfiguration_FromString(&handle_, logging(arguments.log).c_str()), "--log");
    return;
  }
  must(SilKit_ParticipantConfiguration_FromFile(&handle_, file.c_str()), "--configuration " + file);
  json_ = json_of(handle_);
  if (!logs_to_stdout(json_)) return;
  Json to_stderr = json_;
  to_stderr["Tactus"]["LogToStderr"] = true;
  SilKit_ParticipantConfiguration* const as_written = std::exchange(handle_, nullptr);
  (void)SilKit_ParticipantConfiguration_Destroy(as_written);
  must(SilKit_ParticipantConfiguration_FromString(&handle_, to_stderr.dump().c_str()),
       "--configuration " + file);
}

SilKitConfiguration::~SilKitConfiguration() {
  if (handle_ != nullptr) (void)SilKit_ParticipantConfiguration_Destroy(handle_);
}

std::string SilKitConfiguration::uri() const {
  const std::string said = text_at(json_, "/Middleware/RegistryUri");
  return said.empty() ? arguments_.uri : said;
}

std::string SilKitConfiguration::name() const {
  const std::string said = text_at(json_, "/ParticipantName");
  return said.empty() ? arguments_.name : said;
}

SilKitParticipant::SilKitParticipant(const SilKitArguments& arguments, SignalWaiter& attention) {
  if (arguments.name.empty()) throw CommandError(kWrongInput, "--name: a participant needs one; it is empty");
  const SilKitConfiguration configuration(arguments);
  name_ = configuration.name();
  uri_ = configuration.uri();
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

void SilKitParticipant::leave() {
  if (handle_ != nullptr) (void)SilKit_Participant_Destroy(handle_);
  handle_ = nullptr;
}

SignalWaiter::SignalWaiter() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGWINCH);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (struct sigaction now{}; ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(&set, signal);
  (void)::signal(SIGPIPE, SIG_IGN);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);  // fails only for a wrong first argument
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  wakes_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (signals_ < 0 || wakes_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

SignalWaiter::~SignalWaiter() {
  ::close(signals_);
  ::close(wakes_);
}

SignalWaiter::Call SignalWaiter::wait(std::chrono::milliseconds limit) {
  pollfd ready[] = {{signals_, POLLIN, 0}, {wakes_, POLLIN, 0}};
  if (::poll(ready, 2, static_cast<int>(limit.count())) <= 0) return Call::nothing;
  if (signalfd_siginfo info{}; ::read(signals_, &info, sizeof info) == sizeof info)
    return info.ssi_signo == SIGWINCH ? Call::resized : Call::signal;
  std::uint64_t count = 0;
  return ::read(wakes_, &count, sizeof count) == sizeof count ? Call::woken : Call::nothing;
}

void SignalWaiter::wake() {
  const std::uint64_t one = 1;
  (void)!::write(wakes_, &one, sizeof one);  // full: somebody else's wake is still to be told
}

}  // namespace tactus::app
