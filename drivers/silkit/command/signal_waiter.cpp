// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/command/signal_waiter.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace tactus::silkit::command {

SignalWaiter::SignalWaiter() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGWINCH);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (struct sigaction now{}; ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(&set, signal);
  (void)::signal(SIGPIPE, SIG_IGN);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);  // fails only for a wrong first argument
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  wakes_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (signals_ < 0 || wakes_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

SignalWaiter::~SignalWaiter() {
  ::close(signals_);
  ::close(wakes_);
}

SignalWaiter::Call SignalWaiter::wait(std::chrono::milliseconds limit) {
  pollfd ready[] = {{signals_, POLLIN, 0}, {wakes_, POLLIN, 0}};
  if (::poll(ready, 2, static_cast<int>(limit.count())) <= 0) return Call::nothing;
  if (signalfd_siginfo info{}; ::read(signals_, &info, sizeof info) == sizeof info)
    return info.ssi_signo == SIGWINCH ? Call::resized : Call::signal;
  std::uint64_t count = 0;
  return ::read(wakes_, &count, sizeof count) == sizeof count ? Call::woken : Call::nothing;
}

void SignalWaiter::wake() {
  const std::uint64_t one = 1;
  (void)!::write(wakes_, &one, sizeof one);  // full: somebody else's wake is still to be told
}

}  // namespace tactus::silkit::command
