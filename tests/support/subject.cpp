// SPDX-License-Identifier: Apache-2.0
// The process that process_test and syscall_count_test watch.
//
//   support_subject echo ARG...        prints its arguments, current directory, and what its stdin is
//   support_subject exit STATUS
//   support_subject trap               prints "ready"; at SIGINT or SIGTERM prints "asked to stop" and ends
//   with 7 support_subject orphan             starts a child that keeps stdout open for a minute, and ends
//   support_subject call GETPPIDS SLEEPS [leave]   a thread "worker" waits for SIGUSR1, makes exactly that
//   many
//                                      calls, and then sleeps until SIGUSR2, or ends (leave)
//   support_subject frames             a thread "worker" sleeps to absolute 1 ms slots for ever
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

volatile sig_atomic_t asked = 0;
void on_signal(int) { asked = 1; }

void wait_for(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  int got = 0;
  sigwait(&set, &got);
}

int echo(int count, char** arguments) {
  for (int i = 0; i < count; ++i) std::printf("arg %s\n", arguments[i]);
  char* cwd = get_current_dir_name();
  std::printf("cwd %s\n", cwd);
  std::free(cwd);
  const char* value = std::getenv("SUBJECT_VALUE");
  std::printf("env %s\n", value != nullptr ? value : "(none)");
  std::printf("stdin %s\n", isatty(0) != 0 ? "terminal" : fcntl(0, F_GETFD) < 0 ? "closed" : "open");
  std::fprintf(stderr, "to stderr\n");
  return 0;
}

int trap_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::puts("ready");
  std::fflush(stdout);
  while (asked == 0) sigsuspend(&before);
  std::puts("asked to stop");
  return 7;
}

int orphan() {
  const pid_t child = fork();
  if (child == 0) {
    sleep(60);
    _exit(0);
  }
  std::printf("%d\n", child);
  return 0;
}

int call(long getppids, long sleeps, bool leave) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::thread worker([=] {
    pthread_setname_np(pthread_self(), "worker");
    wait_for(SIGUSR1);
    for (long i = 0; i < getppids; ++i) syscall(SYS_getppid);
    const timespec past = {0, 1};
    for (long i = 0; i < sleeps; ++i) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, nullptr);
    if (!leave) wait_for(SIGUSR2);
  });
  std::puts("ready");
  std::fflush(stdout);
  worker.join();
  return 0;
}

int frames() {
  std::thread worker([] {
    pthread_setname_np(pthread_self(), "worker");
    timespec slot = {};
    clock_gettime(CLOCK_MONOTONIC, &slot);
    for (;;) {
      slot.tv_nsec += 1'000'000;
      if (slot.tv_nsec >= 1'000'000'000) {
        slot.tv_nsec -= 1'000'000'000;
        ++slot.tv_sec;
      }
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &slot, nullptr);
    }
  });
  std::puts("ready");
  std::fflush(stdout);
  worker.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed leaves nothing behind
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "echo") return echo(argc - 2, argv + 2);
  if (what == "exit") return std::atoi(argv[2]);
  if (what == "trap") return trap_signals();
  if (what == "orphan") return orphan();
  if (what == "call") return call(std::atol(argv[2]), std::atol(argv[3]), argc > 4);
  if (what == "frames") return frames();
  return 2;
}
