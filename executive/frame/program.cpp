// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/program.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "executive/frame/overlay_pieces.hpp"
#include "executive/model/job_class.hpp"

namespace tactus::executive {
namespace {

using rtsync::Period;

/// Largest number of entries of a thread in a frame, so that the log of its calls never fills in an ordinary rig.
std::size_t entries_in_a_frame(const Plan& plan, std::size_t thread, const Period& frame) {
  constexpr double kMost = 1 << 20;
  double entries = 64;
  for (const PlannedJob& job : plan.jobs) {
    if (!is_cyclic(job.job_class) || job.dynamic) {
      entries += 2;
      continue;
    }
    const double calls = std::ceil(frame.seconds() / job.cycle.seconds()) + 1;
    // Each call may be the first of its instant, which begins with an entry; main begins anew at the end of one.
    if (job.recording || job.thread == thread) entries += 2 * calls;
    if (thread == 0 && !plan.threads.empty()) entries += calls;
  }
  return static_cast<std::size_t>(std::min(entries, kMost));
}

std::int64_t frames_in(const Period& period, const Period& frame) {
  return static_cast<std::int64_t>(static_cast<rtsync::Wide>(period.num()) * frame.den() /
                                   (static_cast<rtsync::Wide>(period.den()) * frame.num()));
}

constexpr tactus_job_class kLists[] = {TACTUS_TOP_OF_FRAME,    TACTUS_END_OF_FRAME,       TACTUS_FREEZE_INIT,
                                       TACTUS_FREEZE,          TACTUS_UNFREEZE,           TACTUS_CHECKPOINT,
                                       TACTUS_POST_CHECKPOINT, TACTUS_PRELOAD_CHECKPOINT, TACTUS_RESTART};

}  // namespace

Program::Program(Plan plan, JobClock::Read read_time)
    : plan_(std::move(plan)), job_clock_(plan_.job_times, std::move(read_time)) {
  for (const PlannedLoop& loop : plan_.loops) {
    PlannedJob job = job_of(loop);
    job.run = &IntegrationLoop::run;
    plan_.jobs.push_back(std::move(job));
  }
  job_times_ = std::vector<rtsync::JobHistogram>(plan_.job_times ? plan_.jobs.size() : 0);
  promises_.make(plan_.jobs.size());
  injected_.assign(plan_.jobs.size(), -1);
  names_ = std::make_unique<JobNames>(plan_.jobs);
  budgets_ = std::make_unique<JobBudgets>(plan_, job_clock_);
  relief_ = std::make_unique<JobRelief>(plan_);
  place_threads();
  std::vector<std::size_t> thread_of;
  for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i) {
    const PlannedLoop* const loop = loop_of(i);
    thread_of.push_back(loop != nullptr ? loop->thread : plan_.jobs[i].thread);
  }
  switches_ = std::make_unique<JobSwitches>(plan_.jobs, std::move(thread_of), async_worker_of_thread_);
  event_jobs_ = std::make_unique<EventJobs>(plan_.jobs);
  make_loops();
  if (plan_.margin > 1) stretch_jobs();
  for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i)
    if (plan_.jobs[i].hard_budget) hard_budgets_.add(plan_.jobs[i], i, job_clock_);
  compile_lanes();
  compile_freeze();
  compile_async_workers();
  depend();
  if (!event_jobs_->empty()) join_event_jobs();
  for (const auto& lane : lane_states_) lane->count_in(promises_);
  for (const auto& worker : async_workers_) worker->lane.count_in(promises_);
  for (std::size_t i = 0; i < lists_.size(); ++i) lists_[i] = make_list(kLists[i], 0, list_call_);
}

void Program::place_threads() {
  lane_of_thread_.assign(plan_.threads.size() + 1, 0);
  async_worker_of_thread_.assign(plan_.threads.size() + 1, nullptr);
  const auto add_lane = [this](std::size_t thread) {
    lane_states_.push_back(std::make_unique<Lane>(job_clock_, job_times_, *budgets_, thread,
                                                  entries_in_a_frame(plan_, thread, plan_.frame)));
  };
  add_lane(0);
  for (std::size_t t = 1; t <= plan_.threads.size(); ++t) {
    const PlannedThread& thread = plan_.threads[t - 1];
    if (thread.kind == ThreadKind::scheduled) {
      lane_of_thread_[t] = lanes_;
      thread_of_lane_.push_back(t);
      worker_lanes_ |= std::uint64_t{1} << lanes_;
      ++lanes_;
      add_lane(t);
      continue;
    }
    const Period period = thread.period.is_zero() ? plan_.frame : thread.period;
    auto made = std::make_unique<AsyncWorker>(job_clock_, job_times_, *budgets_, t,
                                              entries_in_a_frame(plan_, t, period));
    made->kind = thread.kind;
    if (!thread.period.is_zero()) made->frames = frames_in(thread.period, plan_.frame);
    made->call.dt = thread.period.is_zero() ? 0 : thread.period.seconds();
    async_worker_of_thread_[t] = made.get();
    async_workers_.push_back(std::move(made));
  }
  if (lanes_ + 2 > Schedule::kMostLanes)
    throw std::invalid_argument("a rig has at most 61 scheduled threads beside main");
  for (const PlannedLoop& loop : plan_.loops) {
    if (is_async(loop.thread) && async_worker_of_thread_[loop.thread]->frames == 0)
      throw std::invalid_argument("loop '" + loop.name + "' is on a thread without a period");
    for (const ModelInstance* const model : loop.models) thread_of_model_[model] = loop.thread;
  }
  for (const PlannedJob& job : plan_.jobs)
    if ((is_cyclic(job.job_class) || is_async(job.thread)) && job.model != nullptr)
      thread_of_model_.emplace(job.model, job.thread);
}

