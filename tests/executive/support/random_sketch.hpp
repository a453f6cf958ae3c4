// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Random sketches, valid by construction. The numbers come from the engine alone, so a seed means the same
/// sketch on every machine.
#include <algorithm>
#include <cstdint>
#include <random>

#include "tests/executive/support/sketch.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

/// What a random sketch may have in it.
struct Wanted {
  bool background = true;  ///< threads of kind asynchronous_must_finish
  bool loops = true;
  bool dynamic = true;
  bool switches = true;
  bool commands = true;  ///< pauses, steps, ...: from jobs and from commands
  bool resets = true;
  std::size_t most_threads = 4;
};

class RandomSketch {
 public:
  RandomSketch(std::uint64_t seed, const Wanted& wanted) : engine_(seed), wanted_(wanted) {}

  Sketch make() {
    constexpr rtsync::Period kFrames[] = {{1'000'000, 1}, {10'000'000, 1}, {1'000'000, 3}, {50'000'000, 3},
                                          {50'000, 7},    {123'458, 1},    {7'812'500, 1}, {1'000'000, 1}};
    s_.frame = kFrames[below(std::size(kFrames))];
    s_.freeze_frame = one_in(2) ? s_.frame : kFrames[below(std::size(kFrames))];
    s_.record = one_in(2) ? s_.frame : frames(between(1, 4), between(1, 4));
    s_.frames = between(8, 30);
    add_threads();
    add_loops();
    add_cells();
    add_jobs();
    add_wires();
    if (wanted_.switches) add_switches();
    if (wanted_.commands) add_commands();
    return s_;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }
  bool one_in(std::size_t n) { return below(n) == 0; }
  rtsync::Period frames(std::int64_t n, std::int64_t d) const {
    return {s_.frame.num() * n, s_.frame.den() * d};
  }

  void add_threads() {
    const std::size_t count = below(wanted_.most_threads + 1);
    for (std::size_t i = 0; i < count; ++i) {
      SketchThread thread;
      if (wanted_.background && one_in(3)) {
        thread.kind = ThreadKind::asynchronous_must_finish;
        thread.frames = between(1, 5);
      }
      if (one_in(2)) thread.wait = rtsync::WaitMode::futex;
      s_.threads.push_back(thread);
    }
  }
  std::size_t any_thread() { return below(s_.threads.size() + 1); }
  std::size_t lock_step_thread() {
    const std::size_t thread = any_thread();
    return s_.is_background(thread) ? 0 : thread;
  }

  void add_loops() {
    if (!wanted_.loops || !s_.frame.is_whole()) return;
    for (std::size_t l = below(3); l > 0; --l) {
      SketchLoop loop;
      loop.method =
          std::array{IntegrationMethod::euler, IntegrationMethod::rk4, IntegrationMethod::dopri5}[below(3)];
      loop.thread = any_thread();
      loop.cycle = frames(between(1, 2), s_.frame.num() % 2 == 0 ? between(1, 2) : 1);
      for (std::int64_t n = between(1, 2); n > 0; --n) {
        loop.cells.push_back(s_.cells.size());
        s_.cells.push_back({loop.thread, s_.loops.size()});
      }
      s_.loops.push_back(loop);
    }
  }
  void add_cells() {
    for (std::int64_t n = between(1, 6); n > 0; --n) s_.cells.push_back({any_thread()});
    std::vector<std::size_t> place(s_.cells.size());  // loops' cells among the others
    for (std::size_t i = 0; i < place.size(); ++i) std::swap(place[i] = i, place[below(i + 1)]);
    std::vector<SketchCell> cells(s_.cells.size());
    for (std::size_t i = 0; i < place.size(); ++i) cells[place[i]] = s_.cells[i];
    for (SketchLoop& loop : s_.loops)
      for (std::size_t& cell : loop.cells) cell = place[cell];
    s_.cells = cells;
  }

