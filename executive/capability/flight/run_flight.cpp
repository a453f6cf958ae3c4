// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/flight/run_flight.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "executive/capability/cause/run_causes.hpp"
#include "executive/capability/cause/settings.hpp"
#include "executive/capability/clock/run_clock.hpp"
#include "executive/flight/flight_collector.hpp"
#include "executive/flight/flight_window.hpp"
#include "executive/flight/trace_files.hpp"
#include "executive/model/job_class.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

constexpr std::chrono::milliseconds kKernelEvery{10};        // time whose kernel records a kill may cost
constexpr std::size_t kMostAsked = 8;                        // traces for clients
constexpr std::size_t kMostOfFile = std::size_t{256} << 20;  // of a trace that a client asks for
constexpr std::chrono::seconds kTraceTimeout{10};            // for what is being written when the rig ends

/// Number of records that a job's thread makes of it in a second of the simulated world.
double calls_per_second(const PlannedJob& job, double frame) {
  if (is_cyclic(job.job_class) || job.job_class == TACTUS_INTEGRATION)
    return 1 / (job.dynamic || job.cycle.is_zero() ? frame : job.cycle.seconds());
  return is_around_frame(job.job_class) ? 1 / frame : 0;
}

}  // namespace

RunFlight::~RunFlight() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    serving_ = false;
    wanted_.clear();
  }
  changed_.notify_all();
  keeper_.reset();
  writer_.reset();
  refuse_asked();
  if (!file_) return;
  for (std::size_t i = 0; !run_.stuck && i < rings_.size(); ++i) run_.executive->jobs().record_nowhere(i);
  file_->remove();
}

FlightPlan RunFlight::plan_of(const Plan& plan, const FlightValues& values) const {
  const double frame = plan.frame.seconds();
  FlightPlan flight{.folder = run_.options.folder.string(),
                    .rig = run_.rig.settings().rig.value,
                    .period_ns = rtsync::real_period(plan.frame, ratio_).floor().count(),
                    .before_ns = settings_.before.count(),
                    .after_ns = settings_.after.count()};
  if (plan.until)
    flight.whole_ns = static_cast<std::int64_t>(
        std::min(static_cast<double>(plan.until->count()) / std::max(ratio_, 1e-3), 1e18));
  flight.most_bytes = static_cast<std::uint64_t>(settings_.size);
  for (const PlannedJob& job : plan.jobs) flight.jobs.push_back(job.name);
  for (std::size_t thread = 0; thread <= plan.threads.size(); ++thread) {
    double jobs = 0;
    double instants = 1 / frame;  // at most as many as the quickest job makes
    for (const PlannedJob& job : plan.jobs) {
      if (job.thread != thread || !plan.job_times) continue;
      const double calls = calls_per_second(job, frame);
      jobs += calls;
      instants = std::max(instants, calls);
    }
    const double frames = thread == 0 ? (7 + static_cast<double>(values.count())) / frame + 300 : 0;
    flight.threads.push_back(
        {plan.thread_name(thread), (jobs + 3 * instants + frames) * std::max(ratio_, 1e-3)});
  }
  if (realtime_) {  // each thread leaves its CPU once a frame, and somebody else may come in between
    const auto threads = static_cast<double>(plan.threads.size() + 1);
    flight.kernel_records_per_second = threads * (3 / frame * std::max(ratio_, 1e-3) + 500);
  }
  flight.variables = values.names();
  return flight;
}

