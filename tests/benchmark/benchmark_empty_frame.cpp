// SPDX-License-Identifier: Apache-2.0
// What does a frame cost before any job has done anything?
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "executive/model/variable.hpp"
#include "executive/record/recording.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/samples.hpp"
#include "tests/benchmark/stand.hpp"

namespace {

using namespace tactus::rtsync;
using tactus::benchmark::Jobs;
using tactus::benchmark::Stand;

/// A clock that costs as much as CLOCK_MONOTONIC and says what it is told.
class ToldClock final : public PacedClock {
 public:
  TimePoint<RigTime> now() TACTUS_RT override {
    TimePoint<RigTime> read = real_.now();
    tactus::benchmark::keep(read);
    return told;
  }
  TimePoint<MonotonicTime> to_monotonic(TimePoint<RigTime> t) TACTUS_RT override {
    return TimePoint<MonotonicTime>{t.time_since_epoch()};
  }
  const char* name() const TACTUS_RT override { return "told"; }
  TimePoint<RigTime> told{};

 private:
  MonotonicClock real_;
};

/// The slot is always just there: what is left is what real-time synchronization costs besides waiting.
class NoSleep final : public Sleeper {
 public:
  explicit NoSleep(ToldClock& clock) : Sleeper(clock), told_(clock) {}
  void prepare(Period) override {}
  WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT override {
    told_.told = slot;
    return {WaitStatus::reached, slot};
  }
  const char* name() const TACTUS_RT override { return "none"; }

 private:
  ToldClock& told_;
};

class EndOfFrame {
 public:
  explicit EndOfFrame(bool realtime) : sync_(settings(realtime), Period{1'000'000, 1}, clock_, sleeper_) {
    sync_.initialize();
    sync_.start(0);
  }
  double nanoseconds_each(int times) {
    const std::int64_t begin = tactus::benchmark::now_ns();
    for (int i = 0; i < times; ++i) {
      (void)sync_.assess();
      (void)sync_.wait();
    }
    return static_cast<double>(tactus::benchmark::now_ns() - begin) / times;
  }
  bool kept_up() const { return sync_.totals().overruns == 0; }

 private:
  static RealtimeSettings settings(bool realtime) {
    RealtimeSettings settings;
    settings.enabled = realtime;
    return settings;
  }
  ToldClock clock_;
  NoSleep sleeper_{clock_};
  RealtimeSync sync_;
};

void run(bool quick) {
  tactus::benchmark::stay_on_last_cpu();
  constexpr std::int64_t kFrames = 1'000;
  constexpr std::int64_t kWarm = 200;

  Jobs one;
  one.add(1);
  tactus::benchmark::SampledVariables variables(10);
  auto recording = variables.recording("ten");
  Jobs recorded;
  recorded.add(&tactus::executive::Recording::sample, recording.get());
  Stand empty(Jobs{}.plan(false));
  Stand empty_timed(Jobs{}.plan(true));
  Stand with_job(one.plan(false));
  Stand with_job_timed(one.plan(true));
  Stand with_recording(recorded.plan(false));
  EndOfFrame off(false);
  EndOfFrame paced(true);
  const auto frame = [](Stand& stand) { return [&stand] { return stand.frames(kWarm, kFrames) / kFrames; }; };
  const int rounds = quick ? 51 : 501;
  const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(
      {
          {"empty", frame(empty)},
          {"empty, job times", frame(empty_timed)},
          {"one job", frame(with_job)},
          {"one job, job times", frame(with_job_timed)},
          {"recording",
           [&] {
             const double each = with_recording.frames(kWarm, kFrames) / kFrames;
             while (recording->drain() > 0) continue;
             return each;
           }},
          {"end of a frame, off", [&] { return off.nanoseconds_each(kFrames); }},
          {"end of a frame, paced", [&] { return paced.nanoseconds_each(kFrames); }},
      },
      rounds);
  tactus::benchmark::answer("what does a frame without jobs cost, not in real time?",
                            {{"rounds", rounds},
                             {"empty_frame_ns", to_json(turns.of(0))},
                             {"aim_ns", 200},
                             {"empty_frame_job_times_on_ns", to_json(turns.of(1))},
                             {"one_job_adds_ns", to_json(turns.difference(2, 0))},
                             {"one_job_with_job_times_adds_ns", to_json(turns.difference(3, 0))}});
  tactus::benchmark::answer("what does it cost a frame to record ten doubles?",
                            {{"rounds", rounds},
                             {"frame_ns", to_json(turns.of(4))},
                             {"recording_adds_ns", to_json(turns.difference(4, 0))},
                             {"records_lost", recording->lost()}});
  tactus::benchmark::answer("what does the end of a frame cost RealtimeSync, its wait aside?",
                            {{"rounds", rounds},
                             {"off_ns", to_json(turns.of(5))},
                             {"paced_ns", to_json(turns.of(6))},
                             {"never_overran", paced.kept_up()}});
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv,
                                          "What does a frame cost before any job has done anything?", &run);
}
