// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What an Executive must do with a sketch, written so that it can be checked by reading: one thread, exact
/// fractions, no cleverness.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <tuple>

#include "executive/integration/integrator.hpp"
#include "tests/executive/support/reference_times.hpp"
#include "tests/executive/support/sketch.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

class ReferenceExecutive final : private Deeds {
 public:
  explicit ReferenceExecutive(const Sketch& sketch)
      : sketch_(sketch), commands_{sketch}, traces(sketch.threads.size() + 1) {
    state_.cells.resize(sketch.cells.size());
    mail_.resize(sketch.cells.size());
    state_.times.resize(sketch.threads.size() + 1);
    state_.steps.resize(sketch.loops.size());
    const auto timed = [&](std::size_t job, std::size_t thread) {
      const SketchJob& j = sketch.jobs[job];
      const auto stop = j.stop ? std::optional(Fraction(*j.stop)) : std::nullopt;
      ReferenceTimes& times = is_freeze_cyclic(j.job_class) ? freeze_ : state_.times[thread];
      times.jobs.push_back({job, Fraction(j.first), Fraction(j.cycle), stop, 1, j.dynamic});
    };
    for (std::size_t i = 0; i < sketch.jobs.size(); ++i) {
      const SketchJob& job = sketch.jobs[i];
      if (is_cyclic(job.job_class) || is_freeze_cyclic(job.job_class)) timed(i, clock_of(job.thread));
      state_.on.push_back(job.enabled);
    }
    state_.on.resize(sketch.jobs.size() + 1 + sketch.loops.size(), true);
    on_now_ = state_.on;
    state_.times[0].jobs.push_back({sketch.recording(), Fraction(0, 1), Fraction(sketch.record)});
    for (std::size_t l = 0; l < sketch.loops.size(); ++l) {
      const SketchLoop& loop = sketch.loops[l];
      state_.times[clock_of(loop.thread)].jobs.push_back(
          {loop_job(l), Fraction(loop.cycle), Fraction(loop.cycle), std::nullopt, 0});
      std::vector<IntegratedState> states;
      for (const std::size_t cell : loop.cells)
        states.push_back({&state_.cells[cell].x, &state_.cells[cell].dx});
      integrators_.emplace_back(IntegratorSettings{.method = loop.method}, std::move(states));
    }
    freeze_.frame = Fraction(sketch.freeze_frame);
    for (std::size_t t = 0; t < state_.times.size(); ++t) {
      state_.times[t].frame = Fraction(sketch.is_background(t) ? sketch.period(t) : sketch.frame);
      state_.times[t].reset();
    }
  }

  /// From the first initialization job to the last shutdown job.
  void run() {
    once(TACTUS_DEFAULT_DATA);
    const State initial = state_;
    initialize();
    publish_all();
    std::int64_t k = 0;
    pause(k, k < sketch_.frames);
    while (!commands_.stopped) {
      if (commands_.reset) {
        commands_.reset = false;
        commands_.hold.reset();
        list(TACTUS_PRELOAD_CHECKPOINT, {0, -1, 0});
        std::copy(initial.cells.begin(), initial.cells.end(),
                  state_.cells.begin());  // integrators point there
        state_.on = initial.on;
        state_.times = initial.times;
        state_.steps = initial.steps;
        publish_all();
        end_ns_ = 0;
        list(TACTUS_RESTART, {0, -1, 0});
        initialize();
        ++resets;
        k = 0;
      } else {
        if (k >= sketch_.frames) break;
        run_frame(k++);
        ++frames;
      }
      pause(k, k < sketch_.frames);
    }
    once(TACTUS_SHUTDOWN);
  }
  bool stopped() const { return commands_.stopped; }
  const std::vector<Cell>& cells() const { return state_.cells; }

  std::int64_t frames = 0;
  std::int64_t resets = 0;
  std::int64_t freeze_frames = 0;
  std::int64_t instants = 0;

 private:
  struct State {
    std::vector<Cell> cells;
    std::vector<bool> on;               // by job; the recording; loops
    std::vector<ReferenceTimes> times;  // by thread: 0 for all that are no asynchronous ones
    std::vector<double> steps;          // by loop: what its integrator remembers
  };
  std::size_t loop_job(std::size_t loop) const { return sketch_.jobs.size() + 1 + loop; }
  std::size_t clock_of(std::size_t thread) const { return sketch_.is_background(thread) ? thread : 0; }
  static tactus_call at(std::int64_t ns, std::int64_t frame, double dt) { return {ns, frame, dt}; }

  // ---- what jobs do

  bool call_at(std::size_t job, std::int64_t ns) override {
    if (is_freeze_cyclic(sketch_.jobs[job].job_class)) return freeze_.call_at(job, ns);
    return state_.times[clock_of(sketch_.jobs[job].thread)].call_at(job, ns);
  }
  void enable(std::size_t job, bool on) override { state_.on[job] = on; }
  void request(Command command, std::int64_t value) override {
    if (command == Command::pause || command == Command::resume)
      commands_.pause_wanted = command == Command::pause;
    if (command == Command::step) commands_.step_wanted = value;
    if (command == Command::run_until) commands_.until_wanted = value;
  }
  void wrote(const Happened& happened) override { traces[sketch_.home(happened.job)].push_back(happened); }

