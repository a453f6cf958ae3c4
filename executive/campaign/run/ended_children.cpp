// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/ended_children.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

namespace tactus::campaign {

RunnerSignals::RunnerSignals(int more) : more_(more) {
  (void)::sigemptyset(&set_);
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) (void)::sigaddset(&set_, each);
  if (more_ != 0) (void)::sigaddset(&set_, more_);
  (void)::sigprocmask(SIG_BLOCK, &set_, &before_);
}

RunnerSignals::~RunnerSignals() { (void)::sigprocmask(SIG_SETMASK, &before_, nullptr); }

void RunnerSignals::wait(std::chrono::milliseconds most) {
  const timespec time{static_cast<time_t>(most.count() / 1000),
                      static_cast<long>(most.count() % 1000) * 1'000'000};
  siginfo_t info{};
  const int signal = ::sigtimedwait(&set_, &info, &time);
  const bool ends = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  if (ends && !repeated_.is(signal, info.si_code, info.si_pid)) ++asked_;
  if (signal > 0 && signal == more_) heard_more_ = true;
}

pid_t ended_child() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid : 0;
}

ProcessEnd take_ended_child(pid_t process) {
  int status = 0;
  rusage used{};
  ProcessEnd end;
  if (::wait4(process, &status, 0, &used) != process) return end;
  if (WIFSIGNALED(status))
    end.signal = WTERMSIG(status);
  else
    end.status = WEXITSTATUS(status);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  end.cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
  end.memory_kb = used.ru_maxrss;
  return end;
}

}  // namespace tactus::campaign
