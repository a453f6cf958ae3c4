// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "config/place.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/safe_output.hpp"
#include "rtsync/clock/edge_source.hpp"
#include "rtsync/facts/host_facts.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// Observation of the configured line for `tactus doctor`.
struct EdgeWatch {
  std::optional<rtsync::Nanoseconds> measure{};  ///< time to watch the edges
  std::optional<rtsync::Period> edge_period{};   ///< nominal time between two edges, of a rig
};

/// Edges of a driver that was built against the installed headers, which are looked at before they are believed.
class CheckedEdges : public rtsync::EdgeSource {
 public:
  /// Describes what the driver did wrong when the clock was taken for gone, as the end of a sentence that begins with
  /// "its driver"; empty: nothing. @when service
  virtual std::string mistake() const = 0;
};

/// Something outside that clocks the frames: a driver of kind "clock", named by `clock: { driver: ... }`.
///
/// Threads  one thread at setup. The edge source it makes belongs to the paced thread.
class ClockDriver : public Driver {
 public:
  static constexpr const char* kKind = "clock";

  /// Takes its keys: `settings` is a map of all that the common table does not know. What is wrong is added
  /// to `problems`. Touches no device. @when setup
  virtual void read(const config::Node& settings, const std::string& path, config::Problems& problems) = 0;
  /// The same keys with all values, for the run folder's rig.yaml. After read(). @when setup
  virtual config::Node resolved() const = 0;
  /// Opens the line. After read(). Throws DeviceError. @when setup
  virtual std::unique_ptr<rtsync::EdgeSource> open(const OpenRequest& request) = 0;
  /// Facts for `tactus doctor` on such devices of this machine; after read() also on the configured line.
  /// Throws nothing. @when service
  virtual std::vector<rtsync::Fact> facts(const EdgeWatch& watch) = 0;
  /// Text of `needed` in the fact that stands for facts() that failed.
  static constexpr const char* kNeedsAnswer = "a clock that answers";
};

}  // namespace tactus::executive
