// SPDX-License-Identifier: Apache-2.0
// How many frames are late at 1, 5 and 20 kHz, what does the rig's thread use of its CPU, and how many empty jobs go
// into a frame before more than 1 of 1000 is late?
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tactus/model.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "executive/frame/executive.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/dma_latency.hpp"
#include "rtsync/host/memory.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/realtime.hpp"
#include "tests/benchmark/recorder.hpp"

namespace {

using namespace tactus::rtsync;
using tactus::benchmark::Json;
using tactus::benchmark::spread_of;
using tactus::benchmark::to_json;
using tactus::executive::ModelInstance;

constexpr std::size_t kMostJobs = 40'000;
constexpr std::int64_t kAllowed = 1000;  // one of so many may be late
// A thread that spins at SCHED_FIFO stops everything else on its CPU: it rests after each burst.
constexpr std::int64_t kBurstNs = 100'000'000;
constexpr std::chrono::milliseconds kRest{40};
constexpr std::int64_t kSettleFrames = 5;  // after a rest, which is an overrun

class Empty : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override { d.job<&Empty::step>("step", tactus::JobClass::scheduled); }
  void step() {}
};
TACTUS_MODEL("empty", Empty, "no output")

/// Models with a job each; a rig takes as many as it is to have.
class Models {
 public:
  Models() {
    std::uint32_t models = 0;
    const tactus_model* const* const all = tactus_models(&models);
    for (std::size_t i = 0; i < kMostJobs; ++i) {
      ModelInstance& made = instances_.emplace_back(**all, "empty" + std::to_string(i));
      tactus::executive::PlannedJob job;
      job.name = made.name() + ".step";
      job.model = &made;
      job.run = made.jobs().front().run;
      job.self = made.self();
      jobs_.push_back(std::move(job));
    }
  }
  tactus::executive::Plan plan(std::size_t jobs, Period frame, tactus::executive::PlannedJob first) const {
    tactus::executive::Plan plan;
    plan.frame = first.cycle = frame;
    plan.jobs.push_back(std::move(first));
    plan.jobs.insert(plan.jobs.end(), jobs_.begin(), jobs_.begin() + static_cast<std::ptrdiff_t>(jobs));
    for (tactus::executive::PlannedJob& job : plan.jobs) job.cycle = frame;
    return plan;
  }

 private:
  std::deque<ModelInstance> instances_;
  std::vector<tactus::executive::PlannedJob> jobs_;
};

/// What became of the frames of one rig.
struct Seen {
  std::int64_t frames = 0;
  std::int64_t lost = 0;  // slots
  std::int64_t late_wakes = 0;
  std::array<std::int64_t, 5> overruns{};  // by OverrunCause
  std::int64_t cpu_ns = 0, wall_ns = 0;
  std::vector<double> late, work, behind;

  std::int64_t slots() const { return frames + lost; }
  std::int64_t late_slots() const { return frames - overruns[0] + lost; }
  bool too_many(std::int64_t slots) const { return late_slots() * kAllowed > slots; }
  double late_percent() const {
    return slots() == 0 ? 0 : 100.0 * static_cast<double>(late_slots()) / static_cast<double>(slots());
  }
  double cpu_percent() const {
    return wall_ns == 0 ? 0 : 100.0 * static_cast<double>(cpu_ns) / static_cast<double>(wall_ns);
  }
};

const char* name_of_cause(std::size_t cause) {
  constexpr std::array<const char*, 5> kNames{"none", "work", "late_wake", "catching_up", "housekeeping"};
  return kNames[cause];
}

/// Cause of most of the late frames; "none": no frame was late.
std::string main_cause(const Seen& seen) {
  const auto most = std::max_element(seen.overruns.begin() + 1, seen.overruns.end());
  return *most == 0 ? "none" : name_of_cause(static_cast<std::size_t>(most - seen.overruns.begin()));
}

/// The first job of the frame: keeps what became of the frame before, and rests between bursts.
class Watch {
 public:
  Watch(RealtimeSync& sync, std::int64_t slots, bool give_up)
      : sync_(sync), slots_(slots), give_up_(give_up) {
    for (auto* const times : {&seen.late, &seen.work, &seen.behind})
      times->reserve(static_cast<std::size_t>(slots) + 1);
  }
  static int look(void* self, const tactus_call* call) {
    static_cast<Watch*>(self)->look(call->frame);
    return 0;
  }
  Seen seen;
  tactus::executive::Executive* executive = nullptr;

