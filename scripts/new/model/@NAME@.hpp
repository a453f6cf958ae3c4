#pragma once
#include <tactus/model.hpp>

#include <cmath>
#include <stdexcept>

/// A lag of first order: `out` follows `in` with a time constant. Put your own equations in its place.
class @CLASS@ : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("time_constant", time_constant, "s", "time in which 63 % of a step is reached");
    d.input("in", in, "V", "what it follows");
    d.output("out", out, "V", "what has followed");
    d.job<&@CLASS@::check>("check", tactus::JobClass::initialization);
    d.job<&@CLASS@::step>("step", tactus::JobClass::scheduled);
  }

  /// Refuses parameters that make no sense, before the first frame: the rig ends with this text.
  void check() {
    if (!(time_constant > 0)) throw std::invalid_argument("time_constant must be greater than zero");
  }

  /// Goes on by call.dt seconds. Of all that a frame calls: no memory from the heap, no lock, no file, no wait.
  void step(const tactus::Call& call) { out += (in - out) * (1 - std::exp(-call.dt / time_constant)); }

  double time_constant = 0.1, in = 0, out = 0;
};
