#include "executive/executive.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "executive/job_class.hpp"
#include "rtsync/duration_text.hpp"

namespace tactus::executive {

using rtsync::Nanoseconds;
using rtsync::Verdict;

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
      return "completed";
    case Outcome::stopped:
      return "stopped";
    case Outcome::overrun:
      return "overrun";
    case Outcome::clock_lost:
      return "clock_lost";
    case Outcome::failed:
      return "failed";
    case Outcome::aborted:
      break;
  }
  return "aborted";
}

namespace {

/// How many calls a frame makes at most, so that the log of their times never fills in an ordinary rig.
std::size_t calls_in_a_frame(const Plan& plan) {
  constexpr double kMost = 1 << 20;
  double calls = 64;
  for (const PlannedJob& job : plan.jobs)
    calls += is_cyclic(job.job_class) ? std::ceil(plan.frame.seconds() / job.cycle.seconds()) + 1 : 1;
  return static_cast<std::size_t>(std::min(calls, kMost));
}

}  // namespace

/// Executes what the schedule names, and measures it: the end of one job is the beginning of the next, so
/// there is one clock read per job and one per instant.
template <bool Timed>
struct Executive::Runner {
  Executive& executive;

  void simulator() TACTUS_RT {
    executive.enter(State::step_simulator);
    if constexpr (Timed) executive.last_tick_ = executive.ticks();
  }
  void controller() TACTUS_RT { executive.enter(State::step_controller); }

  bool call(std::uint32_t place) TACTUS_RT { return run(executive.entries_[place]); }

  bool run(const Entry& entry) TACTUS_RT {
    if (entry.job != FrameNote::kNoJob) executive.running_job_.store(entry.job, std::memory_order_relaxed);
    const int status = entry.run(entry.self, entry.call);
    if constexpr (Timed) {
      if (entry.job != FrameNote::kNoJob) measure(entry.job);  // a copy's time is its job's
    }
    if (status == 0) [[likely]]
      return true;
    executive.failed_job_ = entry.job;
    executive.failed_status_ = status;
    return false;
  }

  // Only noted here; counted in the slack: the histograms of many jobs lie in no cache.
  void measure(std::uint32_t job) TACTUS_RT {
    const std::uint64_t now = executive.ticks();
    executive.job_log_[executive.job_log_size_++] = {now - executive.last_tick_, job};
    executive.last_tick_ = now;
    if (executive.job_log_size_ == executive.job_log_.size()) [[unlikely]]
      executive.count_job_times();
  }
};

Executive::Executive(Plan plan, rtsync::RealtimeSync& sync, rtsync::Sleeper& sleeper,
                     const rtsync::Clock& clock, RealtimeVariables& realtime_variables)
    : plan_(std::move(plan)),
      sync_(sync),
      sleeper_(sleeper),
      clock_(clock),
      job_times_(plan_.job_times ? plan_.jobs.size() : 0),
      job_log_(plan_.job_times ? calls_in_a_frame(plan_) : 0),
      rt_(realtime_variables) {
  if (plan_.job_times) {
    // The job times take the counter whenever it can be trusted, whatever the rig's clock is.
    const rtsync::ClockChoice choice = rtsync::choose_tsc_clock(rtsync::TscFacts::probe());
    if (const auto* tsc = dynamic_cast<const rtsync::TscClock*>(choice.clock.get()))
      tick_scale_ = tsc->scale();
  }
  compile();
}

bool Executive::has_connections(const ModelInstance* to, bool delayed) const {
  return to != nullptr &&
         std::any_of(plan_.connections.begin(), plan_.connections.end(),
                     [&](const Connection& c) { return c.to.model == to && c.delayed == delayed; });
}

Executive::Entry Executive::copy_entry(const ModelInstance* to, bool delayed, const tactus_call* call) {
  CopyList& list = copies_.emplace_back();
  for (const Connection& connection : plan_.connections)
    if (connection.to.model == to && connection.delayed == delayed) list.add(connection);
  return {&CopyList::run, &list, call, FrameNote::kNoJob};
}

