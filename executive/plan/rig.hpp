// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "config/place.hpp"
#include "executive/plan/draft.hpp"
#include "executive/plan/rig_parts.hpp"

namespace tactus::executive {

/// A variable of a model, and what it drives outside.
struct RigOutput {
  std::string driver;
  const ModelInstance* model = nullptr;
  const Variable* variable = nullptr;
  std::string what;   ///< "line 17 of /dev/gpiochip0"
  config::Json safe;  ///< null: not known here
};

/// A rig file made real (state Connect): libraries loaded, models constructed and declared, connections
/// checked, the plan laid. Nothing has been run yet.
///
/// Threads  setup: one thread. While the rig runs, its memory belongs to the frames.
class Rig {
 public:
  /// `base` is the folder that libraries with a '/' are relative to. Throws config::ConfigError with
  /// everything that is wrong, all in one go. @when setup
  Rig(RigSettings settings, const std::filesystem::path& base, config::Problems problems = {},
      const LinkOverrides& overrides = {});
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  /// Settings as loaded, with full paths of the libraries: the run folder keeps them.
  const RigSettings& settings() const { return parts_.settings; }
  const Plan& plan() const { return parts_.plan; }
  /// Sentences on what was found that the rig file does not say: a driver that replaces one of the box.
  const std::vector<std::string>& notes() const { return parts_.notes; }
  const std::deque<ModelInstance>& models() const { return parts_.models; }
  /// The models in processes of their own; nullptr: none is.
  /// Models that drivers made in this process.
  std::deque<DriverModel>& driver_models() { return parts_.driver_models; }
  const std::deque<DriverModel>& driver_models() const { return parts_.driver_models; }
  Isolation* isolation() const { return parts_.isolation.get(); }
  /// The link to virtual-time participants; nullptr: the rig has none.
  Link* link() const { return parts_.link.get(); }
  /// Its time is that of others: it is never in real time.
  bool follows_others() const { return link() != nullptr && link()->mode() == LinkMode::follow; }
  /// Programs outside look in: clients of its servers, or peers that give commands.
  bool is_live() const { return !live_servers().empty() || (link() != nullptr && link()->takes_commands()); }
  /// Servers of live access, in the order of the rig file.
  const std::vector<std::unique_ptr<LiveServer>>& live_servers() const { return parts_.live_servers; }
  /// The date of simulated time 0, in ns since 1970-01-01T00:00:00Z.
  std::int64_t epoch_ns() const { return parts_.epoch_ns; }
  /// The executive's own variables: rt.*, and clock.* and link.* where there are such.
  std::vector<const std::deque<Variable>*> executive_variables() const { return parts_.variables.all(); }
  /// Outputs that it drives outside. A model in a process of its own has each of its inputs here.
  std::vector<RigOutput> outputs() const;
  /// Variables to which `parameters:` gives values.
  const std::vector<ParameterValue>& parameters() const { return parts_.parameters; }
  /// Inputs that no connection and no link feeds and no parameter sets.
  std::vector<std::string> unconnected_inputs() const;

  /// Sets the object that answers the models' requests from now on. @when setup
  void set_services(ModelServices& services);
  void drop_services();
  /// Sets the values of `parameters:`; after the default_data jobs. @when setup
  void apply_parameters();
  /// The recordings of `record:`, sampled by the plan's jobs.
  std::deque<Recording>& recordings() { return parts_.recordings; }
  /// The log of all frames; nullptr when it is off or its driver is missing.
  Recording* frame_log() { return parts_.frame_log ? &*parts_.frame_log : nullptr; }
  /// Variables that the flight recorder keeps at the end of each frame.
  const std::vector<VariableRef>& flight_variables() const { return parts_.flight_variables; }
  /// Values that the executive keeps up to date for the variables rt.*.
  RealtimeVariables& realtime_variables() { return parts_.variables.realtime(); }
  /// Values that policies keep up to date for the variables policy.*.
  PolicyVariables& policy_variables() { return parts_.variables.policies(); }
  /// Values that faults keep up to date for the variables fault.*.
  std::deque<bool>& fault_variables() { return parts_.variables.faults(); }
  /// Values that the external clock keeps up to date for the variables clock.*.
  rtsync::EdgeClockStatus& clock_status() { return parts_.variables.clock(); }
  const rtsync::EdgeClockStatus& clock_status() const { return parts_.variables.clock(); }

  /// Opens the devices of the models that drivers made; their outputs then are at their safe values. Throws
  /// DeviceError. Once, before the first job. @when setup
  /// `folder`: of the run; empty: there is none.
  void open_devices(const std::string& folder = "");
  /// Opens the line of an external clock; nullptr when the clock is internal. Throws DeviceError. @when setup
  std::unique_ptr<rtsync::EdgeSource> open_clock();

 private:
  OpenRequest open_request() const;

  RigParts parts_;
};

}  // namespace tactus::executive
