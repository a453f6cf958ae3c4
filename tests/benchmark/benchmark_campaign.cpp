// SPDX-License-Identifier: Apache-2.0
// What does a campaign cost beside its cases: time and CPU time of a case, on how many CPUs it is how much faster, and
// how much memory its runner takes?
#include <memory>
#include <string>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/process.hpp"
#include "tests/benchmark/trick_sim.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

using tactus::benchmark::Json;
using tactus::benchmark::ProcessCost;
using tactus::benchmark::run_process;
using tactus::benchmark::spread_of;
using tactus::benchmark::to_json;
using tactus::benchmark::TrickSim;
using tactus::test::TempDir;

/// A campaign of cases of 10 ms of the servo, without recordings.
class Campaign {
 public:
  explicit Campaign(std::int64_t cases) {
    dir_.write("a.campaign.yaml",
               "campaign: a\nrig: " + std::string(TACTUS_SERVO) +
                   "\nset: { until: 10 ms, record: {} }\nvary:\n"
                   "  models.motor.parameters.inertia: { uniform: [100 g cm^2, 160 g cm^2] }\n"
                   "cases: { monte_carlo: " +
                   std::to_string(cases) + ", seed: 1 }\n");
  }
  std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> all{TACTUS_COMMAND, "campaign", dir_ / "a.campaign.yaml", "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

 private:
  TempDir dir_;
};

std::vector<std::string> bare_run(const std::string& out) {
  return {TACTUS_COMMAND,  "run",         TACTUS_SERVO,
          "--set",         "until=10 ms", "--set",
          "record={}",     "--set",       "models.motor.parameters.inertia=123.4567891 g cm^2",
          "--no-realtime", "--out",       out};
}

/// A case in a campaign against the same run by itself; both begin with one run that is not counted. What a campaign
/// costs once, its start and its page, is known by one of two cases.
void answer_overhead(bool quick) {
  const int cases = quick ? 20 : 100;
  std::vector<double> wall, cpu, bare_wall, bare_cpu, ratio;
  for (int round = 0; round < (quick ? 2 : 5); ++round) {
    const TempDir out;
    (void)run_process(bare_run((out / "first").string()));
    ProcessCost bare;
    for (int i = 0; i < cases; ++i) {
      const ProcessCost one = run_process(bare_run((out / std::to_string(i)).string()));
      bare.wall_ms += one.wall_ms;
      bare.cpu_ms += one.cpu_ms;
    }
    const auto campaign = [&](int count) {
      const Campaign made(count);
      return run_process(
          made.words({"--jobs", "1", "--out", (out / ("c" + std::to_string(count))).string()}));
    };
    const ProcessCost few = campaign(2), many = campaign(cases + 2);
    bare_wall.push_back(bare.wall_ms / cases);
    bare_cpu.push_back(bare.cpu_ms / cases);
    wall.push_back((many.wall_ms - few.wall_ms - bare.wall_ms) / cases);
    cpu.push_back((many.cpu_ms - few.cpu_ms - bare.cpu_ms) / cases);
    ratio.push_back((many.wall_ms - few.wall_ms) / bare.wall_ms);
  }
  tactus::benchmark::answer("what does a case of a campaign cost above a bare tactus run of it?",
                            {{"cases", cases},
                             {"wall_over_bare", to_json(spread_of(ratio))},
                             {"above_wall_ms", to_json(spread_of(wall))},
                             {"above_cpu_ms", to_json(spread_of(cpu))},
                             {"bare_wall_ms", to_json(spread_of(bare_wall))},
                             {"bare_cpu_ms", to_json(spread_of(bare_cpu))}});
}

/// One CPU and two, in turn.
void answer_speed(bool quick) {
  const int cases = quick ? 100 : 10'000;
  const Campaign made(cases);
  std::vector<double> ratio, one_rate, two_rate;
  for (int round = 0; round < (quick ? 2 : 1); ++round) {
    double rate[2] = {0, 0};
    for (int i = 0; i < 2; ++i) {
      const int cpus = (i + round) % 2 + 1;
      const TempDir out;
      std::vector<std::string> words =
          made.words({"--jobs", std::to_string(cpus), "--out", (out / "c").string()});
      words.insert(words.begin(), {"taskset", "-c", cpus == 1 ? "0" : "0,1"});
      rate[cpus - 1] = cases / run_process(words).wall_ms * 1e3;
    }
    one_rate.push_back(rate[0]);
    two_rate.push_back(rate[1]);
    ratio.push_back(rate[1] / rate[0]);
  }
  tactus::benchmark::answer("how much faster are cases of 10 ms on two CPUs than on one?",
                            {{"cases", cases},
                             {"two_over_one", to_json(spread_of(ratio))},
                             {"one_cases_per_s", to_json(spread_of(one_rate))},
                             {"two_cases_per_s", to_json(spread_of(two_rate))}});
}

/// The runner's own memory, of a hundred cases and of a million, of which as many run.
void answer_memory(bool quick) {
  Json figures;
  double few = 0, many = 0;
  for (const std::int64_t cases : {std::int64_t{100}, std::int64_t{1'000'000}}) {
    const Campaign made(cases);
    const TempDir out;
    const ProcessCost done =
        run_process(made.words({"--stop-after", quick ? "10" : "100", "--out", (out / "c").string()}), true);
    (cases == 100 ? few : many) = done.peak_mib;
  }
  figures["of_100_cases_mib"] = few;
  figures["of_1000000_cases_mib"] = many;
  figures["bytes_a_case"] = (many - few) * 1024 * 1024 / 1e6;
  tactus::benchmark::answer("how much memory does the runner of a million cases take?", figures);
}

/// Many cases less a few, so that what is there once does not count.
template <class Run>
double case_ms(int cases, const Run& run) {
  constexpr int kFew = 4;
  return (run(cases + kFew).wall_ms - run(kFew).wall_ms) / cases;
}

/// A case of 10 ms in a campaign and in Trick's Monte Carlo, on one CPU and on two, and alone. A slave of Trick forks a case
/// from a simulation that has started; one of tactus is a process that starts.
void answer_trick(bool quick) {
  const int cases = quick ? 20 : 400, trick_cases = quick ? 20 : 40;  // of 1 s to 2 s each
  Json figures{{"cases", cases}};
  const auto cases_of_tactus = [&](int jobs) {
    return case_ms(cases, [&](int count) {
      const Campaign made(count);
      const TempDir out;
      return run_process(made.words({"--jobs", std::to_string(jobs), "--out", (out / "c").string()}));
    });
  };
  std::vector<double> ours[2], theirs[2], alone;
  std::unique_ptr<TrickSim> trick;
  if (!TrickSim::home().empty()) trick = std::make_unique<TrickSim>();
  figures["trick"] = trick == nullptr ? TrickSim::kNotTried : trick->version();
  if (trick != nullptr) figures["trick_cases"] = trick_cases;
  for (int round = 0; round < (quick ? 2 : 3); ++round) {
    for (int i = 0; i < 2; ++i) {
      ours[i].push_back(cases_of_tactus(i + 1));
      if (trick == nullptr) continue;
      theirs[i].push_back(case_ms(trick_cases, [&](int count) { return trick->run_cases(count, i + 1); }));
    }
    if (trick != nullptr) alone.push_back(trick->run_alone().wall_ms);
  }
  for (int i = 0; i < 2; ++i) {
    const std::string name = i == 0 ? "_one_ms" : "_two_ms";
    figures["case" + name] = to_json(spread_of(ours[i]));
    if (trick != nullptr) figures["trick_case" + name] = to_json(spread_of(theirs[i]));
  }
  if (trick != nullptr) figures["trick_alone_ms"] = to_json(spread_of(alone));
  tactus::benchmark::answer("what does a case of 10 ms take, beside Trick's Monte Carlo?", figures);
}

void run(bool quick) {
  answer_overhead(quick);
  answer_speed(quick);
  answer_memory(quick);
  answer_trick(quick);
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "What does a campaign cost beside its cases?", &run);
}
