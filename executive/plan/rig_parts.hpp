// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executive/driver/clock_driver.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/driver/link.hpp"
#include "executive/driver/live.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/isolation/isolated_output.hpp"
#include "executive/isolation/isolation.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/model/model_library.hpp"
#include "executive/plan/executive_variables.hpp"
#include "executive/plan/plan.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/record/recording.hpp"

namespace tactus::executive {

/// A model that a driver made.
struct DriverModel {
  std::string name;
  std::string driver;
  tactus_model description{};
  std::unique_ptr<DrivenModel> model;
};

/// The value of a parameter, ready to be copied into its model.
struct ParameterValue {
  void* data;
  std::vector<std::byte> bytes;
};

/// Parts of a rig. The order matters: libraries are unloaded after all that came out of them.
struct RigParts {
  std::deque<ModelLibrary> libraries;
  std::vector<std::shared_ptr<DriverLibrary>> drivers;
  RigSettings settings;            ///< settings with what drivers made of their own keys
  std::vector<std::string> notes;  ///< sentences on what was found that the rig file does not say
  std::unique_ptr<ClockDriver> clock_driver;
  std::unique_ptr<Link> link;
  std::vector<std::unique_ptr<LiveServer>> live_servers;
  std::int64_t epoch_ns = 0;
  std::deque<DriverModel> driver_models;
  std::unique_ptr<Isolation> isolation;  ///< nullptr: no model is isolated
  std::deque<IsolatedOutput> isolated_outputs;
  std::deque<ModelInstance> models;
  std::vector<ParameterValue> parameters;
  ExecutiveVariables variables;
  Plan plan;
  std::deque<Recording> recordings;
  std::optional<Recording> frame_log;
  std::vector<VariableRef> flight_variables;
};

}  // namespace tactus::executive
