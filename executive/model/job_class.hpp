// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <string_view>

#include "rtsync/word_of.hpp"

namespace tactus::executive {

/// "scheduled", ...; empty for a number that is no class.
constexpr std::string_view name_of(tactus_job_class job_class) {
  constexpr rtsync::Worded<tactus_job_class> kWords[] = {{TACTUS_DEFAULT_DATA, "default_data"},
                                                         {TACTUS_INITIALIZATION, "initialization"},
                                                         {TACTUS_TOP_OF_FRAME, "top_of_frame"},
                                                         {TACTUS_ON_EVENT, "on_event"},
                                                         {TACTUS_ENVIRONMENT, "environment"},
                                                         {TACTUS_SENSOR, "sensor"},
                                                         {TACTUS_SENSOR_EMITTER, "sensor_emitter"},
                                                         {TACTUS_SENSOR_REFLECTOR, "sensor_reflector"},
                                                         {TACTUS_SENSOR_RECEIVER, "sensor_receiver"},
                                                         {TACTUS_SCHEDULED, "scheduled"},
                                                         {TACTUS_CONTROLLER, "controller"},
                                                         {TACTUS_EFFECTOR, "effector"},
                                                         {TACTUS_EFFECTOR_EMITTER, "effector_emitter"},
                                                         {TACTUS_EFFECTOR_RECEIVER, "effector_receiver"},
                                                         {TACTUS_LOGGING, "logging"},
                                                         {TACTUS_DATA_RECORD, "data_record"},
                                                         {TACTUS_PRE_INTEGRATION, "pre_integration"},
                                                         {TACTUS_DERIVATIVE, "derivative"},
                                                         {TACTUS_INTEGRATION, "integration"},
                                                         {TACTUS_POST_INTEGRATION, "post_integration"},
                                                         {TACTUS_END_OF_FRAME, "end_of_frame"},
                                                         {TACTUS_FREEZE_INIT, "freeze_init"},
                                                         {TACTUS_FREEZE_SCHEDULED, "freeze_scheduled"},
                                                         {TACTUS_FREEZE_AUTOMATIC, "freeze_automatic"},
                                                         {TACTUS_FREEZE, "freeze"},
                                                         {TACTUS_UNFREEZE, "unfreeze"},
                                                         {TACTUS_CHECKPOINT, "checkpoint"},
                                                         {TACTUS_POST_CHECKPOINT, "post_checkpoint"},
                                                         {TACTUS_PRELOAD_CHECKPOINT, "preload_checkpoint"},
                                                         {TACTUS_RESTART, "restart"},
                                                         {TACTUS_SHUTDOWN, "shutdown"}};
  return rtsync::word_of(kWords, job_class, "");
}

/// Classes whose jobs the schedule calls at the instants of the simulated time: at their cycle, or, of class on_event,
/// at the first instant of a frame (of a thread's period) before which they were asked for.
constexpr bool is_cyclic(tactus_job_class job_class) {
  return job_class >= TACTUS_ON_EVENT && job_class <= TACTUS_DATA_RECORD;
}

/// Classes whose jobs each frame calls once, before its instants or after them.
constexpr bool is_around_frame(tactus_job_class job_class) {
  return job_class == TACTUS_TOP_OF_FRAME || job_class == TACTUS_END_OF_FRAME;
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
