// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstdint>

#include "executive/frame/job_clock.hpp"

namespace tactus::executive {

/// Calls a job and spins until it has taken `margin` times as long as it did, in place of the job itself.
///
/// Threads  as the job.
/// RT       as the job; reads the clock all the time.
class StretchedJob {
 public:
  /// `clock` must outlive it.
  StretchedJob(tactus_job_function job, void* self, const JobClock& clock, double margin)
      : run_(job), self_(self), clock_(clock), margin_(margin) {}

  static int call(void* self, const tactus_call* call) { return static_cast<StretchedJob*>(self)->run(call); }

 private:
  int run(const tactus_call* call) TACTUS_RT {
    const std::uint64_t begin = clock_.ticks();
    const int status = run_(self_, call);
    if (status != 0) return status;
    const auto took = static_cast<double>(clock_.ticks() - begin);
    const auto whole = static_cast<std::uint64_t>(took * margin_);
    while (clock_.ticks() - begin < whole) {
    }
    return status;
  }

  const tactus_job_function run_;
  void* const self_;
  const JobClock& clock_;
  const double margin_;
};

}  // namespace tactus::executive