RunFlight::RunFlight(RunContext& run)
    : run_(run),
      settings_(run.rig.settings().of<FlightSection>()),
      realtime_(run.realtime && run.rig.settings().of<CauseSettings>().kernel_events),
      ratio_(run.rig.settings().realtime.ratio) {
  if (!settings_.enabled) return;
  Executive& executive = *run.executive;
  RunVoice& voice = *run.voice;
  for (const CollectedFlight& each : collect_left_flights())
    if (!each.file.empty() || !each.failure.empty())
      voice.log().info("flight recorder of " + each.run_folder.string() +
                       ", whose rig was killed: " + each.file + each.failure);
  FlightValues values(run.rig.flight_variables());
  FlightPlan plan = plan_of(executive.plan(), values);
  const JobClock& ticks = executive.program().job_clock();
  plan.tick_scale = ticks.scale();
  plan.present = run.realtime;
  const rtsync::WitnessPage* const witness = rtsync::witness_page();
  try {
    file_ = FlightFile::make(plan, witness == nullptr ? 0 : witness->witness);
  } catch (const std::runtime_error& error) {
    voice.say(std::string("no flight recorder: ") + error.what() +
              "; make room there, or write flight_recorder: { size: ... } or { enabled: no }");
    return;
  }
  for (std::size_t i = 0; i < file_->rings(); ++i) {
    FlightRing& ring = rings_.emplace_back(file_->head(i), file_->cells(i));
    executive.jobs().record_in(i, ring);
  }
  executive.add(part_.emplace(rings_.front(), file_->frame_now(), executive.accounts(), ticks,
                              run.pacing->clock(), clock_status(run) ? &run.rig.clock_status() : nullptr,
                              std::move(values)));
  run.trace = [this](const std::string& why) {
    {
      const std::lock_guard lock(mutex_);
      if (!serving_ || wanted_.size() >= kMostAsked) return;
    }
    ask({run_.options.folder, "event", {}, {}, why});
  };
  voice.log().info("flight recorder: " + std::to_string(file_->bytes() >> 10) + " KiB in " +
                   file_->path().string());
}

void RunFlight::start() {
  if (!file_) return;
  const std::vector<pid_t> threads = run_.threads->tids(run_.main);
  for (std::size_t i = 0; i < std::min(threads.size(), file_->rings()); ++i)
    file_->head(i).tid.store(threads[i]);
  {
    const std::lock_guard lock(mutex_);
    serving_ = true;
  }
  writer_.emplace(*file_, run_.cpus.small_helper("traces"));
  keeper_ = std::make_unique<rtsync::PinnedThread>(run_.cpus.small_helper("flight"), [this] { serve(); });
}

void RunFlight::watch() {
  std::shared_ptr<const rtsync::KernelEvents> events = run_.find<RunCauses>()->events();
  if (!file_ || events == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    kernel_ = std::make_unique<FlightKernel>(*file_, std::move(events));
  }
  changed_.notify_all();
}

void RunFlight::ask(TraceRequest request) {
  {
    const std::lock_guard lock(mutex_);
    wanted_.push_back(std::move(request));
  }
  changed_.notify_all();
}

void RunFlight::trace(const LiveTraceCall& call, std::function<void(LiveTrace)> then) {
  LiveTrace none{.outcome = LiveTrace::Outcome::no_recorder};
  {
    const std::lock_guard lock(mutex_);
    if (serving_ && asked_.size() < kMostAsked) {
      asked_.push_back({call, std::move(then)});
      changed_.notify_all();
      return;
    }
    none.problem = !settings_.enabled ? "the rig file says flight_recorder: { enabled: no }"
                   : serving_         ? "too many traces are asked for already; wait for one of them"
                                      : "the flight recorder does not run, not yet or not any more";
  }
  then(std::move(none));
}

/// Refuses the open requests: no thread will serve them.
void RunFlight::refuse_asked() {
  std::deque<Asked> asked;
  {
    const std::lock_guard lock(mutex_);
    serving_ = false;
    asked.swap(asked_);
  }
  LiveTrace over;
  over.outcome = LiveTrace::Outcome::no_recorder;
  over.problem = "the run is over";
  for (const Asked& one : asked) one.then(over);
}

/// Frames that the memory holds no more may have been written out: the file of theirs, or where it is.
void RunFlight::look_into_files(const LiveTraceCall& call, LiveTrace& trace) const {
  if (!call.frame) return;
  const double frame = run_.rig.plan().frame.seconds() / std::max(ratio_, 1e-3);
  const auto frames = [frame](rtsync::Nanoseconds time) {
    return static_cast<std::int64_t>(static_cast<double>(time.count()) / 1e9 / frame);
  };
  const std::optional<TraceFile> written =
      trace_with(run_.options.folder, *call.frame, frames(settings_.before), frames(settings_.after));
  if (!written) return;
  if (!call.perfetto) {
    trace.problem += "; " + written->file + " in the run folder does: format=perfetto reads it";
    return;
  }
  int error = 0;
  trace.bytes = rtsync::read_folder_file(run_.options.folder / written->file, error, kMostOfFile);
  if (trace.bytes.empty() || trace.bytes.size() == kMostOfFile)
    return trace.bytes.clear();  // not a half of it
  trace.outcome = LiveTrace::Outcome::done;
  trace.frame = written->frame;
}