 private:
  void look(std::int64_t frame) {
    if (ended_ || frame < first_) return;
    if (frame == first_) {
      begin_ns_ = tactus::benchmark::now_ns();
      begin_cpu_ns_ = tactus::benchmark::cpu_ns();
      return;
    }
    take(sync_.timing());
    const std::int64_t now = tactus::benchmark::now_ns();
    const bool decided = give_up_ && seen.too_many(slots_);
    if (seen.slots() < slots_ && !decided && now - begin_ns_ < kBurstNs) return;
    seen.wall_ns += now - begin_ns_;
    seen.cpu_ns += tactus::benchmark::cpu_ns() - begin_cpu_ns_;
    ended_ = seen.slots() >= slots_ || decided;
    if (ended_) executive->request_stop("measured");
    std::this_thread::sleep_for(kRest);
    first_ = frame + kSettleFrames;
  }
  void take(const FrameTiming& timing) {
    ++seen.frames;
    seen.lost += timing.lost;
    seen.late_wakes += timing.late_wake ? 1 : 0;
    ++seen.overruns[static_cast<std::size_t>(timing.overrun)];
    seen.late.push_back(static_cast<double>(timing.late.count()));
    seen.work.push_back(static_cast<double>(timing.work.count()));
    seen.behind.push_back(static_cast<double>(timing.behind.count()));
  }

  RealtimeSync& sync_;
  const std::int64_t slots_;
  const bool give_up_;
  bool ended_ = false;
  std::int64_t first_ = kSettleFrames;
  std::int64_t begin_ns_ = 0, begin_cpu_ns_ = 0;
};

/// A rate and a sleeper, on a thread of this machine.
struct Rate {
  std::int64_t period_ns;
  SleeperKind sleeper;
  const char* name;  // of the sleeper
  ThreadSettings thread;
};

/// A rig with everything that is on by default. `give_up`: ends it once more are late than may be.
Seen run_rig(const Models& models, const Rate& rate, std::size_t jobs, std::int64_t slots, bool give_up) {
  MonotonicClock clock;
  const std::unique_ptr<Sleeper> sleeper = make_sleeper(rate.sleeper, clock, std::nullopt);
  const Period period{rate.period_ns, 1};
  RealtimeSettings settings;
  settings.enabled = true;
  settings.overrun.on_overrun = OnOverrun::skip;  // a late frame is one, and makes no others late
  RealtimeSync sync(settings, period, clock, *sleeper);
  Watch watch(sync, slots, give_up);
  tactus::executive::PlannedJob look;
  look.name = "look";
  look.run = &Watch::look;
  look.self = &watch;
  tactus::executive::Plan plan = models.plan(jobs, period, look);
  tactus::benchmark::Recorder recorder(plan.jobs.size());
  tactus::executive::RealtimeVariables variables;
  tactus::executive::Executive executive(std::move(plan), sync, *sleeper, clock, variables);
  watch.executive = &executive;
  recorder(executive);
  executive.run_initialization();
  PinnedThread thread{rate.thread, [&] { (void)executive.run(INT64_MAX); }};
  thread.join();
  return std::move(watch.seen);
}

/// Numbers of jobs that are tried: ten a decade.
std::vector<std::size_t> rungs() {
  std::vector<std::size_t> all{0, 10, 20, 50};
  for (std::size_t decade = 10; decade <= 1000; decade *= 10)
    for (const double step : {10.0, 12.5, 16.0, 20.0, 25.0, 31.5, 40.0, 50.0, 63.0, 80.0})
      all.push_back(static_cast<std::size_t>(step * static_cast<double>(decade)));
  while (all.back() > kMostJobs) all.pop_back();
  return all;
}

struct Most {
  std::size_t jobs = 0;
  bool none = false;  // late without a job, too
  std::string cause;  // of what is late with more
};

/// The greatest number of jobs with which few enough frames are late, by halves. A number has two tries: what stops the
/// machine in one of them for once is not its fault.
Most most_jobs(const Models& models, const Rate& rate, std::int64_t slots) {
  static const std::vector<std::size_t> all = rungs();
  Most most;
  const auto fits = [&](std::size_t jobs) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      const Seen seen = run_rig(models, rate, jobs, slots, true);
      if (!seen.too_many(slots)) return true;
      most.cause = main_cause(seen);
    }
    return false;
  };
  if (!fits(0)) {
    most.none = true;
    return most;
  }
  std::size_t good = 0;
  std::size_t bad = all.size();  // beyond the last one
  while (bad - good > 1) {
    const std::size_t middle = (good + bad) / 2;
    (fits(all[middle]) ? good : bad) = middle;
  }
  most.jobs = all[good];
  if (bad == all.size()) most.cause = "none: no more were tried";
  return most;
}

Json rate_figures(const Rate& rate, const std::string& scheduling, std::int64_t slots) {
  return {{"frame_us", rate.period_ns / 1000},
          {"sleeper", rate.name},
          {"scheduling", scheduling},
          {"slots_of_a_round", slots}};
}

