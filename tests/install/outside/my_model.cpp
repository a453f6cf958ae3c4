// SPDX-License-Identifier: Apache-2.0
#include <tactus/model.hpp>

namespace {

class MyModel : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("k", k_, "1", "what a frame adds");
    d.output("y", y_, "1", "the sum");
    d.job<&MyModel::step>("step", tactus::JobClass::scheduled);
  }
  void step() { y_ += k_; }

 private:
  double k_ = 1;
  double y_ = 0;
};

class MyOther : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override { d.output("z", z_); }

 private:
  int z_ = 0;
};

}  // namespace

TACTUS_MODEL("my_model", MyModel, "counts")
TACTUS_MODEL("my_other", MyOther, "stands by")
