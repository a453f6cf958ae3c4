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
    case TACTUS_ENVIRONMENT:
      return "environment";
    case TACTUS_SENSOR:
      return "sensor";
    case TACTUS_SCHEDULED:
      return "scheduled";
    case TACTUS_CONTROLLER:
      return "controller";
    case TACTUS_EFFECTOR:
      return "effector";
    case TACTUS_LOGGING:
      return "logging";
    case TACTUS_DATA_RECORD:
      return "data_record";
    case TACTUS_END_OF_FRAME:
      return "end_of_frame";
    case TACTUS_SHUTDOWN:
      return "shutdown";
  }
  return "";
}

/// Classes whose jobs have a cycle; the others run once, or once at an end of every frame.
constexpr bool is_cyclic(tactus_job_class job_class) {
  return job_class >= TACTUS_ENVIRONMENT && job_class <= TACTUS_DATA_RECORD;
}

/// Of the cyclic classes, those that belong to State::step_controller.
constexpr bool is_controller(tactus_job_class job_class) { return job_class >= TACTUS_CONTROLLER; }

}  // namespace tactus::executive
