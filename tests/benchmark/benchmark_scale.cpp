// SPDX-License-Identifier: Apache-2.0
// How do the start, the memory and the cost of a job grow with the size of a rig, as its user runs it?
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

using tactus::benchmark::ProcessCost;
using tactus::benchmark::rounded;

constexpr std::int64_t kVariables = 19;  // of a pair: parameters, input, outputs and states

/// Trajectories, each with an encoder that reads its position: two jobs, a connection and kVariables variables a pair.
std::string rig_of(std::int64_t pairs) {
  std::string models, connections;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const std::string n = std::to_string(i);
    models += "  t" + n +
              ": { model: trajectory, library: servo, parameters: { to: 20 rad, max_speed: 100 rad/s, "
              "max_acceleration: 1000 rad/s^2, max_jerk: 20000 rad/s^3 } }\n  e" +
              n + ": { model: encoder, library: servo, parameters: { lines: 5000 } }\n";
    connections += "  - { from: t" + n + ".position, to: e" + n + ".shaft_angle }\n";
  }
  return "rig: scale\nframe: { period: 1 ms }\nrealtime: { enabled: no }\nmodels:\n" + models + "connect:\n" +
         connections;
}

void run(bool quick) {
  for (const std::int64_t pairs : {5, 50, 500, 5'000}) {
    if (quick && pairs > 500) break;
    const tactus::test::TempDir dir;
    const std::string rig = dir.write("rig.yaml", rig_of(pairs)).string();
    const std::int64_t frames = std::max<std::int64_t>(200, (quick ? 200'000 : 2'000'000) / (2 * pairs));
    const auto run_frames = [&](std::int64_t number) {
      const tactus::test::TempDir out;
      return tactus::benchmark::run_process(
          {TACTUS_COMMAND, "run", rig, "--frames", std::to_string(number), "--out", (out / "out").string()});
    };
    (void)run_frames(1);
    std::vector<double> start_cpu, start_wall, peak, job;
    for (int round = 0; round < 5; ++round) {
      const ProcessCost start = run_frames(1);
      const ProcessCost whole = run_frames(frames + 1);
      start_cpu.push_back(start.cpu_ms);
      start_wall.push_back(start.wall_ms);
      peak.push_back(start.peak_mib);
      job.push_back((whole.cpu_ms - start.cpu_ms) * 1e6 / static_cast<double>(frames * 2 * pairs));
    }
    const auto spread = [](const std::vector<double>& values) {
      return tactus::benchmark::to_json(tactus::benchmark::spread_of(values));
    };
    const double each = tactus::benchmark::spread_of(job).median;
    tactus::benchmark::answer("how do start, memory and a job's cost grow with a rig?",
                              {{"jobs", 2 * pairs},
                               {"variables", kVariables * pairs},
                               {"connections", pairs},
                               {"start_cpu_ms", spread(start_cpu)},
                               {"start_wall_ms", spread(start_wall)},
                               {"peak_mib", spread(peak)},
                               {"job_cpu_ns", spread(job)},
                               {"jobs_that_fill_5_khz", rounded(200e3 / each)},
                               {"jobs_that_fill_20_khz", rounded(50e3 / each)}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "How does the cost grow with the size of a rig?", &run);
}
