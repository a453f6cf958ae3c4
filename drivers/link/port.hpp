// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "drivers/link/can_bridge.hpp"
#include "drivers/link/can_record.hpp"
#include "drivers/link/decision.hpp"
#include "drivers/link/exchange.hpp"
#include "drivers/link/input.hpp"
#include "drivers/link/lateness.hpp"
#include "drivers/link/link_variables.hpp"
#include "drivers/link/pending.hpp"
#include "drivers/link/port_status.hpp"
#include "drivers/link/settings.hpp"
#include "drivers/link/signals.hpp"
#include "drivers/link/time_mapping.hpp"
#include "executive/driver/link.hpp"

namespace tactus::drivers::link {

/// The frames' side of a link: takes in, judges lateness and age, hands out. Knows no library, no thread.
///
/// Threads  constructor, variables(), redirect(): setup. The rest: the rig's main thread; totals(), status()
/// after
///          the last frame.
/// RT       everything else: wait-free, no allocation, no system call.
class Port final : public executive::LinkFrames {
 public:
  /// `frame` in simulated, `real_frame` in real time. `signals` and `exchange` must outlive it. @when setup
  Port(const LinkSettings& settings, const rtsync::Period& frame, const rtsync::Period& real_frame,
       Signals& signals, Exchange& exchange);

  /// link.frame, link.slot ..., and for each subscription link.<name>.age, link.<name>.messages,
  /// link.<name>.source (0 nothing yet, 1 a message, 2 held because late, 3 default, 4 extrapolated) and
  /// link.<name>.<model.variable>, what the input is given at this StepBegin.
  const std::deque<executive::Variable>& variables() const { return variables_.all(); }
  const TimeMapping& mapping() const { return mapping_; }
  const PortStatus& status() const { return status_; }
  const PortTotals& totals() const { return totals_; }
  /// Joins the buses of the models. Throws std::runtime_error: one is not open. @when setup
  void open_buses() {
    for (CanBridge& bridge : bridges_) bridge.open();
  }

  /// Keeps what buses are given of peers in `recorder`, which outlives the frames. @when setup
  void record_frames(CanRecorder& recorder) { recorder_ = &recorder; }

  void redirect(const executive::Redirection& where) override;
  /// Frame `first` stands for Exchange::first_virtual_ns, which is known by now.
  void start(std::int64_t first) TACTUS_RT override;
  bool may_begin(std::int64_t k, bool paced) TACTUS_RT override;
  bool wait(std::int64_t k, bool paced, MonotonicInstant deadline) TACTUS_RT override;
  executive::LinkVerdict begin_frame(const executive::FrameStart& frame) TACTUS_RT override;
  void end_frame(std::int64_t k) TACTUS_RT override;
  void freeze(const char* why) TACTUS_RT override;
  void unfreeze() TACTUS_RT override;
  const char* verdict_reason() const TACTUS_RT override { return decision_.reason(); }
  const void* send_from(std::size_t number, std::size_t index, const void* from) override;
  void silence(std::size_t number, bool on) TACTUS_RT override { silences_[number].on = on; }
  std::int64_t withheld(std::size_t number) const override {
    return silences_[number].messages.load(std::memory_order_relaxed);
  }

 private:
  struct Copy {
    const void* from;
    std::size_t offset;  // in a slot of the outbox
    std::size_t bytes;
  };

  void plan_outgoing();
  bool is_alone() const TACTUS_RT {
    return degraded_ || exchange_.federation.load(std::memory_order_acquire) == Federation::left;
  }
  void apply_due(std::int64_t virtual_ns, std::int64_t step_virtual_ns) TACTUS_RT;
  void give_frame(std::size_t network) TACTUS_RT;
  bool judge_grants(std::int64_t granted, std::int64_t step, bool first, MonotonicInstant now) TACTUS_RT;
  void give_inputs(std::int64_t virtual_ns, bool late, bool judged) TACTUS_RT;
  void remember_work(rtsync::Nanoseconds work) TACTUS_RT;
  executive::LinkVerdict carry_out() TACTUS_RT;
  void send(std::int64_t step, std::int64_t k) TACTUS_RT;
  void expect_end(std::int64_t frames_left) TACTUS_RT;

  LinkVariables variables_;
  TimeMapping mapping_;
  PortTotals totals_;
  Decision decision_;
  const LinkMode mode_;
  const Delivery delivery_;
  const Action at_maximum_;
  const rtsync::Period frame_;
  const rtsync::Period real_frame_;
  const std::int64_t frames_per_step_;
  Signals& signals_;
  Exchange& exchange_;
  PortStatus& status_;
  Pending pending_;
  Lateness lateness_;
  std::deque<Input> inputs_;
  std::deque<CanBridge> bridges_;
  CanRecorder* recorder_ = nullptr;  // nullptr: what buses are given is not kept
  std::vector<Copy> outgoing_;
  struct Silence {
    bool on = false;
    std::atomic<std::int64_t> messages{0};  // withheld
  };
  std::deque<Silence> silences_;     // by subscription
  MonotonicInstant began_{};         // the frame that is under way
  std::int64_t work_ns_ = 0;         // of the last frames, on average
  std::int64_t taken_up_to_ns_ = 0;  // messages up to this stamp were due in the frame before
  bool started_ = false;
  bool begun_ = false;
  bool paced_ = false;           // the frame that is under way
  bool freezes_itself_ = false;  // the freeze that comes is a policy of this link, which said why
  bool degraded_ = false;
};

}  // namespace tactus::drivers::link