void RunFlight::answer(const Asked& asked) const {
  LiveTrace trace;
  try {
    trace = trace_window(*file_, asked.call);
    if (trace.outcome == LiveTrace::Outcome::no_frame) look_into_files(asked.call, trace);
  } catch (const std::exception& error) {
    trace.outcome = LiveTrace::Outcome::failed;
    trace.problem = error.what();
  }
  asked.then(std::move(trace));
}

/// Hands over after what the kernel did so far. The caller holds the mutex.
void RunFlight::hand_over() {
  for (; !wanted_.empty(); wanted_.pop_front()) writer_->write(std::move(wanted_.front()));
}

void RunFlight::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto called = [this] { return ended_ || !wanted_.empty() || !asked_.empty(); };
    while (!called()) {
      if (kernel_ == nullptr) {
        changed_.wait(lock);
        continue;
      }
      (void)changed_.wait_for(lock, kKernelEvery, called);
      kernel_->take();
    }
    if (wanted_.empty() && ended_) return;
    if (kernel_ != nullptr) kernel_->take();
    hand_over();
    changed_.notify_all();
    if (asked_.empty()) continue;
    const Asked asked = std::move(asked_.front());
    asked_.pop_front();
    lock.unlock();
    answer(asked);
    lock.lock();
  }
}

void RunFlight::report_written(RunVoice& voice) {
  for (const TraceWriter::Written& each : writer_->take_written()) {
    if (!each.result.failure.empty())
      voice.say("the flight recorder's trace was not written: " + each.result.failure);
    else if (!each.result.file.empty())
      voice.say("flight recorder, " + each.why + ": " + each.result.file + " and " +
                text_of_trace(each.result.file) +
                (each.result.remark.empty() ? "" : "; " + each.result.remark));
  }
}

void RunFlight::poll(RunVoice& voice) {
  if (!part_ || !keeper_) return;
  report_written(voice);
  const auto now = std::chrono::steady_clock::now();
  if (!overrun_ && written_ < settings_.traces) {
    overrun_ = part_->take_overrun();
    noticed_ = now;
  }
  if (overrun_ && now - noticed_ >= settings_.after) write_overrun(voice);
}

/// Writes all that was recorded since; so overruns after it are in its trace, too.
void RunFlight::write_overrun(RunVoice& voice) {
  ask({run_.options.folder, "overrun", std::exchange(overrun_, std::nullopt)});
  (void)part_->take_overrun();
  if (++written_ == settings_.traces)
    voice.log().info("the flight recorder writes out no more overruns of this run (flight_recorder.traces)");
}

void RunFlight::finish() {
  if (!part_ || !keeper_) return;
  const rtsync::Doing doing("the flight recorder wrote its last trace");
  const RunEnd& end = run_.end;
  RunVoice& voice = *run_.voice;
  if (!overrun_ && written_ < settings_.traces) overrun_ = part_->take_overrun();
  if (!end.in_order())
    ask({run_.options.folder, std::string(name_of(end.outcome)), {}, "the rig ended", end.reason});
  else if (overrun_)
    write_overrun(voice);
  const auto until = std::chrono::steady_clock::now() + kTraceTimeout;
  {
    std::unique_lock lock(mutex_);
    (void)changed_.wait_until(lock, until, [this] { return wanted_.empty(); });
    hand_over();
  }
  const bool written = writer_->wait(until);
  report_written(voice);
  if (!written)
    voice.say("the flight recorder has not written its last traces in " +
              rtsync::duration_text(rtsync::Nanoseconds(kTraceTimeout).count()));
  refuse_asked();
  if (run_.stuck) file_->keep_mapped();
  file_->remove();  // what is to be written is; the process may end without a destructor
}

}  // namespace tactus::executive
