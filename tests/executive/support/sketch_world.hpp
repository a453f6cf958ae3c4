// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A sketch made into a plan and its models, run by a real Executive; the calls of each thread are written
/// down.
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "executive/frame/worker_pool.hpp"
#include "executive/plan/thread_rules.hpp"
#include "tests/executive/support/plan_fixture.hpp"
#include "tests/executive/support/sim_worker_pool.hpp"
#include "tests/executive/support/sketch.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

/// Workers of a ThreadWorkerPool, on ordinary threads.
class WorkerThreads {
 public:
  explicit WorkerThreads(Executive& executive) : workers_(executive.jobs(), executive.plan()) {
    executive.jobs().set_workers(workers_);
    for (std::size_t t = 1; t <= executive.plan().threads.size(); ++t)
      threads_.emplace_back([this, &executive, t] {
        executive.jobs().enter_thread(t);
        workers_.serve(t);
      });
  }
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;
  ~WorkerThreads() {
    workers_.dismiss();
    for (std::thread& thread : threads_) thread.join();
  }
  ThreadWorkerPool& crew() { return workers_; }

 private:
  ThreadWorkerPool workers_;
  std::vector<std::thread> threads_;
};

class World final : private Deeds {
 public:
  explicit World(const Sketch& sketch)
      : cells(sketch.cells.size()), traces(sketch.threads.size() + 1), sketch_(sketch) {
    plan_.frame = sketch.frame;
    plan_.freeze_frame = sketch.freeze_frame;
    plan_.job_times = false;
    plan_.stuck_after = std::chrono::seconds(60);
    plan_.commands = sketch.commands;
    for (std::size_t t = 1; t <= sketch.threads.size(); ++t) {
      const SketchThread& thread = sketch.threads[t - 1];
      plan_.threads.push_back({"t" + std::to_string(t), thread.kind,
                               sketch.is_background(t) ? sketch.period(t) : rtsync::Period{}, thread.wait});
    }
    static constexpr tactus_model kModel{
        TACTUS_ABI_VERSION, sizeof(tactus_model), "cell", "", nullptr, &declare, nullptr};
    for (std::size_t i = 0; i < cells.size(); ++i)
      models_.emplace_back(kModel, Sketch::cell_name(i), &cells[i]);
    for (std::size_t i = 0; i < sketch.jobs.size(); ++i) add_job(i);
    add_recording();
    for (std::size_t l = 0; l < sketch.loops.size(); ++l) {
      const SketchLoop& loop = sketch.loops[l];
      PlannedLoop& made = plan_.loops.emplace_back();
      made.name = "l" + std::to_string(l);
      for (const std::size_t cell : loop.cells) made.models.push_back(&models_[cell]);
      made.cycle = loop.cycle;
      made.settings.method = loop.method;
      made.thread = loop.thread;
    }
    for (const SketchWire& wire : sketch.wires) {
      const bool direct = !wire.delayed;
      plan_.connections.push_back({end_of(wire.from, "out"),
                                   end_of(wire.to, "in" + std::to_string(wire.input)),
                                   wire.delayed,
                                   {},
                                   {},
                                   direct});
    }
    settle();
  }

  /// Made on the first use, so that a test can change plan() and realtime before.
  Executive& executive() {
    if (!executive_) {
      sync_ = std::make_unique<rtsync::RealtimeSync>(realtime, plan_.frame, clock, sleeper);
      executive_ = std::make_unique<Executive>(plan_, *sync_, sleeper, clock, rt_, clock.reader());
      (void)executive_->restorer().image();
      executive_->restorer().prepare_reset();
    }
    return *executive_;
  }
  Plan& plan() { return plan_; }

  /// Everything, from the first to the last job.
  RunEnd run(std::int64_t frames) {
    Executive& made = executive();
    made.run_default_data();
    made.run_initialization();
    const RunEnd end = made.run(frames);
    (void)made.run_shutdown();
    return end;
  }
  RunEnd run_on_sim_workers(std::int64_t frames, const SimWorkerSettings& settings) {
    SimWorkerPool crew(executive(), clock, settings);
    executive().jobs().set_workers(crew);
    const RunEnd end = run(frames);
    steps = crew.steps();
    return end;
  }
  RunEnd run_on_threads(std::int64_t frames) {
    const WorkerThreads threads(executive());
    return run(frames);
  }

  rtsync::RealtimeSettings realtime;
  SimClock clock;
  SimSleeper sleeper{clock};
  std::function<bool(std::size_t job, const tactus_call& call)> fails;  ///< called on any thread
  std::vector<Cell> cells;
  std::vector<Trace> traces;  ///< by thread
  std::vector<SimWorkerPool::Step> steps;

