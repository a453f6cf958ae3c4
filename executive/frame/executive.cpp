#include "executive/frame/executive.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "executive/model/job_class.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

using rtsync::Nanoseconds;
using rtsync::Verdict;

namespace {

thread_local std::size_t served_thread = 0;  // which of the rig's threads this is
thread_local Lane* asking_lane = nullptr;    // whose jobs run here, beside those of other lanes
thread_local std::size_t released_thread = Program::kOutside;  // whose release runs here

}  // namespace

Executive::Executive(Plan rig_plan, rtsync::RealtimeSync& sync, rtsync::Sleeper& sleeper,
                     rtsync::PacedClock& clock, RealtimeVariables& realtime_variables,
                     JobClock::Read read_time)
    : program_(std::move(rig_plan), std::move(read_time)),
      inline_pool_(*this, program_.plan().threads.size() + 1),
      workers_(&inline_pool_),
      commands_(program_.plan().commands, program_.plan().frame, program_.plan().freeze_frame),
      sync_(sync),
      sleeper_(sleeper),
      slack_(clock),
      safe_outputs_(program_.plan().safe_outputs),
      accounts_(program_, realtime_variables) {
  end_call_.dt = plan().frame.seconds();
  if (!plan().safe_outputs.empty()) add(safe_outputs_);
}

std::string Executive::failure_text(const CallFailure& failure) const {
  const PlannedJob& failed = plan().jobs[failure.job];
  const std::string job = "job '" + failed.name + "' (" + std::string(name_of(failed.job_class)) + ")";
  const std::size_t thread = failed.thread;
  const std::string where = thread == 0 ? "" : " on thread '" + plan().threads[thread - 1].name + "'";
  if (failure.bad != nullptr) return job + where + " left a bad value: " + text(*failure.bad);
  const std::string said = failed.model == nullptr ? "" : failed.model->take_failure();
  return job + where + " failed: " + (said.empty() ? "it returned " + std::to_string(failure.status) : said);
}

/// Where a job stands in the order of an instant; those of a loop stand where the loop does.
std::tuple<int, unsigned, std::uint32_t> Executive::order_of(std::uint32_t job) const TACTUS_RT {
  for (std::size_t i = 0; i < plan().loops.size(); ++i) {
    const auto& models = plan().loops[i].models;
    if (is_integration(plan().jobs[job].job_class) &&
        std::find(models.begin(), models.end(), plan().jobs[job].model) != models.end())
      job = static_cast<std::uint32_t>(plan().jobs.size() - plan().loops.size() + i);
  }
  return {plan().jobs[job].job_class, plan().jobs[job].phase, job};
}

/// Of all threads' failures the one that comes first in the order of the plan, whichever was quicker.
const CallFailure* Executive::first_failure() const {
  const CallFailure* first = nullptr;
  const auto key = [this](const CallFailure& failure) { return order_of(failure.job); };
  for (std::size_t thread = 0; thread <= plan().threads.size(); ++thread) {
    if (workers_->stuck() == thread) continue;  // it may be writing
    const CallFailure& failure = lane_of(thread).failure();
    if (failure.happened() && (first == nullptr || key(failure) < key(*first))) first = &failure;
  }
  return first;
}

Lane& Executive::lane_of(std::size_t thread) const {
  AsyncWorker* const background = program_.background(thread);
  return background != nullptr ? background->lane : program_.lane(program_.lane_of_thread(thread));
}

std::vector<std::string> Executive::run_once(tactus_job_class job_class, bool go_on_after_failure) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < plan().jobs.size(); ++i)
    if (plan().jobs[i].job_class == job_class && plan().jobs[i].enabled) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [this](auto a, auto b) { return plan().jobs[a].phase < plan().jobs[b].phase; });
  std::vector<std::string> failures;
  const tactus_call call{end_call_.sim_time_ns, -1, 0};
  for (const std::uint32_t i : order) {
    const PlannedJob& job = plan().jobs[i];
    program_.lane(0).set_running(i);
    // Before Start variables may be unset. What was wrong before a shutdown job, the run has ended with.
    VariableGuard* guard = job_class == TACTUS_DEFAULT_DATA ? nullptr : program_.guard_of(job.model);
    if (guard != nullptr && job_class == TACTUS_SHUTDOWN && guard->check() != nullptr) guard = nullptr;
    const int status = job.run(job.self, &call);
    CallFailure failure{i, status, nullptr};
    if (guard != nullptr && status == 0) failure.bad = guard->check();
    if (status == 0 && failure.bad == nullptr) continue;
    failures.push_back(failure_text(failure));
    if (!go_on_after_failure) break;
  }
  program_.lane(0).set_running(kNoPlanJob);
  return failures;
}