  rtsync::Period random_cycle() {
    if (one_in(3)) return s_.frame;
    if (one_in(3)) return frames(between(1, 3), 1);
    return frames(between(1, 8), between(1, 6));
  }
  void add_jobs() {
    for (std::size_t cell = 0; cell < s_.cells.size(); ++cell) {
      for (std::int64_t n = between(0, 3); n > 0; --n) add_cyclic(cell);
      if (s_.cells[cell].loop) {
        add_job(cell, TACTUS_DERIVATIVE);
        for (const tactus_job_class c : {TACTUS_PRE_INTEGRATION, TACTUS_INTEGRATION, TACTUS_POST_INTEGRATION})
          if (one_in(3)) add_job(cell, c);
      }
      for (const tactus_job_class c : {TACTUS_DEFAULT_DATA, TACTUS_INITIALIZATION, TACTUS_SHUTDOWN,
                                       TACTUS_RESTART, TACTUS_PRELOAD_CHECKPOINT})
        if (one_in(6)) add_job(cell, c);
      for (const tactus_job_class c : {TACTUS_TOP_OF_FRAME, TACTUS_END_OF_FRAME})
        if (one_in(4))
          add_job(cell, c).thread = s_.is_background(s_.cells[cell].thread) ? s_.cells[cell].thread : 0;
      if (s_.is_background(s_.cells[cell].thread))
        continue;  // the rig refuses those beside an asynchronous thread
      for (const tactus_job_class c : {TACTUS_FREEZE_INIT, TACTUS_FREEZE, TACTUS_UNFREEZE})
        if (one_in(6)) add_job(cell, c);
      if (one_in(5)) add_timed(add_job(cell, TACTUS_FREEZE_SCHEDULED), s_.freeze_frame);
      if (wanted_.dynamic && one_in(8))
        add_timed(add_job(cell, TACTUS_FREEZE_AUTOMATIC), s_.freeze_frame).dynamic = true;
    }
    put_on_their_threads();
  }
  SketchJob& add_job(std::size_t cell, tactus_job_class job_class) {
    SketchJob job;
    job.cell = cell;
    job.job_class = job_class;
    job.phase = one_in(2) ? 60000 : static_cast<unsigned>(below(3));
    job.cycle = s_.frame;
    job.enabled = !one_in(8);
    return s_.jobs.emplace_back(job);
  }
  SketchJob& add_timed(SketchJob& job, const rtsync::Period& frame) {
    job.cycle = {frame.num() * between(1, 4), frame.den() * between(1, 3)};
    if (one_in(2)) job.first = {frame.num() * between(0, 6), frame.den() * between(1, 3)};
    if (one_in(3)) job.stop = rtsync::Period{frame.num() * between(0, 20), frame.den() * between(1, 2)};
    return job;
  }
  void add_cyclic(std::size_t cell) {
    constexpr tactus_job_class kClasses[] = {
        TACTUS_ENVIRONMENT,       TACTUS_SENSOR,     TACTUS_SENSOR_EMITTER, TACTUS_SENSOR_REFLECTOR,
        TACTUS_SENSOR_RECEIVER,   TACTUS_SCHEDULED,  TACTUS_SCHEDULED,      TACTUS_SCHEDULED,
        TACTUS_CONTROLLER,        TACTUS_EFFECTOR,   TACTUS_LOGGING,        TACTUS_EFFECTOR_EMITTER,
        TACTUS_EFFECTOR_RECEIVER, TACTUS_DATA_RECORD};
    SketchJob& job = add_timed(add_job(cell, kClasses[below(std::size(kClasses))]), s_.frame);
    job.cycle = random_cycle();
    job.thread = s_.cells[cell].thread;
    if (one_in(6) && !s_.is_background(job.thread)) job.thread = lock_step_thread();
    job.dynamic = wanted_.dynamic && one_in(6);
  }
  /// A model is on an asynchronous thread because its jobs are.
  void put_on_their_threads() {
    for (std::size_t cell = 0; cell < s_.cells.size(); ++cell) {
      if (s_.cells[cell].loop || !s_.is_background(s_.cells[cell].thread)) continue;
      const bool any = std::any_of(s_.jobs.begin(), s_.jobs.end(), [&](const SketchJob& job) {
        return job.cell == cell && job.thread == s_.cells[cell].thread;
      });
      if (!any) s_.cells[cell].thread = 0;
    }
  }

