// SPDX-License-Identifier: Apache-2.0
#include "executive/app/child_runs.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <system_error>

#include "executive/app/commands.hpp"
#include "rtsync/host/spawn.hpp"

namespace tactus::app {

ChildRuns::ChildRuns() {
  std::error_code error;
  self_ = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw CommandError(kWrongMachine, "/proc/self/exe: " + error.message());
  ::sigemptyset(&set_);
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&set_, each);
  ::sigprocmask(SIG_BLOCK, &set_, &before_);
}

ChildRuns::~ChildRuns() {
  for (const pid_t child : running_) {  // something was thrown
    (void)::kill(-child, SIGKILL);
    (void)::waitpid(child, nullptr, 0);
  }
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

pid_t ChildRuns::start(std::vector<std::string> words, bool streams) {
  words.insert(words.begin(), "tactus");
  const rtsync::Spawn child{self_, std::move(words), streams, {}, before_, POSIX_SPAWN_SETPGROUP};
  running_.push_back(rtsync::spawn(child, [](const std::string& what, int problem) {
    throw CommandError(kWrongMachine, what + ": " + std::generic_category().message(problem));
  }));
  return running_.back();
}

std::optional<std::pair<pid_t, int>> ChildRuns::ended() {
  for (const pid_t child : running_) {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == 0) continue;
    std::erase(running_, child);
    return std::pair(child, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
  return std::nullopt;
}

std::optional<std::pair<pid_t, int>> ChildRuns::wait(std::optional<Clock::time_point> until) {
  using namespace std::chrono;
  while (true) {
    if (const auto one = ended()) return one;
    int signal = -1;
    if (until) {
      const auto left = duration_cast<nanoseconds>(*until - Clock::now()).count();
      if (left <= 0) return std::nullopt;
      const timespec room{static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
      signal = ::sigtimedwait(&set_, nullptr, &room);
    } else {
      signal = ::sigwaitinfo(&set_, nullptr);
    }
    if (signal < 0 || signal == SIGCHLD) continue;
    asked_ = true;
    for (const pid_t child : running_) (void)::kill(child, signal);
  }
}

int ChildRuns::run(std::vector<std::string> words, bool streams) {
  const pid_t child = start(std::move(words), streams);
  while (true)
    if (const auto one = wait(); one && one->first == child) return one->second;
}

void ChildRuns::kill(pid_t child) { (void)::kill(-child, SIGKILL); }

}  // namespace tactus::app