void Executive::run_default_data() {
  if (const auto failures = run_once(TACTUS_DEFAULT_DATA, false); !failures.empty()) {
    enter(State::abort);
    throw std::runtime_error(failures.front());
  }
}

/// The jobs of Start, and the derivatives of the states as they then are.
std::vector<std::string> Executive::initialization_failures() {
  std::vector<std::string> failures = run_once(TACTUS_INITIALIZATION, false);
  for (const auto& loop : program_.loops())
    if (failures.empty() && loop->derivatives(0, -1) != 0) failures.push_back(failure_text(*first_failure()));
  return failures;
}

void Executive::run_initialization() {
  enter(State::start);
  if (reset_refusal_.empty()) {  // what a reset goes back to
    program_.save_state();
    image_.copy_to(initial_.data());
  }
  const std::vector<std::string> failures = initialization_failures();
  if (failures.empty()) return;
  enter(State::abort);
  throw std::runtime_error(failures.front());
}

std::vector<std::string> Executive::run_shutdown() {
  enter(State::disconnect);
  return run_once(TACTUS_SHUTDOWN, true);
}

void Executive::enter_thread(std::size_t thread) { served_thread = thread; }

std::string_view Executive::running_job() const {
  return running_job(served_thread <= plan().threads.size() ? served_thread : 0);
}

std::string_view Executive::running_job(std::size_t thread) const {
  const std::uint32_t job = lane_of(thread).running_job();
  return job == kNoPlanJob ? std::string_view{} : plan().jobs[job].name;
}

void Executive::request_stop(const char* reason) TACTUS_RT {
  commands_.request_stop(reason);
  sleeper_.interrupt();
}

void Executive::request_abort(const char* reason) TACTUS_RT {
  commands_.request_abort(reason);
  sleeper_.interrupt();
}

void Executive::set_realtime(bool on) TACTUS_RT {
  if (!on) sync_.disable();
  if (on && realtime_allowed_) sync_.enable();
}

bool Executive::enable_job(std::string_view name, bool on) TACTUS_RT {
  if (asking_lane == nullptr) return program_.enable(name, on, released_thread);
  const std::uint32_t job = program_.find(name);
  return job != kNoPlanJob && asking_lane->ask({kNoPlanJob, job, on, TACTUS_PAUSE, 0});
}

bool Executive::call_at(std::string_view model, std::string_view job, std::int64_t sim_time_ns) TACTUS_RT {
  const std::uint32_t index = program_.find(model, job);
  return index != kNoPlanJob && program_.call_at(index, sim_time_ns);
}

bool Executive::command(tactus_command command, std::int64_t value) TACTUS_RT {
  if (static_cast<int>(command) < TACTUS_PAUSE || static_cast<int>(command) > TACTUS_ABORT) return false;
  if (asking_lane != nullptr) return asking_lane->ask({kNoPlanJob, kNoPlanJob, false, command, value});
  if (released_thread == Program::kOutside) return apply(command, value);
  // An asynchronous thread is heard where it meets the others, however quick it is.
  AsyncWorker& background = *program_.background(released_thread);
  if (background.command_count == background.commands.size()) return false;
  background.commands[background.command_count++] = {command, value};
  return true;
}

bool Executive::apply(tactus_command command, std::int64_t value) TACTUS_RT {
  switch (static_cast<int>(command)) {  // from a library: any number may come
    case TACTUS_PAUSE:
      request_pause();
      return true;
    case TACTUS_RESUME:
      request_resume();
      return true;
    case TACTUS_STEP:
      request_step(std::max<std::int64_t>(value, 1));
      return true;
    case TACTUS_RUN_UNTIL:
      request_run_until(Nanoseconds{std::max<std::int64_t>(value, 0)});
      return true;
    case TACTUS_STOP:
      request_stop("stopped by a model");
      return true;
    case TACTUS_RESET:
      request_reset();
      return true;
    case TACTUS_ABORT:
      request_abort("aborted by a model");
      return true;
    default:
      return false;
  }
}

