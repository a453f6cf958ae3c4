// SPDX-License-Identifier: Apache-2.0
/// A model that counts the calls of a job of class on_event, so that tests can see when one comes.
///
/// Units    calls, frames.
#include <cstdint>
#include <tactus/model.hpp>

namespace test_load {

class Pulse : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.input("in", in_, "1", "what the job of the event reads");
    d.output("calls", calls_, "1", "calls of `kick` so far");
    d.output("frame", frame_, "1", "frame of the last one; -1: none yet");
    d.output("read", read_, "1", "value of `in` in the last one");
    d.output("seen", seen_, "1", "calls that `step` has seen");
    d.job<&Pulse::kick>("kick", tactus::JobClass::on_event);
    d.job<&Pulse::step>("step", tactus::JobClass::environment);
  }
  void kick(const tactus::Call& call) {
    ++calls_;
    frame_ = call.frame;
    read_ = in_;
  }
  void step() { seen_ = calls_; }

 private:
  double in_ = 0, read_ = 0;
  std::int64_t calls_ = 0, frame_ = -1, seen_ = 0;
};
TACTUS_MODEL("pulse", Pulse, "counts the calls of a job of an event")

}  // namespace test_load
