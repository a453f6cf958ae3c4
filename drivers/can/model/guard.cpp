// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {
namespace {

constexpr timespec kBetweenLooks{0, 1'000'000};
constexpr int kMostLooks = 5000;  // 5 s

[[noreturn]] void complain(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + reason_of(errno));
}

/// Closes all descriptors but these three, of which some may be -1.
void close_but(std::array<int, 3> kept_ones) noexcept {
  std::ranges::sort(kept_ones);
  unsigned from = 0;
  for (const int kept : kept_ones) {
    if (kept < 0) continue;
    if (static_cast<unsigned>(kept) > from) (void)::close_range(from, static_cast<unsigned>(kept) - 1, 0);
    from = static_cast<unsigned>(kept) + 1;
  }
  (void)::close_range(from, UINT_MAX, 0);
}

/// The life of the guard.
[[noreturn]] void watch(int farewell, int rig, int kept, void (*act)(void* of), void* of) noexcept {
  for (int signal = 1; signal < NSIG; ++signal)
    (void)::signal(signal, signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
                                   signal == SIGABRT || signal == SIGCHLD
                               ? SIG_DFL
                               : SIG_IGN);
  sigset_t none;
  (void)::sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
  (void)::setsid();
  (void)::prctl(PR_SET_NAME, "can-guardian");
  close_but({farewell, rig, kept});
  // Other children of the rig may hold the other end of the pipe, and outlive it: the end of the rig itself counts, too.
  pollfd waits[2] = {{farewell, POLLIN, 0}, {rig, POLLIN, 0}};
  while (::poll(waits, 2, -1) < 0 && errno == EINTR) {
  }
  char byte = 0;
  waits[0].revents = 0;
  const bool has_word = ::poll(waits, 1, 0) > 0 && ::read(farewell, &byte, 1) == 1;
  if (!has_word) act(of);
  ::_exit(0);
}

}  // namespace

SharedState::SharedState(std::size_t counters)
    : bytes_(kHead + counters * sizeof(std::atomic<std::uint32_t>)) {
  memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) complain("cannot share memory with the guardian");
  std::memset(memory_, 0, bytes_);
  new (memory_) std::atomic<bool>(false);
  for (std::size_t i = 0; i < counters; ++i) new (this->counters() + i) std::atomic<std::uint32_t>(0);
}

SharedState::~SharedState() { (void)::munmap(memory_, bytes_); }

std::atomic<std::uint32_t>* SharedState::counters() {
  return static_cast<std::atomic<std::uint32_t>*>(static_cast<void*>(static_cast<char*>(memory_) + kHead));
}

Guard::Guard(int kept, void (*act)(void* of), void* of) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) complain("cannot make a pipe to the guardian");
  // Where the kernel has none the pipe must do.
  const int rig = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  process_ = ::fork();
  if (process_ == 0) {
    (void)::close(ends[1]);
    watch(ends[0], rig, kept, act, of);
  }
  const int error = errno;
  if (rig >= 0) (void)::close(rig);
  (void)::close(ends[0]);
  farewell_ = ends[1];
  if (process_ > 0) return;
  (void)::close(ends[1]);
  errno = error;
  complain("cannot start the process that sends the safe values when this one is killed");
}

Guard::~Guard() {
  const char byte = 'f';
  (void)!::write(farewell_, &byte, 1);
  (void)::close(farewell_);
  for (int i = 0; i < kMostLooks; ++i) {
    const pid_t ended = ::waitpid(process_, nullptr, WNOHANG);
    if (ended == process_ || (ended < 0 && errno != EINTR)) return;
    (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &kBetweenLooks, nullptr);
  }
  (void)::kill(process_, SIGKILL);  // stopped, or without a CPU: the rig is safe, and must end
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace tactus::drivers::can