void Executive::enter(State next) TACTUS_RT {
  assert(can_go(state(), next) && "a transition that is not in kLifecycle");
  state_.store(next, std::memory_order_relaxed);
}

/// Nobody's first frame begins before all parts allow it.
void Executive::await_grant(std::int64_t k) {
  if (!row_.grants.empty()) latest_frame_.state = State::start;
  while (!commands_.ending() && !granted(k)) {
  }
  for (FramePart* const part : row_.launches) part->launch(k);
}

/// All parts allow frame k. Else one was waited for, a freeze frame's time at most.
bool Executive::granted(std::int64_t k) TACTUS_RT {
  const bool first = k == first_frame_ && frames_run_ == 0;
  for (FramePart* const part : row_.grants) {
    if (part->may_begin(k, sync_.active(), first)) continue;
    mark_idle();
    const bool may = part->wait(k, sync_.active(), rtsync::monotonic_now() + plan().freeze_frame.floor());
    mark_busy();
    if (may) continue;
    show_waiting();
    return false;
  }
  return true;
}

void Executive::show_waiting() TACTUS_RT {
  send_heartbeat();
  latest_frame_.heartbeats = heartbeats_;
  latest_.write(latest_frame_);
}

/// False: one of them ends the rig.
bool Executive::begin_parts(std::int64_t k) TACTUS_RT {
  for (FramePart* const part : row_.begins) {
    const PartVerdict verdict = part->begin_frame(k);
    if (verdict.what == PartVerdict::pause) commands_.request_pause();
    if (verdict.what != PartVerdict::terminate) continue;
    ended_by_ = verdict;
    return false;
  }
  return true;
}

bool Executive::pauses_before(std::int64_t k) const TACTUS_RT {
  return std::any_of(row_.pausers.begin(), row_.pausers.end(),
                     [k](const FramePart* part) TACTUS_RT { return part->pauses_before(k); });
}

/// Before frame k, where nothing hurries.
void Executive::stand_at(std::int64_t k) TACTUS_RT {
  slack_.open_unlimited();
  for (FramePart* const part : row_.boundaries) part->at_boundary(k, slack_);
}

void Executive::nap() TACTUS_RT {
  mark_idle();
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  mark_busy();
}

void Executive::publish_async(std::uint64_t workers) TACTUS_RT {
  for (; workers != 0; workers &= workers - 1)
    program_.async_workers()[static_cast<std::size_t>(std::countr_zero(workers))]->published.publish();
}

/// Waits for the clock's first slot: what is outside may not be ready yet, and the rig lives all the same.
Verdict Executive::await_start(Verdict verdict, std::int64_t k) TACTUS_RT {
  while (verdict == Verdict::not_yet && !commands_.ending()) {
    latest_frame_.state = State::start;
    show_waiting();
    verdict = sync_.start(k);
  }
  // A wait that was cut short has done its duty: the loop sees who asked for the end.
  return verdict == Verdict::not_yet || verdict == Verdict::interrupted ? Verdict::go_on : verdict;
}

RunEnd Executive::run(std::int64_t frames) {
  try {
    sync_.initialize();
  } catch (...) {
    end_outputs_safe();
    enter(State::abort);
    throw;
  }
  was_realtime_ = !sync_.active();
  follow_realtime();
  for (const auto& background : program_.async_workers()) background->published.publish();
  const rtsync::RunCounters before = rtsync::RunCounters::of_this_thread();
  std::int64_t k = first_frame_;
  commands_.seek(k);
  for (FramePart* const part : row_.starts) part->start(k);
  stand_at(k);
  await_grant(k);
  Verdict verdict = await_start(sync_.start(k), k);
  mark_busy();
  verdict = pause_as_wanted(verdict, k, k < frames);
  while (verdict == Verdict::go_on && !commands_.ending() && !failed_) {
    if (restore_requested()) {
      const std::optional<std::int64_t> frame = restore_state();
      if (!frame) break;
      k = *frame;
      mark_idle();
      verdict = await_start(sync_.restart(k), k);
      mark_busy();
    } else {
      if (k >= frames) break;
      if (granted(k)) {
        if (!row_.grants.empty() && commands_.ending()) break;  // it is why nobody is waited for any more
        if (!run_frame(k)) break;
        verdict = end_frame(k);
        ++k;
        ++frames_run_;
        // Nothing depends any more on the wait after the last frame.
        if (k == frames && (verdict == Verdict::clock_freeze || verdict == Verdict::clock_terminate))
          verdict = Verdict::go_on;
      }
    }
    verdict = pause_as_wanted(verdict, k, k < frames);
  }
  busy_.store(false, std::memory_order_relaxed);
  end_outputs_safe();  // before anything else
  for (std::size_t lane = 0; lane < program_.lanes() && !workers_->stuck(); ++lane)
    program_.lane(lane).count();  // of a frame that was broken off
  counters_ = rtsync::RunCounters::of_this_thread() - before;
  (void)wait_for_async_workers();
  sync_.shutdown();
  return ended(verdict, k);
}