  // ---- wires

  /// On which asynchronous thread a cell is; 0: on none.
  std::size_t side(std::size_t cell) const { return clock_of(sketch_.cells[cell].thread); }
  void copy(std::size_t cell, bool delayed, std::size_t thread) {
    for (const SketchWire& wire : sketch_.wires) {
      if (wire.to != cell || wire.delayed != delayed) continue;
      const std::size_t source = side(wire.from);
      if (sketch_.is_background(thread) && source != thread) continue;  // comes in at the boundary
      state_.cells[cell].in[wire.input] =
          source == clock_of(thread) ? state_.cells[wire.from].out : mail_[wire.from];
    }
  }
  void publish(std::size_t thread) {
    for (std::size_t cell = 0; cell < state_.cells.size(); ++cell)
      if (side(cell) == thread) mail_[cell] = state_.cells[cell].out;
  }
  void publish_all() {
    for (std::size_t t = 1; t <= sketch_.threads.size(); ++t)
      if (sketch_.is_background(t)) publish(t);
  }

  // ---- calls

  void call(std::size_t job, const tactus_call& call, std::size_t thread) {
    copy(sketch_.jobs[job].cell, false, thread);
    perform(sketch_, job, state_.cells[sketch_.jobs[job].cell], call, *this);
  }
  template <class Wanted>
  std::vector<std::size_t> jobs_of(tactus_job_class job_class, Wanted wanted) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < sketch_.jobs.size(); ++i)
      if (sketch_.jobs[i].job_class == job_class && wanted(sketch_.jobs[i])) found.push_back(i);
    std::stable_sort(found.begin(), found.end(),
                     [&](auto a, auto b) { return sketch_.jobs[a].phase < sketch_.jobs[b].phase; });
    return found;
  }
  void once(tactus_job_class job_class) {
    for (const std::size_t job : jobs_of(job_class, [](const SketchJob& j) { return j.enabled; }))
      perform(sketch_, job, state_.cells[sketch_.jobs[job].cell], at(end_ns_, -1, 0), *this);
  }
  void list(tactus_job_class job_class, const tactus_call& call_of_all, std::size_t thread = 0) {
    const auto order = jobs_of(job_class, [&](const SketchJob& j) { return clock_of(j.thread) == thread; });
    // Jobs around a checkpoint see the state as it is.
    const bool reads =
        job_class == TACTUS_TOP_OF_FRAME || job_class == TACTUS_END_OF_FRAME || is_freeze(job_class);
    for (const std::size_t job : order)
      if (reads) copy(sketch_.jobs[job].cell, true, thread);
    for (const std::size_t job : order) {
      if (!state_.on[job]) continue;
      if (reads) copy(sketch_.jobs[job].cell, false, thread);
      perform(sketch_, job, state_.cells[sketch_.jobs[job].cell], call_of_all, *this);
    }
  }
  void initialize() {
    once(TACTUS_INITIALIZATION);
    for (std::size_t l = 0; l < sketch_.loops.size(); ++l)
      loop_jobs(TACTUS_DERIVATIVE, l, at(0, -1, sketch_.loops[l].cycle.seconds()));
  }

  // ---- instants

  void instant(ReferenceTimes& times, std::int64_t k, const Moment& moment) {
    ++instants;
    for (const auto& job : times.jobs) on_now_[job.job] = state_.on[job.job];
    std::vector<std::size_t> due = times.take(moment);
    std::sort(due.begin(), due.end(), [this](auto a, auto b) { return order_key(a) < order_key(b); });
    for (const std::size_t job : due) latch(job);
    for (const std::size_t job : due) {
      if (!on_now_[job]) continue;
      const std::int64_t ns = moment.time.whole();
      if (job > sketch_.recording()) {
        integrate(job - sketch_.recording() - 1, ns, k);
      } else if (job == sketch_.recording()) {
        wrote({job, ns, k, recorded(sketch_, state_.cells.data())});
      } else {
        const SketchJob& j = sketch_.jobs[job];
        call(job, at(ns, k, j.dynamic ? 0 : j.cycle.seconds()), is_freeze_cyclic(j.job_class) ? 0 : j.thread);
      }
    }
  }
  std::tuple<int, unsigned, std::size_t> order_key(std::size_t job) const {
    if (job > sketch_.recording()) return {TACTUS_INTEGRATION, 60000, job};
    if (job == sketch_.recording()) return {TACTUS_DATA_RECORD, 65535, job};
    return {sketch_.jobs[job].job_class, sketch_.jobs[job].phase, job};
  }
  void latch(std::size_t job) {
    if (job == sketch_.recording()) return;
    if (job < sketch_.recording()) return copy(sketch_.jobs[job].cell, true, sketch_.home(job));
    const SketchLoop& loop = sketch_.loops[job - sketch_.recording() - 1];
    for (const std::size_t cell : loop.cells) copy(cell, true, loop.thread);
  }
  void loop_jobs(tactus_job_class job_class, std::size_t loop, const tactus_call& call_of_all) {
    const auto mine = [&](const SketchJob& j) { return sketch_.cells[j.cell].loop == loop; };
    for (const std::size_t job : jobs_of(job_class, mine))
      if (state_.on[job]) call(job, call_of_all, sketch_.loops[loop].thread);
  }
  void integrate(std::size_t l, std::int64_t ns, std::int64_t k) {
    const double cycle = sketch_.loops[l].cycle.seconds();
    const std::int64_t begin = ns - sketch_.loops[l].cycle.floor().count();
    loop_jobs(TACTUS_PRE_INTEGRATION, l, at(begin, k, cycle));
    struct Stage {
      ReferenceExecutive& self;
      std::size_t loop;
      std::int64_t begin, frame;
      double cycle;
    } stage{*this, l, begin, k, cycle};
    integrators_[l].step_size() = state_.steps[l];
    (void)integrators_[l].advance(
        cycle,
        [](void* context, double offset) {
          const Stage& s = *static_cast<Stage*>(context);
          s.self.loop_jobs(TACTUS_DERIVATIVE, s.loop,
                           at(s.begin + std::llround(offset * 1e9), s.frame, s.cycle));
          return 0;
        },
        &stage);
    state_.steps[l] = integrators_[l].step_size();
    for (const tactus_job_class job_class : {TACTUS_INTEGRATION, TACTUS_DERIVATIVE, TACTUS_POST_INTEGRATION})
      loop_jobs(job_class, l, at(ns, k, cycle));
  }

  // ---- frames

  void run_frame(std::int64_t k) {
    run_rate_transitions(k);
    const double dt = sketch_.frame.seconds();
    list(TACTUS_TOP_OF_FRAME, at(sketch_.frame.times(k).count(), k, dt));
    while (const auto moment = state_.times[0].next(k)) instant(state_.times[0], k, *moment);
    end_ns_ = sketch_.frame.times(k + 1).count();
    list(TACTUS_END_OF_FRAME, at(end_ns_, k, dt));
  }
  void run_rate_transitions(std::int64_t k) {
    std::vector<std::size_t> due;
    for (std::size_t t = 1; t <= sketch_.threads.size(); ++t)
      if (sketch_.is_background(t) && k % sketch_.threads[t - 1].frames == 0) due.push_back(t);
    for (const std::size_t t : due) publish(t);
    for (const SketchWire& wire : sketch_.wires) {
      const std::size_t to = side(wire.to);
      if (to == side(wire.from) || std::find(due.begin(), due.end(), to) == due.end()) continue;
      state_.cells[wire.to].in[wire.input] =
          side(wire.from) == 0 ? state_.cells[wire.from].out : mail_[wire.from];
    }
    for (const std::size_t t : due) {
      const std::int64_t frames_of_period = sketch_.threads[t - 1].frames;
      const std::int64_t n = k / frames_of_period;
      const double dt = sketch_.period(t).seconds();
      list(TACTUS_TOP_OF_FRAME, at(sketch_.frame.times(k).count(), n, dt), t);
      while (const auto moment = state_.times[t].next(n)) instant(state_.times[t], n, *moment);
      list(TACTUS_END_OF_FRAME, at(sketch_.frame.times(k + frames_of_period).count(), n, dt), t);
    }
  }

  // ---- freeze

  void take_commands(std::int64_t k) {
    commands_.take(k, [this](const TimedCommand& command) {
      for (std::size_t job = 0; job < sketch_.jobs.size(); ++job)
        if (sketch_.job_name(job) == command.call.name)
          state_.on[job] = command.call.command == Command::enable;
    });
  }
  void pause(std::int64_t k, bool frames_left) {
    take_commands(k);
    if (frames_left && commands_.paused && !commands_.stopped && !commands_.reset) freeze(k);
  }
  void freeze(std::int64_t k) {
    const double dt = sketch_.freeze_frame.seconds();
    freeze_.reset();
    list(TACTUS_FREEZE_INIT, at(0, 0, dt));
    std::int64_t n = 0;
    while (commands_.paused) {
      while (const auto moment = freeze_.next(n)) instant(freeze_, n, *moment);
      list(TACTUS_FREEZE, at(sketch_.freeze_frame.times(n + 1).count(), n, dt));
      ++freeze_frames;
      if (commands_.stopped || commands_.reset) return;
      if (commands_.rest > 0 && --commands_.rest == 0) commands_.paused = false;
      take_commands(k);
      ++n;
    }
    list(TACTUS_UNFREEZE, at(sketch_.freeze_frame.times(n).count(), n, dt));
  }

  const Sketch& sketch_;
  State state_;
  ReferenceTimes freeze_;
  std::vector<bool> on_now_;
  std::vector<std::uint64_t> mail_;  // by cell: what other threads see of an asynchronous one's output
  std::deque<Integrator> integrators_;
  ReferenceOrders commands_;
  std::int64_t end_ns_ = 0;

 public:
  std::vector<Trace> traces;  ///< by thread
};

}  // namespace tactus::executive::test
