// SPDX-License-Identifier: Apache-2.0
// C++ models that cannot be made, each in a way of its own.
#include <cstdint>
#include <stdexcept>
#include <tactus/model.hpp>

namespace {

using tactus::Declare;
using tactus::JobClass;

struct Throws : tactus::Model {
  Throws() { throw std::runtime_error("the sensor is not calibrated"); }
  void declare(Declare&) override {}
};
struct ThrowsInt : tactus::Model {
  ThrowsInt() { throw 5; }
  void declare(Declare&) override {}
};
struct DeclareThrows : tactus::Model {
  void declare(Declare&) override { throw std::logic_error("no table"); }
};
struct DeclareThrowsInt : tactus::Model {
  void declare(Declare&) override { throw 7; }
};
struct Twice : tactus::Model {
  void declare(Declare& d) override {
    d.input("u", a);
    d.output("u", b);
  }
  double a = 0, b = 0;
};
struct Swallows : tactus::Model {
  void declare(Declare& d) override {
    d.input("u", a);
    try {
      d.output("u", b);
    } catch (...) {
    }
    d.output("y", b);
  }
  double a = 0, b = 0;
};
struct BadUnit : tactus::Model {
  void declare(Declare& d) override { d.input("u", a, "N m/("); }
  double a = 0;
};
struct BadName : tactus::Model {
  void declare(Declare& d) override { d.input("2nd", a); }
  double a = 0;
};
struct LabelsOnDouble : tactus::Model {
  void declare(Declare& d) override { d.parameter("x", a, "", "", {{"one", 1}}); }
  double a = 0;
};
struct LabelOutside : tactus::Model {
  void declare(Declare& d) override { d.parameter("x", a, "", "", {{"fits", 255}, {"high", 256}}); }
  std::uint8_t a = 0;
};
struct LabelBelow : tactus::Model {
  void declare(Declare& d) override { d.parameter("x", a, "", "", {{"low", -129}}); }
  std::int8_t a = 0;
};
struct JobTwice : tactus::Model {
  void declare(Declare& d) override {
    d.job<&JobTwice::step>("step", JobClass::scheduled);
    d.job<&JobTwice::step>("step", JobClass::effector);
  }
  void step() {}
};
struct BadPhase : tactus::Model {
  void declare(Declare& d) override {
    d.job<&BadPhase::step>("step", JobClass::scheduled, tactus::at_phase(65536));
  }
  void step() {}
};
struct BadCycle : tactus::Model {
  void declare(Declare& d) override {
    d.job<&BadCycle::step>("step", JobClass::scheduled, tactus::JobCycles::of(1, 0));
  }
  void step() {}
};
struct CycleAtEnd : tactus::Model {
  void declare(Declare& d) override {
    d.job<&CycleAtEnd::step>("step", JobClass::end_of_frame, tactus::rate(10));
  }
  void step() {}
};
struct BadClass : tactus::Model {
  void declare(Declare& d) override { d.job<&BadClass::step>("step", static_cast<JobClass>(601)); }
  void step() {}
};

}  // namespace

TACTUS_MODEL("throws", Throws, "")
TACTUS_MODEL("throws_int", ThrowsInt, "")
TACTUS_MODEL("declare_throws", DeclareThrows, "")
TACTUS_MODEL("declare_throws_int", DeclareThrowsInt, "")
TACTUS_MODEL("twice", Twice, "")
TACTUS_MODEL("swallows", Swallows, "")
TACTUS_MODEL("bad_unit", BadUnit, "")
TACTUS_MODEL("bad_name", BadName, "")
TACTUS_MODEL("labels_on_double", LabelsOnDouble, "")
TACTUS_MODEL("label_outside", LabelOutside, "")
TACTUS_MODEL("label_below", LabelBelow, "")
TACTUS_MODEL("job_twice", JobTwice, "")
TACTUS_MODEL("bad_phase", BadPhase, "")
TACTUS_MODEL("bad_cycle", BadCycle, "")
TACTUS_MODEL("cycle_at_end", CycleAtEnd, "")
TACTUS_MODEL("bad_class", BadClass, "")