void Executive::take_commands(std::int64_t k) TACTUS_RT {
  commands_.take(k, [&](const TimedCommand& command) {
    (void)program_.enable(command.text, command.command == Command::enable);
  });
  if (pauses_before(k)) commands_.force_pause();
}

void Executive::abandon() {
  if (can_go(state(), State::abort)) enter(State::abort);
}

/// Tells those who watch over the rig that it goes on.
void Executive::send_heartbeat() TACTUS_RT {
  ++heartbeats_;
  for (FramePart* const part : row_.heartbeats) part->heartbeat();
}

bool Executive::run_frame(std::int64_t k) TACTUS_RT {
  enter(State::step_begin);
  for (std::size_t lane = 0; lane < program_.lanes(); ++lane) program_.lane(lane).reset_longest();
  if (!begin_parts(k)) return false;
  if (!run_rate_transitions(k)) return false;
  const std::int64_t now = plan().frame.times(k).count();
  if (!run_list(TACTUS_TOP_OF_FRAME, {now, k, end_call_.dt})) return false;
  Schedule& schedule = program_.schedule();
  bool empty = true;
  while (schedule.next(k)) {
    empty = false;
    enter(State::step_simulator);
    in_controller_ = false;
    const bool good = run_instant();
    schedule.close();
    if (!good) {
      failed_ = true;
      return false;
    }
    if (!in_controller_) enter(State::step_controller);
  }
  if (empty) {
    enter(State::step_simulator);
    enter(State::step_controller);
  }
  enter(State::step_end);
  end_call_.frame = k;
  end_call_.sim_time_ns = plan().frame.times(k + 1).count();
  if (!run_list(TACTUS_END_OF_FRAME, end_call_)) return false;
  for (FramePart* const part : row_.ends) part->end_frame(k);
  return true;
}

bool Executive::run_instant() TACTUS_RT {
  Schedule& schedule = program_.schedule();
  if (program_.alone()) {
    const bool good = work(0) == LaneEnd::done;
    if (!program_.lane(0).asks().empty()) [[unlikely]]
      apply_job_requests();
    return good;
  }
  struct Visitor {
    Executive& self;
    void controller() TACTUS_RT {}
    CallEnd call(std::uint32_t place) TACTUS_RT {
      return self.program_.lane(0).call(self.program_.entry(place));
    }
  } visitor{*this};
  const std::uint64_t due = schedule.lanes_due();
  const auto run_extra = [&](std::size_t lane) {
    if ((due >> lane & 1) == 0) return true;
    schedule.start(lane);
    return schedule.run(lane, visitor) == LaneEnd::done;
  };
  if (!run_extra(program_.latch())) return false;
  std::uint64_t threads = due & 1;
  for (std::uint64_t lanes = due & program_.worker_lanes(); lanes != 0; lanes &= lanes - 1)
    threads |= std::uint64_t{1} << program_.thread_of_lane(static_cast<std::size_t>(std::countr_zero(lanes)));
  if (threads > 1 ? !workers_->run_instant(threads) : threads == 1 && work(0) != LaneEnd::done) return false;
  apply_job_requests();
  program_.lane(0).begin();
  return run_extra(program_.record());
}