  void add_wires() {
    for (std::size_t to = 0; to < s_.cells.size(); ++to) {
      for (std::size_t input = 0; input < Cell::kInputs; ++input) {
        if (one_in(4)) continue;
        SketchWire wire{below(s_.cells.size()), to, input, false};
        const SketchCell& a = s_.cells[wire.from];
        const SketchCell& b = s_.cells[to];
        const bool beside =
            a.thread != b.thread && (s_.is_background(a.thread) || s_.is_background(b.thread));
        const bool two_loops = a.loop && b.loop && a.loop != b.loop && a.thread != b.thread;
        wire.delayed = wire.from >= to || beside || two_loops || one_in(3);
        s_.wires.push_back(wire);
      }
    }
  }

  /// Each job is switched by one other at most, and nobody looks at it at that time.
  void add_switches() {
    std::vector<bool> taken(s_.jobs.size());
    for (SketchJob& job : s_.jobs) {
      if (!is_cyclic(job.job_class) || !one_in(5)) continue;
      const std::size_t target = below(s_.jobs.size());
      if (taken[target] || &s_.jobs[target] == &job || !can_be_switched(target, job.thread)) continue;
      taken[target] = true;
      job.switches = target;
    }
  }
  bool can_be_switched(std::size_t target, std::size_t by_thread) const {
    const SketchJob& job = s_.jobs[target];
    const std::size_t home = s_.home(target);
    if (job.commands) return false;
    if (s_.is_background(home) || s_.is_background(by_thread)) return home == by_thread;
    return is_cyclic(job.job_class) || is_freeze(job.job_class) || is_integration(job.job_class) ||
           job.job_class == TACTUS_TOP_OF_FRAME || job.job_class == TACTUS_END_OF_FRAME;
  }

  void add_commands() {
    const std::size_t keeper = s_.cells.size();  // sees to it that no freeze is for ever
    s_.cells.push_back({});
    for (const tactus_job_class job_class : {TACTUS_FREEZE, TACTUS_END_OF_FRAME}) {
      if (job_class == TACTUS_END_OF_FRAME && one_in(2)) continue;
      SketchJob& job = add_job(keeper, job_class);
      job.commands = job.enabled = true;
    }
    for (std::size_t n = below(6); n > 0; --n) {
      TimedCommand command;
      command.at = s_.frame.times(between(0, s_.frames)) + rtsync::Nanoseconds{one_in(3) ? between(0, 2) : 0};
      constexpr Command kOrders[] = {Command::pause,     Command::pause,  Command::resume,  Command::step,
                                     Command::run_until, Command::enable, Command::disable, Command::reset};
      command.call.command = kOrders[below(std::size(kOrders))];
      if (command.call.command == Command::reset && !wanted_.resets) command.call.command = Command::pause;
      if (one_in(30)) command.call.command = Command::stop;
      const std::int64_t frames = between(1, 5);
      const rtsync::Nanoseconds until = command.at + s_.frame.times(between(0, 6)) + rtsync::Nanoseconds{1};
      command.call.value = command.call.command == Command::step ? frames : until.count();
      if (command.call.command == Command::pause && one_in(2))
        command.rest = s_.freeze_frame.times(between(0, 2)) + rtsync::Nanoseconds{1};
      if (command.call.command == Command::enable || command.call.command == Command::disable) {
        const std::size_t target = below(s_.jobs.size());
        if (!can_be_switched(target, 0)) continue;
        command.call.name = s_.job_name(target);
      }
      s_.commands.push_back(command);
    }
    std::stable_sort(s_.commands.begin(), s_.commands.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
  }

  std::mt19937_64 engine_;
  const Wanted wanted_;
  Sketch s_;
};

inline Sketch random_sketch(std::uint64_t seed, const Wanted& wanted = {}) {
  return RandomSketch(seed, wanted).make();
}

}  // namespace tactus::executive::test
