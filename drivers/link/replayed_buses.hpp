// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "drivers/link/can_bridge.hpp"
#include "drivers/link/can_record.hpp"
#include "drivers/link/exchange.hpp"
#include "drivers/link/signals.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::drivers::link {

/// Buses of a replayed run: each is given what peers gave it (link-can.csv of a run folder), in the same frames. What the buses
/// carry goes nowhere.
///
/// Threads  constructor, open(): setup. The rest: the rig's main thread.
/// RT       begin(), pause().
class ReplayedBuses {
 public:
  /// Reads all of it; without networks there is no file. Throws std::runtime_error. @when setup
  ReplayedBuses(const Signals& signals, const rtsync::Period& frame, const std::filesystem::path& run_folder);

  /// Joins the buses of the models. Throws std::runtime_error: one is not open. @when setup
  void open() {
    for (CanBridge& bridge : bridges_) bridge.open();
  }
  /// Keeps what the buses are given once more, in a run's own folder: makes the file. Throws std::runtime_error. @when setup
  void record_to(const std::filesystem::path& folder) {
    if (!bridges_.empty()) record_.emplace(folder, names_);
  }
  /// Writes what was given, if record_to() was called. After the last frame.
  void end();
  /// Frames that the file of record_to() has not, as the disk did not take them. After end().
  std::int64_t lost() const { return lost_; }
  /// Notes that no frames run.
  void pause() TACTUS_RT {
    for (CanBridge& bridge : bridges_) bridge.pause();
  }
  /// Begins frame k: gives the buses what is for it.
  void begin(std::int64_t k) TACTUS_RT;
  std::size_t count() const { return given_.size(); }

 private:
  const rtsync::Period frame_;
  std::vector<std::string> names_;
  std::optional<CanRecordFile> record_;  // until it is written
  std::int64_t lost_ = 0;
  std::vector<GivenCan> given_;
  std::size_t first_ = 0, next_ = 0;  // what was given
  Exchange exchange_;                 // nobody is on its other side
  std::deque<CanStatus> statuses_;    // those of the recorded run are shown
  std::deque<CanBridge> bridges_;
};

}  // namespace tactus::drivers::link
