// SPDX-License-Identifier: Apache-2.0
// One model in two releases, which differ in what their header holds.
#include <tactus/model.hpp>

namespace calibration {
inline double gain = GAIN;
inline double& table() {
  static double value = GAIN * 10;
  return value;
}
}  // namespace calibration

namespace {

class Release : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.output("gain", gain_);
    d.output("table", table_);
    d.job<&Release::step>("step", tactus::JobClass::scheduled);
  }
  void step() {
    gain_ = calibration::gain;
    table_ = calibration::table();
  }

 private:
  double gain_ = 0, table_ = 0;
};

}  // namespace

TACTUS_MODEL("release", Release, "computes with its own header")
