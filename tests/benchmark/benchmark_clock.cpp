// SPDX-License-Identifier: Apache-2.0
// What do the parts cost that every frame is made of?
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "executive/driver/statistics.hpp"
#include "executive/frame/frame_note.hpp"
#include "executive/record/recording.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/exchange/block_ring.hpp"
#include "rtsync/exchange/latest_cell.hpp"
#include "rtsync/time/histogram.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/samples.hpp"

namespace {

using namespace tactus::rtsync;
using tactus::benchmark::Contender;
using tactus::benchmark::Json;
using tactus::benchmark::keep;
using tactus::benchmark::to_json;

constexpr int kTimes = 2'000;

/// The time of each of kTimes calls, whatever the loop itself costs included.
template <class F>
Contender contender(const char* name, F work) {
  return {name, [work]() mutable {
            const std::int64_t begin = tactus::benchmark::now_ns();
            for (int i = 0; i < kTimes; ++i) work(i);
            return static_cast<double>(tactus::benchmark::now_ns() - begin) / kTimes;
          }};
}

/// Through the interface, as the executive reads it.
Contender reads(const char* name, PacedClock* clock) {
  return contender(name, [clock](int) {
    PacedClock* through = clock;
    keep(through);
    TimePoint<RigTime> read = through->now();
    keep(read);
  });
}

/// Latencies as a rig has them, from 100 ns to 100 us.
std::vector<Nanoseconds> latencies() {
  std::vector<Nanoseconds> times;
  std::uint32_t state = 1;
  for (int i = 0; i < kTimes; ++i) {
    state = state * 1664525U + 1013904223U;
    times.emplace_back(100 << (state >> 29));
    times.back() += Nanoseconds{state >> 24};
  }
  return times;
}

void ask_clocks(int rounds) {
  MonotonicClock monotonic;
  const ClockChoice choice = choose_tsc_clock(TscFacts::probe());
  const tactus::benchmark::Turns turns =
      tactus::benchmark::take_turns({contender("loop",
                                               [](int i) {
                                                 std::int64_t value = i;
                                                 keep(value);
                                               }),
                                     contender("counter",
                                               [](int) {
                                                 std::uint64_t read = read_tsc();
                                                 keep(read);
                                               }),
                                     contender("clock_gettime",
                                               [](int) {
                                                 std::int64_t read = tactus::benchmark::now_ns();
                                                 keep(read);
                                               }),
                                     reads("monotonic", &monotonic), reads("tsc", choice.clock.get())},
                                    rounds);
  Json figures{{"rounds", rounds},
               {"empty_loop_ns", to_json(turns.of(0))},
               {"read_tsc_ns", to_json(turns.of(1))},
               {"clock_gettime_ns", to_json(turns.of(2))},
               {"MonotonicClock_ns", to_json(turns.of(3))}};
  if (choice.reason.empty()) {
    figures["TscClock_ns"] = to_json(turns.of(4));
  } else {
    figures["TscClock_skipped"] = choice.reason;
  }
  tactus::benchmark::answer("what does reading a clock cost?", figures);
}

void ask_parts(int rounds) {
  using tactus::executive::FrameNote;
  using tactus::executive::Recording;
  using tactus::executive::RigFigures;
  const std::vector<Nanoseconds> times = latencies();
  const auto histogram = std::make_unique<LatencyHistogram>();
  const auto job_histogram = std::make_unique<JobHistogram>();
  const auto slack_histogram = std::make_unique<SlackHistogram>();
  SpscRing<FrameNote> notes(4096);
  LatestCell<RigFigures> latest;
  const tactus::benchmark::SampledVariables variables(10);
  const auto recording = variables.recording("ten");
  const auto time = [&times](int i) { return times[static_cast<std::size_t>(i)]; };
  std::uint64_t refused = 0;  // by a full ring
  const Contender push = contender("", [&](int i) {
    FrameNote note;
    note.longest_job_ns = i;
    if (!notes.push(note)) ++refused;
  });
  const Contender sample = contender("", [&](int i) {
    const tactus_call call{i, i, 1e-3};
    (void)Recording::sample(recording.get(), &call);
  });
  const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(
      {contender("LatencyHistogram", [&](int i) { histogram->add(time(i)); }),
       contender("JobHistogram", [&](int i) { job_histogram->add(time(i)); }),
       contender("SlackHistogram", [&](int i) { slack_histogram->add(time(i)); }),
       {"note",
        [&] {
          const double each = push.nanoseconds_per_piece();
          FrameNote note;
          while (notes.pop(note)) continue;
          return each;
        }},
       contender("snapshot",
                 [&](int i) {
                   RigFigures snapshot;
                   snapshot.frames = i;
                   latest.write(snapshot);
                 }),
       {"record",
        [&] {
          const double each = sample.nanoseconds_per_piece();
          while (recording->drain() > 0) continue;
          return each;
        }}},
      rounds);
  tactus::benchmark::answer("what do the parts cost that every frame is made of?",
                            {{"rounds", rounds},
                             {"LatencyHistogram_add_ns", to_json(turns.of(0))},
                             {"JobHistogram_add_ns", to_json(turns.of(1))},
                             {"SlackHistogram_add_ns", to_json(turns.of(2))},
                             {"SpscRing_push_of_a_note_ns", to_json(turns.of(3))},
                             {"notes_refused", refused},
                             {"note_bytes", sizeof(FrameNote)},
                             {"LatestCell_write_of_a_snapshot_ns", to_json(turns.of(4))},
                             {"snapshot_bytes", sizeof(RigFigures)},
                             {"Recording_sample_of_10_doubles_ns", to_json(turns.of(5))},
                             {"records_lost", recording->lost()}});
}

void run(bool quick) {
  tactus::benchmark::stay_on_last_cpu();
  const int rounds = quick ? 51 : 501;
  ask_clocks(rounds);
  ask_parts(rounds);
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "What do the parts cost that every frame is made of?",
                                          &run);
}
