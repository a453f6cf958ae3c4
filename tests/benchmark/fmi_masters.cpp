// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmark/fmi_masters.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::benchmark {
namespace {

const std::string kUnit = std::string(FMI_UNITS) + "/twenty.fmu";
constexpr int kShort = 2'000;  // steps of a millisecond

std::vector<std::string> by_tactus(const test::TempDir& dir, int steps) {
  std::string outputs;
  for (int i = 0; i < 10; ++i) outputs += (i == 0 ? "m.y" : ", m.y") + std::to_string(i);
  const auto rig = dir.write("rig.yaml",
                             "rig: masters\nframe: { period: 1 ms }\nrealtime: { enabled: no }\nmodels:\n"
                             "  m: { driver: fmi, unit: " +
                                 kUnit + " }\nrecord: { x: { variables: [" + outputs +
                                 "], driver: csv } }\ncheckpoint: { enabled: no }\n");
  return {TACTUS_COMMAND,
          "run",
          rig.string(),
          "--frames",
          std::to_string(steps + 1),
          "--quiet",
          "--out",
          (dir / ("out" + std::to_string(steps))).string()};
}

std::vector<std::string> by_fmusim(const test::TempDir& dir, const std::string& fmusim, int steps) {
  return {fmusim,
          "--interface-type",
          "cs",
          "--stop-time",
          std::to_string(steps / 1000),
          "--output-interval",
          "0.001",
          "--output-file",
          (dir / "fmusim.csv").string(),
          kUnit};
}

/// Nanoseconds of a step.
template <class Command>
std::vector<double> steps_of(Command command, int longer, int rounds) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const test::TempDir dir;
    const double few = run_process(command(dir, kShort)).cpu_ms;
    const double many = run_process(command(dir, longer)).cpu_ms;
    times.push_back((many - few) * 1e6 / (longer - kShort));
  }
  return times;
}

}  // namespace

void ask_masters(bool quick) {
  const int rounds = quick ? 3 : 9;
  const int longer = quick ? 52'000 : 202'000;
  Json figures;
  figures["tactus run, CPU ns"] = to_json(spread_of(steps_of(&by_tactus, longer, rounds)));
  const char* const fmusim = std::getenv("TACTUS_FMUSIM");  // NOLINT(concurrency-mt-unsafe)
  figures["fmusim, CPU ns"] =
      fmusim == nullptr ? Json("not there: TACTUS_FMUSIM names none")
                        : to_json(spread_of(steps_of([&](const test::TempDir& dir,
                                                         int steps) { return by_fmusim(dir, fmusim, steps); },
                                                     longer, rounds)));
  figures["recorded outputs"] = 10;
  figures["steps"] = longer - kShort;
  answer("What does a step of a unit cost a whole program that writes its outputs into a CSV file?", figures);
}

}  // namespace tactus::benchmark
