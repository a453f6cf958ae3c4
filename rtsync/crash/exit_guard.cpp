// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/exit_guard.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "rtsync/crash/crash_handler.hpp"
#include "rtsync/crash/raw_line.hpp"
#include "rtsync/crash/witness_page.hpp"

namespace tactus::rtsync {
namespace {

std::atomic<int> guarded_process{0};

}  // namespace

ExitGuard::ExitGuard() {
  watch_exits();
  guarded_process.store(::getpid());
}

ExitGuard::~ExitGuard() { guarded_process.store(0); }

void watch_exits() {
  // Without room for them these ends are not noticed, no more.
  [[maybe_unused]] static const bool watched = [] {
    const bool at_exit = std::atexit([] { check_exit("exit()"); }) == 0;
    return std::at_quick_exit([] { check_exit("quick_exit()"); }) == 0 && at_exit;
  }();
}

void check_exit(const char* call) TACTUS_RT {
  if (!CrashHandler::ended_by(call)) {
    if (guarded_process.load() != ::getpid()) return;
    RawLine line;
    line << "tactus: a model or a library called " << call
         << " outside of its jobs; it must not end the process\n";
    line.write_to_stderr();
  }
  tell_witness_of_call(call);
  end_process(1);
}

void end_process(int status) TACTUS_RT {
  for (;;) (void)::syscall(SYS_exit_group, status);
}

}  // namespace tactus::rtsync
