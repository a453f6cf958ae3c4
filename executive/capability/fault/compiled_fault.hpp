// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executive/capability/fault/fault_place.hpp"
#include "executive/capability/fault/settings.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/model/counter_random.hpp"
#include "executive/plan/draft.hpp"

namespace tactus::executive {

/// A job that a fault makes longer; it is called in place of the job.
///
/// Threads  call: as the job; amount: main, between frames.
/// RT       as the job; reads the clock all the time.
class LongerJob {
 public:
  LongerJob(tactus_job_function job, void* self) : run_(job), self_(self) {}
  static int call(void* self, const tactus_call* call) { return static_cast<LongerJob*>(self)->run(call); }
  /// Time added to each call from now on, in ns; 0: none.
  std::atomic<std::int64_t> amount_ns{0};

 private:
  int run(const tactus_call* call) TACTUS_RT;

  const tactus_job_function run_;
  void* const self_;
};

/// Kind of a fault; the words are as its keys.
enum class FaultKind : std::uint8_t {
  stuck,
  offset,
  gain,
  noise,
  drift,
  delay,
  dropout,
  flip,
  quantise,
  limit,
  swap,
  longer,
  late_edge,
  missing_edge,
  silent,
  offered  ///< fault of a driver's model, by the key `does`
};

/// A fault as frames follow it.
struct CompiledFault {
  enum class Dropout : std::uint8_t { holds, zero, nan };

  std::string name{};
  std::string what{};  ///< "stuck", as its key
  FaultKind kind = FaultKind::stuck;
  std::string target{};             ///< "encoder.angle", "job controller.outer"
  std::vector<VariableRef> refs{};  ///< the variable; two of a swap
  std::optional<std::vector<std::uint64_t>>
      values{};  ///< values of stuck, as in memory; nothing: those at the beginning
  double a = 0, b = 0;
  Dropout dropout = Dropout::holds;
  std::uint64_t bits = 0;  ///< bits of flip
  std::int64_t delay_frames = 0;
  std::int64_t longer_ns = 0;
  std::size_t job = 0;
  std::shared_ptr<LongerJob> longer_job{};
  std::vector<SentVariable> sent{};     ///< places of refs in what the link sends; empty: it is none of that
  std::vector<std::size_t> received{};  ///< signals of the link that a silent peer sends
  rtsync::Nanoseconds late{0};          ///< lateness of a late edge
  DrivenModel* device = nullptr;        ///< model that offers it; it outlives this
  std::uint32_t offer = 0;              ///< its place among those that the model offers
  double amount = 0;                    ///< amount in the offer's unit
  bool idle = false;                    ///< the command has left out what it disturbs: it changes nothing

  std::optional<std::int64_t> at_ns{}, frame{}, until_ns{};
  std::int64_t lasting_ns = 0;    ///< 0: without end
  std::int64_t every_frames = 0;  ///< 0: all the time
  std::int64_t each_frames = 1;
  std::optional<double> probability{};
  bool anywhere = false;  ///< true: it comes anywhere in a span; else at its beginning
  CounterRandom random{};

  /// It has its effect n frames after it began: `every`, `probability` and `for`.                      @when rt
  bool comes(std::int64_t n) const TACTUS_RT;
};

/// The faults of a rig as its plan has them. They are no setting: nothing compares them.
struct PlannedFaults {
  std::shared_ptr<const std::vector<CompiledFault>> all = std::make_shared<std::vector<CompiledFault>>();
  bool operator==(const PlannedFaults&) const { return true; }
};

/// Compiles the faults of a rig, and puts jobs that become longer into the plan. Mistakes are added to the draft's
/// problems.                                                                                       @when setup
std::vector<CompiledFault> compile_faults(Draft& draft, const config::Node& faults);

}  // namespace tactus::executive
