// SPDX-License-Identifier: Apache-2.0
#include "tests/support/syscall_count.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using SyscallInfo = struct __ptrace_syscall_info;  // as glibc names it

// What a call returns, seen from outside only, when the kernel means to start it again (linux/errno.h).
bool is_restart(std::int64_t result) {
  return result == -512 || result == -513 || result == -514 || result == -516;
}

/// The value of a line of /proc/TID/status; -1 when there is none.
long status_line(pid_t tid, const std::string& key) {
  std::ifstream status("/proc/" + std::to_string(tid) + "/status");
  for (std::string word; status >> word;) {
    if (long value = -1; word == key + ":" && status >> value) return value;
  }
  return -1;
}

enum class Stop { nothing_yet, syscall, signal, group, interrupted, other, gone };

struct Stopped {
  Stop stop = Stop::nothing_yet;
  int signal = 0;
};

/// One watched thread. Everything happens on the thread that made it: ptrace knows no other.
class Watched {
 public:
  explicit Watched(pid_t tid)
      : tid_(tid), leader_child_(status_line(tid, "Tgid") == tid && status_line(tid, "PPid") == ::getpid()) {
    if (::ptrace(PTRACE_SEIZE, tid_, nullptr, PTRACE_O_TRACESYSGOOD) != 0) {
      throw std::system_error(errno, std::generic_category(), "watching thread " + std::to_string(tid_));
    }
  }

  ~Watched() {
    if (watching_) let_go();  // an exception from options.watching: the thread is stopped, and goes on
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  void interrupt() { ask(PTRACE_INTERRUPT); }
  void go_on(int signal = 0) { ask(PTRACE_SYSCALL, signal); }
  void listen() { ask(PTRACE_LISTEN); }
  void let_go(int signal = 0) {
    ask(PTRACE_DETACH, signal);
    watching_ = false;
  }

  /// The next stop, or nothing_yet at the deadline.
  Stopped next(steady_clock::time_point until) {
    for (int round = 0;; ++round) {
      const Stopped stopped = look();
      if (stopped.stop != Stop::nothing_yet || steady_clock::now() >= until) return stopped;
      // waitid cannot be given a time limit. A call is short, a sleep is long: look often, then less often.
      if (round < 200) {
        ::sched_yield();
      } else {
        std::this_thread::sleep_for(50us);
      }
    }
  }

  SyscallInfo info() const {
    SyscallInfo found{};
    ask(PTRACE_GET_SYSCALL_INFO, sizeof(found), &found);
    return found;
  }

 private:
  template <class Request>
  void ask(Request request, long address_or_signal = 0, void* data = nullptr) const {
    // The thread may be killed at any moment; then this fails, and the next look() finds it gone.
    if (data != nullptr) {
      ::ptrace(request, tid_, address_or_signal, data);
    } else {
      ::ptrace(request, tid_, nullptr, address_or_signal);
    }
  }

  Stopped look() {
    const auto wait = [this](siginfo_t& found, int options) {
      found = {};
      return ::waitid(P_PID, static_cast<id_t>(tid_), &found, options | WNOHANG | __WALL);
    };
    siginfo_t found;
    if (wait(found, WSTOPPED | WEXITED | WNOWAIT) != 0) return gone();
    if (found.si_pid != tid_) return {};
    if (found.si_code != CLD_TRAPPED && found.si_code != CLD_STOPPED) {
      // A process of ours that ended is left for whoever started it to wait for. Any other thread is waited
      // for here: only then is it really gone.
      if (!leader_child_) wait(found, WEXITED);
      return gone();
    }
    if (wait(found, WSTOPPED) != 0 || found.si_pid != tid_) return {};  // killed in between: look again
    const int signal = found.si_status & 0xff;
    const int event = found.si_status >> 8;
    if (signal == (SIGTRAP | 0x80)) return {Stop::syscall, 0};
    if (event == PTRACE_EVENT_STOP) return {signal == SIGTRAP ? Stop::interrupted : Stop::group, 0};
    if (event != 0) return {Stop::other, 0};
    return {Stop::signal, signal};
  }

  Stopped gone() {
    watching_ = false;
    return {Stop::gone, 0};
  }

  pid_t tid_;
  bool leader_child_;
  bool watching_ = true;
};

/// Which calls are new, and which the kernel starts again.
class Counter {
 public:
  Counter(SyscallCount& count, std::uint64_t address_at_start)
      : count_(count), restart_at_(address_at_start) {}

  /// True when a new call has begun.
  bool saw(const SyscallInfo& info) {
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
      restart_at_ = is_restart(info.exit.rval) ? info.instruction_pointer : 0;
      return false;
    }
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return false;
    const bool again = restart_at_ != 0 && info.instruction_pointer == restart_at_;
    restart_at_ = 0;
    if (again) return false;
    ++count_.by_number[static_cast<long>(info.entry.nr)];
    ++count_.total;
    return true;
  }

 private:
  SyscallCount& count_;
  // Where a call that is to be started again stands, or 0. A handler that runs first makes calls of its own
  // (rt_sigreturn at least), and the call after it counts.
  std::uint64_t restart_at_;
};

}  // namespace

