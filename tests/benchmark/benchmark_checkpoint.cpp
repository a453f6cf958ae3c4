// SPDX-License-Identifier: Apache-2.0
// How many frames are late because a checkpoint of 100 MB is taken?
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <tactus/model.hpp>
#include <utility>
#include <vector>

#include "executive/capability/checkpoint/checkpoint_part.hpp"
#include "executive/frame/executive.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/state/checkpoint_writer.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/host/write_tracker.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "tests/benchmark/benchmark.hpp"

namespace {

using namespace tactus::rtsync;
using namespace tactus::executive;
using tactus::benchmark::Json;
using tactus::benchmark::spread_of;
using tactus::benchmark::to_json;

constexpr std::size_t kDoubles = 12'500'000;
constexpr int kWrites = 100;          // of a frame, each on a page of its own
constexpr std::int64_t kBehind = 50;  // frames behind a checkpoint in which the kernel lets go of its pages

/// 100 MB that change a little in every frame.
class Big : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.state("grid", *grid_, "", "100 MB");
    d.job<&Big::step>("step", tactus::JobClass::scheduled);
  }
  void step(const tactus::Call& call) {
    for (int i = 0; i < kWrites; ++i)
      (*grid_)[(static_cast<std::size_t>(call.frame) * 7919 + static_cast<std::size_t>(i) * 4096) %
               kDoubles] += 1;
  }

 private:
  std::unique_ptr<std::array<double, kDoubles>> grid_ = std::make_unique<std::array<double, kDoubles>>();
};
TACTUS_MODEL("big", Big, "much to remember")

struct Outcome {
  std::int64_t overruns = 0;
  std::int64_t late = 0;          // began late
  std::int64_t housekeeping = 0;  // began late, or overran, because of our own work
  std::int64_t taken = 0;
  std::int64_t in_pieces = 0;
  std::int64_t waited = 0;  // frames
  std::int64_t faults = 0;
  std::int64_t needed_us = 0;  // that a frame stood still for at the end, as estimated before
  std::int64_t behind = 0;     // late frames of the kBehind behind each checkpoint
};

/// The first job of a frame: counts late frames behind checkpoints.
struct Behind {
  const RealtimeSync& sync;
  const CheckpointPart* part = nullptr;
  std::int64_t taken = 0;
  std::int64_t until = 0;  // frame
  std::int64_t late = 0;

  static int look(void* self, const tactus_call* call) {
    Behind& behind = *static_cast<Behind*>(self);
    if (call->frame > 0 && call->frame <= behind.until && behind.sync.timing().overrun != OverrunCause::none)
      ++behind.late;  // the frame before
    if (const std::int64_t taken = behind.part->gradual(); taken != behind.taken) {
      behind.taken = taken;
      behind.until = call->frame + kBehind;
    }
    return 0;
  }
};

