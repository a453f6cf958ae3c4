// SPDX-License-Identifier: Apache-2.0
// Models with jobs of the classes that the others lack: what the tests of threads and loops wire together.
#include <tactus/model.hpp>

namespace {

using tactus::Declare;
using tactus::JobClass;
using tactus::kDynamic;

/// x' = u: a continuous state.
class Tank : public tactus::Model {
 public:
  void declare(Declare& d) override {
    d.input("u", u_);
    d.state("x", x_);
    d.state("dx", dx_);
    d.integrated(x_, dx_);
    d.job<&Tank::before>("before", JobClass::pre_integration);
    d.job<&Tank::slope>("slope", JobClass::derivative);
  }
  void before() {}
  void slope() { dx_ = u_; }

 private:
  double u_ = 0;
  double x_ = 0;
  double dx_ = 0;
};

/// A job of every other kind, and one that chooses its own times.
class Every : public tactus::Model {
 public:
  void declare(Declare& d) override {
    d.input("u", u_);
    d.output("y", y_);
    d.job<&Every::nothing>("top", JobClass::top_of_frame);
    d.job<&Every::nothing>("sense", JobClass::sensor);
    d.job<&Every::nothing>("own_times", JobClass::scheduled, kDynamic);
    d.job<&Every::nothing>("act", JobClass::effector);
    d.job<&Every::nothing>("end", JobClass::end_of_frame);
  }
  void nothing() {}

 private:
  double u_ = 0;
  double y_ = 0;
};

/// Jobs of the freeze.
class Frozen : public tactus::Model {
 public:
  void declare(Declare& d) override {
    d.job<&Frozen::nothing>("step", JobClass::scheduled);
    d.job<&Frozen::nothing>("often", JobClass::freeze_scheduled);
    d.job<&Frozen::nothing>("seldom", JobClass::freeze_scheduled, tactus::every(std::chrono::seconds(1)));
    d.job<&Frozen::nothing>("own_times", JobClass::freeze_automatic, kDynamic);
  }
  void nothing() {}
};

}  // namespace

TACTUS_MODEL("tank", Tank, "integrates")
TACTUS_MODEL("every", Every, "every class")
TACTUS_MODEL("frozen", Frozen, "jobs of the freeze")
