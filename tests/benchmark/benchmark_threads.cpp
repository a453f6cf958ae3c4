// SPDX-License-Identifier: Apache-2.0
// What does trigger and join of worker threads cost per frame, beside a bare futex ping-pong and a bare spin
// barrier?
#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "rtsync/clock/clock.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/memory.hpp"
#include "rtsync/thread/handshake.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/rtsync/support/all_granted.hpp"

namespace {

using namespace tactus::rtsync;
using tactus::benchmark::Contender;
using tactus::benchmark::Json;
using tactus::benchmark::Spread;
using tactus::benchmark::spread_of;
using tactus::benchmark::to_json;

/// A way to have some workers do nothing once per frame, and to know that all have done it.
class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  virtual ~Team() = default;

  /// One frame: all workers are triggered, then all are joined.
  virtual void frame() = 0;
  /// On the thread of worker i, until dismiss().
  virtual void serve(int worker) = 0;
  virtual void dismiss() = 0;
};

// --- ours

class Handshakes final : public Team {
 public:
  Handshakes(WaitMode mode, int workers) {
    for (int i = 0; i < workers; ++i) handshakes_.emplace_back(mode);
  }
  void frame() override {
    const auto deadline = monotonic_now() + std::chrono::seconds{10};
    for (Handshake& handshake : handshakes_) handshake.trigger();
    for (Handshake& handshake : handshakes_)
      if (handshake.join(deadline) != Gate::Result::open)
        throw std::runtime_error("a worker is late by 10 s");
  }
  void serve(int worker) override {
    Handshake& handshake = handshakes_[static_cast<std::size_t>(worker)];
    handshake.begin();
    while (const auto n = handshake.await_work()) handshake.finished(*n);
  }
  void dismiss() override {
    for (Handshake& handshake : handshakes_) handshake.dismiss();
  }

 private:
  std::deque<Handshake> handshakes_;  // the addresses stay
};

// --- bare: the least that can be written

constexpr std::uint32_t kEnd = 0xffffffff;

struct alignas(64) Word {
  std::atomic<std::uint32_t> value{0};
};