SyscallCount count_syscalls(pid_t tid, const CountOptions& options) {
  SyscallCount count;
  Watched thread(tid);
  thread.interrupt();

  auto limit = steady_clock::now() + options.limit;
  // A call the interruption broke off starts again from the same place. (Were the thread between two calls
  // instead, its next call stands elsewhere.)
  std::optional<Counter> counter;
  bool leaving = false;
  for (;;) {
    const Stopped now = thread.next(limit);
    if (now.stop == Stop::gone) {
      count.exited = true;
      return count;
    }
    if (now.stop == Stop::nothing_yet) {
      if (leaving) {
        throw std::system_error(std::make_error_code(std::errc::timed_out),
                                "thread " + std::to_string(tid) + " does not stop");
      }
      leaving = true;
      limit = steady_clock::now() + 60s;  // from here: this machine may have stood still meanwhile
      thread.interrupt();
      continue;
    }
    if (leaving) {
      thread.let_go(now.signal);
      return count;
    }
    switch (now.stop) {
      case Stop::syscall:
        if (counter && counter->saw(thread.info()) && options.until &&
            count.of(options.until->number) >= options.until->calls) {
          count.reached = true;
          thread.let_go();
          return count;
        }
        thread.go_on();
        break;
      case Stop::group:
      case Stop::interrupted:
        if (!counter) {
          counter.emplace(count, thread.info().instruction_pointer);
          if (options.watching) options.watching();
        }
        if (now.stop == Stop::group) {
          thread.listen();
        } else {
          thread.go_on();
        }
        break;
      default:
        thread.go_on(now.signal);
        break;
    }
  }
}

std::uint64_t SyscallCount::of(long number) const {
  const auto found = by_number.find(number);
  return found == by_number.end() ? 0 : found->second;
}

std::ostream& operator<<(std::ostream& stream, const SyscallCount& count) {
  std::vector<std::pair<std::uint64_t, long>> ordered;
  for (const auto& [number, calls] : count.by_number) ordered.emplace_back(calls, number);
  std::sort(ordered.rbegin(), ordered.rend());
  stream << count.total << " calls";
  const char* separator = ": ";
  for (const auto& [calls, number] : ordered) {
    stream << separator << syscall_name(number) << ' ' << calls;
    separator = ", ";
  }
  return stream << (count.exited ? "; then it ended" : "");
}

std::string syscall_name(long number) {
#define TACTUS_CALL(name) \
  { SYS_##name, #name }
  static const std::map<long, const char*> kNames{
      TACTUS_CALL(brk),
      TACTUS_CALL(clock_gettime),
      TACTUS_CALL(clock_nanosleep),
      TACTUS_CALL(clone),
      TACTUS_CALL(clone3),
      TACTUS_CALL(close),
      TACTUS_CALL(epoll_ctl),
      TACTUS_CALL(epoll_pwait),
      TACTUS_CALL(eventfd2),
      TACTUS_CALL(exit),
      TACTUS_CALL(exit_group),
      TACTUS_CALL(fcntl),
      TACTUS_CALL(fdatasync),
      TACTUS_CALL(fsync),
      TACTUS_CALL(futex),
      TACTUS_CALL(getcpu),
      TACTUS_CALL(getpid),
      TACTUS_CALL(getppid),
      TACTUS_CALL(getrandom),
      TACTUS_CALL(getrusage),
      TACTUS_CALL(gettid),
      TACTUS_CALL(ioctl),
      TACTUS_CALL(lseek),
      TACTUS_CALL(madvise),
      TACTUS_CALL(mlock),
      TACTUS_CALL(mlockall),
      TACTUS_CALL(mmap),
      TACTUS_CALL(mprotect),
      TACTUS_CALL(mremap),
      TACTUS_CALL(munmap),
      TACTUS_CALL(nanosleep),
      TACTUS_CALL(openat),
      TACTUS_CALL(ppoll),
      TACTUS_CALL(pread64),
      TACTUS_CALL(pselect6),
      TACTUS_CALL(pwrite64),
      TACTUS_CALL(read),
      TACTUS_CALL(readv),
      TACTUS_CALL(recvfrom),
      TACTUS_CALL(recvmsg),
      TACTUS_CALL(restart_syscall),
      TACTUS_CALL(rseq),
      TACTUS_CALL(rt_sigaction),
      TACTUS_CALL(rt_sigprocmask),
      TACTUS_CALL(rt_sigreturn),
      TACTUS_CALL(rt_sigtimedwait),
      TACTUS_CALL(sched_getaffinity),
      TACTUS_CALL(sched_setaffinity),
      TACTUS_CALL(sched_setattr),
      TACTUS_CALL(sched_setscheduler),
      TACTUS_CALL(sched_yield),
      TACTUS_CALL(sendmsg),
      TACTUS_CALL(sendto),
      TACTUS_CALL(set_robust_list),
      TACTUS_CALL(tgkill),
      TACTUS_CALL(timerfd_create),
      TACTUS_CALL(timerfd_gettime),
      TACTUS_CALL(timerfd_settime),
      TACTUS_CALL(write),
      TACTUS_CALL(writev),
#ifdef SYS_poll  // the old calls, which newer machines do without
      TACTUS_CALL(poll),
#endif
#ifdef SYS_epoll_wait
      TACTUS_CALL(epoll_wait),
#endif
  };
#undef TACTUS_CALL
  const auto found = kNames.find(number);
  return found != kNames.end() ? found->second : "system call " + std::to_string(number);
}

std::map<std::string, pid_t> threads_of(pid_t pid) {
  std::map<std::string, pid_t> threads;
  std::error_code gone;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
    std::ifstream comm(entry.path() / "comm");
    const pid_t tid = static_cast<pid_t>(std::stol(entry.path().filename().string()));
    if (std::string name; std::getline(comm, name)) {
      name.resize(std::min(name.find('@'), name.size()));  // the role, without the rig
      const auto [place, is_new] = threads.try_emplace(name, tid);
      if (!is_new) place->second = std::min(place->second, tid);
    }
  }
  return threads;
}

}  // namespace tactus::test