 private:
  struct Context {
    World* world;
    std::size_t job;
  };

  static int declare(const tactus_host* host, void* self) {
    Cell& cell = *static_cast<Cell*>(self);
    Declare d(*host);
    for (std::size_t i = 0; i < Cell::kInputs; ++i) d.input(("in" + std::to_string(i)).c_str(), cell.in[i]);
    d.state("seen", cell.seen);
    d.output("out", cell.out);
    d.state("x", cell.x);
    d.state("dx", cell.dx);
    d.integrated("x", "dx");
    return 0;
  }
  VariableRef end_of(std::size_t cell, const std::string& name) {
    return {models_[cell].find_variable(name), 0, 1, false, &models_[cell]};
  }
  void add_job(std::size_t i) {
    const SketchJob& job = sketch_.jobs[i];
    PlannedJob made;
    made.name = sketch_.job_name(i);
    made.model = &models_[job.cell];
    made.run = [](void* self, const tactus_call* call) {
      const Context& context = *static_cast<Context*>(self);
      World& world = *context.world;
      perform(world.sketch_, context.job, world.cells[world.sketch_.jobs[context.job].cell], *call, world);
      return world.fails && world.fails(context.job, *call) ? 1 : 0;
    };
    made.self = &contexts_.emplace_back(Context{this, i});
    made.job_class = job.job_class;
    made.phase = job.phase;
    made.cycle = job.cycle;
    made.first = job.first;
    made.stop = job.stop;
    made.enabled = job.enabled;
    made.dynamic = job.dynamic;
    made.thread = job.thread;
    plan_.jobs.push_back(std::move(made));
  }
  void add_recording() {
    PlannedJob made;
    made.name = "record";
    made.run = [](void* self, const tactus_call* call) {
      World& world = *static_cast<World*>(self);
      world.wrote({world.sketch_.recording(), call->sim_time_ns, call->frame,
                   recorded(world.sketch_, world.cells.data())});
      return 0;
    };
    made.self = this;
    made.job_class = TACTUS_DATA_RECORD;
    made.phase = 65535;
    made.cycle = sketch_.record;
    made.recording = true;
    plan_.jobs.push_back(std::move(made));
  }
  /// Dependencies, as the rig file would have to say them and as they follow from wires.
  void settle() {
    std::vector<WantedDependency> wanted;
    for (std::size_t b = 0; b < plan_.jobs.size(); ++b) {
      for (std::size_t a = 0; a < plan_.jobs.size(); ++a) {
        const PlannedJob& before = plan_.jobs[a];
        const PlannedJob& after = plan_.jobs[b];
        if (a == b || before.model == nullptr || before.model != after.model || before.thread == after.thread)
          continue;
        if (!is_cyclic(before.job_class) || !is_cyclic(after.job_class) || !comes_before(plan_, a, b))
          continue;
        if (can_meet(before, after)) wanted.push_back({b, {before.name, {}, {}}});
      }
    }
    PlanOrigins origins;
    origins.threads.resize(plan_.threads.size());
    origins.jobs.resize(plan_.jobs.size());
    origins.loops.resize(plan_.loops.size());
    origins.connections.resize(plan_.connections.size());
    origins.complete = false;
    config::Problems problems;
    resolve_thread_dependencies(plan_, wanted, origins, problems);
    if (!problems.empty()) throw std::logic_error(problems.text());
  }

  bool call_at(std::size_t job, std::int64_t ns) override {
    return executive_->model_requests().call_at(Sketch::cell_name(sketch_.jobs[job].cell),
                                                Sketch::part_name(job), ns);
  }
  void enable(std::size_t job, bool on) override {
    (void)executive_->model_requests().enable_job(sketch_.job_name(job), on);
  }
  void request(Command command, std::int64_t value) override {
    if (command == Command::pause) executive_->request_pause();
    if (command == Command::resume) executive_->request_resume();
    if (command == Command::step) executive_->request_step(value);
    if (command == Command::run_until) executive_->request_run_until(Nanoseconds{value});
  }
  void wrote(const Happened& happened) override { traces[sketch_.home(happened.job)].push_back(happened); }

  const Sketch sketch_;
  std::deque<ModelInstance> models_;
  std::deque<Context> contexts_;
  Plan plan_;
  RealtimeVariables rt_;
  std::unique_ptr<rtsync::RealtimeSync> sync_;
  std::unique_ptr<Executive> executive_;
};

}  // namespace tactus::executive::test