/// The curve: what is late, and what the thread uses, with more and more jobs.
void ask_late(const Models& models, const Rate& rate, const std::string& scheduling, std::int64_t slots,
              int rounds, std::size_t jobs) {
  std::vector<double> late, late_wakes, cpu, late_p50, late_p99, work, behind;
  std::map<std::string, std::int64_t> causes;
  for (int round = 0; round < rounds; ++round) {
    Seen seen = run_rig(models, rate, jobs, slots, false);
    late.push_back(seen.late_percent());
    late_wakes.push_back(100.0 * static_cast<double>(seen.late_wakes) /
                         static_cast<double>(std::max<std::int64_t>(1, seen.slots())));
    cpu.push_back(seen.cpu_percent());
    for (std::size_t cause = 1; cause < seen.overruns.size(); ++cause)
      if (seen.overruns[cause] > 0) causes[name_of_cause(cause)] += seen.overruns[cause];
    std::sort(seen.late.begin(), seen.late.end());
    if (!seen.late.empty()) {
      late_p50.push_back(seen.late[seen.late.size() / 2]);
      late_p99.push_back(seen.late[seen.late.size() * 99 / 100]);
    }
    work.push_back(spread_of(seen.work).median);
    behind.push_back(spread_of(seen.behind).median);
  }
  Json figures = rate_figures(rate, scheduling, slots);
  figures["jobs"] = jobs;
  figures["rounds"] = rounds;
  figures["late_percent"] = to_json(spread_of(late));
  figures["late_wakes_percent"] = to_json(spread_of(late_wakes));
  figures["causes"] = Json(causes);
  figures["cpu_percent"] = to_json(spread_of(cpu));
  figures["wake_p50_ns"] = to_json(spread_of(late_p50));
  figures["wake_p99_ns"] = to_json(spread_of(late_p99));
  figures["work_p50_ns"] = to_json(spread_of(work));
  figures["behind_p50_ns"] = to_json(spread_of(behind));
  tactus::benchmark::answer("how many frames are late at a rate, and what is used of the CPU?", figures);
}

void ask_most(const Models& models, const Rate& rate, const std::string& scheduling, std::int64_t slots,
              int rounds) {
  std::vector<double> jobs;
  std::map<std::string, std::int64_t> breaks;
  int none = 0;
  for (int round = 0; round < rounds; ++round) {
    const Most most = most_jobs(models, rate, slots);
    jobs.push_back(static_cast<double>(most.jobs));
    none += most.none ? 1 : 0;
    ++breaks[most.cause];
  }
  Json figures = rate_figures(rate, scheduling, slots);
  figures["rounds"] = rounds;
  figures["most_jobs"] = to_json(spread_of(jobs));
  figures["rounds_late_without_a_job"] = none;
  figures["late_beyond_by"] = Json(breaks);
  tactus::benchmark::answer("how many empty jobs fit a frame before more than 1 of 1000 is late?", figures);
}

void run(bool quick) {
  const int cpu = allowed_cpus().last();
  std::string scheduling = "SCHED_FIFO " + std::to_string(tactus::benchmark::kPriority);
  ThreadSettings thread = tactus::benchmark::realtime_thread(cpu);
  if (const auto reason = tactus::benchmark::obstacle_to_realtime(cpu)) {
    scheduling = "ordinary: " + *reason;
    thread.policy = SchedPolicy::other;
    thread.priority = 0;
  }
  const Models models;
  // What is not granted makes frames later, which is the answer then.
  const std::vector<Provision> memory = prepare_memory({.lock = true, .heap_bytes = 8 << 20});
  const DmaLatency awake{std::chrono::duration<std::int32_t, std::micro>{0}};
  const int rounds = quick ? 1 : 5;
  struct Asked {
    std::int64_t period_ns;
    SleeperKind sleeper;
    const char* name;
  };
  for (const auto& [period_ns, sleeper, name] :
       std::initializer_list<Asked>{{1'000'000, SleeperKind::hybrid, "hybrid"},
                                    {200'000, SleeperKind::hybrid, "hybrid"},
                                    {200'000, SleeperKind::spin, "spin"},
                                    {50'000, SleeperKind::hybrid, "hybrid"},
                                    {50'000, SleeperKind::spin, "spin"}}) {
    const Rate rate{period_ns, sleeper, name, thread};
    // Long enough for what stops this machine now and then, and for one late frame of kAllowed.
    const std::int64_t slots = std::max(kAllowed, (quick ? 200'000'000 : 1'000'000'000) / period_ns);
    for (const std::size_t jobs : std::initializer_list<std::size_t>{0, 100, 1000, 3000, 10'000}) {
      if (quick && jobs != 100) continue;
      if (static_cast<std::int64_t>(jobs) * 10 > period_ns) break;  // no job takes less
      ask_late(models, rate, scheduling, slots, rounds, jobs);
    }
    ask_most(models, rate, scheduling, slots, rounds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "How many frames are late at 1, 5 and 20 kHz?", &run);
}
