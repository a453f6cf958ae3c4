// SPDX-License-Identifier: Apache-2.0
// Models as a user writes them: what the rig tests wire together.
#include <cstdint>
#include <tactus/model.hpp>

namespace {

using tactus::Call;
using tactus::Declare;
using tactus::JobClass;

enum class Gear : std::uint8_t { park, drive = 3, reverse = 200 };
enum class Wide : std::uint64_t { none = 0, all = UINT64_MAX };
enum class Signed : std::int16_t { minus = -5, zero = 0, eleven = 11 };

/// One parameter of every type, scalars and arrays.
class Types : public tactus::Model {
 public:
  void declare(Declare& d) override {
    d.parameter("b", b_);
    d.parameter("i8", i8_);
    d.parameter("u8", u8_, "counts");
    d.parameter("i16", i16_);
    d.parameter("u16", u16_);
    d.parameter("i32", i32_);
    d.parameter("u32", u32_);
    d.parameter("i64", i64_);
    d.parameter("u64", u64_);
    d.parameter("f", f_, "m");
    d.parameter("d", d_, "rad/s", "an angular speed");
    d.parameter("gear", gear_, "", "",
                {{"park", Gear::park}, {"drive", Gear::drive}, {"reverse", Gear::reverse}});
    d.parameter("wide", wide_, "", "", {{"none", Wide::none}, {"all", Wide::all}});
    d.parameter("signed", signed_, "", "",
                {{"minus", Signed::minus}, {"zero", Signed::zero}, {"7", Signed::eleven}});
    d.parameter("bs", bs_);
    d.parameter("i8s", i8s_);
    d.parameter("u64s", u64s_);
    d.parameter("fs", fs_, "V");
    d.parameter("ds", ds_, "m");
    d.parameter("gears", gears_, "", "", {{"park", Gear::park}, {"drive", Gear::drive}});
    d.state("s", s_, "V");
    d.output("y", y_, "V");
    d.job<&Types::step>("step", JobClass::scheduled);
  }
  int step(const Call&) { return 0; }

 private:
  bool b_ = false;
  std::int8_t i8_ = 0;
  std::uint8_t u8_ = 0;
  std::int16_t i16_ = 0;
  std::uint16_t u16_ = 0;
  std::int32_t i32_ = 0;
  std::uint32_t u32_ = 0;
  std::int64_t i64_ = 0;
  std::uint64_t u64_ = 0;
  float f_ = 0;
  double d_ = 0;
  Gear gear_ = Gear::park;
  Wide wide_ = Wide::none;
  Signed signed_ = Signed::zero;
  bool bs_[2] = {};
  std::int8_t i8s_[3] = {};
  std::array<std::uint64_t, 2> u64s_{};
  float fs_[2] = {};
  std::array<double, 3> ds_{};
  Gear gears_[2] = {};
  double s_ = 0;
  double y_ = 0;
};

/// y = k u, in volts; with a job of every kind.
class Gain : public tactus::Model {
 public:
  void declare(Declare& d) override {
    d.parameter("k", k_, "", "amplification");
    d.input("u", u_, "V", "what comes in");
    d.input("many", many_, "V");
    d.input("angle", angle_, "rad");
    d.input("count", count_);
    d.output("y", y_, "V", "what goes out");
    d.output("all", all_, "V");
    d.output("degrees", degrees_, "deg");
    d.output("long_count", long_count_);
    d.job<&Gain::initialize>("initialize", JobClass::initialization);
    d.job<&Gain::step>("step", JobClass::scheduled,
                       tactus::every(std::chrono::milliseconds(2)).at_phase(100));
    d.job<&Gain::control>("control", JobClass::controller);
    d.job<&Gain::end>("end", JobClass::end_of_frame);
  }
  void initialize() { y_ = k_; }
  void step() { y_ = k_ * u_; }
  void control(const Call& call) { long_count_ = call.frame; }
  void end() noexcept { all_[0] = y_; }

 private:
  double k_ = 1;
  double u_ = 0;
  double many_[3] = {};
  double angle_ = 0;
  std::int32_t count_ = 0;
  double y_ = 0;
  double all_[3] = {};
  double degrees_ = 0;
  std::int64_t long_count_ = 0;
};

/// Nothing to record but parameters.
class Constant : public tactus::Model {
 public:
  void declare(Declare& d) override { d.parameter("k", k_); }

 private:
  double k_ = 1;
};

/// y = m u: two dimensions, as C arrays and of the standard library.
class Matrix : public tactus::Model {
 public:
  void declare(Declare& d) override {
    d.parameter("m", m_, "", "rows behind rows");
    d.input("u", u_, "V");
    d.output("y", y_, "V");
    d.state("cells", cells_);
    d.range("m", -100, 100);
    d.job<&Matrix::step>("step", JobClass::scheduled);
  }
  void step() {
    for (std::size_t row = 0; row < 2; ++row) {
      y_[row] = 0;
      for (std::size_t column = 0; column < 3; ++column) y_[row] += m_[row][column] * u_[column];
    }
  }

 private:
  double m_[2][3] = {{1, 2, 3}, {4, 5, 6}};
  double u_[3] = {1, 1, 1};
  double y_[2] = {};
  std::array<std::array<std::int32_t, 2>, 2> cells_{{{1, 2}, {3, 4}}};
};

}  // namespace

TACTUS_MODEL("types", Types, "every type")
TACTUS_MODEL("gain", Gain, "multiplies")
TACTUS_MODEL("constant", Constant, "does nothing")
TACTUS_MODEL("matrix", Matrix, "multiplies a vector")
