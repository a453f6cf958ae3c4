// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Worker threads on simulated time: whoever's time is the smallest goes on, by one job. Whatever the real
/// threads of a crew could do to each other by being quick or slow, a seed does here, and the same seed does
/// it again.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "executive/frame/executive.hpp"
#include "executive/frame/worker_pool.hpp"
#include "tests/executive/support/sim.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

/// What a simulated crew does beside running jobs.
struct SimWorkerSettings {
  std::uint64_t seed = 1;
  std::int64_t shortest_ns = 1'000, longest_ns = 50'000;  ///< of a job
  std::int64_t trigger_ns = 3'000;                        ///< from the trigger to the worker
  std::uint64_t late_one_in = 50;                         ///< jobs that take much longer; 0: none
  std::int64_t late_ns = 2'000'000;
  struct Stuck {
    std::size_t thread;
    std::int64_t after_steps;  ///< its next job never returns
  };
  std::optional<Stuck> stuck{};
};

/// An asynchronous thread's release is one step: it meets nobody before it has ended. When nobody asks for
/// it, it may run long after its time, or never.
class SimWorkerPool final : public WorkerPool {
 public:
  struct Step {
    std::int64_t time_ns;
    std::size_t thread;
    std::uint32_t job;  ///< what it ran last, as a number that depends on its name alone
    friend bool operator==(const Step&, const Step&) = default;
  };

  SimWorkerPool(Executive& executive, SimClock& clock, const SimWorkerSettings& settings)
      : executive_(executive),
        clock_(clock),
        settings_(settings),
        engine_(settings.seed),
        threads_(executive.plan().threads.size() + 1) {
    threads_[0].state = State::idle;
  }

  bool run_instant(std::uint64_t threads) TACTUS_RT override {
    meet_clock();
    for (std::size_t t = 0; t < threads_.size(); ++t)
      if ((threads >> t & 1) != 0) start(t);
    executive_.jobs().set_step_by_step(true);
    bool good = true;
    while (is_any_at_work(threads)) {
      const std::optional<std::size_t> next = choose();
      if (!next || (threads >> *next & 1) == 0) {
        if (!next) break;  // who is left waits for one that is stuck, or has failed
        step(*next);
        continue;
      }
      good = step(*next) && good;
      wake();
    }
    executive_.jobs().set_step_by_step(false);
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if ((threads >> t & 1) == 0) continue;
      if (threads_[t].state == State::stuck) return give_up(t);
      threads_[0].time = std::max(threads_[0].time, threads_[t].time);
      threads_[t].state = State::idle;
    }
    clock_.advance_to(TimePoint<RigTime>{Nanoseconds{threads_[0].time}});
    return good;
  }
  void release(std::size_t thread) TACTUS_RT override {
    meet_clock();
    start(thread);
  }
  bool is_idle(std::size_t thread) TACTUS_RT override {
    meet_clock();
    run_backgrounds_until(threads_[0].time);
    if (threads_[thread].state == State::idle && threads_[thread].time <= threads_[0].time) return true;
    threads_[0].time += 1'000'000;  // whoever asks again has slept meanwhile
    return false;
  }
  bool wait_for(std::size_t thread) TACTUS_RT override {
    meet_clock();
    if (threads_[thread].state == State::ready) (void)step(thread);
    if (threads_[thread].state == State::stuck) return give_up(thread);
    threads_[0].time = std::max(threads_[0].time, threads_[thread].time);
    clock_.advance_to(TimePoint<RigTime>{Nanoseconds{threads_[0].time}});
    return true;
  }
  std::optional<std::size_t> stuck() const TACTUS_RT override { return stuck_; }

  const std::vector<Step>& steps() const { return steps_; }

 private:
  enum class State { idle, ready, blocked, stuck };
  struct Thread {
    State state = State::idle;
    std::int64_t time = 0;
    std::int64_t steps = 0;
    const Dependency* waits_for = nullptr;
  };

  void meet_clock() {
    threads_[0].time = std::max(threads_[0].time, clock_.now().time_since_epoch().count());
  }
  void start(std::size_t thread) {
    if (threads_[thread].state == State::stuck) return;
    threads_[thread].state = State::ready;
    if (thread != 0)
      threads_[thread].time = std::max(threads_[thread].time, threads_[0].time + below(settings_.trigger_ns));
  }
  bool is_any_at_work(std::uint64_t threads) const {
    for (std::size_t t = 0; t < threads_.size(); ++t)
      if ((threads >> t & 1) != 0 && threads_[t].state != State::idle) return true;
    return false;
  }
  std::optional<std::size_t> choose() {
    std::optional<std::size_t> next;
    std::uint64_t ties = 0;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (threads_[t].state != State::ready || (next && threads_[t].time > threads_[*next].time)) continue;
      ties = next && threads_[t].time == threads_[*next].time ? ties + 1 : 1;
      if (ties == 1 || engine_() % ties == 0) next = t;
    }
    return next;
  }
  void run_backgrounds_until(std::int64_t time) {
    for (std::size_t t = 1; t < threads_.size(); ++t)
      if (threads_[t].state == State::ready && threads_[t].time <= time) (void)step(t);
  }

  /// One job of a lane, or one release. False: it failed.
  bool step(std::size_t t) {
    Thread& thread = threads_[t];
    if (settings_.stuck && settings_.stuck->thread == t && thread.steps == settings_.stuck->after_steps) {
      thread.state = State::stuck;
      return true;
    }
    ++thread.steps;
    const LaneEnd end = executive_.jobs().work(t);
    if (end == LaneEnd::blocked) {
      thread.state = State::blocked;
      thread.waits_for = &executive_.jobs().blocked_by(t);
      return true;
    }
    if (end != LaneEnd::paused) thread.state = State::idle;
    if (end == LaneEnd::paused) thread.time += duration();
    if (t != 0 && end == LaneEnd::done) thread.time += duration() / 8;
    steps_.push_back({thread.time, t, name_hash(executive_.jobs().running_job(t))});
    last_time_ = thread.time;
    return end != LaneEnd::failed;
  }
  /// Those whose dependency is done by now.
  void wake() {
    const std::uint32_t instant = executive_.jobs().instant();
    for (Thread& thread : threads_) {
      if (thread.state != State::blocked || thread.waits_for->done->value() != instant) continue;
      thread.state = State::ready;
      thread.time = std::max(thread.time, last_time_);
    }
  }
  bool give_up(std::size_t thread) {
    stuck_ = thread;
    threads_[0].time += executive_.plan().stuck_after.count();
    clock_.advance_to(TimePoint<RigTime>{Nanoseconds{threads_[0].time}});
    return false;
  }

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1)));
  }
  std::int64_t duration() {
    const bool late = settings_.late_one_in != 0 && engine_() % settings_.late_one_in == 0;
    return settings_.shortest_ns + below(settings_.longest_ns - settings_.shortest_ns) +
           (late ? below(settings_.late_ns) : 0);
  }
  static std::uint32_t name_hash(std::string_view name) {
    std::uint32_t h = 2166136261U;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
    return h;
  }

  Executive& executive_;
  SimClock& clock_;
  const SimWorkerSettings settings_;
  std::mt19937_64 engine_;
  std::vector<Thread> threads_;
  std::vector<Step> steps_;
  std::int64_t last_time_ = 0;
  std::optional<std::size_t> stuck_;
};

}  // namespace tactus::executive::test