Outcome run_rig(Nanoseconds period, std::int64_t frames, std::int64_t every,
                const std::filesystem::path& folder) {
  std::uint32_t models = 0;
  ModelInstance big(**tactus_models(&models), "big");
  Plan plan;
  plan.frame = Period{period};
  plan.nan_guard = false;
  PlannedJob job;
  job.name = "big.step";
  job.model = &big;
  job.run = big.jobs().front().run;
  job.self = big.self();
  job.cycle = plan.frame;
  plan.jobs.push_back(job);
  MonotonicClock clock;
  NanosleepSleeper sleeper(clock);
  RealtimeSettings settings;
  settings.enabled = true;
  RealtimeSync sync(settings, plan.frame, clock, sleeper);
  RealtimeVariables variables;
  Behind behind{sync};
  PlannedJob look;
  look.name = "look";
  look.run = &Behind::look;
  look.self = &behind;
  look.cycle = plan.frame;
  plan.jobs.insert(plan.jobs.begin(), look);
  Executive executive(std::move(plan), sync, sleeper, clock, variables);
  CheckpointWriter writer("bench", Period{period}, "bench");
  const Nanoseconds copy = executive.restorer().prepare_reset();
  const StateImage& image = executive.restorer().image();
  std::unique_ptr<WriteTracker> tracker;
  try {
    tracker = std::make_unique<KernelWriteTracker>(GradualCopy::pages_of(image));
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "not in pieces: %s\n", error.what());
  }
  writer.reserve(image, tracker.get());
  CheckpointPart part(writer, folder.string(), every, copy);
  executive.add(part);
  behind.part = &part;
  writer.start({"checkpoint", {}, SchedPolicy::other, 0, 0, false});
  executive.run_initialization();
  PinnedThread thread({"main", {}, SchedPolicy::fifo, 50}, [&] { (void)executive.run(frames); });
  thread.join();
  writer.stop();
  Outcome outcome;
  outcome.overruns = executive.totals().overruns;
  outcome.late = executive.totals().late_wakes;
  outcome.housekeeping = executive.totals().late_by_housekeeping;
  outcome.in_pieces = part.gradual();
  outcome.waited = part.most_waited();
  outcome.behind = behind.late;
  if (const GradualCopy* const gradual = writer.gradual()) {
    outcome.faults = gradual->faults();
    outcome.needed_us = gradual->needed().count() / 1000;
  }
  for (const CheckpointResult& result : writer.poll()) outcome.taken += result.error.empty() ? 1 : 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove(entry);
  return outcome;
}

std::vector<double> of(const std::vector<Outcome>& outcomes, std::int64_t Outcome::*figure) {
  std::vector<double> values;
  for (const Outcome& outcome : outcomes) values.push_back(static_cast<double>(outcome.*figure));
  return values;
}

void run(bool quick) {
  const auto folder = std::filesystem::temp_directory_path() / ("tactus-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const int period_ms : {1, 20}) {
    const Nanoseconds period{std::int64_t{period_ms} * 1'000'000};
    const std::int64_t frames = (quick ? 3'000 : 10'000) / period_ms;
    std::vector<Outcome> without;
    std::vector<Outcome> with;
    for (int round = 0; round < (quick ? 2 : 7); ++round) {
      without.push_back(run_rig(period, frames, 0, folder));
      with.push_back(run_rig(period, frames, frames / 2 - 1, folder));
    }
    Json figures{{"frame_ms", period_ms},
                 {"rounds", with.size()},
                 {"frames_of_a_round", frames},
                 {"kb_written_in_a_frame", kWrites * 4}};
    for (const auto& [name, figure] : {std::pair{"overruns", &Outcome::overruns},
                                       {"late_wakes", &Outcome::late},
                                       {"late_by_housekeeping", &Outcome::housekeeping}}) {
      figures[std::string(name) + "_without"] = to_json(spread_of(of(without, figure)));
      figures[std::string(name) + "_with"] = to_json(spread_of(of(with, figure)));
    }
    // A frame on a busy machine may be late anywhere: beside them as many frames of a round without checkpoints.
    std::vector<double> behind;
    for (const Outcome& outcome : with)
      if (outcome.in_pieces > 0)
        behind.push_back(static_cast<double>(outcome.behind) / static_cast<double>(outcome.in_pieces));
    std::vector<double> elsewhere = of(without, &Outcome::overruns);
    for (double& count : elsewhere) count *= static_cast<double>(kBehind) / static_cast<double>(frames);
    if (!behind.empty()) {
      figures["frames_behind"] = kBehind;
      figures["late_behind_a_checkpoint"] = to_json(spread_of(behind));
      figures["late_of_as_many_elsewhere"] = to_json(spread_of(elsewhere));
    }
    for (const auto& [name, figure] : {std::pair{"checkpoints", &Outcome::taken},
                                       {"in_pieces", &Outcome::in_pieces},
                                       {"frames_waited", &Outcome::waited},
                                       {"page_faults", &Outcome::faults},
                                       {"last_piece_us", &Outcome::needed_us}})
      figures[name] = to_json(spread_of(of(with, figure)));
    tactus::benchmark::answer("how many frames of a round are late because 100 MB of state are copied?",
                              figures);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "How many frames are late because of a checkpoint?",
                                          &run);
}
