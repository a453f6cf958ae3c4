// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/stuck_thread_watchdog.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "rtsync/clock/clock.hpp"

namespace tactus::rtsync {
namespace {

/// The CPU time of a thread of this process; 0: it has ended.
Nanoseconds cpu_time_of(pid_t tid) TACTUS_RT {
  constexpr int kOfThread = 4 + 2;  // CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED of the kernel
  timespec time{};
  const bool known = tid > 0 && ::clock_gettime(static_cast<clockid_t>((~tid * 8) | kOfThread), &time) == 0;
  return known ? Nanoseconds{std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec} : Nanoseconds{0};
}

Descriptor open_file_of(pid_t tid, const char* name) TACTUS_RT {
  std::array<char, 64> path{};
  (void)std::snprintf(path.data(), path.size(), "/proc/self/task/%d/%s", tid, name);
  return Descriptor(::open(path.data(), O_RDONLY | O_CLOEXEC));
}

/// The letter of /proc/self/task/TID/stat; '?': it has ended, or a model has closed the file.
char state_in(int file, pid_t tid) TACTUS_RT {
  std::array<char, 128> text{};
  const std::string_view seen = read_again(file, std::span(text).first(text.size() - 1));
  const std::size_t name_end = seen.rfind(") ");  // a name may have one, too
  if (std::atoi(text.data()) != tid || name_end == std::string_view::npos || name_end + 2 >= seen.size())
    return '?';
  return seen[name_end + 2];
}

/// Counts how often a thread gave its CPU up itself, by its /proc/self/task/TID/status; negative: not known.
std::int64_t sleeps_in(int file) TACTUS_RT {
  constexpr std::string_view kKey = "\nvoluntary_ctxt_switches:";
  std::array<char, 4096> text{};
  const std::string_view seen = read_again(file, std::span(text).first(text.size() - 1));
  const std::size_t at = seen.find(kKey);
  return at == std::string_view::npos ? -1 : std::atoll(text.data() + at + kKey.size());
}

/// Returns true for a thread that the freezer of its control group holds. It stands where signals are taken (cgroup v2, or
/// v1 as it computed), where nothing else sleeps; v1 holds it within a call, too, which a signal could end else (state S).
bool is_frozen(char state, std::string_view function) TACTUS_RT {
  for (const std::string_view taken : {"do_freezer_trap", "__refrigerator", "get_signal"})
    if (function == taken) return true;
  for (const std::string_view call :
       {"futex_do_wait", "futex_wait_queue", "futex_wait_queue_me", "hrtimer_nanosleep", "do_nanosleep",
        "ep_poll", "poll_schedule_timeout"})
    if (state == 'D' && function == call) return true;
  return false;
}

}  // namespace

StuckBy stuck_by(const StuckLook& look) TACTUS_RT {
  constexpr int kNextToNothing = 50;  // one part in so many: a loop among many ordinary threads has more
  if (look.state == 'T' || look.state == 't') return StuckBy::stopped;
  if (is_frozen(look.state, look.sleeps_in)) return StuckBy::frozen;
  const bool had_none = look.ran * kNextToNothing < look.without_progress;
  return look.state == 'R' && !look.slept && had_none ? StuckBy::no_cpu : StuckBy::itself;
}

Nanoseconds StuckDetector::interval_for(const std::vector<WatchedThread>& threads) {
  constexpr Nanoseconds kLeast{1'000'000};
  constexpr Nanoseconds kMost{250'000'000};
  Nanoseconds interval = kMost;
  for (const WatchedThread& thread : threads) interval = std::min(interval, thread.timeout / 4);
  return std::max(interval, kLeast);
}

StuckDetector::StuckDetector(std::vector<WatchedThread> threads, Nanoseconds interval)
    : threads_(std::move(threads)), interval_(interval), seen_(threads_.size()) {
  for (const WatchedThread& thread : threads_)
    if (thread.progress == nullptr || thread.busy == nullptr)
      throw std::invalid_argument("thread '" + thread.name + "' cannot be watched: it shows no progress");
  found_.reserve(threads_.size());
}

std::span<const std::size_t> StuckDetector::look(TimePoint<MonotonicTime> now) TACTUS_RT {
  const Nanoseconds passed =
      last_look_ ? std::clamp(now - *last_look_, Nanoseconds{0}, 2 * interval_) : Nanoseconds{0};
  last_look_ = now;
  found_.clear();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const WatchedThread& thread = threads_[i];
    Seen& seen = seen_[i];
    const bool busy = thread.busy->load(std::memory_order_acquire);
    const std::uint64_t progress = thread.progress->load(std::memory_order_relaxed);
    // When it became busy between two looks is unknown: it counts from the look that saw it busy.
    const bool same = busy && seen.busy && progress == seen.progress;
    seen.without_progress = same ? seen.without_progress + passed : Nanoseconds{0};
    seen.busy = busy;
    seen.progress = progress;
    if (!same || seen.stuck || seen.without_progress < thread.timeout) continue;
    seen.stuck = true;
    found_.push_back(i);  // within what was reserved
  }
  return found_;
}