void wake(Word& word, std::uint32_t value) {
  word.value.store(value);
  ::syscall(SYS_futex, &word.value, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

std::uint32_t sleep_while(Word& word, std::uint32_t value) {
  while (word.value.load() == value)
    ::syscall(SYS_futex, &word.value, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
  return word.value.load();
}

std::uint32_t spin_while(const Word& word, std::uint32_t value) {
  while (word.value.load(std::memory_order_acquire) == value) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return word.value.load(std::memory_order_acquire);
}

/// A word there and a word back for each worker, a wake-up for each of them.
class BareFutex final : public Team {
 public:
  explicit BareFutex(int workers) : go_(static_cast<std::size_t>(workers)), done_(go_.size()) {}
  void frame() override {
    ++frame_;
    for (Word& go : go_) wake(go, frame_);
    for (Word& done : done_) sleep_while(done, frame_ - 1);
  }
  void serve(int worker) override {
    const auto i = static_cast<std::size_t>(worker);
    for (std::uint32_t frame = 0; (frame = sleep_while(go_[i], frame)) != kEnd;) wake(done_[i], frame);
  }
  void dismiss() override {
    for (Word& go : go_) wake(go, kEnd);
  }

 private:
  std::vector<Word> go_;
  std::vector<Word> done_;
  std::uint32_t frame_ = 0;
};

/// One word that starts all of them, and a word back from each.
class BareSpin final : public Team {
 public:
  explicit BareSpin(int workers) : done_(static_cast<std::size_t>(workers)) {}
  void frame() override {
    go_.value.store(++frame_, std::memory_order_release);
    for (Word& done : done_) spin_while(done, frame_ - 1);
  }
  void serve(int worker) override {
    Word& done = done_[static_cast<std::size_t>(worker)];
    for (std::uint32_t frame = 0; (frame = spin_while(go_, frame)) != kEnd;)
      done.value.store(frame, std::memory_order_release);
  }
  void dismiss() override { go_.value.store(kEnd, std::memory_order_release); }

 private:
  Word go_;
  std::vector<Word> done_;
  std::uint32_t frame_ = 0;
};

// --- the measurement

struct Stand {
  bool own_cpus = false;  ///< each thread has a CPU of its own
  bool fifo = false;
  std::vector<int> cpus;  ///< the frame thread's first
};

constexpr int kFramePriority = 20;
constexpr int kWorkerPriority = 19;

ThreadSettings settings(const Stand& stand, std::size_t thread) {
  ThreadSettings settings;
  settings.name = thread == 0 ? "frame" : "worker" + std::to_string(thread);
  if (stand.own_cpus) settings.cpus = CpuSet{stand.cpus[thread]};
  settings.stack_bytes = std::size_t{256} << 10;
  if (stand.fifo) {
    settings.policy = SchedPolicy::fifo;
    settings.priority = thread == 0 ? kFramePriority : kWorkerPriority;
  }
  return settings;
}

/// SCHED_FIFO only where it can stop nobody: each thread has a CPU and the machine keeps one.
Stand make_stand(int workers) {
  Stand stand;
  stand.cpus = allowed_cpus().cpus();
  std::reverse(stand.cpus.begin(), stand.cpus.end());  // CPU 0 has the most to do besides
  const auto threads = static_cast<std::size_t>(workers) + 1;
  stand.own_cpus = stand.cpus.size() >= threads;
  const rlimit spinning{2'000'000, 3'000'000};
  if (stand.cpus.size() <= threads || ::setrlimit(RLIMIT_RTTIME, &spinning) != 0) return stand;
  stand.fifo = true;
  const PinnedThread probe{settings(stand, 0), [] {}};
  const std::vector<Provision> provisions = probe.provisions();
  stand.fifo = all_granted(provisions);
  return stand;
}

/// How long each of some frames took, after some that warm up, with a pause before each.
struct Slice {
  int frames;
  int warm_up;
  Nanoseconds pause;
};

std::vector<double> run_slice(Team& team, const Stand& stand, int workers, const Slice& slice) {
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(slice.frames));
  std::deque<PinnedThread> threads;
  for (int i = 0; i < workers; ++i)
    threads.emplace_back(settings(stand, static_cast<std::size_t>(i) + 1), [&team, i] { team.serve(i); });
  PinnedThread frame{settings(stand, 0), [&] {
                       for (int i = -slice.warm_up; i < slice.frames; ++i) {
                         if (slice.pause.count() > 0) {
                           const timespec pause{0, static_cast<long>(slice.pause.count())};
                           ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
                         }
                         const std::int64_t begin = tactus::benchmark::now_ns();
                         team.frame();
                         const std::int64_t end = tactus::benchmark::now_ns();
                         if (i >= 0) times.push_back(static_cast<double>(end - begin));
                       }
                     }};
  try {
    frame.join();
  } catch (...) {
    team.dismiss();
    throw;
  }
  team.dismiss();
  for (PinnedThread& thread : threads) thread.join();
  std::sort(times.begin(), times.end());
  return times;
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

struct Entry {
  std::string name;
  std::function<std::unique_ptr<Team>()> make;
  std::vector<double> p99s{};  // of every slice, those that warm up too
};

Spread ratio(const std::vector<double>& ours, const std::vector<double>& bare) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / bare[i]);
  return spread_of(std::move(ratios));
}

void ask(int workers, Nanoseconds pause, bool quick) {
  const Stand stand = make_stand(workers);
  std::vector<Entry> entries;
  const std::size_t bare_futex = 0;
  const std::size_t bare_spin = 1;
  entries.push_back({"bare futex", [=] { return std::make_unique<BareFutex>(workers); }});
  if (stand.own_cpus) entries.push_back({"bare spin", [=] { return std::make_unique<BareSpin>(workers); }});
  const std::size_t first_of_ours = entries.size();
  std::vector<WaitMode> modes{WaitMode::futex, WaitMode::adaptive};
  if (stand.own_cpus) modes.push_back(WaitMode::spin);
  for (const WaitMode mode : modes)
    entries.push_back({name_of(mode), [=] { return std::make_unique<Handshakes>(mode, workers); }});

  // Slices of some 10 ms, in turns: what else the machine does hits all alike.
  const Slice slice{pause.count() > 0 ? 50 : 500, 20, pause};
  const int rounds = quick ? 5 : 61;
  std::vector<Contender> contenders;
  for (Entry& entry : entries) {
    contenders.push_back({entry.name, [&entry, &stand, &slice, workers] {
                            const std::unique_ptr<Team> team = entry.make();
                            const std::vector<double> times = run_slice(*team, stand, workers, slice);
                            entry.p99s.push_back(quantile(times, 0.99));
                            return quantile(times, 0.5);
                          }});
  }
  const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(contenders, rounds);
  for (Entry& entry : entries)
    entry.p99s.erase(entry.p99s.begin(), entry.p99s.end() - rounds);  // not of what warmed up

  for (std::size_t i = first_of_ours; i < entries.size(); ++i) {
    Json figures{{"workers", workers},
                 {"pause_between_frames_ns", pause.count()},
                 {"rounds", rounds},
                 {"frames_per_round", slice.frames},
                 {"scheduling", stand.fifo ? "SCHED_FIFO" : "SCHED_OTHER"},
                 {"cpu_for_each_thread", stand.own_cpus},
                 {"p50_ns", to_json(turns.of(i))},
                 {"p99_ns", to_json(spread_of(entries[i].p99s))}};
    const auto beside = [&](std::size_t bare, const std::string& name) {
      figures[name + "_p50_ns"] = to_json(turns.of(bare));
      figures[name + "_p99_ns"] = to_json(spread_of(entries[bare].p99s));
      figures["p50_ratio_to_" + name] = to_json(turns.ratio(i, bare));
      figures["p99_ratio_to_" + name] = to_json(ratio(entries[i].p99s, entries[bare].p99s));
    };
    const WaitMode mode = modes[i - first_of_ours];
    if (mode != WaitMode::spin) beside(bare_futex, "bare_futex");
    if (mode != WaitMode::futex && stand.own_cpus) beside(bare_spin, "bare_spin");
    if (mode != WaitMode::adaptive) figures["aim_p50_ratio"] = 1.3;
    tactus::benchmark::answer("what does trigger and join of " + std::to_string(workers) +
                                  " worker(s) per frame cost, waiting by " + entries[i].name + "?",
                              figures);
  }
  if (!stand.own_cpus)
    tactus::benchmark::answer(
        "what does trigger and join of " + std::to_string(workers) +
            " worker(s) per frame cost, waiting by spin?",
        {{"workers", workers},
         {"pause_between_frames_ns", pause.count()},
         {"skipped", std::to_string(workers + 1) + " threads that spin would share " +
                         std::to_string(stand.cpus.size()) +
                         " CPUs: what is measured then is the scheduler's time slice"}});
}

void run(bool quick) {
  (void)prepare_memory({.lock = true, .heap_bytes = 1 << 20});
  for (const int workers : {1, 3})
    for (const Nanoseconds pause : {Nanoseconds{0}, Nanoseconds{200'000}}) ask(workers, pause, quick);
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(
      argc, argv, "What does trigger and join of worker threads cost per frame?", &run);
}