/// What the lanes' jobs asked for in this instant, in the order of the plan, whoever was quicker.
void Executive::apply_job_requests() TACTUS_RT {
  std::array<std::size_t, Schedule::kMostLanes> taken{};
  for (;;) {
    std::size_t first = program_.lanes();
    for (std::size_t lane = 0; lane < program_.lanes(); ++lane) {
      const std::span<const JobRequest> asks = program_.lane(lane).asks();
      if (taken[lane] == asks.size()) continue;
      if (first == program_.lanes() ||
          order_of(asks[taken[lane]].by) < order_of(program_.lane(first).asks()[taken[first]].by))
        first = lane;
    }
    if (first == program_.lanes()) break;
    const JobRequest& ask = program_.lane(first).asks()[taken[first]++];
    ask.job != kNoPlanJob ? (void)program_.enable(plan().jobs[ask.job].name, ask.on)
                          : (void)apply(ask.command, ask.value);
  }
  for (std::size_t lane = 0; lane < program_.lanes(); ++lane) program_.lane(lane).clear_job_requests();
}

LaneEnd Executive::work(std::size_t thread) TACTUS_RT {
  if (AsyncWorker* const background = program_.background(thread)) {
    released_thread = thread;
    const bool good = background->run();
    released_thread = Program::kOutside;
    return good ? LaneEnd::done : LaneEnd::failed;
  }
  struct Visitor {
    Executive& self;
    Lane& lane;
    bool main;
    void controller() TACTUS_RT {
      if (!main) return;
      self.in_controller_ = true;
      self.enter(State::step_controller);
    }
    CallEnd call(std::uint32_t place) TACTUS_RT { return lane.call(self.program_.entry(place)); }
  };
  const std::size_t index = program_.lane_of_thread(thread);
  Schedule& schedule = program_.schedule();
  Lane& lane = program_.lane(index);
  if (lane.instant != schedule.instant()) {
    lane.instant = schedule.instant();
    schedule.start(index);
    lane.begin();
  }
  struct Stepper : Visitor {
    CallEnd call(std::uint32_t place) TACTUS_RT {
      const CallEnd end = Visitor::call(place);
      return end == CallEnd::done ? CallEnd::paused : end;
    }
  };
  Stepper visitor{{*this, lane, thread == 0}};
  asking_lane = &lane;
  const LaneEnd end =
      step_by_step_ ? schedule.run(index, visitor) : schedule.run(index, static_cast<Visitor&>(visitor));
  asking_lane = nullptr;
  if (end == LaneEnd::done && !program_.alone()) lane.set_running(kNoPlanJob);
  return end;
}

const Dependency& Executive::blocked_by(std::size_t thread) const TACTUS_RT {
  return *lane_of(thread).blocked_by();
}

/// The asynchronous threads whose time it is: what they did is seen from here on, and what they read was
/// latched.
bool Executive::run_rate_transitions(std::int64_t k) TACTUS_RT {
  std::uint64_t due = 0;
  if (!due_async_workers(k, due)) return false;
  if (due == 0) {
    for (FramePart* const part : row_.transitions) part->rate_transition(k, 0);
    return true;
  }
  const auto async_workers = program_.async_workers();
  const auto each = [&](auto does) {
    for (std::uint64_t rest = due; rest != 0; rest &= rest - 1)
      does(*async_workers[static_cast<std::size_t>(std::countr_zero(rest))]);
  };
  const std::int64_t now = plan().frame.times(k).count();
  each([this](AsyncWorker& background) {
    program_.post_switches(background);
    for (std::size_t i = 0; i < background.command_count; ++i)
      (void)apply(background.commands[i].command, background.commands[i].value);
    background.command_count = 0;
  });
  each([this](AsyncWorker& background) { program_.take_switches(background); });
  for (FramePart* const part : row_.transitions) part->rate_transition(k, due);
  each([](AsyncWorker& background) { background.published.publish(); });
  each([](AsyncWorker& background) { background.latch(); });
  each([&](AsyncWorker& background) {
    background.prepare(k, now, plan().frame.times(k + background.frames).count());
    workers_->release(background.thread);
  });
  return true;
}

