// SPDX-License-Identifier: Apache-2.0
/// Models with a job of every class, all harmless but the one that the rig file chooses.
///
///     models: { wrong: { model: fault, library: test_load, parameters: { in: sensor, how: throw, at_call: 5
///     } } }
///
/// `fault` has every class but those of integration, `fault_beside` those of them that an asynchronous thread
/// may have, `fault_loop` those of integration. Parameters are set after the default_data jobs: for that
/// class an instance is named after what it does, such as `default_data_throw`.
///
/// Units    calls are counted from 0, each class by itself.
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tactus/model.hpp>

#include "models/check.hpp"
#include "models/test_load/crash.hpp"

namespace test_load {

using enum tactus::JobClass;
using tactus::JobClass;

enum class How : std::int32_t { nothing, throw_, fail, segv, fpe, abort, hang, nan, range };

constexpr tactus::Labels kWays = {{"nothing", How::nothing}, {"throw", How::throw_}, {"fail", How::fail},
                                  {"segv", How::segv},       {"fpe", How::fpe},      {"abort", How::abort},
                                  {"hang", How::hang},       {"nan", How::nan},      {"range", How::range}};

constexpr tactus::Labels kClasses = {{"default_data", default_data},
                                     {"initialization", initialization},
                                     {"top_of_frame", top_of_frame},
                                     {"environment", environment},
                                     {"sensor", sensor},
                                     {"sensor_emitter", sensor_emitter},
                                     {"sensor_reflector", sensor_reflector},
                                     {"sensor_receiver", sensor_receiver},
                                     {"scheduled", scheduled},
                                     {"controller", controller},
                                     {"effector", effector},
                                     {"effector_emitter", effector_emitter},
                                     {"effector_receiver", effector_receiver},
                                     {"logging", logging},
                                     {"data_record", data_record},
                                     {"pre_integration", pre_integration},
                                     {"derivative", derivative},
                                     {"integration", integration},
                                     {"post_integration", post_integration},
                                     {"end_of_frame", end_of_frame},
                                     {"freeze_init", freeze_init},
                                     {"freeze_scheduled", freeze_scheduled},
                                     {"freeze_automatic", freeze_automatic},
                                     {"freeze", freeze},
                                     {"unfreeze", unfreeze},
                                     {"checkpoint", checkpoint},
                                     {"post_checkpoint", post_checkpoint},
                                     {"preload_checkpoint", preload_checkpoint},
                                     {"restart", restart},
                                     {"shutdown", shutdown}};

constexpr const char* name_of(JobClass job_class) {
  for (const tactus::Label& each : kClasses)
    if (each.value == static_cast<int>(job_class)) return each.name;
  return "";
}

class FaultBase : public tactus::Model {
 protected:
  void declare_variables(tactus::Declare& d) {
    d.parameter("in", in_, "", "the class whose job breaks a rule", kClasses);
    d.parameter("how", how_, "", "what it does", kWays);
    d.parameter("at_call", at_call_, "1",
                "at which call of that class since the start, and at all that follow");
    d.output("calls", calls_, "1", "calls of that class");
    d.output("value", value_, "V", "no number, for `nan`");
    d.output("share", share_, "1", "beyond its range, for `range`");
    d.range("share", 0, 1);
    const std::string instance = d.instance();
    constexpr std::string_view kPrefix = "default_data_";
    if (instance.starts_with(kPrefix))
      for (const tactus::Label& way : kWays)
        if (instance.substr(kPrefix.size()) == way.name) in_default_data_ = static_cast<How>(way.value);
  }

  /// A job of each class, named after it.
  template <JobClass... classes>
  static void declare_jobs(tactus::Declare& d) {
    (d.job<&FaultBase::job<classes>>(name_of(classes), classes), ...);
  }

  template <JobClass job_class>
  int job() {
    if (job_class == JobClass::default_data) return break_a_rule(in_default_data_);
    if (job_class != in_) return 0;
    ++calls_;
    return made_++ < at_call_ ? 0 : break_a_rule(how_);
  }

 private:
  int break_a_rule(How how) {
    switch (how) {
      case How::throw_:
        throw std::runtime_error("thrown on purpose");
      case How::fail:
        fail("failed on purpose");
        return 1;
      case How::segv:
        write_nowhere();
        return 0;
      case How::fpe:
        divide_by_zero();
        return 0;
      case How::abort:
        std::abort();
      case How::hang:
        for (volatile bool forever = true; forever;) continue;
        return 0;
      case How::nan:
        value_ = std::numeric_limits<double>::quiet_NaN();
        return 0;
      case How::range:
        share_ = 1.5;
        return 0;
      case How::nothing:
        return 0;
    }
    return 0;
  }

  JobClass in_ = JobClass::scheduled;
  How how_ = How::nothing;
  How in_default_data_ = How::nothing;
  std::int64_t at_call_ = 0;
  std::int64_t calls_ = 0;
  std::int64_t made_ = 0;  // no reset takes them back
  double value_ = 0;
  double share_ = 0;
};

/// Base of the faults that every thread can have.
class FaultBeside : public FaultBase {
 public:
  void declare(tactus::Declare& d) override {
    declare_variables(d);
    declare_jobs<default_data, initialization, top_of_frame, environment, sensor, sensor_emitter,
                 sensor_reflector, sensor_receiver, scheduled, controller, effector, effector_emitter,
                 effector_receiver, logging, data_record, end_of_frame, preload_checkpoint, restart,
                 shutdown>(d);
  }
};
TACTUS_MODEL("fault_beside", FaultBeside, "breaks a rule in a class that an asynchronous thread may have")

class Fault : public FaultBeside {
 public:
  void declare(tactus::Declare& d) override {
    FaultBeside::declare(d);
    declare_jobs<freeze_init, freeze_scheduled, freeze, unfreeze, checkpoint, post_checkpoint>(d);
    d.job<&Fault::freeze_automatic>("freeze_automatic", JobClass::freeze_automatic, tactus::kDynamic);
  }
  int freeze_automatic(const tactus::Call& call) {
    call_at("freeze_automatic", call.sim_time_ns + 1'000'000);
    return job<JobClass::freeze_automatic>();
  }
};
TACTUS_MODEL("fault", Fault, "breaks a rule in a class of the rig file's choice")

/// A body that is pulled to a place, and comes closer by a share of the distance every second.
class FaultLoop : public FaultBase {
 public:
  void declare(tactus::Declare& d) override {
    declare_variables(d);
    d.parameter("rate", rate_, "1/s", "the share");
    d.input("pull", pull_, "m", "where it is pulled");
    d.state("position", position_, "m", "where it is; integrated");
    d.output("speed", speed_, "m/s", "its derivative");
    d.integrated("position", "speed");
    declare_jobs<pre_integration>(d);
    d.job<&FaultLoop::derive>("derivative", derivative);
    declare_jobs<integration, post_integration>(d);
  }
  int derive() {
    speed_ = rate_ * (pull_ - position_);
    return job<derivative>();
  }

 private:
  double rate_ = 1, pull_ = 0, position_ = 0, speed_ = 0;
};
TACTUS_MODEL("fault_loop", FaultLoop, "breaks a rule in a class of integration")

}  // namespace test_load
