// SPDX-License-Identifier: Apache-2.0
// How late does each sleeper wake at 1 kHz, beside cyclictest at the same priority on the same CPU? How late is it when
// the first job of the frame reads the clock itself, and what does the rig's thread use of its CPU?
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rtsync/clock/clock.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/dma_latency.hpp"
#include "rtsync/host/memory.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/time/histogram.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/realtime.hpp"
#include "tests/benchmark/stand.hpp"
#include "tests/rtsync/support/all_granted.hpp"
#include "tests/support/process.hpp"

namespace {

using namespace tactus::rtsync;
using tactus::benchmark::Json;

using tactus::benchmark::kPriority;
constexpr Period kPeriod{1'000'000, 1};
// A thread that spins at SCHED_FIFO stops everything else on its CPU. Bursts of a tenth of a second, a third
// of the time, stay far below the kernel's real-time throttle and keep the machine alive.
constexpr std::int64_t kBurstFrames = 100;
constexpr std::chrono::milliseconds kBurstPause{200};

/// All latenesses of one round in nanoseconds, sorted.
using Lateness = std::vector<std::int64_t>;

double quantile(const Lateness& sorted, double share) {
  return sorted.empty() ? 0 : static_cast<double>(sorted[rank_of(share, sorted.size()) - 1]);
}

/// What a sleeper was asked: when the frames woke, and when their first job read the clock.
struct Found {
  Lateness wake;
  Lateness first_job;
  std::int64_t cpu_ns = 0;  // of the thread, and how long all of it took
  std::int64_t wall_ns = 0;

  double cpu_percent() const {
    return wall_ns == 0 ? 0 : 100.0 * static_cast<double>(cpu_ns) / static_cast<double>(wall_ns);
  }
  void reserve(std::int64_t frames) {
    wake.reserve(static_cast<std::size_t>(frames));
    first_job.reserve(static_cast<std::size_t>(frames));
  }
};

/// The first job of a rig: reads the clock, and between the first frame that was waited for and the last one's begin the
/// CPU time of its thread.
struct FirstJob {
  RealtimeSync& sync;
  Found& found;
  std::int64_t last_frame;

