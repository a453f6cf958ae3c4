// SPDX-License-Identifier: Apache-2.0
#include "tests/support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

RunHere g_run_here = nullptr;  // written before the first test

void check(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}
int check_result(int result, const std::string& what) {
  if (result < 0) check(errno, what);
  return result;
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    check_result(::pipe2(ends.data(), O_CLOEXEC), "pipe2");
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_if_open(read);
    close_if_open(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int release_read() { return std::exchange(read, -1); }
  int read = -1;
  int write = -1;
};

/// The arguments of posix_spawn that need releasing.
struct Spawn {
  Spawn() {
    check(::posix_spawn_file_actions_init(&actions), "posix_spawn_file_actions_init");
    check(::posix_spawnattr_init(&attributes), "posix_spawnattr_init");
  }
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment(const Command& command) {
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    const bool dropped =
        std::find(command.without_env.begin(), command.without_env.end(), name) != command.without_env.end();
    if (!dropped && name != "NO_COLOR" && !command.env.contains(name)) list.push_back(text);
  }
  for (const auto& [name, value] : command.env) list.push_back(name + "=" + value);
  // A sentence that is looked for has no colours in it, unless the test asks for them.
  if (command.terminal && !command.env.contains("NO_COLOR")) list.push_back("NO_COLOR=1");
  return list;
}

int open_terminal(std::string& name, unsigned short columns) {
  const int terminal = check_result(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "posix_openpt");
  std::array<char, 128> path{};
  if (::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0 ||
      ::ptsname_r(terminal, path.data(), path.size()) != 0) {
    const int error = errno;
    ::close(terminal);
    check(error, "pseudo-terminal");
  }
  const winsize size{24, columns, 0, 0};
  ::ioctl(terminal, TIOCSWINSZ, &size);
  name = path.data();
  return terminal;
}

}  // namespace

const std::chrono::seconds kTimeout = [] {
  const char* const seconds = ::getenv("TACTUS_TEST_PATIENCE");
  return std::chrono::seconds(seconds != nullptr ? std::max(std::atoi(seconds), 1) : 120);
}();

Process::Process(const Command& command) : terminal_(command.terminal), started_(steady_clock::now()) {
  if (command.argv.empty()) throw std::invalid_argument("a command needs an argv[0]");
  const std::string& name = command.argv[0];
  Spawn spawn;
  Pipe out;
  Pipe err;
  std::string terminal_name;
  int terminal = -1;
  int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  const auto action = [&](int error) { check(error, "posix_spawn_file_actions of " + name); };

  if (command.terminal) {
    terminal = open_terminal(terminal_name, command.columns);
    // The leader of a new session takes the first terminal it opens as its own: Ctrl-C then means it.
    flags |= POSIX_SPAWN_SETSID;
    action(::posix_spawn_file_actions_addopen(&spawn.actions, 0, terminal_name.c_str(), O_RDWR, 0));
    action(::posix_spawn_file_actions_adddup2(&spawn.actions, 0, 1));
    action(::posix_spawn_file_actions_adddup2(&spawn.actions, 0, 2));
  } else {
    action(::posix_spawn_file_actions_adddup2(&spawn.actions, out.write, 1));
    action(::posix_spawn_file_actions_adddup2(&spawn.actions, err.write, 2));
    action(::posix_spawn_file_actions_addopen(&spawn.actions, 0, "/dev/null", O_RDONLY, 0));
    if (command.input == Input::closed) action(::posix_spawn_file_actions_addclose(&spawn.actions, 0));
  }
  if (!command.cwd.empty()) {
    action(::posix_spawn_file_actions_addchdir_np(&spawn.actions, command.cwd.c_str()));
  }
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  check(::posix_spawnattr_setsigmask(&spawn.attributes, &none), "posix_spawnattr_setsigmask");
  check(::posix_spawnattr_setsigdefault(&spawn.attributes, &all), "posix_spawnattr_setsigdefault");
  check(::posix_spawnattr_setflags(&spawn.attributes, static_cast<short>(flags)), "posix_spawnattr_setflags");

  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> variables = environment(command);
  const int error = ::posix_spawnp(&pid_, name.c_str(), &spawn.actions, &spawn.attributes,
                                   pointers(arguments).data(), pointers(variables).data());
  if (error != 0) {
    pid_ = -1;
    close_if_open(terminal);
    check(error, "starting " + name);
  }
  out_ = command.terminal ? terminal : out.release_read();
  err_ = command.terminal ? -1 : err.release_read();
  // glibc 2.36 declares pidfd_open() for C only.
  process_ = check_result(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)), "pidfd_open");
  for (const int descriptor : {out_, err_}) {
    if (descriptor >= 0) check_result(::fcntl(descriptor, F_SETFL, O_NONBLOCK), "fcntl");
  }
  if (command.child) find_child();
}