/// The asynchronous threads that meet the others before frame k, as bits. False: one has failed.
bool Executive::due_async_workers(std::int64_t k, std::uint64_t& due) TACTUS_RT {
  const auto async_workers = program_.async_workers();
  for (std::size_t i = 0; i < async_workers.size(); ++i) {
    AsyncWorker& background = *async_workers[i];
    if (!background.is_due(k)) continue;
    if (background.kind == ThreadKind::asynchronous_must_finish) {
      if (!wait_for(background)) return !(failed_ = true);
    } else if (!workers_->is_idle(background.thread)) {
      ++background.skipped;
      continue;
    }
    if (background.lane.failure().happened()) return !(failed_ = true);
    due |= std::uint64_t{1} << i;
  }
  return true;
}

/// Those whose memory may be touched while the rig stands still before frame k: they would meet the others.
std::uint64_t Executive::idle_async_workers(std::int64_t k) TACTUS_RT {
  const auto async_workers = program_.async_workers();
  std::uint64_t resting = 0;
  for (std::size_t i = 0; i < async_workers.size(); ++i)
    if (async_workers[i]->is_due(k) && workers_->is_idle(async_workers[i]->thread))
      resting |= std::uint64_t{1} << i;
  return resting;
}

/// A thread that has to have finished its period; how long that took goes to the account of its job.
bool Executive::wait_for(AsyncWorker& background) TACTUS_RT {
  if (workers_->is_idle(background.thread)) return true;
  std::uint32_t job = background.lane.running_job();
  if (job == kNoPlanJob && !background.jobs.empty()) job = background.jobs.front();  // it did not even begin
  const std::uint64_t began = program_.job_clock().ticks();
  mark_idle();  // who is waited for is watched itself
  const bool back = workers_->wait_for(background.thread);
  mark_busy();
  if (job != kNoPlanJob) program_.lane(0).consider(job, program_.job_clock().ticks() - began);
  return back;
}

/// At the end: they come back, or are found to be stuck.
bool Executive::wait_for_async_workers() TACTUS_RT {
  if (stuck()) return false;
  for (const auto& background : program_.async_workers()) {
    if (marked_.load(std::memory_order_relaxed).is(background->thread) || !wait_for(*background))
      return false;
    failed_ = failed_ || background->lane.failure().happened();
  }
  return true;
}

/// Outside of an instant: their times are counted at once.
bool Executive::run_jobs(tactus_job_class job_class, const tactus_call& call) TACTUS_RT {
  const bool good = run_list(job_class, call);
  program_.lane(0).set_running(kNoPlanJob);
  program_.lane(0).count();
  return good;
}

bool Executive::run_list(tactus_job_class job_class, const tactus_call& call) TACTUS_RT {
  const std::vector<Entry>& list = program_.list(job_class);
  if (list.empty()) return true;
  program_.set_call(call);
  failed_ = !program_.lane(0).run_list(list) || failed_;
  return !failed_;
}

Verdict Executive::end_frame(std::int64_t k) TACTUS_RT {
  program_.lane(0).set_running(kNoPlanJob);
  const Verdict verdict = sync_.assess();
  use_slack(k);
  mark_idle();
  const Verdict waited = verdict == Verdict::go_on ? sync_.wait() : verdict;
  mark_busy();
  reset_rttime();
  follow_realtime();
  // A wait that was cut short has done its duty: the loop sees who asked for the end.
  return waited == Verdict::interrupted ? Verdict::go_on : waited;
}

void Executive::reset_rttime() TACTUS_RT {
  if (!resets_rttime_) return;
  const rtsync::TimePoint<rtsync::MonotonicTime> now = rtsync::monotonic_now();
  const rtsync::FrameTiming& timing = sync_.timing();
  if (!last_sleep_ || (timing.paced && timing.slack > Nanoseconds{0})) {
    last_sleep_ = now;
  } else if (now - *last_sleep_ > std::chrono::seconds(1)) {
    last_sleep_ = now;
    std::this_thread::sleep_for(std::chrono::microseconds(50));  // long enough to be a sleep
  }
}

