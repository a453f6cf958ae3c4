// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/guard.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

namespace tactus::drivers::can {
namespace {

[[noreturn]] void complain(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));  // NOLINT(concurrency-mt-unsafe)
}

void close_but(int one, int other) noexcept {
  const int first = one < other ? one : other, last = one < other ? other : one;
  unsigned from = 0;
  for (const int kept : {first, last}) {
    if (kept < 0) continue;
    if (static_cast<unsigned>(kept) > from) (void)::close_range(from, static_cast<unsigned>(kept) - 1, 0);
    from = static_cast<unsigned>(kept) + 1;
  }
  (void)::close_range(from, UINT_MAX, 0);
}

/// The life of the guard.
[[noreturn]] void watch(int farewell, int kept, void (*act)(void* of), void* of) noexcept {
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
  close_but(farewell, kept);
  char byte = 0;
  ssize_t got = -1;
  do {
    got = ::read(farewell, &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 0) act(of);  // all that could have said farewell is gone
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
  process_ = ::fork();
  if (process_ == 0) {
    (void)::close(ends[1]);
    watch(ends[0], kept, act, of);
  }
  const int error = errno;
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
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace tactus::drivers::can
