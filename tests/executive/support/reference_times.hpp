// SPDX-License-Identifier: Apache-2.0
#pragma once
/// When jobs are called and what commands do, for the reference: exact fractions, no cleverness.
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tests/executive/support/reference_scheduler.hpp"
#include "tests/executive/support/sketch.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

/// Integration up to a time (part 0) comes before what is due at that time (part 1).
struct Moment {
  Fraction time{0, 1};
  int part = 1;
  friend bool operator<(const Moment& a, const Moment& b) {
    return a.time < b.time || (a.time == b.time && a.part < b.part);
  }
  friend bool operator==(const Moment& a, const Moment& b) { return a.time == b.time && a.part == b.part; }
};

/// The jobs of one clock: main's and the scheduled threads', an asynchronous thread's, or the freeze's.
struct ReferenceTimes {
  struct Timed {
    std::size_t job;
    Fraction first{0, 1};
    Fraction cycle{0, 1};
    std::optional<Fraction> stop{};
    int part = 1;
    bool dynamic = false;
    std::int64_t calls = 0;
    std::optional<Fraction> next{};  // of a dynamic one
  };
  std::vector<Timed> jobs;
  Fraction frame{1, 1};
  std::optional<Moment> now;

  void reset() {
    now.reset();
    for (Timed& job : jobs) {
      job.calls = 0;
      job.next = job.first;
    }
  }
  std::optional<Moment> next(const Timed& job) const {
    if (job.dynamic && !job.next) return std::nullopt;
    const Fraction time = job.dynamic ? *job.next : job.first + job.calls * job.cycle;
    if (job.stop && *job.stop < time) return std::nullopt;
    return Moment{time, job.part};
  }
  /// The next moment of frame k.
  std::optional<Moment> next(std::int64_t k) const {
    std::optional<Moment> first;
    for (const Timed& job : jobs)
      if (const auto at = next(job); at && (!first || *at < *first)) first = at;
    if (first && *first < Moment{(k + 1) * frame, 1}) return first;
    return std::nullopt;
  }
  /// All that are due then, and on to their next times.
  std::vector<std::size_t> take(const Moment& moment) {
    now = moment;
    std::vector<std::size_t> due;
    for (Timed& job : jobs) {
      if (const auto at = next(job); !at || !(*at == moment)) continue;
      due.push_back(job.job);
      ++job.calls;
      job.next.reset();
    }
    return due;
  }
  bool call_at(std::size_t index, std::int64_t ns) {
    for (Timed& job : jobs) {
      if (job.job != index || !job.dynamic) continue;
      if (now && !(*now < Moment{Fraction(ns, 1), 1})) return false;
      job.next = Fraction(ns, 1);
      return true;
    }
    return false;
  }
};

/// Commands, as commands.hpp promises them.
struct ReferenceOrders {
  const Sketch& sketch;
  std::size_t next = 0;
  bool paused = false;
  bool stopped = false;
  bool reset = false;
  std::optional<std::int64_t> hold{};  // freeze before that frame
  std::int64_t rest = 0;
  std::optional<bool> pause_wanted{};
  std::optional<std::int64_t> step_wanted{};
  std::optional<std::int64_t> until_wanted{};

  std::int64_t frame_at(std::int64_t ns) const {
    std::int64_t k = 0;
    while (k * Fraction(sketch.frame) < Fraction(ns, 1)) ++k;
    return k;
  }
  void go() {
    paused = false;
    hold.reset();
    rest = 0;
  }
  void take(std::int64_t k, const std::function<void(const TimedCommand&)>& switches) {
    bool more = true;
    while (more && next < sketch.commands.size() && frame_at(sketch.commands[next].at.count()) <= k) {
      const TimedCommand& command = sketch.commands[next++];
      more = command.call.command != Command::pause && command.call.command != Command::reset;
      if (command.call.command == Command::pause) {
        paused = true;
        rest = 0;
        while (command.rest && rest * Fraction(sketch.freeze_frame) < Fraction(command.rest->count(), 1))
          ++rest;
      }
      if (command.call.command == Command::reset) reset = true;
      if (command.call.command == Command::stop) stopped = true;
      if (command.call.command == Command::resume) go();
      if (command.call.command == Command::step) go(), hold = k + command.call.value;
      if (command.call.command == Command::run_until) go(), hold = frame_at(command.call.value);
      if (command.call.command == Command::enable || command.call.command == Command::disable)
        switches(command);
    }
    if (hold && *hold <= k) paused = true, hold.reset();
    if (pause_wanted) {
      if (!*pause_wanted) go();
      paused = *pause_wanted;
      rest = 0;  // also where the file has paused it for some time only
    }
    if (step_wanted) go(), hold = k + *step_wanted;
    if (until_wanted) {
      go(), hold = frame_at(*until_wanted);
      if (*hold <= k) paused = true, hold.reset();
    }
    pause_wanted.reset();
    step_wanted.reset();
    until_wanted.reset();
  }
};

}  // namespace tactus::executive::test
