// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <string_view>

namespace tactus::executive {

/// "scheduled", ...; empty for a number that is no class.
constexpr std::string_view name_of(tactus_job_class job_class) {
  switch (job_class) {
    case TACTUS_DEFAULT_DATA:
      return "default_data";
    case TACTUS_INITIALIZATION:
      return "initialization";
    case TACTUS_TOP_OF_FRAME:
      return "top_of_frame";
    case TACTUS_ON_EVENT:
      return "on_event";
    case TACTUS_ENVIRONMENT:
      return "environment";
    case TACTUS_SENSOR:
      return "sensor";
    case TACTUS_SENSOR_EMITTER:
      return "sensor_emitter";
    case TACTUS_SENSOR_REFLECTOR:
      return "sensor_reflector";
    case TACTUS_SENSOR_RECEIVER:
      return "sensor_receiver";
    case TACTUS_SCHEDULED:
      return "scheduled";
    case TACTUS_CONTROLLER:
      return "controller";
    case TACTUS_EFFECTOR:
      return "effector";
    case TACTUS_EFFECTOR_EMITTER:
      return "effector_emitter";
    case TACTUS_EFFECTOR_RECEIVER:
      return "effector_receiver";
    case TACTUS_LOGGING:
      return "logging";
    case TACTUS_DATA_RECORD:
      return "data_record";
    case TACTUS_PRE_INTEGRATION:
      return "pre_integration";
    case TACTUS_DERIVATIVE:
      return "derivative";
    case TACTUS_INTEGRATION:
      return "integration";
    case TACTUS_POST_INTEGRATION:
      return "post_integration";
    case TACTUS_END_OF_FRAME:
      return "end_of_frame";
    case TACTUS_FREEZE_INIT:
      return "freeze_init";
    case TACTUS_FREEZE_SCHEDULED:
      return "freeze_scheduled";
    case TACTUS_FREEZE_AUTOMATIC:
      return "freeze_automatic";
    case TACTUS_FREEZE:
      return "freeze";
    case TACTUS_UNFREEZE:
      return "unfreeze";
    case TACTUS_CHECKPOINT:
      return "checkpoint";
    case TACTUS_POST_CHECKPOINT:
      return "post_checkpoint";
    case TACTUS_PRELOAD_CHECKPOINT:
      return "preload_checkpoint";
    case TACTUS_RESTART:
      return "restart";
    case TACTUS_SHUTDOWN:
      return "shutdown";
  }
  return "";
}

/// Classes whose jobs the schedule calls at the instants of the simulated time: at their cycle, or, of class on_event,
/// at the first instant of a frame (of a thread's period) before which they were asked for.
constexpr bool is_cyclic(tactus_job_class job_class) {
  return job_class >= TACTUS_ON_EVENT && job_class <= TACTUS_DATA_RECORD;
}

/// Classes whose jobs an integration loop calls, at the loop's cycle.
constexpr bool is_integration(tactus_job_class job_class) {
  return job_class >= TACTUS_PRE_INTEGRATION && job_class <= TACTUS_POST_INTEGRATION;
}

/// Classes whose jobs have a cycle of the freeze time.
constexpr bool is_freeze_cyclic(tactus_job_class job_class) {
  return job_class == TACTUS_FREEZE_SCHEDULED || job_class == TACTUS_FREEZE_AUTOMATIC;
}

/// Classes whose jobs are called while the rig is frozen, or when it enters or leaves the freeze.
constexpr bool is_freeze(tactus_job_class job_class) {
  return job_class >= TACTUS_FREEZE_INIT && job_class <= TACTUS_UNFREEZE;
}

/// Returns true for the cyclic classes that belong to State::step_controller.
constexpr bool is_controller(tactus_job_class job_class) { return job_class >= TACTUS_CONTROLLER; }

}  // namespace tactus::executive