StuckThreadWatchdog::StuckThreadWatchdog(const StuckThreadWatchdogSettings& settings,
                                         const std::vector<WatchedThread>& threads, OnStuck on_stuck)
    : settings_(settings),
      process_(::getpid()),
      watch_(threads, StuckDetector::interval_for(threads)),
      on_stuck_(std::move(on_stuck)),
      states_(std::make_unique<State[]>(threads.size())),
      thread_(std::make_unique<PinnedThread>(
          ThreadSettings{.name = "watchdog",
                         .cpus = settings.cpus,
                         .policy = settings.priority > 0 ? SchedPolicy::fifo : SchedPolicy::other,
                         .priority = settings.priority,
                         .stack_bytes = std::size_t{128} << 10,
                         .owner = settings.owner},
          [this] { run(); })) {}

StuckThreadWatchdog::~StuckThreadWatchdog() { end_.open(1); }

void StuckThreadWatchdog::run() {
  const Nanoseconds pause =
      settings_.on_look ? std::min(settings_.look_every, watch_.interval()) : watch_.interval();
  TimePoint<MonotonicTime> next = monotonic_now();
  Gate::Result result = Gate::Result::timeout;
  while (result == Gate::Result::timeout) {
    const TimePoint<MonotonicTime> now = monotonic_now();
    if (settings_.on_look) settings_.on_look();
    if (now >= next) {
      next = now + watch_.interval();
      look(now);
    }
    result = end_.wait(1, WaitMode::futex, now + pause);
  }
}

StuckBy StuckThreadWatchdog::stuck_by(std::size_t index) const TACTUS_RT {
  const State& state = states_[index];
  const pid_t tid = state.tid.load();
  if (tid <= 0 || tid != state.opened.load()) return StuckBy::itself;
  const std::int64_t before = state.slept.load();
  std::array<char, 64> function{};
  return rtsync::stuck_by(
      {.state = state_in(state.stat.get(), tid),
       .sleeps_in = read_again(state.wchan.get(), function),
       .ran = cpu_time_of(tid) - state.ran.load(),
       .slept = before >= 0 && sleeps_in(state.status.get()) != before,
       // Nothing was counted before the last look of a thread that has not even begun.
       .without_progress =
           state.without_progress.load() + std::max(monotonic_now() - state.looked.load(), Nanoseconds{1})});
}

void StuckThreadWatchdog::note(State& state, Nanoseconds without_progress,
                               TimePoint<MonotonicTime> now) TACTUS_RT {
  state.without_progress.store(without_progress);
  state.looked.store(now);
  if (without_progress > Nanoseconds{0}) {  // up to now it may have slept as it should
    if (state.slept.load() < 0) state.slept.store(sleeps_in(state.status.get()));
    return;
  }
  const pid_t tid = state.tid.load();
  if (tid > 0 && tid != state.opened.load()) {
    state.opened.store(0);
    state.stat = open_file_of(tid, "stat");
    state.status = open_file_of(tid, "status");
    state.wchan = open_file_of(tid, "wchan");
    state.opened.store(tid);
  }
  state.ran.store(cpu_time_of(tid));
  state.slept.store(-1);
}

void StuckThreadWatchdog::look(TimePoint<MonotonicTime> now) TACTUS_RT {
  const std::span<const std::size_t> found = watch_.look(now);
  for (std::size_t i = 0; i < watch_.threads().size(); ++i) note(states_[i], watch_.without_progress(i), now);
  for (const std::size_t i : found) {
    State& state = states_[i];
    state.fate.store(Fate::stuck);
    if (on_stuck_) on_stuck_(i);
    if (const pid_t tid = state.tid.load(); tid > 0) state.fate.store(tame(tid));
  }
}

/// No more than system calls: the stuck thread may hold any lock, that of the heap too.
StuckThreadWatchdog::Fate StuckThreadWatchdog::tame(pid_t tid) const TACTUS_RT {
  // sched_setscheduler would take any tid of the machine, and a number is used again.
  if (::syscall(SYS_tgkill, process_, tid, 0) != 0) return Fate::untamed;
  const sched_param param{};
  // The reset flag may be taken away only with CAP_SYS_NICE, so it is kept, or set: it does no harm.
  const int policy = (settings_.when_idle ? SCHED_IDLE : SCHED_OTHER) | SCHED_RESET_ON_FORK;
  const bool changed = ::sched_setscheduler(tid, policy, &param) == 0;
  // Where none of these CPUs is granted it stays on its own: there it is in nobody's way any more.
  if (!settings_.demoted_cpus.empty()) (void)set_affinity(tid, settings_.demoted_cpus);
  return changed ? Fate::demoted : Fate::untamed;
}

}  // namespace tactus::rtsync
