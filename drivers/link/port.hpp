// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "drivers/link/exchange.hpp"
#include "drivers/link/settings.hpp"
#include "drivers/link/signals.hpp"
#include "drivers/link/time_mapping.hpp"
#include "executive/driver/link.hpp"

namespace tactus::drivers::link {

/// State of a link in the frames, published as link.*. All 0 before the first frame.
struct PortStatus {
  std::int64_t frame = 0;
  std::int64_t slot_ns = 0;  ///< RigTime
  std::int64_t virtual_time_ns = 0;
  std::int64_t step = 0;
  /// Arrival of the grant of the frame's step, CLOCK_MONOTONIC; 0: has not come yet.
  std::int64_t grant_arrival_ns = 0;
  /// Lateness by now of the oldest grant that is missing at this StepBegin; 0 when none is missing.
  std::int64_t lateness_ns = 0;
  std::int64_t late = 0;  ///< steps so far whose grant was not there at their StepBegin
  std::int64_t consecutive_late = 0;
  std::int64_t behind = 0;         ///< steps by which virtual time is behind
  std::int64_t messages = 0;       ///< applied so far
  std::int64_t messages_late = 0;  ///< number of these after the first frame they were meant for
  std::int32_t state = 0;          ///< Federation
};

/// Totals, for summary.json; of the frames' side.
struct PortTotals {
  std::int64_t steps = 0;
  std::int64_t late = 0;
  std::int64_t max_consecutive_late = 0;
  std::int64_t worst_lateness_ns = 0;
  std::int64_t worst_step = -1;
  std::int64_t too_old = 0;       ///< number of times that data of a subscription became too old
  std::int64_t pending_lost = 0;  ///< messages for later frames, beyond what there was room for
};

/// The frames' side of a link: takes in, judges lateness and age, hands out. Knows no library, no thread.
///
/// Threads  constructor, variables(), redirect(): setup. The rest: the rig's main thread; totals(), status()
/// after
///          the last frame.
/// RT       everything else: wait-free, no allocation, no system call.
class Port {
 public:
  /// `frame` in simulated, `real_frame` in real time. `signals` and `exchange` must outlive it. @when setup
  Port(const LinkSettings& settings, const rtsync::Period& frame, const rtsync::Period& real_frame,
       Signals& signals, Exchange& exchange);
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port();

  /// link.frame, link.slot ..., and for each subscription link.<name>.age, link.<name>.messages,
  /// link.<name>.source (0 nothing yet, 1 a message, 2 held because late, 3 default, 4 extrapolated) and
  /// link.<name>.<model.variable>, what the input is given at this StepBegin.
  const std::deque<executive::Variable>& variables() const;
  /// See executive::Link.
  void redirect(
      const std::function<const void*(const executive::ModelInstance*, const void*, std::size_t)>& where);

  /// Frame `first` stands for Exchange::first_virtual_ns, which is known by now.
  void start(std::int64_t first) TACTUS_RT;
  bool may_begin(std::int64_t k, bool paced) const TACTUS_RT;
  executive::LinkVerdict begin_frame(const executive::FrameStart& frame) TACTUS_RT;
  void end_frame(std::int64_t k) TACTUS_RT;
  /// Updates while frozen; also called once every freeze frame. `why`: empty when the rig is paused for a
  /// hold of the participant alone.
  void freeze(const char* why) TACTUS_RT;
  void unfreeze() TACTUS_RT;
  const char* verdict_reason() const TACTUS_RT;

  const TimeMapping& mapping() const;
  const PortStatus& status() const;
  const PortTotals& totals() const;

 private:
  class Impl;
  std::unique_ptr<Impl> parts_;
};

}  // namespace tactus::drivers::link
