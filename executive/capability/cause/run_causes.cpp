// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/run_causes.hpp"

#include <algorithm>
#include <utility>

#include "executive/capability/cause/settings.hpp"
#include "rtsync/host/preemption_model.hpp"
#include "rtsync/host/throttle.hpp"
#include "rtsync/text.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {

namespace {

constexpr const char* kNames[BrokenPromises::kKinds] = {"heap", "faults", "switches", "floating_point"};
constexpr const char* kSentences[BrokenPromises::kKinds] = {
    " uses the heap in a frame: ", " faults pages in a frame: ", " gives up its CPU in a frame: ",
    " changes the floating-point environment, which is put back: "};
// The first seldom look comes right after that of the start.
constexpr std::chrono::milliseconds kLookAgain{500};
constexpr std::size_t kMostCulprits = 500;  // of one cause with a name: more count as "others"
constexpr const char* kCounted[BrokenPromises::kKinds] = {"call", "page fault", "time", "time"};

/// Signs of life as often that a job of a frame's length shows some, and no oftener than every 100 us.
Nanoseconds alive_interval(Nanoseconds frame) {
  using namespace std::chrono_literals;
  return std::clamp<Nanoseconds>(frame / 4, 100us, 1ms);
}

/// Provision of a processor that hardly keeps up with the signs. It is granted: there is nothing to fix.
rtsync::Provision fewer_signs(Nanoseconds wanted, Nanoseconds signs, Nanoseconds cost) {
  return rtsync::granted(
      signs == Nanoseconds{0} ? "no signs of life" : "signs of life every " + rtsync::duration_text(signs),
      "every " + rtsync::duration_text(wanted) + " would be too many: one takes " +
          rtsync::duration_text(cost) + " on this processor");
}

/// Time for which the kernel stops a real-time thread at a time, by the present settings.
std::optional<Nanoseconds> throttle_gap(const rtsync::CpuSet& cpus) {
  const rtsync::ThrottleFacts facts = rtsync::read_throttle();
  const std::optional<double> share = facts.share(cpus);
  if (!share || *share >= 1) return std::nullopt;
  const double period = static_cast<double>(facts.rt_period_us.value_or(1'000'000)) * 1000;
  return Nanoseconds{static_cast<std::int64_t>(period * (1 - *share))};
}

/// Calls `use` with each kind of promise that a job has broken, and how often.
template <class Use>
void each_broken(const BrokenPromises& promises, Use use) {
  for (std::size_t job = 0; job < promises.jobs(); ++job)
    for (std::size_t kind = 0; kind < BrokenPromises::kKinds; ++kind) {
      const BrokenPromises::Count count = promises.count(job, static_cast<BrokenPromises::Kind>(kind));
      if (count.calls > 0) use(job, kind, count);
    }
}

}  // namespace

/// Returns the threads of the frames, and the processes of isolated models.
std::vector<rtsync::EventThread> RunCauses::threads_to_watch() const {
  const Plan& plan = executive_.plan();
  const RigThreads& threads = *run_->threads;
  std::vector<rtsync::EventThread> watched{
      {run_->main, "thread main", realtime_threads_.has(run_->main), true}};
  for (std::size_t lane = 1; lane < executive_.program().lanes(); ++lane) {
    const std::size_t thread = executive_.program().thread_of_lane(lane);
    const pid_t tid = threads.tid(thread);
    watched.push_back({tid, "thread " + plan.thread_name(thread), realtime_threads_.has(tid), true});
  }
  for (const auto& worker : executive_.program().async_workers()) {
    const pid_t tid = threads.tid(worker->thread);
    watched.push_back({tid, "thread " + plan.thread_name(worker->thread), realtime_threads_.has(tid)});
  }
  if (run_->rig.isolation() != nullptr)
    for (const IsolatedModel& model : run_->rig.isolation()->models()) {
      const pid_t pid = model.process().pid();
      watched.push_back({pid, "model " + model.name(), realtime_threads_.has(pid), false,
                         rtsync::CodeMap::of_process(pid)});
    }
  return watched;
}