  static int run(void* self, const tactus_call* call) {
    const Nanoseconds now = monotonic_now().time_since_epoch();
    auto& [sync, found, last_frame] = *static_cast<FirstJob*>(self);
    if (call->frame == 0) return 0;  // begins without a wait
    if (call->frame == 1) {
      found.cpu_ns -= tactus::benchmark::cpu_ns();
      found.wall_ns -= now.count();
    }
    if (call->frame == last_frame) {
      found.cpu_ns += tactus::benchmark::cpu_ns();
      found.wall_ns += now.count();
    }
    const Nanoseconds slot = sync.slot_of(call->frame).time_since_epoch();
    found.wake.push_back((sync.wake().time_since_epoch() - slot).count());  // within what was reserved
    found.first_job.push_back((now - slot).count());
    return 0;
  }
};

struct Way {
  SleeperKind kind;
  std::optional<Nanoseconds> margin;  // of hybrid; nothing: it measures its own
};

/// A rig with one job; remark: what the sleeper says of itself.
void run_frames(const Way& way, int cpu, std::int64_t frames, Found& found, std::string& remark) {
  MonotonicClock clock;
  const std::unique_ptr<Sleeper> sleeper = make_sleeper(way.kind, clock, way.margin);
  RealtimeSettings settings;
  settings.enabled = true;
  settings.overrun.on_overrun = OnOverrun::skip;
  RealtimeSync sync(settings, kPeriod, clock, *sleeper);
  FirstJob first{sync, found, frames};
  tactus::benchmark::Jobs jobs;
  jobs.add(&FirstJob::run, &first);
  MonotonicClock job_clock;
  tactus::executive::RealtimeVariables variables;
  tactus::executive::Executive executive(jobs.plan(true), sync, *sleeper, job_clock, variables);
  executive.run_initialization();
  PinnedThread thread{tactus::benchmark::realtime_thread(cpu), [&] { (void)executive.run(frames + 1); }};
  thread.join();
  remark = sleeper->remark();
}

Found ask_sleeper(const Way& way, int cpu, std::int64_t frames, std::string& remark) {
  Found found;
  found.reserve(frames);
  const std::int64_t burst = way.kind == SleeperKind::spin ? kBurstFrames : frames;
  for (std::int64_t done = 0; done < frames; done += burst) {
    if (done > 0) std::this_thread::sleep_for(kBurstPause);
    run_frames(way, cpu, std::min(burst, frames - done), found, remark);
  }
  std::sort(found.wake.begin(), found.wake.end());
  std::sort(found.first_job.begin(), found.first_job.end());
  return found;
}

/// The margin that a hybrid sleeper keeps if it does not follow its wakes: 1.5 times the 99th percentile of 200 sleeps,
/// at least 20 us and at most a quarter of the period.
Nanoseconds fixed_margin(int cpu) {
  std::string remark;
  const Found found = ask_sleeper({SleeperKind::nanosleep, std::nullopt}, cpu, 200, remark);
  const Nanoseconds wanted{static_cast<std::int64_t>(1.5 * quantile(found.wake, 0.99))};
  return std::clamp(wanted, Nanoseconds{20'000}, kPeriod.floor() / 4);
}

/// Its histogram in nanoseconds, as far as it reaches; what lies beyond counts as its maximum.
Lateness ask_cyclictest(int cpu, std::int64_t frames) {
  const auto done = tactus::test::run(
      {.argv = {"cyclictest", "-m", "-q", "-N", "-h", "1000000", "-t1", "-a", std::to_string(cpu), "-p",
                std::to_string(kPriority), "-i", "1000", "-l", std::to_string(frames)}});
  if (done.status != 0)
    throw std::runtime_error("cyclictest ended with status " + std::to_string(done.status) + ": " + done.err);
  Lateness late;
  std::int64_t max = 0;
  std::istringstream lines(done.out);
  const std::string max_line = "# Max Latencies:";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(max_line)) max = std::atoll(line.c_str() + max_line.size());
    char* rest = nullptr;
    const std::int64_t time = std::strtoll(line.c_str(), &rest, 10);
    if (rest == line.c_str()) continue;
    late.insert(late.end(), static_cast<std::size_t>(std::max(0LL, std::strtoll(rest, nullptr, 10))), time);
  }
  if (late.empty()) throw std::runtime_error("cyclictest printed no histogram");
  late.resize(std::max(late.size(), static_cast<std::size_t>(frames)), max);
  std::sort(late.begin(), late.end());
  return late;
}

Json figures_of(const std::vector<double>& values) { return to_json(tactus::benchmark::spread_of(values)); }

struct Percentile {
  const char* name;
  double share;
};
constexpr Percentile kPercentiles[] = {{"p50", 0.5}, {"p99", 0.99}, {"max", 1.0}};

void run(bool quick) {
  const std::string question = "how late does a thread of SCHED_FIFO wake at 1 kHz";
  const int cpu = allowed_cpus().last();
  if (const auto reason = tactus::benchmark::obstacle_to_realtime(cpu)) {
    tactus::benchmark::answer(question + "?", {{"skipped", *reason}});
    return;
  }
  const std::vector<Provision> memory = prepare_memory({.lock = true, .heap_bytes = 8 << 20});
  const DmaLatency awake{std::chrono::duration<std::int32_t, std::micro>{0}};  // as cyclictest asks

  struct Asked {
    const char* name;
    SleeperKind kind;
    std::int64_t frames;
    bool fixed = false;  // its margin
    std::vector<Found> rounds{};
    std::string remark{};
  };
  const int rounds = quick ? 2 : 7;
  const std::int64_t frames = quick ? 300 : 2'000;
  Asked asked[] = {{"nanosleep", SleeperKind::nanosleep, frames},
                   {"timerfd", SleeperKind::timerfd, frames},
                   {"hybrid", SleeperKind::hybrid, frames},
                   {"hybrid, fixed margin", SleeperKind::hybrid, frames, true},
                   {"spin", SleeperKind::spin, quick ? 2 * kBurstFrames : 8 * kBurstFrames}};
  const Asked* const hybrid = &asked[2];
  std::vector<Lateness> cyclictest;
  std::string no_cyclictest;
  for (int round = 0; round < rounds; ++round) {
    try {
      if (no_cyclictest.empty()) cyclictest.push_back(ask_cyclictest(cpu, frames));
    } catch (const std::exception& error) {
      no_cyclictest = std::string(error.what()) + " (package rt-tests)";
      cyclictest.clear();
    }
    for (std::size_t i = 0; i < std::size(asked); ++i) {
      Asked& now = asked[(i + static_cast<std::size_t>(round)) % std::size(asked)];
      const Way way{now.kind, now.fixed ? std::optional(fixed_margin(cpu)) : std::nullopt};
      now.rounds.push_back(ask_sleeper(way, cpu, now.frames, now.remark));
    }
  }

  for (const Asked& one : asked) {
    Json figures{{"sleeper", one.name},   {"remark", one.remark}, {"cpu", cpu},
                 {"priority", kPriority}, {"rounds", rounds},     {"frames", one.frames * rounds}};
    if (one.kind == SleeperKind::spin) figures["burst_frames"] = kBurstFrames;
    if (!no_cyclictest.empty()) figures["cyclictest_skipped"] = no_cyclictest;
    for (const Percentile& percentile : kPercentiles) {
      std::vector<double> ours;
      std::vector<double> first_job;
      std::vector<double> theirs;
      std::vector<double> ratio;
      std::vector<double> first_job_ratio;
      for (std::size_t r = 0; r < one.rounds.size(); ++r) {
        ours.push_back(quantile(one.rounds[r].wake, percentile.share));
        first_job.push_back(quantile(one.rounds[r].first_job, percentile.share));
        if (cyclictest.empty()) continue;
        theirs.push_back(quantile(cyclictest[r], percentile.share));
        ratio.push_back(ours.back() / theirs.back());
        first_job_ratio.push_back(first_job.back() / theirs.back());
      }
      const std::string name = percentile.name;
      figures["late_" + name + "_ns"] = figures_of(ours);
      figures["first_job_" + name + "_ns"] = figures_of(first_job);
      if (cyclictest.empty()) continue;
      figures["cyclictest_" + name + "_ns"] = figures_of(theirs);
      figures[name + "_ratio_to_cyclictest"] = figures_of(ratio);
      figures["first_job_" + name + "_ratio_to_cyclictest"] = figures_of(first_job_ratio);
    }
    const auto cpu_of = [](const std::vector<Found>& found) {
      std::vector<double> percent;
      for (const Found& round : found) percent.push_back(round.cpu_percent());
      return figures_of(percent);
    };
    figures["cpu_percent"] = cpu_of(one.rounds);
    if (one.kind == SleeperKind::hybrid) figures["aim_p50_ratio"] = 0.1;
    if (&one == hybrid) {  // beside it, of the same rounds
      for (const auto& [key, other] :
           {std::pair<const char*, const Asked*>{"nanosleep_", &asked[0]}, {"fixed_margin_", hybrid + 1}}) {
        figures[std::string(key) + "cpu_percent"] = cpu_of(other->rounds);
        for (const Percentile& percentile : kPercentiles) {
          std::vector<double> late;
          for (const Found& found : other->rounds) late.push_back(quantile(found.wake, percentile.share));
          figures[std::string(key) + "late_" + percentile.name + "_ns"] = figures_of(late);
        }
      }
    }
    figures["memory_locked"] = all_granted(memory);
    tactus::benchmark::answer(question + " with the sleeper " + one.name + "?", figures);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(
      argc, argv, "How late does each sleeper wake at 1 kHz, beside cyclictest?", &run);
}
