// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/record/settings.hpp"

#include <chrono>

#include "config/rules.hpp"
#include "executive/plan/setting_rules.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;

Fields<TriggerSection> trigger_fields() {
  using T = TriggerSection;
  return {"Writes records around those for which a condition holds, and no others.",
          {
              located(&T::origin),
              required("when", &T::when, length(1, 1000),
                       "condition (expressions.md), as `motor.speed > 100 rad/s and running`; also "
                       "`model.variable changes`"),
              optional("before", &T::before, range(0ns, 3600s),
                       "simulated time to write before the condition holds, from memory"),
              optional("after", &T::after, range(0ns, 3600s),
                       "simulated time to write after the condition last held"),
          }};
}

Fields<DecimateSection> decimate_fields() {
  using D = DecimateSection;
  using enum RecordDecimation::Keep;
  return {
      "Combines several records into one.",
      {
          located(&D::origin),
          required("to", &D::to, setting::any_period(),
                   "simulated time that one record stands for; more than `every`"),
          optional(
              "keep", &D::keep,
              choices<RecordDecimation::Keep>(
                  {{"min_max", min_max,
                    "smallest and largest value, as `<column>.min` and `<column>.max`; a NaN makes both NaN"},
                   {"last", last, "the last record"}}),
              "which of its records to keep"),
      }};
}

}  // namespace

const Fields<RecordingSettings>& recording_fields() {
  using R = RecordingSettings;
  static const Fields<R> fields{
      "A recording: chosen variables at a chosen rate in a file of the run folder.",
      {
          located(&R::origin),
          optional("driver", &R::driver, name(), "the file format: csv, mdf4, mcap, hdf5 or trk"),
          optional("every", &R::every, or_word("frame", setting::any_period(), "once a frame"),
                   "time from one record to the next"),
          required("variables", &R::variables, length(1, 1000),
                   "variables to record: model.variable, model.variable[2], model.*, or one of rt.*")
              .at_least(1),
          optional("on_change", &R::on_change,
                   "write only records in which a value differs from the last written record"),
          setting::when_present<TriggerSection>(
              optional("trigger", &R::trigger, trigger_fields(), "write only records near a condition")),
          setting::when_present<DecimateSection>(
              optional("decimate", &R::decimate, decimate_fields(), "combine several records into one")),
          setting::budget(&R::budget, "time a record may take in the frame, as a job's budget"),
          setting::left_out(
              &R::optional,
              "1 .. 1000: allow an escalation's `shed` to leave records out, as a job's `optional`"),
          rest(&R::device, "the driver's own"),
      }};
  return fields;
}

}  // namespace tactus::executive