void RunCauses::watch() {
  const auto& settings = run_->rig.settings().of<CauseSettings>();
  if (!run_->realtime || !settings.kernel_events) return;
  const Plan& plan = executive_.plan();
  look_at_threads();
  const std::vector<rtsync::EventThread> watched = threads_to_watch();
  const Nanoseconds frame = frame_ = rtsync::real_period(plan.frame, plan.ratio).floor();
  const rtsync::CpuSet of_frames = run_->cpus.of_frames();
  Nanoseconds signs{0};
  if (!run_->spins()) {
    const Nanoseconds wanted = settings.signs_of_life
                                   ? rtsync::fitted_signs_within(settings.signs_of_life->value, frame)
                                   : rtsync::fitted_signs(alive_interval(frame), frame);
    signs_.emplace(wanted, frame, rtsync::sign_of_life_cost());
    constexpr int kTries = 3;  // a machine may be busy as a rig starts
    for (int i = 1; i < kTries && signs_->is_poor(); ++i) (void)signs_->improve(rtsync::sign_of_life_cost());
    signs = signs_->interval();
    if (signs_->is_poor()) run_->provisions.push_back(fewer_signs(wanted, signs, signs_->cost()));
  }
  events_ = std::make_shared<rtsync::KernelEvents>(watched, of_frames, signs, &realtime_threads_);
  run_->add(events_->provisions());
  FrameEvidence& evidence = executive_.accounts().evidence();
  part_.emplace(events_, evidence);
  executive_.add(*part_);
  const auto model = rtsync::read_preemption_model();
  evidence.watch(events_, throttle_gap(of_frames), model && model->lets_go());
  cpus_.watch(of_frames);
  evidence.watch_cpus(cpus_);
  std::vector<pid_t> numbers;
  for (const rtsync::EventThread& thread : watched) numbers.push_back(thread.tid);
  quotas_.emplace(numbers);
  may_be_limited_ = !std::all_of(numbers.begin(), numbers.end(),
                                 [this](pid_t thread) { return realtime_threads_.has(thread); });
  look_at_quotas();
  evidence.watch_quotas(*quotas_);
  freezers_.emplace(numbers);
  evidence.watch_freezers(*freezers_);
  if (events_->sees_cpus()) {
    ready_.emplace(numbers);
    ready_->look();
    ready_->end_frame();
    evidence.watch_ready(*ready_);
  }
  if (run_->pacing->edge_clock() != nullptr) evidence.watch_clock(run_->rig.clock_status());
  if (!events_->sees_cpus()) count_delays();
  if (delays_ || may_be_limited_) start_counting();
}

/// Asks for the policy of every thread of the machine: a millisecond of CPU time for some hundred.
void RunCauses::look_at_threads() {
  looked_ = std::chrono::steady_clock::now();
  realtime_threads_.look();
}

/// Counts how long the thread of the frames waits for a CPU, where it is not permitted to see which thread has it.
void RunCauses::count_delays() {
  const Plan& plan = executive_.plan();
  const rtsync::Period frame = rtsync::real_period(plan.frame, plan.ratio);
  const double early = run_->pacing->sleeper().share_spun(frame) * static_cast<double>(frame_.count());
  delays_.emplace(run_->main, Nanoseconds{static_cast<std::int64_t>(early)});
  delays_->look();
  executive_.accounts().evidence().watch_delays(*delays_, realtime_threads_.has(run_->main));
}

/// Looks again and again at what is counted, often enough that a stop before a late frame is not taken for one in it.
void RunCauses::start_counting() {
  static constexpr std::chrono::milliseconds kEvery{5};
  counts_ = true;
  counter_ = std::make_unique<rtsync::PinnedThread>(run_->cpus.small_helper("counts"), [this] {
    std::unique_lock lock(counting_);
    while (!ended_.wait_for(lock, kEvery, [this] { return !counts_; })) {
      if (delays_) delays_->look();
      look_at_quotas();
    }
  });
}

void RunCauses::end_counting() {
  {
    const std::lock_guard lock(counting_);
    counts_ = false;
  }
  ended_.notify_all();
  counter_.reset();
}

void RunCauses::summarize(Json& all, Summary what) const {
  if (what == Summary::known) return;
  all["causes"] = causes();
  all["promises_broken"] = promises_broken();
}

void RunCauses::report(LiveReport which, Json& body) {
  if (which != LiveReport::timing) return;
  body["causes"] = causes();
  body["promises_broken"] = promises_broken();
}

void RunCauses::take(const FrameNote& note) {
  const Finding& named = note.named();
  if (named.cause == rtsync::Cause::none) return;
  if (note.is_late_from_after(noted_)) {
    shares_.forget();
    began_ = {};
  }
  noted_ = note.timing.frame;
  if (note.overrun.cause != rtsync::Cause::none) ++sum_of(note.overrun.cause).overruns;
  if (note.late.cause != rtsync::Cause::none) ++sum_of(note.late.cause).late_wakes;
  for (const Finding* const finding : {&named, &note.beside}) {
    const std::array<std::uint32_t, 3> one{finding->job, Finding::kNoJob, Finding::kNoJob};
    for (const std::uint32_t job : finding->group.jobs > 1 ? finding->group.first : one)
      if (job != Finding::kNoJob) ++sum_of(finding->cause).jobs[job];
  }
  const std::array<Culprit, 2> own{culprits_.of(named), culprits_.of(note.beside)};
  const CauseShares::Charged charged =
      shares_.charge(named.cause, note.lateness(), {note.beside.cause, note.beside_share});
  for (std::size_t i = 0; i < charged.size(); ++i) {
    if (charged[i].cause == rtsync::Cause::none) continue;
    Sum& sum = sum_of(charged[i].cause);
    sum.worst = std::max(sum.worst, charged[i].time);
    sum.sum += charged[i].time;
    const Finding& finding = i < 2 ? named : note.beside;
    const bool caught_up = finding.cause == rtsync::Cause::catching_up;
    const Culprit& culprit = caught_up ? began_[i % 2] : own[i / 2];
    if (culprit.name.empty()) continue;
    const bool has_room = sum.by.size() < kMostCulprits || sum.by.contains(culprit);
    Sum::Taken& taken = sum.by[has_room ? culprit : Culprit{"others", "", ""}];
    taken.count += caught_up ? 0 : 1;
    taken.sum += charged[i].time;
  }
  if (named.cause != rtsync::Cause::catching_up)
    began_ = {own[0], note.beside.cause == rtsync::Cause::catching_up ? began_[0] : own[1]};
}

