// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "drivers/silkit/command/commands.hpp"
#include "drivers/silkit/command/print_line.hpp"
#include "drivers/silkit/command/signal_waiter.hpp"
#include "executive/driver/command_driver.hpp"

namespace tactus::silkit::command {
namespace {

using executive::CommandError;
using enum executive::ExitStatus;

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// A program that runs beside this one; what it says is shown with its name in front. It does not outlive
/// this process, and gets no Ctrl-C but by signal(): it is in a group of its own.
///
/// Threads  one; what the program says is read by a thread inside.
class Child {
 public:
  using Line = std::function<void(const std::string&)>;

  /// `said`, `ended`: called on a thread of its own; they must outlive it. Throws CommandError naming the
  /// program and why it cannot be started.
  Child(std::string label, const std::vector<std::string>& argv, Line said, std::function<void()> ended)
      : label_(std::move(label)), said_(std::move(said)), ended_(std::move(ended)) {
    int out[2];
    int trouble[2];  // closed by a successful exec, else errno
    if (::pipe2(out, O_CLOEXEC) != 0) fail(argv[0], errno);
    if (::pipe2(trouble, O_CLOEXEC) != 0) {
      const int error = errno;
      ::close(out[0]);
      ::close(out[1]);
      fail(argv[0], error);
    }
    std::vector<char*> pointers;
    for (const std::string& each : argv) pointers.push_back(const_cast<char*>(each.c_str()));
    pointers.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) become(pointers.data(), parent, out[1], trouble[1]);
    int error = pid_ < 0 ? errno : 0;
    ::close(out[1]);
    ::close(trouble[1]);
    if (pid_ >= 0 && ::read(trouble[0], &error, sizeof error) != sizeof error) error = 0;
    ::close(trouble[0]);
    if (error != 0) {
      ::close(out[0]);
      if (pid_ >= 0) (void)::waitpid(pid_, nullptr, 0);
      fail(argv[0], error);
    }
    reader_ = std::thread([this, from = out[0]] { read(from); });
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills what still runs.
  ~Child() {
    signal(SIGKILL);
    reader_.join();
  }

  const std::string& label() const { return label_; }
  bool runs() const { return status_ < 0; }
  /// Its exit status, or 128 + the signal that ended it; -1 while it runs.
  int status() const { return status_; }
  void signal(int number) {
    const std::lock_guard lock(mutex_);  // a pid is good until it has been waited for
    if (status_ < 0) (void)::kill(pid_, number);
  }

 private:
  [[noreturn]] void fail(const std::string& program, int error) const {
    throw CommandError(kWrongMachine, label_ + ": " + program + " cannot be started: " + error_text(error));
  }

  /// Becomes the program, between fork and exec.
  [[noreturn]] static void become(char** argv, pid_t parent, int out, int trouble) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it was gone before that
    (void)::setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) (void)::signal(number, SIG_DFL);
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (nothing >= 0) (void)::dup2(nothing, 0);
    (void)::dup2(out, 1);
    (void)::dup2(out, 2);
    ::execv(argv[0], argv);
    const int error = errno;
    (void)!::write(trouble, &error, sizeof error);
    ::_exit(127);
  }

  void read(int from) {
    if (const std::string rest = read_lines(from, said_); !rest.empty()) said_(rest);
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    {
      const std::lock_guard lock(mutex_);
      int status = 0;
      (void)::waitpid(pid_, &status, 0);
      status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    ended_();
  }

  std::string label_;
  Line said_;
  std::function<void()> ended_;
  pid_t pid_ = -1;
  std::mutex mutex_;
  std::atomic<int> status_{-1};
  std::thread reader_;
};

/// Folder of this program, and what was installed with it.
struct Places {
  fs::path self;
  fs::path setpoint;
  fs::path rig;
};

Places find_places() {
  Places places;
  std::error_code error;
  places.self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw CommandError(kWrongMachine, "/proc/self/exe: " + error.message());
  const fs::path bin = places.self.parent_path();
  places.setpoint = bin / "tactus-virtual-setpoint";
  places.rig = bin.parent_path() / "share/tactus/rigs/linked.yaml";
  for (const fs::path& each : {places.setpoint, places.rig})
    if (!fs::exists(each))
      throw CommandError(kWrongMachine, each.string() + " is not there; install tactus again, as a whole");
  return places;
}

/// The four programs and their end.
class Demo {
 public:
  Demo(const std::string& until, const std::string& out, const Places& places, SignalWaiter& attention)
      : until_(until), out_(out), places_(places), attention_(attention) {}

  int run() {
    const std::string self = places_.self.string();
    Child& registry = start("registry", {self, "registry", "-u", "silkit://localhost:0"});
    if (!wait([&] { return !uri().empty() || !registry.runs(); }, kStart) || uri().empty())
      return give_up("registry", registry);
    start("workflow", {self, "workflow", "-u", uri(), "Setpoint", "Servo"});
    start("setpoint", {places_.setpoint.string(), "--registry", uri()});
    std::vector<std::string> argv{self, "run", places_.rig.string(), "--registry", uri(), "--until", until_};
    if (!out_.empty()) argv.insert(argv.end(), {"--out", out_});
    Child& rig = start("rig", argv);
    if (wait([&] { return ended() != nullptr; }, steady_clock::duration::max()))
      if (const Child* const first = ended(); first != &rig && first->status() != 0)
        say("demo", first->label() + " ended with status " + std::to_string(first->status()));
    stop(rig);
    say("demo", rig.status() == 0 ? "all processes have stopped"
                                  : "the rig ended with status " + std::to_string(rig.status()) +
                                        "; its messages are above");
    return rig.status();
  }

