#include "rtsync/crash_handler.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

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
    default:
      return "SIGABRT";
  }
}

/// A line made without the heap.
class Line {
 public:
  Line& operator<<(std::string_view text) TACTUS_RT {
    const std::size_t length = std::min(text.size(), text_.size() - length_);
    std::memcpy(text_.data() + length_, text.data(), length);
    length_ += length;
    return *this;
  }
  void write_to_stderr() const TACTUS_RT {
    // Nothing can be done about a stderr that is gone.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text_.data(), length_);
  }

 private:
  std::array<char, 512> text_{};
  std::size_t length_ = 0;
};

}  // namespace

std::atomic<CrashHandler*> CrashHandler::current_{nullptr};

CrashHandler::CrashHandler() {
  CrashHandler* none = nullptr;
  if (!current_.compare_exchange_strong(none, this))
    throw std::logic_error("there is a crash handler already");
  struct sigaction action {};
  action.sa_sigaction = &CrashHandler::handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    ::sigaction(kSignals[i], &action, &before_[i]);  // cannot fail: these signals can be handled
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

void CrashHandler::handle(int signal, siginfo_t*, void*) {
  CrashHandler* const self = current_.load();
  if (self == nullptr) return;
  self->crashed(signal);
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    if (kSignals[i] == signal) ::sigaction(signal, &self->before_[i], nullptr);
  // Blocked while we are here; taken when the handler returns. A fault would come again by itself, abort()
  // and kill() would not.
  (void)::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), signal);
}

void CrashHandler::crashed(int signal) TACTUS_RT {
  if (crashed_.exchange(true)) return;  // another thread crashed first, or an action did
  const std::size_t count = count_.load();
  for (std::size_t i = 0; i < count; ++i) actions_[i].run(actions_[i].context);
  Line line;
  line << "tactus: " << name_of_signal(signal);
  const std::string_view place = place_ == nullptr ? std::string_view{} : place_(place_context_);
  if (!place.empty()) line << " in job '" << place << "'";
  if (count > 0) line << "; the outputs were driven safe";
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