/// What is done behind the jobs of frame k, and delays no frame as long as it fits.
void Executive::use_slack(std::int64_t k) TACTUS_RT {
  const rtsync::FrameTiming& timing = sync_.timing();
  accounts_.add(k, timing, sync_.totals());
  send_heartbeat();
  latest_frame_ = {k + 1,  heartbeats_,    end_call_.sim_time_ns, state(),
                   timing, sync_.totals(), sync_.reached(),       false,
                   false,  frames_run_ + 1};
  if (timing.paced)
    slack_.open(sync_.slot_of(k + 1), sync_.slot_of(k + 1) - sync_.slot_of(k));
  else
    slack_.open_unlimited();
  for (FramePart* const part : row_.boundaries) part->at_boundary(k + 1, slack_);
  latest_.write(latest_frame_);
  for (FramePart* const part : row_.slacks) part->in_slack({k, latest_frame_, slack_});
}

void Executive::follow_realtime() TACTUS_RT {
  if (sync_.active() == was_realtime_) return;
  was_realtime_ = !was_realtime_;
  for (FramePart* const part : row_.paced) part->realtime(was_realtime_);
}

RunEnd Executive::ended(Verdict verdict, std::int64_t k) {
  RunEnd end;
  end.frames = frames_run_;
  const char* const aborted = commands_.abort_reason();
  const char* const stopped = commands_.stop_reason();
  const rtsync::RealtimeTotals& totals = sync_.totals();
  const auto set = [&](Outcome outcome, std::string reason) {
    end = {outcome, std::move(reason), frames_run_};
  };
  const std::string frame = "frame " + std::to_string(k) + ": ";
  if (const CallFailure* const failure = first_failure()) {
    set(Outcome::failed, frame + failure_text(*failure));
  } else if (const std::optional<std::size_t> stuck = workers_->stuck()) {
    set(Outcome::aborted, frame + stuck_text(*stuck));
  } else if (marked_.load().somebody()) {
    set(Outcome::aborted, frame + stuck_text(marked_.load().thread));
  } else if (!reset_failure_.empty()) {
    set(reset_job_failed_ ? Outcome::failed : Outcome::aborted, reset_failure_);
  } else if (verdict == Verdict::source_lost) {
    set(Outcome::aborted, std::string("the sleeper '") + sleeper_.name() + "' cannot wait any more");
  } else if (verdict == Verdict::clock_terminate) {
    set(Outcome::clock_lost, sleeper_.failure());
  } else if (ended_by_.what == PartVerdict::terminate) {
    set(ended_by_.outcome, frame + ended_by_.reason);
  } else if (aborted != nullptr) {
    set(Outcome::aborted, aborted);
  } else if (verdict == Verdict::terminate) {
    const bool single = sync_.reached() == rtsync::Maximum::single_overrun;
    set(Outcome::overrun,
        "frame " + std::to_string(k - 1) + ": " +
            (single ? "an overrun of " + rtsync::duration_text(totals.longest_overrun.count()) +
                          " reached max_overrun"
                    : std::to_string(totals.consecutive_overruns) +
                          " overruns in a row (or not paid back) reached max_consecutive_overruns"));
  } else if (stopped != nullptr) {
    set(Outcome::stopped, stopped);
  }
  const bool broken_off =
      end.outcome == Outcome::failed || end.outcome == Outcome::aborted || end.outcome == Outcome::link_lost;
  if (broken_off && can_go(state(), State::abort)) enter(State::abort);
  if (can_go(state(), State::stop)) enter(State::stop);
  return end;
}

void Executive::mark_stuck(std::size_t thread) TACTUS_RT {
  Marked nobody;
  (void)marked_.compare_exchange_strong(nobody,
                                        {static_cast<std::uint32_t>(thread), lane_of(thread).running_job()});
  request_abort("a thread is stuck");
}

std::size_t Executive::working_thread() const {
  for (std::size_t thread = 0; thread <= plan().threads.size(); ++thread)
    if (!running_job(thread).empty()) return thread;
  return 0;
}

std::string Executive::stuck_text(std::size_t thread) const {
  std::string_view job = running_job(thread);
  if (const Marked marked = marked_.load(); marked.is(thread) && marked.job != kNoPlanJob)
    job = plan().jobs[marked.job].name;
  return "thread '" + (thread == 0 ? std::string("main") : plan().threads[thread - 1].name) + "' is stuck" +
         (job.empty() ? "" : " in job '" + std::string(job) + "'") + ": it did not come back within " +
         rtsync::duration_text(plan().stuck_after.count()) + " beyond its time (threads.stuck_after)";
}

}  // namespace tactus::executive
