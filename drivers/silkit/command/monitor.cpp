// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "config/text.hpp"
#include "drivers/silkit/command/commands.hpp"
#include "drivers/silkit/command/participant.hpp"
#include "drivers/silkit/command/print_line.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::silkit::command {
namespace {

/// Something became different.
struct Change {
  enum class What { state, system, connected, disconnected, step, said } what;
  std::string name;  ///< name of the participant; empty for the system; a log line
  SilKit_ParticipantState state = SilKit_ParticipantState_Invalid;
  std::string reason;
  std::uint64_t entered_ns = 0;  ///< time since 1970; of a step: the virtual time
};

/// Way in which it takes part beyond watching.
struct Takes {
  bool autonomous = false;
  bool coordinated = false;
  bool time = false;
};

/// Takes part and turns the library's calls into a list.
///
/// Threads  handlers on the participant's thread, the rest on another.
class Changes {
 public:
  Changes(const Configuration& configuration, const Takes& takes, SignalWaiter& attention)
      : attention_(attention), participant_(configuration, attention) {
    SilKit_SystemMonitor* const monitor = participant_.monitor();
    SilKit_HandlerId id = 0;
    must(SilKit_SystemMonitor_SetParticipantConnectedHandler(
             monitor, this,
             [](void* context, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation* who) {
               of(context).add({Change::What::connected, who->participantName, {}, {}, 0});
             }),
         "connects");
    must(SilKit_SystemMonitor_SetParticipantDisconnectedHandler(
             monitor, this,
             [](void* context, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation* who) {
               of(context).add({Change::What::disconnected, who->participantName, {}, {}, 0});
             }),
         "disconnects");
    must(SilKit_SystemMonitor_AddParticipantStatusHandler(
             monitor, this,
             [](void* context, SilKit_SystemMonitor*, const char* name, SilKit_ParticipantStatus* status) {
               of(context).add({Change::What::state, name, status->participantState, status->enterReason,
                                status->enterTime});
             },
             &id),
         "participant states");
    must(SilKit_SystemMonitor_AddSystemStateHandler(
             monitor, this,
             [](void* context, SilKit_SystemMonitor*, SilKit_SystemState state) {
               of(context).add({Change::What::system, {}, state, {}, 0});
             },
             &id),
         "system states");
    if (takes.autonomous || takes.coordinated) start_lifecycle(takes);
  }

  /// Ends the lifecycle, if there is one, as far as the others let it; false: another signal came meanwhile.
  bool stop() {
    using namespace std::chrono;
    if (lifecycle_ == nullptr || state() < SilKit_ParticipantState_Running) return true;
    (void)SilKit_LifecycleService_Stop(lifecycle_, "the monitor is ended");
    for (const auto end = steady_clock::now() + kLongestStop; steady_clock::now() < end;) {
      if (state() == SilKit_ParticipantState_Shutdown) return true;
      if (attention_.wait(milliseconds(10)) == SignalWaiter::Call::signal) return false;
    }
    return false;
  }

  std::vector<Change> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(changes_, {});
  }
  void add(Change change) {
    {
      const std::lock_guard lock(mutex_);
      // Steps come by the thousand: who is slow sees the newest.
      if (change.what == Change::What::step && !changes_.empty() && changes_.back().what == change.what)
        changes_.pop_back();
      changes_.push_back(std::move(change));
    }
    attention_.wake();
  }
  const std::string& uri() const { return participant_.uri(); }

 private:
  static constexpr std::chrono::seconds kLongestStop{5};
  static constexpr SilKit_NanosecondsTime kStep = 1'000'000;

  static Changes& of(void* context) { return *static_cast<Changes*>(context); }

  SilKit_ParticipantState state() const {
    SilKit_ParticipantState state = SilKit_ParticipantState_Invalid;
    (void)SilKit_LifecycleService_State(&state, lifecycle_);
    return state;
  }

