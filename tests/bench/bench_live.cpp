// What does it cost the frames that somebody looks in, and how soon does a change take effect?
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <tactus/model.hpp>
#include <thread>
#include <vector>

#include "executive/executive.hpp"
#include "executive/live_port.hpp"
#include "rtsync/pinned_thread.hpp"
#include "tests/bench/bench.hpp"

namespace {

using namespace tactus::rtsync;
using namespace tactus::executive;
using tactus::bench::Json;
using tactus::bench::rounded;

/// Models of `each` doubles that lie side by side, as in a class; the models anywhere.
struct Memory {
  std::vector<std::unique_ptr<std::vector<double>>> models;
  std::vector<LivePort::Source> sources;

  Memory(std::size_t variables, std::size_t each) {
    for (std::size_t made = 0; made < variables; made += each) {
      models.push_back(std::make_unique<std::vector<double>>(each, 1.5));
      for (double& value : *models.back()) sources.push_back({nullptr, &value, sizeof value});
    }
  }
};

/// One snapshot against one memcpy of as many bytes.
void measure_snapshot(std::size_t variables, std::size_t each, bool quick) {
  Memory memory(variables, each);
  LivePort port(memory.sources);
  const std::size_t bytes = port.bytes();
  std::vector<std::byte> from(bytes, std::byte{1}), to(bytes);
  const int chunk =
      static_cast<int>(std::clamp<std::size_t>(20'000'000 / (bytes + 200), 20, 100'000) / (quick ? 10 : 1)) +
      1;
  const Snapshot rig;
  const auto turns =
      tactus::bench::take_turns({{"memcpy",
                                  [&] {
                                    const std::int64_t begin = tactus::bench::now_ns();
                                    for (int i = 0; i < chunk; ++i) {
                                      std::memcpy(to.data(), from.data(), bytes);
                                      tactus::bench::keep(to);
                                    }
                                    return static_cast<double>(tactus::bench::now_ns() - begin) / chunk;
                                  }},
                                 {"snapshot",
                                  [&] {
                                    const std::int64_t begin = tactus::bench::now_ns();
                                    for (int i = 0; i < chunk; ++i) {
                                      (void)port.want();
                                      port.end_frame(i, rig);
                                    }
                                    return static_cast<double>(tactus::bench::now_ns() - begin) / chunk;
                                  }},
                                 {"nobody looks",
                                  [&] {
                                    const std::int64_t begin = tactus::bench::now_ns();
                                    for (int i = 0; i < chunk; ++i) {
                                      port.end_frame(i, rig);
                                      tactus::bench::keep(to);
                                    }
                                    return static_cast<double>(tactus::bench::now_ns() - begin) / chunk;
                                  }}},
                                quick ? 5 : 21);
  tactus::bench::answer("what does a snapshot cost",
                        {{"variables", variables},
                         {"variables_per_model", each},
                         {"memcpys", port.runs()},
                         {"memcpy_ns", tactus::bench::to_json(turns.of(0))},
                         {"snapshot_ns", tactus::bench::to_json(turns.of(1))},
                         {"nobody_looks_ns", tactus::bench::to_json(turns.of(2))},
                         {"snapshot_minus_memcpy_ns", tactus::bench::to_json(turns.difference(1, 0))},
                         {"snapshot_to_memcpy", tactus::bench::to_json(turns.ratio(1, 0))}});
}

class Knob : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.input("u", u_);
    d.job<&Knob::step>("step", tactus::JobClass::scheduled);
  }
  void step() {}

 private:
  double u_ = 0;
};
TACTUS_MODEL("knob", Knob, "to be set")

/// From the frame under way when a change is sent to the one that takes it, in frames of a rig in real time.
void measure_set(bool quick) {
  std::uint32_t models = 0;
  ModelInstance knob(**tactus_models(&models), "knob");
  Plan plan;
  plan.live = true;
  PlannedJob job;
  job.name = "knob.step";
  job.model = &knob;
  job.run = knob.jobs().front().run;
  job.self = knob.self();
  job.cycle = plan.frame;
  plan.jobs.push_back(job);
  const MonotonicClock clock;
  NanosleepSleeper sleeper(clock);
  RealtimeSettings settings;
  settings.enabled = true;
  RealtimeSync sync(settings, plan.frame, clock, sleeper);
  RealtimeVariables variables;
  Executive executive(std::move(plan), sync, sleeper, clock, variables);
  const Variable& u = knob.variables().front();
  LivePort port({{&knob, u.data, 8}});
  executive.set_live(port);
  executive.run_initialization();
  std::vector<std::int64_t> frames;
  {
    PinnedThread main({"main", {}, SchedPolicy::fifo, 50}, [&] { (void)executive.run(INT64_MAX); });
    while (port.frame() < 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (int i = 0; i < (quick ? 50 : 1000); ++i) {
      auto packet = std::make_unique<LivePacket>();
      const double value = i;
      packet->data.resize(8);
      std::memcpy(packet->data.data(), &value, 8);
      packet->changes.push_back({LiveWrite::Kind::set, u.data, executive.forces_of(&knob), 0, 8});
      const std::int64_t under_way = port.frame();
      port.send(packet.get());
      LiveEvent event;
      while (!port.pop(event)) std::this_thread::sleep_for(std::chrono::microseconds(100 + i % 1000));
      frames.push_back(packet->applied_frame - under_way);
    }
    executive.request_stop("enough");
    main.join();
  }
  std::sort(frames.begin(), frames.end());
  tactus::bench::answer("how many frames after the one under way does a change take effect",
                        {{"frame_us", 1000},
                         {"changes", frames.size()},
                         {"min", frames.front()},
                         {"median", frames[frames.size() / 2]},
                         {"max", frames.back()}});
}

void run(bool quick) {
  (void)tactus::bench::stay_on_last_cpu();
  for (const std::size_t variables : {std::size_t{10}, std::size_t{1000}, std::size_t{100'000}})
    measure_snapshot(variables, variables, quick);
  for (const std::size_t variables : {std::size_t{1000}, std::size_t{100'000}})
    measure_snapshot(variables, 10, quick);
  measure_snapshot(100'000, 1, quick);
}

}  // namespace

int main(int argc, char** argv) {
  const int status = tactus::bench::run_benchmark(argc, argv, "the cost of live access", [](bool quick) {
    measure_set(quick);
    run(quick);
  });
  return status;
}
