// SPDX-License-Identifier: Apache-2.0
/// A model that breaks one rule of the frame at one moment, so that tests can see what notices it.
///
/// From at_frame on, for for_frames frames, the job does `what`. Everything but `none` and `clock` is
/// forbidden to a model; that is the point.
///
/// Units    s, bytes; frames are counted from 0.
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <tactus/model.hpp>

#include "models/check.hpp"
#include "models/test_load/crash.hpp"

namespace test_load {

enum class What : std::int32_t {
  none,
  allocate,
  sleep,
  throw_,
  fail,
  clock,
  segv,
  fpe,
  bus,
  abort,
  exit,
  _exit,
  quick_exit,
  exec
};

class Misbehave : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("what", what_, "1", "the rule to break",
                {{"none", What::none},
                 {"allocate", What::allocate},
                 {"sleep", What::sleep},
                 {"throw", What::throw_},
                 {"fail", What::fail},
                 {"clock", What::clock},
                 {"segv", What::segv},
                 {"fpe", What::fpe},
                 {"bus", What::bus},
                 {"abort", What::abort},
                 {"exit", What::exit},
                 {"_exit", What::_exit},
                 {"quick_exit", What::quick_exit},
                 {"exec", What::exec}});
    d.parameter("at_frame", at_frame_, "1", "the first frame to do it in");
    d.parameter("for_frames", for_frames_, "1", "number of frames that it lasts; 0: for ever");
    d.parameter("bytes", bytes_, "1", "how many bytes `allocate` takes and gives back");
    d.parameter("sleep_for", sleep_for_, "s", "how long `sleep` sleeps");
    d.output("done", done_, "1", "how often it was done");
    d.output("seen", seen_, "s", "CLOCK_MONOTONIC as `clock` read it");
    models::stay_not_below_zero(d, {"at_frame", "for_frames", "sleep_for"});
    d.range("bytes", 1, 1e9);
    d.job<&Misbehave::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Misbehave::step>("step", tactus::JobClass::scheduled);
  }

  void initialize() {
    models::require_not_negative("at_frame", static_cast<double>(at_frame_), "frames", "100");
    models::require_not_negative("for_frames", static_cast<double>(for_frames_), "frames", "1");
    models::require_positive("bytes", static_cast<double>(bytes_), "bytes", "1000");
    models::require_not_negative("sleep_for", sleep_for_, "s", "1 ms");
    if (what_ < What::none || what_ > What::exec) {
      models::refuse("what", static_cast<double>(what_), "", "is none of the labels",
                     "none, allocate, sleep, throw, fail, clock, segv, fpe, bus, abort, exit, _exit, "
                     "quick_exit or exec");
    }
    const double whole = std::floor(sleep_for_);
    sleep_.tv_sec = static_cast<time_t>(whole);
    sleep_.tv_nsec = static_cast<long>((sleep_for_ - whole) * 1e9);
    done_ = 0;
    seen_ = 0;
  }

  int step(const tactus::Call& call) {
    const std::int64_t since = call.frame - at_frame_;
    if (since < 0 || (for_frames_ != 0 && since >= for_frames_) || what_ == What::none) return 0;
    ++done_;
    switch (what_) {
      case What::allocate: {
        const std::unique_ptr<volatile char[]> block{new volatile char[static_cast<std::size_t>(bytes_)]};
        block[0] = 1;  // volatile: the pair of new and delete must not be optimized away
        return 0;
      }
      case What::sleep:
        (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &sleep_, nullptr);
        return 0;
      case What::throw_:
        throw std::runtime_error("thrown on purpose");
      case What::fail:
        fail("failed on purpose");
        return 1;
      case What::clock: {
        timespec now{};
        (void)::clock_gettime(CLOCK_MONOTONIC, &now);
        seen_ = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
        return 0;
      }
      case What::segv:
        write_nowhere();
        return 0;
      case What::fpe:
        divide_by_zero();
        return 0;
      case What::bus:
        touch_beyond_a_file();
        return 0;
      case What::abort:
        std::abort();
      case What::exit:
        std::exit(0);
      case What::_exit:
        ::_exit(0);
      case What::quick_exit:
        std::quick_exit(0);
      case What::exec:
        return ::execl("/bin/true", "true", nullptr);
      case What::none:
        return 0;
    }
    return 0;
  }

 private:
  What what_ = What::none;
  std::int64_t at_frame_ = 0, for_frames_ = 1, bytes_ = 1000;
  double sleep_for_ = 1e-3;
  std::int64_t done_ = 0;
  double seen_ = 0;

  timespec sleep_{};
};
TACTUS_MODEL("misbehave", Misbehave, "breaks one rule of the frame at a chosen frame")

}  // namespace test_load
