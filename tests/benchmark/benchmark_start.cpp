// SPDX-License-Identifier: Apache-2.0
// What does it cost to start the servo rig and run one frame: time and CPU time of all its processes? And how much
// memory does it take in its whole run? For one frame its queues are shorter.
#include <string>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

using tactus::benchmark::ProcessCost;

void run(bool quick) {
  std::vector<double> wall[3];
  std::vector<double> cpu[3];
  constexpr int kWarmUp = 1;
  for (int round = -kWarmUp; round < (quick ? 3 : 10); ++round) {
    for (int i = 0; i < 3; ++i) {
      const int which = (i + round + kWarmUp) % 3;
      const tactus::test::TempDir dir;
      std::vector<std::string> words{TACTUS_COMMAND,        "run", TACTUS_SERVO, "--frames", "1", "--out",
                                     (dir / "out").string()};
      if (which == 1) words.emplace_back("--no-realtime");
      if (which == 2) words = {"bash", "-c", "true"};
      const ProcessCost process = tactus::benchmark::run_process(words);
      if (round < 0) continue;
      wall[which].push_back(process.wall_ms);
      cpu[which].push_back(process.cpu_ms);
    }
  }
  const auto spread = [](const std::vector<double>& values) {
    return tactus::benchmark::to_json(tactus::benchmark::spread_of(values));
  };
  tactus::benchmark::answer("what does the start of the servo rig cost, up to its first frame and its end?",
                            {{"runs", cpu[0].size()},
                             {"realtime_cpu_ms", spread(cpu[0])},
                             {"no_realtime_cpu_ms", spread(cpu[1])},
                             {"bash_true_cpu_ms", spread(cpu[2])},
                             {"realtime_wall_ms", spread(wall[0])},
                             {"no_realtime_wall_ms", spread(wall[1])},
                             {"bash_true_wall_ms", spread(wall[2])}});

  std::vector<double> peak[2];
  for (int round = 0; round < (quick ? 1 : 3); ++round) {
    for (int which = 0; which < 2; ++which) {
      const tactus::test::TempDir dir;
      std::vector<std::string> words{TACTUS_COMMAND, "run", TACTUS_SERVO, "--out", (dir / "out").string()};
      if (which == 1) words.emplace_back("--no-realtime");
      peak[which].push_back(tactus::benchmark::run_process(words).peak_mib);
    }
  }
  tactus::benchmark::answer("how much memory does the servo rig take in its run of 10 s?",
                            {{"runs", peak[0].size()},
                             {"realtime_peak_mib", spread(peak[0])},
                             {"no_realtime_peak_mib", spread(peak[1])}});
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "What does it cost to start a rig?", &run);
}
