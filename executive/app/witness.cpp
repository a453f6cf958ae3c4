// SPDX-License-Identifier: Apache-2.0
#include "executive/app/witness.hpp"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "executive/app/screen.hpp"
#include "executive/app/signal_paths.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/app/witness_report.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/crash/last_writes.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/repeated_signal.hpp"

namespace tactus::app {
namespace {

/// systemd listens to the main process of a service alone, which is the witness: the rig's messages go
/// through it. Without NOTIFY_SOCKET it does nothing.
///
/// Threads  one.
class NotifyRelay {
 public:
  NotifyRelay();

  /// Makes the witness the NOTIFY_SOCKET of this process, which is the rig. @when setup
  void become_rig();
  /// Readable when there is something to relay; -1: never.
  int descriptor() const { return socket_.get(); }
  /// Everything that has come.
  void relay();

 private:
  std::string systemd_;  // as in NOTIFY_SOCKET
  std::string own_;      // the name of socket_, likewise
  rtsync::Descriptor socket_;
};

NotifyRelay::NotifyRelay() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no threads yet
  const char* const name = std::getenv("NOTIFY_SOCKET");
  if (name == nullptr || (*name != '/' && *name != '@')) return;  // systemd knows others, of virtual machines
  systemd_ = name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (systemd_.size() >= sizeof address.sun_path) return;
  rtsync::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  socklen_t length = sizeof address;
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): how bind(2) takes an address
  // An address without a path: the kernel chooses a name, which begins with a null byte.
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), place, sizeof(sa_family_t)) != 0 ||
      ::getsockname(socket.get(), place, &length) != 0)
    return;
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  own_ = "@" + std::string(address.sun_path + 1, length - offsetof(sockaddr_un, sun_path) - 1);
  socket_ = std::move(socket);
}

void NotifyRelay::become_rig() {
  if (descriptor() < 0) return;
  (void)::setenv("NOTIFY_SOCKET", own_.c_str(), 1);
  if (std::getenv("WATCHDOG_PID") != nullptr)  // NOLINT(concurrency-mt-unsafe): there are no threads yet
    (void)::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
}

void NotifyRelay::relay() {
  if (descriptor() < 0) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, systemd_.data(), systemd_.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + systemd_.size());
  std::array<char, 4096> message;
  for (ssize_t bytes = 0; (bytes = ::recv(descriptor(), message.data(), message.size(), 0)) > 0;) {
    // A service manager that no longer listens is not told.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sendto(2) takes an address
    (void)::sendto(descriptor(), message.data(), static_cast<std::size_t>(bytes), MSG_NOSIGNAL,
                   reinterpret_cast<const sockaddr*>(&address), length);
  }
}

using rtsync::WitnessPage;

/// Work of the witness during all its life.
class Watch {
 public:
  Watch(WitnessPage& page, NotifyRelay& relay, rtsync::LastWrites& outputs, int signals, pid_t rig)
      : page_(page), relay_(relay), outputs_(outputs), signals_(signals), rig_(rig) {}

  /// Ends this process as the rig's ended.
  [[noreturn]] void until_the_end() {
    await_death();
    for (;;) {
      std::array<pollfd, 3> waiting{pollfd{signals_, POLLIN, 0}, pollfd{relay_.descriptor(), POLLIN, 0},
                                    pollfd{outputs_.descriptor(), POLLIN, 0}};
      (void)::poll(waiting.data(), waiting.size(), -1);
      relay_.relay();
      outputs_.take();
      signalfd_siginfo info{};
      while (::read(signals_, &info, sizeof info) == sizeof info) pass_on(info);
      look();
    }
  }

