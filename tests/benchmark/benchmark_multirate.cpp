// SPDX-License-Identifier: Apache-2.0
// Does a frame with many rates cost what is due in it, or what is declared?
#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/stand.hpp"

namespace {

using tactus::benchmark::Jobs;
using tactus::benchmark::Json;
using tactus::benchmark::Stand;
using tactus::benchmark::to_json;

constexpr std::int64_t kDeclared = 10'000;

/// Jobs of 100 cycles, 1 to 100 frames: job i has the cycle 1 + i % 100 frames, so that neighbours never
/// share one. Their common hyperperiod is 6.97e40 frames.
constexpr std::int64_t kCycles = 100;

/// How many of them are due in a frame, when all begin in frame 0.
std::int64_t due_in(std::int64_t frame) {
  std::int64_t due = 0;
  for (std::int64_t cycle = 1; cycle <= kCycles; ++cycle)
    if (frame % cycle == 0) due += kDeclared / kCycles;
  return due;
}

double median(std::vector<double> values) { return tactus::benchmark::spread_of(std::move(values)).median; }

/// A frame costs fixed + due * each: the straight line through the medians of frames with as many due jobs,
/// each weighing as much as it has frames.
struct Line {
  double fixed = 0;
  double each = 0;
};
struct Bin {
  std::int64_t due;
  std::vector<double> ns;
};

Line line_through(const std::vector<Bin>& bins) {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Bin& bin : bins) {
    if (bin.ns.empty()) continue;
    const auto w = static_cast<double>(bin.ns.size());
    const auto due = static_cast<double>(bin.due);
    const double ns = median(bin.ns);
    weight += w;
    x += w * due;
    y += w * ns;
    xx += w * due * due;
    xy += w * due * ns;
  }
  const double each = (weight * xy - x * y) / (weight * xx - x * x);
  return {(y - each * x) / weight, each};
}

void ask_due(int rounds, bool job_times) {
  Jobs jobs;
  for (std::int64_t i = 0; i < kDeclared; ++i) jobs.add(1 + i % kCycles);
  Stand stand(jobs.plan(job_times));
  (void)stand.frames(2 * kCycles, 1);  // every job has been called
  std::vector<std::int64_t> ends(101);
  std::vector<Bin> bins;
  std::vector<double> all_ns;
  std::vector<double> all_due;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t first = stand.frames_run() + 20;
    ends.resize(101);
    stand.frames(20, ends);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const std::int64_t due = due_in(first + static_cast<std::int64_t>(i));
      const auto ns = static_cast<double>(ends[i + 1] - ends[i]);
      all_ns.push_back(ns);
      all_due.push_back(static_cast<double>(due));
      auto bin = std::find_if(bins.begin(), bins.end(), [due](const Bin& b) { return b.due == due; });
      if (bin == bins.end()) bin = bins.insert(bin, {due, {}});
      bin->ns.push_back(ns);
    }
  }
  std::sort(bins.begin(), bins.end(), [](const Bin& a, const Bin& b) { return a.due < b.due; });
  Json by_due;
  for (const Bin& bin : bins)
    if (bin.ns.size() >= 20) by_due[std::to_string(bin.due)] = tactus::benchmark::rounded(median(bin.ns));
  const Line line = line_through(bins);
  std::int64_t expected = 0;
  for (std::int64_t frame = 0; frame < stand.frames_run(); ++frame) expected += due_in(frame);
  tactus::benchmark::answer(
      std::string("does a frame of 10,000 jobs with 100 different cycles cost what is due in it") +
          (job_times ? " (with job times)?" : "?"),
      {{"jobs", kDeclared},
       {"frames", all_ns.size()},
       // Each frame's time holds one read of the clock, which ends it.
       {"frame_ns_by_due_jobs", by_due},
       {"frame_ns", to_json(tactus::benchmark::spread_of(all_ns))},
       {"due_jobs", to_json(tactus::benchmark::spread_of(all_due))},
       {"fixed_ns", tactus::benchmark::rounded(line.fixed)},
       {"ns_per_due_job", tactus::benchmark::rounded(line.each)},
       {"every_due_job_ran_once", jobs.runs() == expected}});
}

/// The same number of due jobs out of ever more declared ones.
void ask_declared(int rounds) {
  constexpr std::int64_t kDue = 10;
  const std::vector<std::int64_t> declared = {kDue, 100, 1'000, 10'000};
  // Scattered: the due jobs of a frame lie all over the plan. Together: they are declared one after the
  // other.
  std::deque<Jobs> jobs;
  std::deque<Stand> stands;
  std::vector<tactus::benchmark::Contender> contenders;
  for (const bool scattered : {true, false}) {
    for (const std::int64_t count : declared) {
      const std::int64_t cycle = count / kDue;
      Jobs& plan = jobs.emplace_back();
      for (std::int64_t i = 0; i < count; ++i) plan.add(cycle, scattered ? i % cycle : i / kDue);
      Stand& stand = stands.emplace_back(plan.plan(false));
      contenders.push_back({"", [&stand] { return stand.frames(1'000, 1'000) / 1'000; }});
    }
  }
  const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(contenders, rounds);
  for (const bool scattered : {true, false}) {
    const std::size_t base = scattered ? 0 : declared.size();
    Json frame;
    Json ratio;
    for (std::size_t i = 0; i < declared.size(); ++i) {
      const std::string name = std::to_string(declared[i]);
      frame[name] = tactus::benchmark::rounded(turns.of(base + i).median);
      ratio[name] = tactus::benchmark::rounded(turns.ratio(base + i, base).median);
    }
    tactus::benchmark::answer(
        std::string("does a frame in which ten jobs are due cost more when more are declared (") +
            (scattered ? "scattered over the plan)?" : "one after the other)?"),
        {{"due_jobs", kDue},
         {"rounds", rounds},
         {"frame_ns_by_declared_jobs", frame},
         {"frame_ns_min_of_10000", tactus::benchmark::rounded(turns.of(base + 3).min)},
         {"ratio_by_declared_jobs", ratio},
         {"declared_jobs_more", declared.back() / declared.front()}});
  }
}

void run(bool quick) {
  tactus::benchmark::stay_on_last_cpu();
  ask_due(quick ? 40 : 400, false);
  ask_due(quick ? 20 : 200, true);
  ask_declared(quick ? 21 : 201);
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(
      argc, argv, "Does a frame with many rates cost what is due in it, or what is declared?", &run);
}
