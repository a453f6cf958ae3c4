// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "executive/model/variable.hpp"
#include "executive/plan/draft.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// Limits that an output must not pass, whoever asks for it.
///
/// Threads  keep(): the thread of its model's jobs; cuts, first, last: any; the rest: setup.
/// RT       keep().
class OutputLimit {
 public:
  /// `rate`: in the variable's unit per second of simulated time. The value of now is where a rate begins.  @when setup
  OutputLimit(VariableRef ref, std::optional<double> least, std::optional<double> most,
              std::optional<double> rate, rtsync::Period frame);
  OutputLimit(const OutputLimit&) = delete;
  OutputLimit& operator=(const OutputLimit&) = delete;

  /// Cuts the value that is in memory, at a call of that time. Returns what stood there.             @when rt
  std::uint64_t cut(const tactus_call& call) TACTUS_RT;
  /// Puts back what was asked for: a rate goes on towards it.                                        @when rt
  void put_back(std::uint64_t asked) const TACTUS_RT;

  const VariableRef& ref() const { return ref_; }
  /// Its state: is set, the bits of the value given last, its time in ns.
  std::array<std::int64_t, 3>& kept() { return kept_; }
  struct Counts {
    std::int64_t cuts, first, last;
    double asked, given;  ///< values at the first
  };
  /// The calls that were given less, or more, than was asked for; the first one's frame: -1 for none.
  Counts counts() const;

 private:
  double limited(double asked, const tactus_call& call) const TACTUS_RT;
  void count(const tactus_call& call, double asked, double given) TACTUS_RT;

  const VariableRef ref_;
  const std::optional<double> least_, most_, rate_;
  const std::int64_t frame_ns_;
  std::array<std::int64_t, 3> kept_{};
  std::atomic<std::int64_t> cuts_{0}, first_{-1}, last_{-1};
  std::atomic<double> asked_{0}, given_{0};
};

/// A job of a model with limits: it reads cut values, and others see what was asked for.
class LimitedJob {
 public:
  LimitedJob(tactus_job_function job, void* self, std::vector<std::shared_ptr<OutputLimit>> limits)
      : run_(job), self_(self), limits_(std::move(limits)), asked_(limits_.size()) {}
  static int call(void* self, const tactus_call* call) { return static_cast<LimitedJob*>(self)->run(*call); }

 private:
  int run(const tactus_call& call) TACTUS_RT;

  const tactus_job_function run_;
  void* const self_;
  const std::vector<std::shared_ptr<OutputLimit>> limits_;
  std::vector<std::uint64_t> asked_;
};

/// The limits of a rig as its plan has them. They are no setting: nothing compares them.
struct PlannedLimits {
  std::vector<std::shared_ptr<OutputLimit>> all{};
  std::vector<std::shared_ptr<LimitedJob>> jobs{};
  bool operator==(const PlannedLimits&) const { return true; }
};

/// Compiles the limits of all models, and puts their jobs behind them. Mistakes are added to the draft's problems.
/// @when setup
PlannedLimits compile_limits(Draft& draft);

}  // namespace tactus::executive