std::size_t Program::model_thread(const ModelInstance* model) const {
  const auto found = thread_of_model_.find(model);
  return found == thread_of_model_.end() ? 0 : found->second;
}

const void* Program::outside_view(const ModelInstance* model, const void* data, std::size_t bytes) {
  AsyncWorker* const worker = async_worker_of_thread_[model_thread(model)];
  return worker == nullptr ? nullptr : worker->published.copy_of(data, bytes);
}

/// The connections of a kind that lead to a model, as far as its own thread carries them: what comes from or goes
/// to an asynchronous thread meets it at a boundary. nullptr when there are none.
CopyList* Program::copies_to(const ModelInstance* model, bool delayed, std::size_t thread) {
  if (model == nullptr) return nullptr;
  const auto [known, fresh] = copies_of_.emplace(std::tuple(model, delayed, thread), nullptr);
  if (!fresh) return known->second;
  CopyList list;
  for (const Connection& connection : plan_.connections) {
    if (connection.to.model != model || connection.delayed != delayed) continue;
    const std::size_t source = model_thread(connection.from.model);
    if (is_async(thread)) {
      if (source == thread) list.add(connection);  // the others come in with AsyncWorker::incoming
    } else {
      list.add(connection, outside_view(connection.from.model, connection.from.data(),
                                        connection.from.elements * size_of(connection.from.variable->type)));
    }
  }
  if (!list.empty()) known->second = &copies_.emplace_back(std::move(list));
  return known->second;
}

VariableGuard* Program::guard_of(const ModelInstance* model) {
  if (model == nullptr || (!plan_.nan_guard && !plan_.range_guard)) return nullptr;
  auto& guard = guards_[model];
  if (guard == nullptr)
    guard = std::make_unique<VariableGuard>(model->variables(), plan_.nan_guard, plan_.range_guard);
  return guard->empty() ? nullptr : guard.get();
}

ModelForces* Program::forces_of(const ModelInstance* model) {
  if (model == nullptr || !(plan_.live || plan_.forces)) return nullptr;
  auto& forces = forces_[model];
  if (forces == nullptr) {
    AsyncWorker* const worker = async_worker_of_thread_[model_thread(model)];
    forces = std::make_unique<ModelForces>(async_worker_bit(model));
    if (worker != nullptr) worker->forces.push_back(forces.get());
  }
  return forces.get();
}

ModelOverlay* Program::overlay_of(const ModelInstance* model) {
  if (!plan_.overlaid.contains(model)) return nullptr;
  auto& overlay = overlays_[model];
  if (overlay == nullptr) {
    AsyncWorker* const worker = async_worker_of_thread_[model_thread(model)];
    overlay = std::make_unique<ModelOverlay>(async_worker_bit(model), overlay_changes_);
    if (worker != nullptr) worker->overlays.push_back(overlay.get());
    overlay->forced_by(forces_of(model));
  }
  return overlay.get();
}

void Program::hide_overlays(std::uint64_t threads) TACTUS_RT {
  overlays_hidden_ = true;
  for (const auto& [model, overlay] : overlays_)
    if (overlay->thread() == 0 || (overlay->thread() & threads) != 0) overlay->hide_all();
}

void Program::order_overlays() {
  for (const auto& [model, overlay] : overlays_) overlay->order_cells();
}

void Program::show_overlays(std::uint64_t threads) TACTUS_RT {
  const auto is_at_rest = [threads](const ModelOverlay& overlay) TACTUS_RT {
    return overlay.thread() == 0 || (overlay.thread() & threads) != 0;
  };
  if (overlays_hidden_)
    for (const auto& [model, overlay] : overlays_)
      if (is_at_rest(*overlay)) overlay->show_settled();
  overlays_hidden_ = false;
  auto& touched = overlay_changes_.touched;
  std::size_t later = 0;
  for (ModelOverlay* const overlay : touched) {
    if (is_at_rest(*overlay)) {
      overlay->take_touched();
      overlay->show_settled();
    } else {
      touched[later++] = overlay;
    }
  }
  touched.resize(later);
}

