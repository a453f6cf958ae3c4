#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "executive/app/silkit_participant.hpp"

namespace tactus::app {
namespace {

using config::Json;

/// Something became different.
struct Change {
  enum class What { state, system, connected, disconnected } what;
  std::string name;  ///< of the participant; empty for the system
  SilKit_ParticipantState state = SilKit_ParticipantState_Invalid;
  std::string reason;
  std::uint64_t entered_ns = 0;  ///< since 1970
};

/// Takes part and turns the library's calls into a list.
///
/// Threads  handlers on the participant's thread, take() on another.
class Changes {
 public:
  Changes(const SilKitArguments& arguments, Attention& attention)
      : attention_(attention), participant_(arguments) {
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
  }

  std::vector<Change> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(changes_, {});
  }

 private:
  static Changes& of(void* context) { return *static_cast<Changes*>(context); }
  void add(Change change) {
    {
      const std::lock_guard lock(mutex_);
      changes_.push_back(std::move(change));
    }
    attention_.wake();
  }

  Attention& attention_;
  std::mutex mutex_;
  std::vector<Change> changes_;
  SilKitParticipant participant_;  // the first to go: it calls the handlers
};

/// One object per line and change.
class Lines {
 public:
  void show(const std::vector<Change>& changes) {
    for (const Change& change : changes) std::printf("%s\n", line(change).dump().c_str());
    std::fflush(stdout);
  }

 private:
  static Json line(const Change& change) {
    switch (change.what) {
      case Change::What::connected:
        return {{"event", "connected"}, {"participant", change.name}};
      case Change::What::disconnected:
        return {{"event", "disconnected"}, {"participant", change.name}};
      case Change::What::system:
        return {{"event", "system"}, {"state", state_name(change.state)}};
      case Change::What::state:
        break;
    }
    return {{"event", "state"},
            {"participant", change.name},
            {"state", state_name(change.state)},
            {"reason", change.reason},
            {"entered_ns", change.entered_ns}};
  }
};

/// What is so now, in place.
class Table {
 public:
  explicit Table(std::string uri) : uri_(std::move(uri)) {}

  void show(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      if (change.what == Change::What::system)
        system_ = state_name(change.state);
      else if (change.what == Change::What::connected)
        rows_.try_emplace(change.name, Row{"connected", ""});
      else if (change.what == Change::What::disconnected)
        rows_.erase(change.name);
      else
        rows_[change.name] = {state_name(change.state), change.reason};
    }
    draw();
  }

 private:
  struct Row {
    std::string state;
    std::string reason;
  };

  void draw() {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 && size.ws_row > 4;
    const std::size_t width = known ? size.ws_col - 1U : 79;
    const std::size_t height = known ? size.ws_row - 1U : 23;
    std::size_t column = 6;
    for (const auto& [name, row] : rows_) column = std::max(column, std::min(name.size(), std::size_t{30}));
    std::vector<std::string> lines{cells("system", column, system_, uri_)};
    for (const auto& [name, row] : rows_) {
      if (lines.size() + 1 == height && rows_.size() >= height) {
        lines.push_back("  ... of " + std::to_string(rows_.size()) + " participants; --json has them all");
        break;
      }
      lines.push_back(cells(name, column, row.state, row.reason));
    }
    std::string text = shown_ > 0 ? "\033[" + std::to_string(shown_) + "A\r" : "";
    for (std::string& line : lines) {
      if (line.size() > width) line.resize(width);
      text += line + "\033[K\n";
    }
    text += "\033[J";
    shown_ = lines.size();
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  static std::string cells(std::string name, std::size_t column, const std::string& state,
                           const std::string& last) {
    name.resize(std::max(name.size(), column), ' ');
    std::string text = "  " + name + "  " + state;
    text.resize(std::max(text.size(), column + 29), ' ');  // the longest state has 25 letters
    return printable(text + "  " + last);
  }
  /// Names and reasons come from anybody: no escape sequence reaches the terminal.
  static std::string printable(std::string text) {
    for (char& c : text)
      if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
    return text;
  }

  std::string uri_;
  std::string system_ = "Invalid";
  std::map<std::string, Row> rows_;
  std::size_t shown_ = 0;
};

template <class View>
int watch(Changes& changes, Attention& attention, View view) {
  for (;;) {
    const Attention::Call call = attention.wait();
    view.show(changes.take());  // also what had changed when the signal came
    if (call == Attention::Call::signal) return kOk;
  }
}

}  // namespace

int monitor_command(const MonitorArguments& arguments) {
  Attention attention;
  Changes changes(arguments.silkit, attention);
  return arguments.json || ::isatty(STDOUT_FILENO) == 0
             ? watch(changes, attention, Lines())
             : watch(changes, attention, Table(arguments.silkit.uri));
}

}  // namespace tactus::app