void Executive::compile() {
  // Copies are jobs of their own: delayed ones come first in an instant, direct ones right before the job
  // they feed. So a frame that has none pays nothing for them.
  std::vector<ScheduledJob> scheduled;
  std::vector<Entry> made;
  std::map<std::tuple<const ModelInstance*, rtsync::Period, rtsync::Period, std::optional<rtsync::Period>>,
           bool>
      latched;
  scheduled_of_job_.assign(plan_.jobs.size(), Schedule::kNoJob);
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const PlannedJob& job = plan_.jobs[i];
    if (!is_cyclic(job.job_class)) continue;
    const ScheduledJob timed{job.job_class, job.phase, 2 * i + 1, is_controller(job.job_class),
                             job.cycle,     job.first, job.stop,  job.enabled};
    bool& is_latched = latched[{job.model, job.first, job.cycle, job.stop}];
    if (has_connections(job.model, true) && !is_latched) {
      is_latched = true;
      ScheduledJob copy = timed;
      copy.job_class = 0;
      copy.controller = false;
      copy.enabled = true;
      scheduled.push_back(copy);
      made.push_back(copy_entry(job.model, true, nullptr));
    }
    if (has_connections(job.model, false)) {
      ScheduledJob copy = timed;
      copy.declaration = 2 * i;
      copy.enabled = true;
      scheduled.push_back(copy);
      made.push_back(copy_entry(job.model, false, nullptr));
    }
    scheduled_of_job_[i] = static_cast<std::uint32_t>(scheduled.size());
    scheduled.push_back(timed);
    made.push_back({job.run, job.self, nullptr, static_cast<std::uint32_t>(i)});
  }
  schedule_ = std::make_unique<Schedule>(scheduled, plan_.frame);
  entries_.resize(schedule_->places());
  for (std::size_t place = 0; place < schedule_->places(); ++place) {
    if (schedule_->job_at(place) == Schedule::kNoJob) continue;
    entries_[place] = made[schedule_->job_at(place)];
    entries_[place].call = &schedule_->call_at(place);
  }
  add_to_list(top_of_frame_, TACTUS_TOP_OF_FRAME, top_call_);
  add_to_list(end_of_frame_, TACTUS_END_OF_FRAME, end_call_);
  top_call_.dt = end_call_.dt = log_call_.dt = plan_.frame.seconds();
}

void Executive::add_to_list(std::vector<Entry>& list, tactus_job_class job_class, const tactus_call& call) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i)
    if (plan_.jobs[i].job_class == job_class && plan_.jobs[i].enabled) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return plan_.jobs[a].phase < plan_.jobs[b].phase;
  });
  // The whole list is one instant: what is delayed is copied before any of its jobs.
  std::set<const ModelInstance*> latched;
  for (const std::uint32_t i : order)
    if (has_connections(plan_.jobs[i].model, true) && latched.insert(plan_.jobs[i].model).second)
      list.push_back(copy_entry(plan_.jobs[i].model, true, &call));
  for (const std::uint32_t i : order) {
    const PlannedJob& job = plan_.jobs[i];
    if (has_connections(job.model, false)) list.push_back(copy_entry(job.model, false, &call));
    list.push_back({job.run, job.self, &call, i});
  }
}

std::string Executive::failure_text(std::size_t job, int status) const {
  const PlannedJob& failed = plan_.jobs[job];
  const std::string said = failed.model == nullptr ? "" : failed.model->take_failure();
  return "job '" + failed.name + "' (" + std::string(name_of(failed.job_class)) +
         ") failed: " + (said.empty() ? "it returned " + std::to_string(status) : said);
}

std::vector<std::string> Executive::run_once(tactus_job_class job_class, bool go_on_after_failure) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i)
    if (plan_.jobs[i].job_class == job_class && plan_.jobs[i].enabled) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return plan_.jobs[a].phase < plan_.jobs[b].phase;
  });
  std::vector<std::string> failures;
  const tactus_call call{end_call_.sim_time_ns, -1, 0};
  for (const std::size_t i : order) {
    running_job_.store(static_cast<std::uint32_t>(i), std::memory_order_relaxed);
    const int status = plan_.jobs[i].run(plan_.jobs[i].self, &call);
    if (status == 0) continue;
    failures.push_back(failure_text(i, status));
    if (!go_on_after_failure) break;
  }
  running_job_.store(FrameNote::kNoJob, std::memory_order_relaxed);
  return failures;
}

