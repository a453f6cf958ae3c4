// SPDX-License-Identifier: Apache-2.0
// What does the flight recorder cost a frame, and each job of it?
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executive/flight/flight_file.hpp"
#include "executive/frame/executive.hpp"
#include "executive/part/flight_part.hpp"
#include "rtsync/clock/clock.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/stand.hpp"

namespace {

using namespace tactus::executive;
using tactus::benchmark::Jobs;
using tactus::benchmark::Stand;

/// The recorder of a rig of 1 ms, as large as it is by default.
class Recorder {
 public:
  explicit Recorder(std::size_t jobs) : jobs_(jobs) {}
  ~Recorder() {
    if (file_) file_->remove();
  }
  void operator()(Executive& executive) {
    FlightPlan plan;
    plan.folder = "/";
    plan.rig = "measured";
    plan.threads = {{"main", (static_cast<double>(jobs_) + 10) * 1000 + 300}};
    plan.before_ns = 10'000'000'000;
    plan.after_ns = 1'000'000'000;
    plan.most_bytes = 64 << 20;
    file_ = FlightFile::make(plan, 0);
    ring_.emplace(file_->head(0), file_->cells(0));
    executive.jobs().record_in(0, *ring_);
    executive.add(part_.emplace(*ring_, file_->frame_now(), executive.accounts(),
                                executive.program().job_clock(), clock_, nullptr, FlightValues({})));
  }
  std::size_t bytes() const { return file_->bytes(); }

 private:
  const std::size_t jobs_;
  tactus::rtsync::MonotonicClock clock_;  // of its own: the stand counts how often the frames' is read
  std::unique_ptr<FlightFile> file_;
  std::optional<FlightRing> ring_;
  std::optional<FlightPart> part_;
};

struct Pair {
  explicit Pair(std::size_t count) : recorder(count) {
    for (std::size_t i = 0; i < count; ++i) jobs.add(1);
    off = std::make_unique<Stand>(jobs.plan(true));
    on = std::make_unique<Stand>(jobs.plan(true), [this](Executive& executive) { recorder(executive); });
  }
  Jobs jobs;
  Recorder recorder;
  std::unique_ptr<Stand> off, on;
};

void run(bool quick) {
  tactus::benchmark::stay_on_last_cpu();
  const int rounds = quick ? 51 : 501;
  for (const std::size_t count : {0U, 10U, 100U, 1000U}) {
    Pair pair(count);
    const std::int64_t frames = count < 100 ? 1000 : 100'000 / static_cast<std::int64_t>(count);
    const auto each = [&](Stand& stand) {
      return [&stand, frames] { return stand.frames(frames / 5, frames) / static_cast<double>(frames); };
    };
    const tactus::benchmark::Turns turns =
        tactus::benchmark::take_turns({{"off", each(*pair.off)}, {"on", each(*pair.on)}}, rounds);
    const tactus::benchmark::Spread adds = turns.difference(1, 0);
    tactus::benchmark::Json figures = {{"jobs", count},
                                       {"rounds", rounds},
                                       {"recorder_kib", pair.recorder.bytes() >> 10},
                                       {"frame_off_ns", to_json(turns.of(0))},
                                       {"frame_on_ns", to_json(turns.of(1))},
                                       {"recorder_adds_ns", to_json(adds)},
                                       {"aim_ns", 150 + 5 * count}};
    if (count > 0)
      figures["adds_ns_per_job"] = tactus::benchmark::rounded(adds.median / static_cast<double>(count));
    tactus::benchmark::answer("what does the flight recorder cost a frame, not in real time?", figures);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(
      argc, argv, "What does the flight recorder cost a frame, and each job of it?", &run);
}
