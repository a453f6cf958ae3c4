// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A rig from YAML text whose frames run on the simulated clock, on the thread of the test.
#include <functional>
#include <map>
#include <string>

#include "executive/frame/executive.hpp"
#include "tests/executive/support/rig_files.hpp"
#include "tests/executive/support/sim.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

class SimulatedRig {
 public:
  explicit SimulatedRig(const std::string& text)
      : rig(text),
        sync_(paced(), rig.plan().frame, clock, sleeper),
        executive(rig.plan(), sync_, sleeper, clock, rig.realtime_variables(), clock.reader()) {
    rig.set_services(executive.model_requests());
    sleeper.on_wait = [this](int wait) {
      if (const auto what = behind_frame.find(wait); what != behind_frame.end()) what->second();
    };
  }
  SimulatedRig(const SimulatedRig&) = delete;
  SimulatedRig& operator=(const SimulatedRig&) = delete;

  /// From the default_data jobs to the last frame; `started`: behind the initialization jobs.
  RunEnd run(
      std::int64_t frames, const std::function<void()>& started = [] {}) {
    executive.run_default_data();
    rig.apply_parameters();
    executive.run_initialization();
    started();
    return executive.run(frames);
  }

  LoadedRig rig;
  SimClock clock;
  SimSleeper sleeper{clock};
  std::map<int, std::function<void()>> behind_frame;  ///< what is done in the wait behind that frame

 private:
  static rtsync::RealtimeSettings paced() {
    rtsync::RealtimeSettings settings;
    settings.enabled = true;
    return settings;
  }
  rtsync::RealtimeSync sync_;

 public:
  Executive executive;
};

}  // namespace tactus::executive::test