 private:
  static constexpr auto kStart = 60s;     ///< time for the registry to listen
  static constexpr auto kStop = 5s;       ///< time between a request and the next, harder one
  static constexpr auto kWritten = 120s;  ///< time for the rig to write its files
  static constexpr auto kFailed = 1s;     ///< time for the others to see that the rig has failed

  Child& start(const std::string& label, const std::vector<std::string>& argv) {
    children_.push_back(std::make_unique<Child>(
        label, argv, [this, label](const std::string& line) { heard(label, line); },
        [this] { attention_.wake(); }));
    return *children_.back();
  }

  void heard(const std::string& label, const std::string& line) {
    static constexpr std::string_view kListens = "listening on ";
    if (label == "registry" && line.starts_with(kListens)) {
      const std::lock_guard lock(mutex_);
      uri_ = line.substr(kListens.size());
    }
    say(label, line);
    attention_.wake();
  }

  void say(const std::string& label, const std::string& line) {
    const std::lock_guard lock(speech_);
    (void)print_line(label + std::string(9 - std::min<std::size_t>(label.size(), 9), ' ') + "| " + line);
  }

  std::string uri() {
    const std::lock_guard lock(mutex_);
    return uri_;
  }

  /// One that has ended; nullptr as long as all run.
  const Child* ended() const {
    for (const auto& child : children_)
      if (!child->runs()) return child.get();
    return nullptr;
  }

  /// False when a signal or the end of the time came first.
  template <class Condition>
  bool wait(Condition condition, steady_clock::duration limit) {
    const auto begin = steady_clock::now();
    while (!condition()) {
      const auto left = limit - (steady_clock::now() - begin);
      if (left <= 0s) return false;
      using std::chrono::milliseconds;
      if (attention_.wait(std::min<milliseconds>(std::chrono::ceil<milliseconds>(left), 1h)) ==
          SignalWaiter::Call::signal)
        return false;
    }
    return true;
  }

  int give_up(const std::string& who, const Child& child) {
    say("demo", child.runs() ? who + " did not become ready; nothing else was started"
                             : who + " ended with status " + std::to_string(child.status()) +
                                   "; nothing else was started");
    return kEndedEarly;
  }

  /// The rig stops the simulation for all; peers that do not follow are aborted, and in the end killed. The rig has
  /// time to write its files, unless a signal says otherwise.
  void stop(Child& rig) {
    const auto peers_gone = [&] {
      return std::none_of(children_.begin() + 1, children_.end(),
                          [&](const auto& child) { return child.get() != &rig && child->runs(); });
    };
    rig.signal(SIGINT);
    (void)wait(peers_gone, rig.runs() || rig.status() == 0 ? kStop : kFailed);
    for (const int number : {SIGINT, SIGINT, SIGKILL}) {  // the workflow's second SIGINT aborts
      for (std::size_t i = 1; i < children_.size(); ++i)
        if (children_[i].get() != &rig) children_[i]->signal(number);
      if (wait(peers_gone, kStop)) break;
    }
    end(rig, kWritten);
    children_.front()->signal(SIGINT);
    end(*children_.front(), kStop);
  }

  /// Waits for one that was asked for its end: after `limit` it is asked once more, and killed in the end.
  void end(Child& child, steady_clock::duration limit) {
    if (wait([&] { return !child.runs(); }, limit)) return;
    child.signal(SIGINT);
    if (!wait([&] { return !child.runs(); }, kStop)) child.signal(SIGKILL);
  }

  const std::string& until_;
  const std::string& out_;
  const Places& places_;
  SignalWaiter& attention_;
  std::mutex speech_;
  std::mutex mutex_;
  std::string uri_;
  std::vector<std::unique_ptr<Child>> children_;  ///< the registry first
};

class DemoCommand final : public executive::CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("run a complete example");
    app.require_subcommand(1);
    CLI::App* const link = app.add_subcommand(
        "link", "run a rig in a SIL Kit simulation, with registry, workflow and a virtual peer");
    link->add_option("--until", until_, "stop at this simulated time")
        ->type_name("TIME")
        ->capture_default_str();
    link->add_option("--out", out_, "write the rig's run folder here; default runs/<rig>-<start time>")
        ->type_name("DIR");
  }

  int run() override {
    const Places places = find_places();
    SignalWaiter attention;
    return Demo(until_, out_, places, attention).run();
  }

 private:
  std::string until_ = "10s";
  std::string out_;  ///< empty: as of `run`
};

}  // namespace

executive::Driver* make_demo() { return new DemoCommand; }

}  // namespace tactus::silkit::command