void Executive::run_default_data() {
  if (const auto failures = run_once(TACTUS_DEFAULT_DATA, false); !failures.empty()) {
    enter(State::abort);
    throw std::runtime_error(failures.front());
  }
}

void Executive::run_initialization() {
  enter(State::start);
  if (const auto failures = run_once(TACTUS_INITIALIZATION, false); !failures.empty()) {
    enter(State::abort);
    throw std::runtime_error(failures.front());
  }
}

std::vector<std::string> Executive::run_shutdown() {
  enter(State::disconnect);
  return run_once(TACTUS_SHUTDOWN, true);
}

std::string_view Executive::running_job() const {
  const std::uint32_t job = running_job_.load(std::memory_order_relaxed);
  return job == FrameNote::kNoJob ? std::string_view{} : plan_.jobs[job].name;
}

void Executive::request_stop(const char* reason) TACTUS_RT {
  stop_reason_.store(reason, std::memory_order_relaxed);
  sleeper_.interrupt();
}

void Executive::request_abort(const char* reason) TACTUS_RT {
  abort_reason_.store(reason, std::memory_order_relaxed);
  sleeper_.interrupt();
}

void Executive::set_realtime(bool on) TACTUS_RT {
  if (!on) sync_.disable();
  if (on && realtime_allowed_) sync_.enable();
}

bool Executive::enable_job(std::string_view name, bool on) TACTUS_RT {
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    if (plan_.jobs[i].name != name || scheduled_of_job_[i] == Schedule::kNoJob) continue;
    schedule_->enable(scheduled_of_job_[i], on);
    return true;
  }
  return false;
}

void Executive::enter(State next) TACTUS_RT {
  assert(can_go(state(), next) && "a transition that is not in kLifecycle");
  state_.store(next, std::memory_order_relaxed);
}

std::uint64_t Executive::ticks() const TACTUS_RT {
  return tick_scale_ != 0 ? rtsync::read_tsc()
                          : static_cast<std::uint64_t>(clock_.now().time_since_epoch().count());
}

Nanoseconds Executive::to_time(std::uint64_t ticks) const TACTUS_RT {
  if (tick_scale_ == 0) return Nanoseconds{static_cast<std::int64_t>(ticks)};
  return Nanoseconds{static_cast<std::int64_t>((static_cast<rtsync::Wide>(ticks) * tick_scale_) >> 32)};
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
  const rtsync::RunCounters before = rtsync::RunCounters::of_this_thread();
  std::int64_t k = 0;
  Verdict verdict = sync_.start(0);
  while (verdict == Verdict::not_yet &&
         !ending()) {  // an external clock is awaited: the rig lives all the same
    alive();
    latest_frame_.turns = turns_;
    latest_frame_.state = State::start;
    latest_.write(latest_frame_);
    verdict = sync_.start(0);
  }
  if (verdict == Verdict::not_yet || verdict == Verdict::interrupted)
    verdict = Verdict::go_on;  // the loop sees who asked for the end
  verdict = pause_as_wanted(verdict, false);
  while (verdict == Verdict::go_on && k < frames && !ending()) {
    if (!run_frame(k)) break;
    verdict = end_frame(k);
    ++k;
    // Nothing depends any more on the wait after the last frame.
    if (k == frames && (verdict == Verdict::clock_freeze || verdict == Verdict::clock_terminate))
      verdict = Verdict::go_on;
    verdict = pause_as_wanted(verdict, k < frames);
  }
  end_outputs_safe();  // before anything else
  count_job_times();   // of a frame that was broken off
  counters_ = rtsync::RunCounters::of_this_thread() - before;
  sync_.shutdown();
  return ended(verdict, k);
}

