// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/crash_handler.hpp"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "rtsync/crash/current_call.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/crash/loaded_files.hpp"
#include "rtsync/crash/thread_origin.hpp"
#include "rtsync/crash/witness_page.hpp"

namespace tactus::rtsync {
namespace {

/// "SIGSEGV", "SIGRTMIN+3".
void name_signal(RawLine& line, int signal) TACTUS_RT {
  const char* const name = ::sigabbrev_np(signal);
  if (name != nullptr)
    line << "SIG" << name;
  else if (signal >= SIGRTMIN)
    line << "SIGRTMIN+" << signal - SIGRTMIN;
  else
    line << "signal " << signal;
}

/// Returns true if a signal ends the process unless a handler or a mask prevents that.
bool ends_by_default(int signal) {
  for (const int harmless : {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU})
    if (signal == harmless) return false;
  return signal != SIGKILL && signal != SIGSTOP;
}

int this_thread() TACTUS_RT { return static_cast<int>(::syscall(SYS_gettid)); }

}  // namespace

std::atomic<CrashHandler*> CrashHandler::current_{nullptr};

CrashHandler::CrashHandler() : process_(::getpid()) {
  CrashHandler* none = nullptr;
  if (!current_.compare_exchange_strong(none, this))
    throw std::logic_error("there is a crash handler already");
  watch_exits();
  struct sigaction action {};
  action.sa_sigaction = &CrashHandler::handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (int signal = 1; signal < static_cast<int>(kSignals); ++signal) {
    const auto at = static_cast<std::size_t>(signal);
    // Fails for those that nobody may handle, and for the C library's own.
    if (!ends_by_default(signal) || ::sigaction(signal, nullptr, &before_[at]) != 0) continue;
    // SIGQUIT in the background of a shell script: ignored, and no end of the process. Beside crashes, what
    // somebody handles is his.
    const bool untouched = (before_[at].sa_flags & SA_SIGINFO) == 0 && before_[at].sa_handler == SIG_DFL;
    const bool ignored = (before_[at].sa_flags & SA_SIGINFO) == 0 && before_[at].sa_handler == SIG_IGN;
    ours_[at] = (is_crash(signal) ? !ignored : untouched) && ::sigaction(signal, &action, nullptr) == 0;
  }
}

CrashHandler::~CrashHandler() {
  for (int signal = 1; signal < static_cast<int>(kSignals); ++signal) {
    const auto at = static_cast<std::size_t>(signal);
    struct sigaction now {};
    // Who has taken a signal meanwhile keeps it.
    if (ours_[at] && ::sigaction(signal, nullptr, &now) == 0 && now.sa_sigaction == &CrashHandler::handle)
      ::sigaction(signal, &before_[at], nullptr);
  }
  current_.store(nullptr);
}

bool CrashHandler::is_crash(int signal) TACTUS_RT {
  return std::ranges::find(kCrashes, signal) != kCrashes.end();
}

void CrashHandler::add(Action action, void* context) {
  const std::size_t at = count_.load();
  if (at == kMostActions) throw std::length_error("too many actions for a crash");
  actions_[at] = {action, context};
  count_.store(at + 1);
}

void CrashHandler::set_place(Place place, void* context) {
  place_context_ = context;
  place_ = place;
}

void CrashHandler::handle(int signal, siginfo_t* info, void*) {
  CrashHandler* const self = current_.load();
  if (self == nullptr) return;
  if (::getpid() == self->process_)
    self->signalled(signal, *info);
  else if (signal == SIGSEGV)
    forked_child_ended();
  ::sigaction(signal, &self->before_[static_cast<std::size_t>(signal)], nullptr);
  // Blocked while we are here; taken when the handler returns. A fault would come again by itself, abort()
  // and kill() would not.
  (void)::syscall(SYS_tgkill, ::getpid(), this_thread(), signal);
}

/// A child of fork() has not all of the rig's memory (UnforkedAllocator): it may not continue as the rig.
void CrashHandler::forked_child_ended() TACTUS_RT {
  RawLine line;
  line << "tactus: a child that a model or a library made by fork() ended with SIGSEGV; a child must call "
          "exec() "
          "or _exit() before its job returns\n";
  line.write_to_stderr();
}

void CrashHandler::signalled(int signal, const siginfo_t& info) TACTUS_RT {
  if (!act()) return crashed_in_an_action(signal);
  const bool by_process = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
  RawLine line;
  line << "tactus: ";
  name_signal(line, signal);
  if (is_crash(signal)) {
    // What a person sends says no more than its name. The kernel sends SIGXCPU for RLIMIT_CPU too, which
    // nobody sets for a rig.
    if (signal == SIGXCPU && info.si_code == SI_KERNEL)
      line << " (a real-time thread ran for as long as RLIMIT_RTTIME allows without ever sleeping)";
    // A fault, raise() and abort() are this thread's own; what is sent to the process comes to any thread, as
    // SIGQUIT of a terminal and SIGXCPU do.
    const bool to_thread = signal != SIGQUIT && signal != SIGXCPU;
    const bool own = info.si_code > 0 || (info.si_code == SI_TKILL && info.si_pid == process_);
    name_place(line, to_thread && own);
  } else {
    line << " came";
    if (by_process) line << ", sent by process " << static_cast<int>(info.si_pid);
    line << ": nothing handles it, so it ends the process";
  }
  end_line(line);
}

/// An action crashed itself: names the driver whose outputs it drove. Else says nothing, as two threads that crash would.
void CrashHandler::crashed_in_an_action(int signal) TACTUS_RT {
  const char* const call = current_call();
  if (call == nullptr || crashing_.load() != this_thread()) return;
  if (WitnessPage* const page = witness_page()) page->set_doing(call);
  RawLine line;
  line << "tactus: ";
  name_signal(line, signal);
  line << " while " << call << "; AN OUTPUT COULD NOT BE DRIVEN SAFE\n";
  line.write_to_stderr();
}

bool CrashHandler::ended_by(const char* call) TACTUS_RT {
  CrashHandler* const self = current_.load();
  if (self == nullptr || ::getpid() != self->process_) return false;
  if (!self->act()) return true;
  RawLine line;
  line << "tactus: " << call << " was called";
  self->name_place(line, true);
  self->end_line(line);
  return true;
}

/// Runs the actions, once. False: another thread does, or did.
bool CrashHandler::act() TACTUS_RT {
  const int me = this_thread();
  int nobody = 0;
  if (!crashing_.compare_exchange_strong(nobody, me)) {
    // An action crashed itself; or another thread was first: it is given the time to end its actions, and to say so.
    const timespec pause{0, 1'000'000};
    for (int i = 0; crashing_.load() != me && !handled_.load() && i < 1000; ++i)
      (void)::nanosleep(&pause, nullptr);
    return false;
  }
  // A fault of an action comes here again, and is named; blocked it would end the process without a word.
  sigset_t faults;
  sigset_t before;
  sigemptyset(&faults);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaddset(&faults, signal);
  (void)::pthread_sigmask(SIG_UNBLOCK, &faults, &before);
  const std::size_t count = count_.load();
  for (std::size_t i = 0; i < count; ++i) safe_ = actions_[i].run(actions_[i].context) && safe_;
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return true;
}

/// `by_this_thread`: it crashed itself, so that what other threads run is not to blame.
void CrashHandler::name_place(RawLine& line, bool by_this_thread) const TACTUS_RT {
  if (const std::optional<FileChange> change = find_overwritten()) {  // whatever runs then is not to blame
    write(line << ": ", *change);
    return;
  }
  if (const char* const call = by_this_thread ? current_call() : nullptr) {
    if (WitnessPage* const page = witness_page()) page->set_doing(call);
    line << " while " << call;
    return;
  }
  const Ran ran = place_ == nullptr ? Ran{} : place_(place_context_);
  if (by_this_thread && ran.foreign) {
    ThreadOrigin origin = name_of_this_thread();
    tell_witness_of_thread(this_thread(), origin);  // before its stack is looked at
    find_library(origin);
    tell_witness_of_thread(this_thread(), origin);
    line << " in ";
    write(line, origin, this_thread());
  } else if (!ran.job.empty()) {
    line << " while job '" << ran.job << "' ran";
  }
}

/// Ends the line; from here on the crash of another thread may end the process.
void CrashHandler::end_line(RawLine& line) TACTUS_RT {
  if (count_.load() > 0)
    line << (safe_ ? "; the outputs were driven safe" : "; AN OUTPUT COULD NOT BE DRIVEN SAFE");
  line << "\n";
  line.write_to_stderr();
  handled_.store(true);
}

CrashStack::CrashStack() : memory_(std::make_unique_for_overwrite<std::byte[]>(kBytes)) {
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = kBytes;
  ::sigaltstack(&stack, &before_);  // fails only on a stack that is in use
}

CrashStack::~CrashStack() { ::sigaltstack(&before_, nullptr); }

}  // namespace tactus::rtsync
