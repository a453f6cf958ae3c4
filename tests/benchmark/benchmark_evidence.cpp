// SPDX-License-Identifier: Apache-2.0
// What does it cost a frame that the causes of late ones are looked for?
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <memory>

#include "executive/frame/frame_evidence.hpp"
#include "executive/frame/job_runner.hpp"
#include "rtsync/clock/clock.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/stand.hpp"

namespace {

using namespace std::chrono_literals;
using namespace tactus::executive;
using namespace tactus::rtsync;
using tactus::benchmark::Jobs;

/// The evidence of a frame of some jobs on this thread, none of which runs.
class Watched {
 public:
  Watched(std::size_t jobs, bool events) : program_(plan_of(jobs), &JobClock::monotonic) {
    lane().enter_thread();
    if (!events) return;
    const EventThread self{static_cast<pid_t>(::syscall(SYS_gettid)), "benchmark"};
    auto made = std::make_unique<KernelEvents>(std::span(&self, 1), allowed_cpus(), 125us);
    seen_ = made->ring(0).is_open();
    evidence_.watch(std::move(made), std::nullopt, true);
  }
  bool seen() const { return seen_; }

  /// A frame on time: its calls, and what is done behind it.
  double good_frame(int times) {
    return each(times, [this] { evidence_.end_frame(timing_); });
  }
  /// A frame that overran.
  double late_frame(int times) {
    timing_.paced = true;
    timing_.overrun = OverrunCause::work;
    timing_.work = 2ms;
    timing_.period = 1ms;
    timing_.slack = -1ms;
    return each(times, [this] {
      FrameNote note;
      timing_.slot = clock_.now() - 2ms;
      evidence_.explain(timing_, note);
      tactus::benchmark::keep(note.overrun.cause);
      evidence_.end_frame(timing_);
    });
  }

 private:
  static Plan plan_of(std::size_t jobs) {
    static Jobs all;
    while (all.size() < jobs) all.add(1);
    return all.plan(true);
  }
  Lane& lane() { return program_.lane(0); }
  template <class Work>
  double each(int times, Work work) {
    double sum = 0;
    for (int i = 0; i < times; ++i) {
      lane().begin();
      for (std::uint32_t job = 0; job < program_.plan().jobs.size(); ++job)
        (void)lane().call(program_.entries()[job]);
      const std::int64_t begin = tactus::benchmark::now_ns();
      work();
      sum += static_cast<double>(tactus::benchmark::now_ns() - begin);
      lane().count();
    }
    return sum / times;
  }

  Program program_;
  MonotonicClock clock_;
  FrameStatistics statistics_;
  FrameEvidence evidence_{program_, clock_, statistics_};
  FrameTiming timing_;
  bool seen_ = false;
};

void run(bool quick) {
  tactus::benchmark::stay_on_last_cpu();
  constexpr int kFrames = 1'000;
  Watched off(10, false);
  Watched on(10, true);
  const int rounds = quick ? 51 : 501;
  const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(
      {
          {"off", [&] { return off.good_frame(kFrames); }},
          {"on", [&] { return on.good_frame(kFrames); }},
          {"late", [&] { return on.late_frame(kFrames / 10); }},
      },
      rounds);
  tactus::benchmark::answer(
      "what does it cost a frame of ten jobs that the causes of late ones are looked for?",
      {{"rounds", rounds},
       {"kernel_events", on.seen()},
       {"off_ns", to_json(turns.of(0))},
       {"on_adds_ns", to_json(turns.difference(1, 0))},
       {"aim_ns", 150},
       {"late_frame_ns", to_json(turns.of(2))}});
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(
      argc, argv, "What does it cost a frame that the causes of late ones are looked for?", &run);
}