 private:
  /// A thread sleeps until the rig's frames' thread is dead, and drives the outputs safe, ahead of all else that
  /// the dying rig still does. Without it the end of the whole process is seen, which comes later.
  void await_death() {
    try {
      std::thread([this] {
        const sched_param ahead{90};
        (void)::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &ahead);  // where it is permitted
        if (page_.frames_thread.await_death()) (void)outputs_.issue();
      }).detach();
    } catch (const std::system_error&) {
    }
  }

  void look() {
    int status = 0;
    while (::waitpid(rig_, &status, WNOHANG | WUNTRACED | WCONTINUED) == rig_) {
      stands_ = WIFSTOPPED(status);
      if (WIFSTOPPED(status) && stop_asked_for_ && !end_asked_for_) {
        stop_asked_for_ = false;
        (void)::kill(::getpid(), SIGSTOP);  // the shell sees one job, stopped; SIGCONT comes to both
      }
      if (WIFEXITED(status) || WIFSIGNALED(status)) end(status);
    }
    // A rig that stands would never hear that it is to end; it may come to stand only after the signal was passed on.
    if (!stands_ || !end_asked_for_) return;
    stands_ = false;
    (void)::kill(rig_, SIGCONT);
  }

  void pass_on(const signalfd_siginfo& info) {
    const int signal = static_cast<int>(info.ssi_signo);
    const bool by_kernel = info.ssi_code == SI_KERNEL;  // a terminal: the rig has it, too
    if (signal == SIGCHLD || signal == SIGPIPE || signal == SIGURG || signal == SIGWINCH) return;
    if (Console::watches(signal)) {
      const bool ends = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
      if (ends && repeated_.is(signal, info.ssi_code, static_cast<pid_t>(info.ssi_pid))) return;
      if (page_.pass({signal, info.ssi_code == SI_QUEUE ? info.ssi_int : 0}))
        (void)::kill(rig_, SignalPaths::kDoorbell);
      if (ends) end_asked_for_ = true;
      return;
    }
    const bool stops = signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    if (stops) stop_asked_for_ = true;
    if (signal == SIGCONT) stop_asked_for_ = false;
    // The rig wakes a witness that was stopped. Sent back, its SIGCONT would take the SIGSTOP of a debugger, or of a leak
    // checker, that attaches to it just then, and that would wait for ever.
    const bool by_rig = static_cast<pid_t>(info.ssi_pid) == rig_;
    if (!by_kernel && !by_rig) (void)::kill(rig_, signal);
  }

  [[noreturn]] void end(int status) {
    outputs_.take();
    (void)outputs_.issue();  // first of all; the guardian, which does the same, may have been killed, too
    relay_.relay();
    const int announced = page_.status.load();
    const bool in_order = WIFEXITED(status) && WEXITSTATUS(status) == announced;
    const auto is_asked = [this] { return is_asked_to_end(); };
    in_order ? mend_summary(page_, is_asked) : report_death(page_, status, is_asked);
    if (WIFSIGNALED(status)) die_of(WTERMSIG(status));
    rtsync::end_process(in_order || WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1);
  }

  /// Takes the signals that have come. Once the rig is dead they are this process' own.
  bool is_asked_to_end() const {
    bool is_asked = false;
    signalfd_siginfo info{};
    while (::read(signals_, &info, sizeof info) == sizeof info)
      for (const int ends : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        is_asked |= static_cast<int>(info.ssi_signo) == ends;
    return is_asked;
  }

  /// Ends with the signal, as the shell expects it; the rig has left the core dump, if any.
  [[noreturn]] static void die_of(int signal) {
    const rlimit none{0, 0};
    (void)::setrlimit(RLIMIT_CORE, &none);
    (void)::prctl(PR_SET_DUMPABLE, 0);
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    (void)::sigaction(signal, &action, nullptr);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    (void)::kill(::getpid(), signal);
    ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    rtsync::end_process(128 + signal);
  }

  WitnessPage& page_;
  NotifyRelay& relay_;
  rtsync::LastWrites& outputs_;
  const int signals_;
  const pid_t rig_;
  rtsync::RepeatedSignal repeated_;
  bool stop_asked_for_ = false;
  bool end_asked_for_ = false;  // from then on the rig never stands
  bool stands_ = false;         // the rig: a signal has stopped it
};

bool kernel_tells = true;  // of the end of the witness; written before there are threads
std::atomic<bool> kernel_told{false};

/// Says how to permit a system call that a filter forbids.
std::string filter_fix(const char* call) {
  return std::string("Allow ") + call +
         "(2) in the filter of system calls: a systemd unit: SystemCallFilter=" + call +
         " beside its other filters; a container: --security-opt seccomp=unconfined";
}

void go_on_alone(const char* call) {
  const int error = errno;
  const bool forbidden = error == EPERM || error == EACCES || error == ENOSYS;
  print_error(
      "tactus: warning: the rig runs without a witness: %s: %s; a kill leaves an unfinished summary.json. "
      "%s\n",
      call, std::generic_category().message(error).c_str(),
      forbidden ? filter_fix(call).c_str()
                : "Close other programs, raise `ulimit -n` and `ulimit -u`, or write --no-witness");
}

}  // namespace

void Witness::part_from() {
  void* const memory =
      ::mmap(nullptr, sizeof(WitnessPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return go_on_alone("mmap");
  WitnessPage& page = *::new (memory) WitnessPage;
  page.witness = ::getpid();
  for (int& file : page.facts) {
    file = ::memfd_create("tactus-facts", MFD_CLOEXEC);
    if (file >= 0) continue;
    const int error = errno;
    if (&file != page.facts.data()) (void)::close(page.facts[0]);
    errno = error;
    return go_on_alone("memfd_create");
  }
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  const rtsync::Descriptor signals(::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
  if (signals.get() < 0) return go_on_alone("signalfd4");
  NotifyRelay relay;
  rtsync::LastWrites outputs;
  std::fflush(nullptr);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto children = std::signal(SIGCHLD, SIG_DFL);  // one that is ignored cannot be waited for
  const pid_t rig = ::fork();
  if (rig > 0) Watch(page, relay, outputs, signals.get(), rig).until_the_end();
  if (rig == 0) {
    // SIGTERM when the witness ends: the rig stops in order, its outputs safe.
    kernel_tells = ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0;
    if (!kernel_tells)
      print_error("tactus: warning: prctl: %s: the rig notices the end of its witness 250 ms later. %s\n",
                  std::generic_category().message(errno).c_str(), filter_fix("prctl").c_str());
    if (::getppid() != page.witness) (void)::kill(::getpid(), SIGTERM);
    (void)::madvise(memory, sizeof(WitnessPage), MADV_DONTFORK);  // a copy that a model forks says nothing
    rtsync::show_to_witness(page);
    relay.become_rig();
    outputs.leave_from_here();
  } else {
    go_on_alone("clone");
  }
  std::signal(SIGCHLD, children);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool Witness::is_gone() {
  const WitnessPage* const page = rtsync::witness_page();
  return page != nullptr && (kernel_told || ::getppid() != page->witness);
}

void Witness::note_sender(pid_t sender) {
  const WitnessPage* const page = rtsync::witness_page();
  if (page != nullptr && sender == page->witness) kernel_told = true;
}

void Witness::look() {
  if (kernel_tells || !is_gone()) return;
  kernel_tells = true;  // once
  (void)::kill(::getpid(), SIGTERM);
}

void Witness::wake() {
  const rtsync::WitnessPage* const page = rtsync::witness_page();
  if (page != nullptr && !is_gone()) (void)::kill(page->witness, SIGCONT);
}

}  // namespace tactus::app