/// Until it has one, or has ended.
void Process::find_child() {
  const std::string pid = std::to_string(pid_);
  const Deadline until = steady_clock::now() + kTimeout;
  while (steady_clock::now() < until) {
    std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
    if (children >> child_) return;
    siginfo_t report{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &report, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        report.si_pid == pid_)
      return;
    drain(out_, finished_.out);  // it may have much to say before it ends
    drain(err_, finished_.err);
    ::usleep(1000);
  }
}

/// Until each thread of the child stands, or it has ended.
void Process::wait_until_stopped() const {
  const std::filesystem::path tasks = "/proc/" + std::to_string(child_) + "/task";
  const Deadline until = steady_clock::now() + kTimeout;
  for (bool runs = true; runs && steady_clock::now() < until; ::usleep(1000)) {
    runs = false;
    std::error_code gone;
    for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
      std::ifstream stat(task.path() / "stat");
      std::string text;
      std::getline(stat, text);
      const std::size_t name_end = text.rfind(')');
      if (name_end != std::string::npos && std::string("TtZX").find(text[name_end + 2]) == std::string::npos)
        runs = true;
    }
  }
}

Process::~Process() {
  if (!ended_) {
    signal(SIGKILL);
    reap();
  }
  close_if_open(process_);
  close_if_open(out_);
  close_if_open(err_);
}

void Process::signal(int number) {
  if (ended_) return;
  // Not reaped yet, so the pid is still its own. That of a child that has ended is taken again much later.
  if (child_ <= 0 || ::kill(child_, number) != 0) ::kill(pid_, number);
  if (number != SIGSTOP) return;
  if (child_ > 0) return wait_until_stopped();
  siginfo_t report{};
  const auto pid = static_cast<id_t>(pid_);
  (void)::waitid(P_PID, pid, &report,
                 WSTOPPED | WEXITED | WNOWAIT);  // its end, if it came first, stays for reap()
  (void)::waitid(P_PID, pid, &report, WSTOPPED | WNOHANG);
}

void Process::type(std::string_view keys) {
  if (!terminal_) throw std::logic_error("there is no terminal to type into");
  while (!keys.empty() && out_ >= 0) {
    const ssize_t written = ::write(out_, keys.data(), keys.size());
    if (written > 0) {
      keys.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{out_, POLLOUT, 0};
      ::poll(&ready, 1, 100);
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "typing");
    }
  }
}

bool Process::drain(int& descriptor, std::string& into) {
  std::array<char, 65536> buffer;
  bool some = false;
  while (descriptor >= 0) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(count));
      some = true;
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && errno == EAGAIN) {
      break;
    } else {  // the end; a terminal nobody holds open any more says EIO
      close_if_open(descriptor);
      some = true;
    }
  }
  return some;
}

void Process::reap() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ended_ = true;
  finished_.took = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - started_);
  finished_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  finished_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool Process::pump(Deadline until) {
  std::array<pollfd, 3> waiting{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0},
                                pollfd{ended_ ? -1 : process_, POLLIN, 0}};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
  const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(std::max(left, 0ms).count()));
  if (ready == 0) return false;
  if (waiting[2].revents != 0) reap();  // before reading: what it said last is then there to be read
  drain(out_, finished_.out);
  drain(err_, finished_.err);
  return true;
}

bool Process::wait_for_output(std::string_view text, std::chrono::milliseconds limit) {
  const Deadline until = steady_clock::now() + limit;
  for (;;) {
    if (finished_.out.find(text) != std::string::npos || finished_.err.find(text) != std::string::npos) {
      return true;
    }
    if (ended_ || !pump(until)) return false;
  }
}

const Finished& Process::wait(std::chrono::milliseconds limit) {
  const Deadline until = steady_clock::now() + limit;
  while (!ended_) {
    if (pump(until)) continue;
    if (ended_) break;
    finished_.timed_out = true;
    signal(SIGKILL);
    reap();
  }
  // All it wrote itself was in the pipe before it ended. What is still open now, a child of it holds.
  drain(out_, finished_.out);
  drain(err_, finished_.err);
  return finished_;
}

void set_run_here(RunHere run_here) { g_run_here = run_here; }

Finished run(const Command& command, std::chrono::milliseconds limit) {
  if (g_run_here != nullptr && !command.own_process)
    if (std::optional<Finished> done = g_run_here(command)) return *std::move(done);
  Process process(command);
  return process.wait(limit);
}

std::ostream& operator<<(std::ostream& stream, const Finished& finished) {
  stream << "status " << finished.status;
  if (finished.timed_out) {
    stream << " (killed at the time limit)";
  } else if (finished.signal != 0) {
    stream << " (signal " << finished.signal << ")";
  }
  return stream << " after " << finished.took.count() << " ms\n--- stdout\n"
                << finished.out << "--- stderr\n"
                << finished.err << "---";
}

}  // namespace tactus::test