/// The bit of an asynchronous thread; 0: the thread is none.
std::uint64_t Program::bit_of(std::size_t thread) const {
  const AsyncWorker* const worker = async_worker_of_thread_[thread];
  for (std::size_t i = 0; i < async_workers_.size(); ++i)
    if (async_workers_[i].get() == worker) return std::uint64_t{1} << i;
  return 0;
}

/// Completes the call of a job: adds cells, or extras where cells do not suffice.
void Program::complete(Entry& entry, CopyList* copies) {
  const ModelInstance* const model = plan_.jobs[entry.job].model;
  VariableGuard* guard = guard_of(model);
  ModelForces* const forces = forces_of(model);
  ModelOverlay* const overlay = overlay_of(model);
  if (forces == nullptr && overlay == nullptr) {  // those are applied between copies and call
    const auto words = copies == nullptr ? std::nullopt : copies->words();
    const auto runs = guard == nullptr ? std::nullopt : guard->finite_runs();
    entry.cells =
        cells_.add(guard, words.value_or(std::vector<WordCopy>{}), runs.value_or(std::vector<FiniteRun>{}));
    if (words) copies = nullptr;
    if (runs) guard = nullptr;
  }
  if (copies == nullptr && guard == nullptr && forces == nullptr && overlay == nullptr) return;
  CallExtras* const extras = extras_of(entry.job);
  extras->copies = copies;
  extras->guard = guard;
  extras->forces = forces;
  extras->overlay = overlay;
  entry.extras = extras;
}

/// Returns the extras of copies that are made before an instant.
const CallExtras* Program::latch_extras(const ModelInstance* model) {
  ModelForces* const forces = forces_of(model);
  ModelOverlay* const overlay = overlay_of(model);
  if (forces == nullptr && overlay == nullptr) return nullptr;
  CallExtras& extras = latch_extras_[model];
  extras.forces = forces;
  extras.overlay = overlay;
  return &extras;
}

CallExtras* Program::extras_of(std::uint32_t job) {
  auto& extras = extras_[job];
  if (extras == nullptr) extras = std::make_unique<CallExtras>();
  return extras.get();
}

const Entries& Program::list(tactus_job_class job_class) const TACTUS_RT {
  const auto* const found = std::ranges::find(kLists, job_class);
  return lists_[static_cast<std::size_t>(found - std::begin(kLists))];
}

/// The loop that a job is called by; nullptr: none.
const PlannedLoop* Program::loop_of(std::uint32_t job) const TACTUS_RT {
  const PlannedJob& planned = plan_.jobs[job];
  for (const PlannedLoop& loop : plan_.loops)
    if (is_integration(planned.job_class) && planned.model != nullptr &&
        std::ranges::find(loop.models, planned.model) != loop.models.end())
      return &loop;
  return nullptr;
}

std::tuple<int, unsigned, std::uint32_t> Program::order_of(std::uint32_t job) const TACTUS_RT {
  if (const PlannedLoop* const loop = loop_of(job))
    job = static_cast<std::uint32_t>(plan_.jobs.size() - plan_.loops.size() +
                                     static_cast<std::size_t>(loop - plan_.loops.data()));
  return {plan_.jobs[job].job_class, plan_.jobs[job].phase, job};
}

bool Program::enable(std::string_view job, bool on, std::size_t by) TACTUS_RT {
  const std::uint32_t index = find(job);
  return index != kNoPlanJob && switches_->enable(index, on, by);
}

void Program::add_state(std::vector<Piece>& pieces) {
  switches_->add_state(pieces);
  event_jobs_->add_state(pieces);
  relief_->add_state(pieces);
  pieces.insert(pieces.end(), kept_.begin(), kept_.end());
  for (const auto& [model, overlay] : overlays_) add_overlay_pieces(*overlay, pieces);
  for (const auto& worker : async_workers_)
    pieces.push_back(
        own_piece("@threads." + plan_.threads[worker->thread - 1].name + ".period", worker->period));
  for (const auto& loop : loops_)
    pieces.push_back(own_piece("@integrate." + loop->name() + ".step", loop->integrator().step_size(), "s"));
}

void Program::load_state() TACTUS_RT {
  for (const auto& worker : async_workers_) worker->switch_count = worker->command_count = 0;
  for (const auto& [model, overlay] : overlays_) overlay->loaded();
  switches_->load_state();
  event_jobs_->load_state();
  relief_->load_state();
}

void Program::seek(std::int64_t k) TACTUS_RT {
  schedule_->seek(k);
  relief_->prepare(k);
  for (const auto& worker : async_workers_) {
    if (worker->schedule != nullptr) worker->schedule->seek((k + worker->frames - 1) / worker->frames);
    worker->published.publish();
  }
}

}  // namespace tactus::executive
