// SPDX-License-Identifier: Apache-2.0
// Does a rig wake later because it keeps evidence and a flight recorder?
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

using namespace std::chrono_literals;
using tactus::benchmark::Json;

/// The servo rig for a while, in real time: its wakes, from its summary.
Json wakes(const std::vector<std::string>& more, const std::string& until) {
  const tactus::test::TempDir dir;
  std::vector<std::string> argv{TACTUS_COMMAND, "run", TACTUS_SERVO, "--until", until, "--out", "out"};
  argv.insert(argv.end(), {"--set", "realtime.max_overrun=10s"});  // whatever else this machine does
  argv.insert(argv.end(), more.begin(), more.end());
  const tactus::test::Finished done = tactus::test::run({.argv = argv, .env = {}, .cwd = dir.path()}, 60s);
  if (done.status != 0) throw std::runtime_error("the rig ended with " + std::to_string(done.status));
  return Json::parse(std::ifstream(dir / "out/summary.json")).at("late_ns");
}

void run(bool quick) {
  const std::string until = quick ? "1s" : "5s";
  std::vector<double> p50[2], p99[2], worst[2];
  for (int round = 0; round < (quick ? 4 : 20); ++round) {
    for (int turn = 0; turn < 2; ++turn) {
      const int off = (round + turn) % 2;
      const std::vector<std::string> plain{"--set", "kernel_events=no", "--set",
                                           "flight_recorder.enabled=no"};
      const Json late = wakes(off != 0 ? plain : std::vector<std::string>{}, until);
      p50[off].push_back(late.at("p50").get<double>());
      p99[off].push_back(late.at("p99").get<double>());
      worst[off].push_back(late.at("max").get<double>());
    }
  }
  tactus::benchmark::answer("do evidence and flight recorder make wakes later?",
                            {{"runs", p50[0].size()},
                             {"with_p50_ns", to_json(tactus::benchmark::spread_of(p50[0]))},
                             {"without_p50_ns", to_json(tactus::benchmark::spread_of(p50[1]))},
                             {"with_p99_ns", to_json(tactus::benchmark::spread_of(p99[0]))},
                             {"without_p99_ns", to_json(tactus::benchmark::spread_of(p99[1]))},
                             {"with_max_ns", to_json(tactus::benchmark::spread_of(worst[0]))},
                             {"without_max_ns", to_json(tactus::benchmark::spread_of(worst[1]))}});
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "Do evidence and flight recorder make wakes later?",
                                          &run);
}
