// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Does what must be done at once when the process crashes (SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT,
/// SIGTRAP, SIGSYS, SIGXCPU, SIGQUIT), when another signal would end it (SIGALRM, SIGPROF, SIGIO, SIGPWR,
/// real-time signals ...: each that is not handled, blocked or ignored), or when some library calls exit().
///
///     CrashHandler crash;                       // for as long as something must be driven safe
///     crash.add(&drive_safe, &output);          // async-signal-safe, as all that follows a crash
///     crash.set_place(&running_job, &executive);
///
/// On a crash each action runs once, in the order of add(), in the thread that crashed; then one line on
/// stderr names the signal and what ran (a job, or a driver by CurrentCall; or a library that was overwritten while it was loaded; or the
/// thread, if it runs nothing of ours, and the library that started it; or which process sent it), if it can
/// be taken without delay, and the signal takes the course it had before (a core dump, as a rule; one that is ignored stays so). exit() and
/// its like become an end with status 1 (ExitGuard). The other threads continue until then, so actions must
/// do what they do for good. A child of fork() is left alone, but for a line on stderr when it ends with
/// SIGSEGV. Actions run on an alternate stack, so that an overflow of the stack is survived: each thread that
/// may crash keeps a CrashStack.
///
/// Threads  one handler per process; constructor, add() and destructor: one thread at a time.
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <memory>
#include <string_view>

#include "rtsync/crash/raw_line.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

class CrashHandler {
 public:
  using Action = bool (*)(void* context) TACTUS_RT;  ///< false: it did not succeed
  /// Names of what was running.
  struct Ran {
    std::string_view job;  ///< empty: nothing that has a name
    bool foreign = false;  ///< the calling thread is none that runs jobs: `job` is of another
  };
  using Place = Ran (*)(void* context) TACTUS_RT;
  static constexpr std::size_t kMostActions = 64;

  /// Throws std::logic_error when there is one already. @when setup
  CrashHandler();
  /// Signals take their former course again. @when service
  ~CrashHandler();
  CrashHandler(const CrashHandler&) = delete;
  CrashHandler& operator=(const CrashHandler&) = delete;

  /// Throws std::length_error when there are kMostActions. @when setup
  void add(Action action, void* context);
  /// Sets the function that names what was running; an empty answer adds nothing. @when setup
  void set_place(Place place, void* context);

  /// `call` ("exit()") is about to end this process: does what a crash does. False: there is no handler, or
  /// it is another process's. @when any
  static bool ended_by(const char* call) TACTUS_RT;

 private:
  struct Entry {
    Action run = nullptr;
    void* context = nullptr;
  };
  static constexpr std::array kCrashes = {SIGSEGV, SIGFPE, SIGBUS,  SIGILL, SIGABRT,
                                          SIGTRAP, SIGSYS, SIGXCPU, SIGQUIT};
  static constexpr std::size_t kSignals = 65;  // 1 .. 64 are Linux's

  static bool is_crash(int signal) TACTUS_RT;
  static void handle(int signal, siginfo_t* info, void* context);
  static void forked_child_ended() TACTUS_RT;
  void signalled(int signal, const siginfo_t& info) TACTUS_RT;
  void crashed_in_an_action(int signal) TACTUS_RT;
  bool act() TACTUS_RT;
  void name_place(RawLine& line, bool by_this_thread) const TACTUS_RT;
  void end_line(RawLine& line) TACTUS_RT;

  static std::atomic<CrashHandler*> current_;
  std::array<Entry, kMostActions> actions_{};
  std::atomic<std::size_t> count_{0};
  std::atomic<int> crashing_{0};  // the thread that crashed first
  std::atomic<bool> handled_{false};
  bool safe_ = true;  // all actions succeeded; written by the thread that crashed
  int process_;
  Place place_ = nullptr;
  void* place_context_ = nullptr;
  std::array<struct sigaction, kSignals> before_{};
  std::array<bool, kSignals> ours_{};
};

/// The stack on which the calling thread handles its own crash, for as long as it lives. @when setup
class CrashStack {
 public:
  CrashStack();
  ~CrashStack();
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;

 private:
  static constexpr std::size_t kBytes = 64 << 10;
  std::unique_ptr<std::byte[]> memory_;
  stack_t before_{};
};

}  // namespace tactus::rtsync