Verdict Executive::pause_as_wanted(Verdict verdict, bool frames_left) TACTUS_RT {
  for (;;) {
    const bool told = verdict == Verdict::freeze || verdict == Verdict::clock_freeze;
    const bool asked =
        frames_left && verdict == Verdict::go_on && pause_wanted_.load(std::memory_order_relaxed);
    if (!told && (!asked || ending())) return verdict;
    if (told) request_pause();
    if (verdict == Verdict::clock_freeze) {
      for (SafeOutput* const output : plan_.safe_outputs)
        if (!output->drive_safe()) output_stuck_.store(true, std::memory_order_relaxed);
    }
    verdict = freeze(verdict == Verdict::clock_freeze);
    frames_left = true;
  }
}

bool Executive::end_outputs_safe() TACTUS_RT {
  bool all = true;
  for (SafeOutput* const output : plan_.safe_outputs) all = output->end_safe() && all;
  if (!all) output_stuck_.store(true, std::memory_order_relaxed);
  return all;
}

void Executive::abandon() {
  if (can_go(state(), State::abort)) enter(State::abort);
}

/// Tells those who watch over the rig that it goes on.
void Executive::alive() TACTUS_RT {
  ++turns_;
  for (SafeOutput* const output : plan_.safe_outputs)
    if (const char* const why = output->frame_ended()) request_abort(why);
  if (watchdog_ != nullptr) watchdog_->kick(clock_.now());
  if (clock_status_ != nullptr) latest_clock_.write(*clock_status_);
}

bool Executive::run_frame(std::int64_t k) TACTUS_RT {
  enter(State::step_begin);
  longest_ticks_ = 0;
  longest_job_ = FrameNote::kNoJob;
  if (!top_of_frame_.empty()) {
    top_call_.frame = k;
    top_call_.sim_time_ns = plan_.frame.times(k).count();
    if (!run_list(top_of_frame_)) return false;
  }
  bool good = false;
  if (plan_.job_times) {
    Runner<true> runner{*this};
    good = schedule_->run_frame(k, runner);
  } else {
    Runner<false> runner{*this};
    good = schedule_->run_frame(k, runner);
  }
  if (!good) return false;
  enter(State::step_end);
  end_call_.frame = k;
  end_call_.sim_time_ns = plan_.frame.times(k + 1).count();
  return run_list(end_of_frame_);
}

bool Executive::run_list(const std::vector<Entry>& list) TACTUS_RT {
  if (list.empty()) return true;
  Runner<true> timed{*this};
  Runner<false> untimed{*this};
  if (plan_.job_times) last_tick_ = ticks();
  for (const Entry& entry : list)
    if (!(plan_.job_times ? timed.run(entry) : untimed.run(entry))) return false;
  return true;
}

Verdict Executive::end_frame(std::int64_t k) TACTUS_RT {
  running_job_.store(FrameNote::kNoJob, std::memory_order_relaxed);
  const Verdict verdict = sync_.assess();
  account(k);  // in the slack, so that it delays no frame
  const Verdict waited = verdict == Verdict::go_on ? sync_.wait() : verdict;
  follow_realtime();
  // A wait that was cut short has done its duty: the loop sees who asked for the end.
  return waited == Verdict::interrupted ? Verdict::go_on : waited;
}

void Executive::count_job_times() TACTUS_RT {
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < job_log_size_; ++i) {
    if (i + kAhead < job_log_size_) {
      const JobTime& ahead = job_log_[i + kAhead];
      job_times_[ahead.job].prefetch(to_time(ahead.ticks));
    }
    const JobTime& time = job_log_[i];
    job_times_[time.job].add(to_time(time.ticks));
    if (time.ticks > longest_ticks_) {
      longest_ticks_ = time.ticks;
      longest_job_ = time.job;
    }
  }
  job_log_size_ = 0;
}

