// How many frames are late because a checkpoint of 100 MB is taken?
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <tactus/model.hpp>
#include <vector>

#include "executive/frame/executive.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/part/checkpoint_part.hpp"
#include "executive/state/checkpoint_writer.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "tests/benchmark/benchmark.hpp"

namespace {

using namespace tactus::rtsync;
using namespace tactus::executive;

constexpr std::size_t kDoubles = 12'500'000;

/// 100 MB that change a little in every frame.
class Big : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.state("grid", *grid_, "", "100 MB");
    d.job<&Big::step>("step", tactus::JobClass::scheduled);
  }
  void step(const tactus::Call& call) {
    for (int i = 0; i < 100; ++i)
      (*grid_)[(static_cast<std::size_t>(call.frame) * 7919 + static_cast<std::size_t>(i) * 4096) %
               kDoubles] += 1;
  }

 private:
  std::unique_ptr<std::array<double, kDoubles>> grid_ = std::make_unique<std::array<double, kDoubles>>();
};
TACTUS_MODEL("big", Big, "much to remember")

struct Outcome {
  std::int64_t late = 0;  // frames that overran
  std::int64_t taken = 0;
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
  Executive executive(std::move(plan), sync, sleeper, clock, variables);
  CheckpointWriter writer("bench", Period{period}, "bench");
  writer.reserve(executive.restorer().image());
  CheckpointPart part(writer, folder.string(), every);
  executive.add(part);
  writer.start({"checkpoint", {}, SchedPolicy::other, 0, 0, false});
  executive.run_initialization();
  PinnedThread thread({"main", {}, SchedPolicy::fifo, 50}, [&] { (void)executive.run(frames); });
  thread.join();
  writer.stop();
  Outcome outcome;
  outcome.late = executive.totals().overruns + executive.totals().late_wakes;
  for (const CheckpointResult& result : writer.poll()) outcome.taken += result.error.empty() ? 1 : 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove(entry);
  return outcome;
}

void run(bool quick) {
  const auto folder = std::filesystem::temp_directory_path() / ("tactus-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const int period_ms : {1, 20, 50}) {
    const Nanoseconds period{std::int64_t{period_ms} * 1'000'000};
    const std::int64_t frames = (quick ? 3'000 : 20'000) / period_ms;
    Outcome with;
    Outcome without;
    for (int round = 0; round < 2; ++round) {
      const Outcome a = run_rig(period, frames, 0, folder);
      const Outcome b = run_rig(period, frames, frames / 2 - 1, folder);
      without.late += a.late;
      with.late += b.late;
      with.taken += b.taken;
    }
    tactus::benchmark::answer("how many frames are late because 100 MB of state are copied?",
                              {{"frame_ms", period_ms},
                               {"frames", 2 * frames},
                               {"checkpoints", with.taken},
                               {"late_without", without.late},
                               {"late_with", with.late},
                               {"aim_late_with", without.late}});
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "How many frames are late because of a checkpoint?",
                                          &run);
}
