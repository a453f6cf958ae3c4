// SPDX-License-Identifier: Apache-2.0
// What does the flight recorder cost a frame, and each job of it?
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executive/frame/executive.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/recorder.hpp"
#include "tests/benchmark/stand.hpp"
#ifdef TACTUS_LTTNG
#include "tests/benchmark/lttng_session.hpp"
#endif
#ifdef TACTUS_TRICK
#include "tests/benchmark/trick_peer.h"
#endif

namespace {

using namespace tactus::executive;
using tactus::benchmark::Jobs;
using tactus::benchmark::Recorder;
using tactus::benchmark::Stand;

/// The same jobs without a recorder, with ours, and each of them with one of another.
class Rigs {
 public:
  explicit Rigs(std::size_t count) : recorder_(count), counters_(count) {
    for (std::size_t i = 0; i < count; ++i) jobs_.add(1);
    add("off", jobs_);
    add("on", jobs_, [this](Executive& executive) { recorder_(executive); });
#ifdef TACTUS_LTTNG
    add_peer("lttng", &tactus_lttng_job);
#endif
#ifdef TACTUS_TRICK
    add_peer("trick", &tactus_trick_job);
#endif
  }
  std::vector<tactus::benchmark::Contender> contenders(std::int64_t frames) {
    std::vector<tactus::benchmark::Contender> all;
    for (auto& [name, stand] : stands_)
      all.push_back({name, [&stand = *stand, frames] {
                       return stand.frames(frames / 5, frames) / static_cast<double>(frames);
                     }});
    return all;
  }
  std::size_t recorder_bytes() const { return recorder_.bytes(); }

 private:
  void add(const char* name, const Jobs& jobs, const std::function<void(Executive&)>& prepare = {}) {
    stands_.emplace_back(name, std::make_unique<Stand>(jobs.plan(true), prepare));
  }
  [[maybe_unused]] void add_peer(const char* name, tactus_job_function run) {
    Jobs jobs;
    for (tactus::benchmark::Counter& counter : counters_) jobs.add(run, &counter.runs);
    add(name, jobs);
  }

  Jobs jobs_;
  Recorder recorder_;
  std::vector<tactus::benchmark::Counter> counters_;
  std::vector<std::pair<const char*, std::unique_ptr<Stand>>> stands_;
};

void run(bool quick) {
  tactus::benchmark::stay_on_last_cpu();
#ifdef TACTUS_LTTNG
  const tactus::benchmark::LttngSession session;
#endif
  const int rounds = quick ? 51 : 501;
  for (const std::size_t count : {0U, 10U, 100U, 1000U}) {
    Rigs rigs(count);
    const std::int64_t frames = count < 100 ? 1000 : 100'000 / static_cast<std::int64_t>(count);
    const std::vector<tactus::benchmark::Contender> contenders = rigs.contenders(frames);
    const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(contenders, rounds);
    const tactus::benchmark::Spread adds = turns.difference(1, 0);
    tactus::benchmark::Json figures = {{"jobs", count},
                                       {"rounds", rounds},
                                       {"recorder_kib", rigs.recorder_bytes() >> 10},
                                       {"frame_off_ns", to_json(turns.of(0))},
                                       {"frame_on_ns", to_json(turns.of(1))},
                                       {"recorder_adds_ns", to_json(adds)},
                                       {"aim_ns", 150 + 5 * count}};
    for (std::size_t i = 1; count > 0 && i < contenders.size(); ++i)
      figures[(i == 1 ? "" : contenders[i].name + "_") + "adds_ns_per_job"] =
          tactus::benchmark::rounded(turns.difference(i, 0).median / static_cast<double>(count));
    tactus::benchmark::answer("what does the flight recorder cost a frame, not in real time?", figures);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(
      argc, argv, "What does the flight recorder cost a frame, and each job of it?", &run);
}
