// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include "tests/drivers/live/support/fake_live_rig.hpp"

namespace tactus::test {

/// Declares what the tests of this folder ask for.
inline void declare_sample(FakeLiveRig& rig) {
  using executive::LiveRights;
  rig.add<double>("motor.speed", TACTUS_DOUBLE, {1.5}, false, TACTUS_STATE, "rad/s");
  rig.add<std::uint8_t>("motor.on", TACTUS_BOOL, {1});
  rig.add<double>("axis.force", TACTUS_DOUBLE, {1, 2, 3}, true, TACTUS_INPUT, "N");
  rig.add<std::int32_t>("motor.mode", TACTUS_INT32, {2});
  rig.add<double>("controller.torque", TACTUS_DOUBLE, {0.25}, false, TACTUS_INPUT, "N m",
                  LiveRights::force_only, "is fed by 'plant.torque'; force it instead");
  rig.add<std::int64_t>("rt.late", TACTUS_INT64, {7}, false, TACTUS_OUTPUT, "ns", LiveRights::read_only,
                        "is the executive's own");
  rig.add<double>("plant.field", TACTUS_DOUBLE, std::vector<double>(2000, 0.125), true);
  rig.declared(0).about = "of the shaft";
  rig.declared(0).low = -100;
  rig.declared(0).high = 100;
  rig.declared(3).labels = {{"off", 0}, {"hold", 2}};
  rig.change_facts().epoch_ns = 1'108'425'600'000'000'000;  // 2005-02-15T00:00:00Z
  rig.change_facts().folder = "/tmp";
}

/// A rig whose frames end every millisecond, and which does what it is asked at once.
class RunningRig {
 public:
  RunningRig() { declare_sample(rig); }
  ~RunningRig() { stop(); }
  RunningRig(const RunningRig&) = delete;
  RunningRig& operator=(const RunningRig&) = delete;

  void start() {
    thread_ = std::thread([this] {
      for (std::int64_t frame = 0; !stopping_; ++frame) {
        rig.put(0, static_cast<double>(frame % 100));
        rig.put<std::int64_t>(5, frame % 100);  // the same: a group is coherent when both say so
        rig.end_frame(frame);
        for (const auto& written : rig.take_written())
          written.then({true, written.batch.frame.value_or(frame + 1), ""});
        for (const auto& asked : rig.take_episodes()) {
          executive::EpisodeEnd end;
          end.frame = frame;
          end.date = "2005-02-15T00:00:01+00:00";
          end.out.resize(asked.request.out.size());
          asked.then(end);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }

  FakeLiveRig rig;

 private:
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace tactus::test