  void start_lifecycle(const Takes& takes) {
    SilKit_LifecycleConfiguration lifecycle = tactus_silkit_LifecycleConfiguration();
    lifecycle.operationMode =
        takes.autonomous ? SilKit_OperationMode_Autonomous : SilKit_OperationMode_Coordinated;
    must(SilKit_LifecycleService_Create(&lifecycle_, participant_.get(), &lifecycle), "lifecycle");
    SilKit_TimeSyncService* time = nullptr;
    if (takes.time) {
      must(SilKit_TimeSyncService_Create(&time, lifecycle_), "virtual time");
      must(
          SilKit_TimeSyncService_SetSimulationStepHandler(
              time, this,
              [](void* context, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
                of(context).add({Change::What::step, {}, {}, {}, now});
              },
              kStep),
          "virtual time");
    }
    must(SilKit_LifecycleService_StartLifecycle(lifecycle_), "lifecycle");
  }

  SignalWaiter& attention_;
  std::mutex mutex_;
  std::vector<Change> changes_;
  SilKit_LifecycleService* lifecycle_ = nullptr;
  Participant participant_;  // the first to go: it calls the handlers
};

/// Lines for stderr become changes, while stderr is the terminal of the table: it shows them above itself.
///
/// Threads  one of its own, which reads.
class LogLines {
 public:
  explicit LogLines(Changes& changes) : changes_(changes) {
    struct stat out {};
    struct stat err {};
    const bool same = ::fstat(STDOUT_FILENO, &out) == 0 && ::fstat(STDERR_FILENO, &err) == 0 &&
                      S_ISCHR(err.st_mode) && out.st_rdev == err.st_rdev;
    int ends[2];
    if (!same || ::pipe2(ends, O_CLOEXEC) != 0) return;  // then they come as they come
    stderr_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    (void)::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    reader_ = std::thread([this, from = ends[0]] {
      (void)read_lines(from, [this](const std::string& line) {
        changes_.add({Change::What::said, line, {}, {}, 0});
      });
    });
  }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;
  ~LogLines() {
    if (!reader_.joinable()) return;
    (void)::dup2(stderr_, STDERR_FILENO);  // the end of the pipe
    ::close(stderr_);
    reader_.join();
    for (const Change& change : changes_.take())
      if (change.what == Change::What::said) (void)rtsync::print_plain(stderr, "%s\n", change.name.c_str());
  }

 private:
  Changes& changes_;
  int stderr_ = -1;
  std::thread reader_;
};

void written(int error) {
  if (error != 0) throw CommandError(kEndedEarly, "stdout cannot be written: " + error_text(error));
}

