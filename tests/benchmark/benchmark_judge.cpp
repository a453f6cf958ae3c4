// SPDX-License-Identifier: Apache-2.0
// What do expressions, temporal operators, stimuli and faults cost a frame?
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/judge_cases.hpp"

namespace {

void run(bool quick) {
  tactus::benchmark::stay_on_last_cpu();
  tactus::benchmark::measure_expressions(quick);
  tactus::benchmark::measure_overlays(quick);
  tactus::benchmark::measure_nothing(quick);
  tactus::benchmark::measure_trick(quick);
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(
      argc, argv, "What do expressions, temporal operators, stimuli and faults cost a frame?", &run);
}