void Executive::account(std::int64_t k) TACTUS_RT {
  count_job_times();
  const rtsync::FrameTiming& timing = sync_.timing();
  const rtsync::RealtimeTotals& totals = sync_.totals();
  statistics_.work.add(timing.work);
  if (timing.paced) {
    statistics_.late.add(timing.late);
    statistics_.slack.add(timing.slack);
    if (timing.overrun != rtsync::OverrunCause::none || timing.late_wake) {
      const FrameNote note{timing, longest_job_, to_time(longest_ticks_).count(), slack_before_};
      if (!notes_.push(note)) notes_lost_.fetch_add(1, std::memory_order_relaxed);
    }
    std::shift_left(slack_before_.begin(), slack_before_.end(), 1);
    slack_before_.back() = timing.slack.count();
  }
  rt_ = {k,
         timing.late.count(),
         timing.work.count(),
         timing.slack.count(),
         totals.overruns,
         totals.late_wakes,
         totals.lost,
         static_cast<std::int32_t>(timing.overrun)};
  if (frame_log_ != nullptr && timing.paced) {
    log_call_.sim_time_ns = plan_.frame.times(k).count();
    log_call_.frame = k;
    (void)Recording::sample(frame_log_, &log_call_);  // it counts what it loses
  }
  alive();
  latest_frame_ = {k + 1, turns_, end_call_.sim_time_ns, state(), timing, totals, sync_.reached(), false};
  latest_.write(latest_frame_);
}

void Executive::follow_realtime() TACTUS_RT {
  if (sync_.active() == was_realtime_) return;
  was_realtime_ = !was_realtime_;
  for (Recording* recording : recordings_) recording->be_patient(!was_realtime_);
}

Verdict Executive::freeze(bool clock_fault) TACTUS_RT {
  enter(State::pause);
  Snapshot frozen = latest_frame_;
  frozen.state = State::pause;
  frozen.clock_fault = clock_fault;
  if (clock_fault) {  // put into words here, where nothing moves; the one allocation of a frozen rig
    FaultText text{};
    sleeper_.failure().copy(text.data(), text.size() - 1);
    latest_clock_fault_.write(text);
  }
  frozen.reached = sync_.reached();
  sync_.freeze_init();
  while (pause_wanted_.load(std::memory_order_relaxed)) {
    alive();
    frozen.turns = turns_;
    latest_.write(frozen);
    const Verdict verdict = sync_.freeze_pause();
    if (verdict == Verdict::source_lost || verdict == Verdict::clock_terminate) return verdict;
    if (ending()) return sync_.reached() == rtsync::Maximum::none ? Verdict::go_on : Verdict::terminate;
  }
  enter(State::resume);
  return sync_.unfreeze();
}

RunEnd Executive::ended(Verdict verdict, std::int64_t frames_run) {
  RunEnd end;
  end.frames = frames_run;
  const char* const aborted = abort_reason_.load(std::memory_order_relaxed);
  const char* const stopped = stop_reason_.load(std::memory_order_relaxed);
  const rtsync::RealtimeTotals& totals = sync_.totals();
  if (failed_status_ != 0) {
    end = {Outcome::failed,
           "frame " + std::to_string(frames_run) + ": " + failure_text(failed_job_, failed_status_),
           frames_run};
  } else if (verdict == Verdict::source_lost) {
    end = {Outcome::aborted, std::string("the sleeper '") + sleeper_.name() + "' cannot wait any more",
           frames_run};
  } else if (verdict == Verdict::clock_terminate) {
    end = {Outcome::clock_lost, sleeper_.failure(), frames_run};
  } else if (aborted != nullptr) {
    end = {Outcome::aborted, aborted, frames_run};
  } else if (verdict == Verdict::terminate) {
    const bool single = sync_.reached() == rtsync::Maximum::single_overrun;
    end = {Outcome::overrun,
           "frame " + std::to_string(frames_run - 1) + ": " +
               (single ? "an overrun of " + rtsync::duration_text(totals.longest_overrun.count()) +
                             " reached max_overrun"
                       : std::to_string(totals.consecutive_overruns) +
                             " overruns in a row (or not paid back) reached max_consecutive_overruns"),
           frames_run};
  } else if (stopped != nullptr) {
    end = {Outcome::stopped, stopped, frames_run};
  }
  if (end.outcome == Outcome::failed || end.outcome == Outcome::aborted) enter(State::abort);
  if (can_go(state(), State::stop)) enter(State::stop);
  return end;
}

}  // namespace tactus::executive
