// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What the benchmarks share: a question answered as one JSON object, and figures taken in turns.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "config/json.hpp"

namespace tactus::benchmark {

using config::Json;

/// What every main does: understands --quick (a run of a few seconds, for people who change the benchmark)
/// and
/// --help, and reports an exception. Returns the exit status: 0, 1 when it failed, 2 for wrong arguments.
int run_benchmark(int argc, char** argv, const char* about, void (*run)(bool quick)) noexcept;

/// Prints {"question": ..., figures..., "machine": ...} as one line.
void answer(const std::string& question, const Json& figures);

/// CLOCK_MONOTONIC in nanoseconds, for the two ends of a measurement.
std::int64_t now_ns();

/// What the calling thread had of a CPU so far, in nanoseconds: for work of milliseconds on a busy machine.
std::int64_t cpu_ns();

/// The same of all threads of the process.
std::int64_t process_cpu_ns();

/// Binds the process to the last CPU it may use, so that all contenders share the same caches; returns it, or
/// -1.
int stay_on_last_cpu();

/// Makes the compiler believe that a value is used and all memory is read and written.
template <class T>
inline void keep(T& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

/// Median, smallest and largest of some figures.
struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
};
Spread spread_of(std::vector<double> values);
/// To four digits: what is beyond them is noise.
double rounded(double value);
Json to_json(const Spread& spread);

/// One of the things that are compared: does what is measured `chunk` times and says how long all took.
struct Contender {
  std::string name;
  std::function<double()> nanoseconds_per_piece;
};

/// What came out: `figures[c][r]` of contender c in round r.
struct Turns {
  std::vector<std::vector<double>> figures;

  Spread of(std::size_t contender) const { return spread_of(figures[contender]); }
  /// Figure by figure of the same round, so that what slowed a whole round down cancels out.
  Spread ratio(std::size_t contender, std::size_t to) const;
  Spread difference(std::size_t contender, std::size_t to) const;
};

/// Lets the contenders take turns, beginning with another one in each round. The first two rounds warm up.
Turns take_turns(const std::vector<Contender>& contenders, int rounds);

}  // namespace tactus::benchmark
