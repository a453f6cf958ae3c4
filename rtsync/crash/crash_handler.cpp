#include "rtsync/crash/crash_handler.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <stdexcept>

#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/crash/raw_line.hpp"

namespace tactus::rtsync {
namespace {

const char* name_of_signal(int signal) TACTUS_RT {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGFPE:
      return "SIGFPE";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGSYS:
      return "SIGSYS";
    case SIGXCPU:
      return "SIGXCPU";
    case SIGQUIT:
      return "SIGQUIT";
    default:
      return "SIGABRT";
  }
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
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &before_[i]);  // cannot fail: these signals can be handled
    // SIGQUIT in the background of a shell script: ignored, and no end of the process.
    if (before_[i].sa_handler == SIG_IGN) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
}

CrashHandler::~CrashHandler() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  current_.store(nullptr);
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
  // What a person sends says no more than its name. The kernel sends SIGXCPU for RLIMIT_CPU too, which nobody
  // sets for a rig.
  const bool ran_on = signal == SIGXCPU && info->si_code == SI_KERNEL;
  if (::getpid() == self->process_)
    self->crashed(ran_on ? "SIGXCPU (a real-time thread ran for as long as RLIMIT_RTTIME allows without ever "
                           "sleeping)"
                         : name_of_signal(signal));
  else if (signal == SIGSEGV)
    forked_child_ended();
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    if (kSignals[i] == signal) ::sigaction(signal, &self->before_[i], nullptr);
  // Blocked while we are here; taken when the handler returns. A fault would come again by itself, abort()
  // and kill() would not.
  (void)::syscall(SYS_tgkill, ::getpid(), this_thread(), signal);
}

/// A child of fork() has not all of the rig's memory (UnforkedAllocator): it may not go on as the rig.
void CrashHandler::forked_child_ended() TACTUS_RT {
  RawLine line;
  line << "tactus: a child that a model or a library made by fork() ended with SIGSEGV; a child must call "
          "exec() "
          "or _exit() before its job returns\n";
  line.write_to_stderr();
}

bool CrashHandler::ended_by(const char* call) TACTUS_RT {
  CrashHandler* const self = current_.load();
  if (self == nullptr || ::getpid() != self->process_) return false;
  self->crashed(call, " was called");
  return true;
}

void CrashHandler::crashed(const char* how, const char* more) TACTUS_RT {
  const int me = this_thread();
  int nobody = 0;
  if (!crashing_.compare_exchange_strong(nobody, me)) {
    // An action crashed itself; or another thread was first: it is given the time to end its actions.
    const timespec pause{0, 1'000'000};
    for (int i = 0; crashing_.load() != me && !handled_.load() && i < 1000; ++i)
      (void)::nanosleep(&pause, nullptr);
    return;
  }
  const std::size_t count = count_.load();
  bool done = true;
  for (std::size_t i = 0; i < count; ++i) done = actions_[i].run(actions_[i].context) && done;
  handled_.store(true);
  RawLine line;
  line << "tactus: " << how << more;
  const std::string_view place = place_ == nullptr ? std::string_view{} : place_(place_context_);
  if (!place.empty()) line << " while job '" << place << "' ran";
  if (count > 0) line << (done ? "; the outputs were driven safe" : "; AN OUTPUT COULD NOT BE DRIVEN SAFE");
  line << "\n";
  line.write_to_stderr();
}

CrashStack::CrashStack() : memory_(std::make_unique<std::byte[]>(kBytes)) {
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = kBytes;
  ::sigaltstack(&stack, &before_);  // fails only on a stack that is in use
}

CrashStack::~CrashStack() { ::sigaltstack(&before_, nullptr); }

}  // namespace tactus::rtsync