/// Those that took most first.
Json RunCauses::by_json(const Sum& sum) {
  std::vector<std::pair<Culprit, Sum::Taken>> all(sum.by.begin(), sum.by.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second.sum > b.second.sum; });
  Json list = Json::array();
  for (const auto& [culprit, taken] : all)
    list.push_back({{"name", culprit.name},
                    {"policy", culprit.policy},
                    {"of", culprit.of},
                    {"count", taken.count},
                    {"sum_ns", taken.sum.count()}});
  return list;
}

void RunCauses::look_at_quotas() {
  constexpr Nanoseconds kFindEvery{100'000'000};
  if (!quotas_) return;
  const rtsync::EvidenceTime now = rtsync::monotonic_now();
  const bool find = now - found_groups_ >= kFindEvery;
  if (find) found_groups_ = now;
  quotas_->look(find);
}

void RunCauses::place_signs() {
  const auto slot = executive_.accounts().evidence().last_slot();
  if (events_ && slot) signs_stand_well_ = events_->keep_signs_between(*slot, frame_);
}

/// Again, for when the machine is calm: the frames' CPUs have nothing to do with it.
void RunCauses::measure_signs(RunVoice& voice) {
  if (!signs_ || !signs_->is_poor() || measurements_left_ == 0 || !events_->has_signs_by_cpu()) return;
  if (signs_->improve(rtsync::sign_of_life_cost()) && events_->change_signs(signs_->interval())) {
    signs_stand_well_ = false;
    voice.mention("signs of life every " + rtsync::duration_text(signs_->interval()) +
                  " from now on: one takes " + rtsync::duration_text(signs_->cost()));
  }
  if (--measurements_left_ == 0 && signs_->is_poor())
    voice.say("signs of life come every " + rtsync::duration_text(signs_->interval()) +
              " only, as one takes " + rtsync::duration_text(signs_->cost()) +
              ": the cause of a shorter excess may be unknown");
}

void RunCauses::poll(RunVoice&) {
  if (!counter_) look_at_quotas();
  if (ready_) ready_->look();
  if (freezers_) freezers_->look();
  if (!signs_stand_well_) place_signs();
}

void RunCauses::poll_seldom(RunVoice& voice) {
  if (events_) {  // else nobody asks for what they see
    if (std::chrono::steady_clock::now() - looked_ >= kLookAgain) look_at_threads();
    cpus_.look();
    executive_.accounts().evidence().look_at_counts();
  }
  measure_signs(voice);
  place_signs();
  each_broken(executive_.program().promises(), [&](std::size_t job, std::size_t kind, const auto& count) {
    if (std::exchange(told_[job][kind], true)) return;
    voice.say("job " + executive_.plan().jobs[job].name + kSentences[kind] +
              rtsync::counted(count.calls, kCounted[kind]) + " so far" +
              (kind == BrokenPromises::floating ? "" : ", in " + rtsync::counted(count.jobs, "frame")) +
              "; summary.json has all (promises_broken)");
  });
}

std::int64_t RunCauses::overruns() const {
  std::int64_t all = 0;
  for (const Sum& sum : sums_) all += sum.overruns;
  return all;
}

std::uint64_t RunCauses::found() const {
  std::uint64_t all = 0;
  for (const Sum& sum : sums_) all += static_cast<std::uint64_t>(sum.overruns + sum.late_wakes);
  each_broken(executive_.program().promises(),
              [&](std::size_t, std::size_t, const auto& count) { all += count.calls; });
  return all;
}

Json RunCauses::causes() const {
  Json all = Json::object();
  for (std::size_t i = 1; i < sums_.size(); ++i) {
    const Sum& sum = sums_[i];
    if (sum.overruns + sum.late_wakes + sum.sum.count() == 0) continue;
    Json jobs = Json::object();
    for (const auto& [job, count] : sum.jobs) jobs[executive_.plan().jobs[job].name] = count;
    Json& each = all[std::string(name_of(static_cast<rtsync::Cause>(i)))];
    each = {{"overruns", sum.overruns},
            {"late_wakes", sum.late_wakes},
            {"worst_ns", sum.worst.count()},
            {"sum_ns", sum.sum.count()},
            {"jobs", std::move(jobs)}};
    if (!sum.by.empty()) each["by"] = by_json(sum);
  }
  return all;
}

Json RunCauses::promises_broken() const {
  Json all = Json::object();
  each_broken(executive_.program().promises(), [&](std::size_t job, std::size_t kind, const auto& count) {
    all[executive_.plan().jobs[job].name][kNames[kind]] = {{"count", count.calls}, {"frames", count.jobs}};
  });
  return all;
}

}  // namespace tactus::executive