/// One object per line and change.
class Lines {
 public:
  void show(const std::vector<Change>& changes) {
    for (const Change& change : changes)
      written(print_line(line(change).dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
  void resized() {}

 private:
  static Json line(const Change& change) {
    switch (change.what) {
      case Change::What::connected:
        return {{"event", "connected"}, {"participant", change.name}};
      case Change::What::disconnected:
        return {{"event", "disconnected"}, {"participant", change.name}};
      case Change::What::system:
        return {{"event", "system"}, {"state", state_name(change.state)}};
      case Change::What::step:
        return {{"event", "step"}, {"now_ns", change.entered_ns}};
      case Change::What::state:
      case Change::What::said:
        break;
    }
    return {{"event", "state"},
            {"participant", change.name},
            {"state", state_name(change.state)},
            {"reason", change.reason},
            {"entered_ns", change.entered_ns}};
  }
};

/// Table of the present state, redrawn in place.
class Table {
 public:
  explicit Table(std::string uri) : uri_(std::move(uri)) {}

  void show(const std::vector<Change>& changes) {
    std::string said;
    for (const Change& change : changes) {
      if (change.what == Change::What::said)
        said += printable(change.name) + "\033[K\n";
      else if (change.what == Change::What::system)
        system_ = state_name(change.state);
      else if (change.what == Change::What::step)
        time_ = " at " + rtsync::duration_text(static_cast<std::int64_t>(change.entered_ns));
      else if (change.what == Change::What::connected)
        rows_.try_emplace(change.name, Row{"connected", ""});
      else if (change.what == Change::What::disconnected)
        rows_.erase(change.name);
      else
        rows_[change.name] = {state_name(change.state), change.reason};
    }
    draw(said);
  }
  /// Clears the screen: some terminals reflow what was drawn and others do not.
  void resized() {
    shown_ = 0;
    draw("\033[H\033[2J");
  }

 private:
  static constexpr std::size_t kLongestName = 40;
  static constexpr std::size_t kLongestState = 25;  // CommunicationInitializing

  struct Row {
    std::string state;
    std::string reason;
  };

  void draw(const std::string& above) {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && size.ws_row > 2;
    const std::size_t width = known ? size.ws_col - 1U : 79;
    const std::size_t height = known ? size.ws_row - 1U : 23;
    const std::size_t most = width > kLongestState + 10 ? width - kLongestState - 4 : 6;
    std::size_t column = 6;
    for (const auto& [name, row] : rows_)
      column = std::max(column, std::min({letters(name), kLongestName, most}));
    std::vector<std::string> lines{cells("system", column, system_ + time_, uri_)};
    for (const auto& [name, row] : rows_) {
      if (lines.size() + 1 == height && rows_.size() >= height) {
        lines.push_back("  ... of " + std::to_string(rows_.size()) + " participants; --json has them all");
        break;
      }
      lines.push_back(cells(name, column, row.state, row.reason));
    }
    std::string text = shown_ > 0 ? "\033[" + std::to_string(shown_) + "A\r" : "";
    text += above;
    for (const std::string& line : lines) text += cut(line, width) + "\033[K\n";
    text += "\033[J";
    shown_ = lines.size();
    errno = 0;
    const bool done = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    written(done ? 0 : errno != 0 ? errno : EIO);
  }

  static std::string cells(const std::string& name, std::size_t column, const std::string& state,
                           const std::string& last) {
    std::string text = "  " + padded(cut(name, column), column) + "  " + state;
    if (!last.empty()) text = padded(text, column + 4 + kLongestState) + "  " + last;
    return printable(text);
  }
  static bool begins_letter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }
  static std::size_t letters(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
  }
  static std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, letters(text)), ' ');
  }
  /// Cuts a text to at most `width` letters; "..." stands for what is missing.
  static std::string cut(const std::string& text, std::size_t width) {
    if (letters(text) <= width) return text;
    const std::size_t dots = std::min<std::size_t>(width, 3);
    std::size_t left = width - dots;
    std::size_t end = 0;
    while (end < text.size() && (left > 0 || !begins_letter(text[end])))
      if (begins_letter(text[end++])) --left;
    return text.substr(0, end) + std::string(dots, '.');
  }
  /// Names and reasons come from any participant: no escape sequence reaches the terminal.
  static std::string printable(const std::string& text) { return config::one_line(text); }

  std::string uri_;
  std::string system_ = "Invalid";
  std::string time_;  ///< " at 1.5 s", of the last step
  std::map<std::string, Row> rows_;
  std::size_t shown_ = 0;
};

template <class View>
int watch(Changes& changes, SignalWaiter& attention, View view) {
  for (;;) {
    const SignalWaiter::Call call = attention.wait();
    if (call == SignalWaiter::Call::resized) view.resized();
    view.show(changes.take());  // also what had changed when the signal came
    if (call != SignalWaiter::Call::signal) continue;
    const bool in_order = changes.stop();
    view.show(changes.take());
    return in_order ? kOk : kEndedEarly;
  }
}

class MonitorCommand final : public executive::CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("show the states of a SIL Kit simulation and its participants, live");
    arguments_.declare(app, "SystemMonitor", false);
    CLI::Option* const autonomous =
        app.add_flag("-a,--autonomous", takes_.autonomous, "take part with an autonomous lifecycle");
    app.add_flag("-r,--coordinated", takes_.coordinated,
                 "take part with a coordinated lifecycle: name it to the workflow")
        ->excludes(autonomous);
    app.add_flag("-s,--sync", takes_.time, "with -a or -r: take part in virtual time, in steps of 1 ms");
    app.add_flag("--json", json_, "print one object a line for each change, as without a terminal");
  }

  int run() override {
    if (takes_.time && !takes_.autonomous && !takes_.coordinated)
      throw CommandError(kWrongInput, "--sync: virtual time needs a lifecycle: -a or -r");
    SignalWaiter attention;
    Changes changes(Configuration(arguments_), takes_, attention);
    if (json_ || ::isatty(STDOUT_FILENO) == 0) return watch(changes, attention, Lines());
    const LogLines log(changes);
    return watch(changes, attention, Table(changes.uri()));
  }

 private:
  Arguments arguments_;
  Takes takes_;
  bool json_ = false;
};

}  // namespace

executive::Driver* make_monitor() { return new MonitorCommand; }

}  // namespace tactus::silkit::command
