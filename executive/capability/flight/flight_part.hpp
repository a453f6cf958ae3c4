// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "executive/capability/flight/finding_records.hpp"
#include "executive/capability/flight/flight_values.hpp"
#include "executive/flight/flight_file.hpp"
#include "executive/flight/flight_ring.hpp"
#include "executive/frame/frame_accounts.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/frame/frame_services.hpp"
#include "executive/frame/job_clock.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/clock/edge_clock_settings.hpp"

namespace tactus::executive {

/// Records each frame in its slack, after the jobs of it, and what happens between frames.
///
/// Threads  take_overrun(): one, the service thread.
class FlightPart final : public FramePart {
 public:
  static constexpr bool kWritesVariables = false;
  /// Largest number of records of a frame, without values: an overrun has a finding, and may have one beside it and
  /// another on its late begin.
  static constexpr std::size_t kMostRecords = 12 + 3 * FindingRecords::kMost;

  /// `edges`: of an external clock, else nullptr. All must outlive it. @when setup
  FlightPart(FlightRing& ring, FlightFrameNow& now, const FrameAccounts& accounts, const JobClock& ticks,
             rtsync::PacedClock& clock, const rtsync::EdgeClockStatus* edges, FlightValues values)
      : FramePart("the flight recorder"),
        ring_(ring),
        now_(now),
        accounts_(accounts),
        ticks_(ticks),
        clock_(clock),
        edges_(edges),
        values_(std::move(values)),
        anchor_every_(in_ticks(kAnchorEvery)) {}

  void joined(FrameServices& services) override {
    services_ = &services;
    values_.redirect(services);
  }
  PartVerdict begin_frame(std::int64_t k) TACTUS_RT override {
    now_.frame.store(k, std::memory_order_relaxed);
    now_.since.store(ticks_.ticks(), std::memory_order_relaxed);
    if (const std::uint32_t taken = services_->take_taken_commands(); taken != 0) [[unlikely]]
      put_commands(taken);
    if (const std::uint32_t changes = services_->take_changes(); changes != 0) [[unlikely]]
      put_event(FlightEvent::changes, changes);
    return {};
  }

  void in_slack(const FrameEnd& end) TACTUS_RT override {
    const rtsync::FrameTiming& timing = end.rig.timing;
    const std::uint64_t ticks = ticks_.ticks();
    ring_.begin(kMostRecords + values_.count());
    if (ticks - anchored_ >= anchor_every_) put_anchor();
    if (timing.paced && (timing.overrun != rtsync::OverrunCause::none || timing.late_wake ||
                         timing.late_by_housekeeping)) [[unlikely]]
      put_findings(end.frame);
    ring_.put(
        {static_cast<std::uint64_t>(end.frame), clipped(timing.lost), flags_of(timing), FlightKind::frame});
    ring_.put({ticks, clipped(timing.housekeeping.count()), 0, FlightKind::stamp});
    put(timing.slot.time_since_epoch().count(), FlightKind::slot);
    put(timing.late.count(), FlightKind::late);
    put(timing.work.count(), FlightKind::work);
    put(timing.slack.count(), FlightKind::slack);
    const std::uint64_t frame_end = ring_.count();
    values_.put(ring_);
    if (edges_ != nullptr) put_edge(ticks);
    ring_.end();
    now_.since.store(0, std::memory_order_relaxed);
    if (timing.overrun != rtsync::OverrunCause::none && !timing.grace &&
        overrun_.load(std::memory_order_relaxed) == 0)
      overrun_.store(frame_end, std::memory_order_release);
  }
  void changed(RigChange& change) TACTUS_RT override {
    switch (change.what) {
      case RigChange::frozen:
        if (const std::uint32_t taken = services_->take_taken_commands(); taken != 0) put_commands(taken);
        return put_event(FlightEvent::paused);
      case RigChange::resumed:
        return put_event(FlightEvent::resumed);
      case RigChange::paced:
        return put_event(FlightEvent::realtime_on);
      case RigChange::unpaced:
        return put_event(FlightEvent::realtime_off);
      case RigChange::went_back:
        return put_event(FlightEvent::went_back);
      default:
        return;
    }
  }

  /// The link has waited for the grant of frame k since then.
  void waited_for_grant(std::int64_t k, std::uint64_t began, bool granted) TACTUS_RT {
    ring_.begin(3);
    ring_.put({began, kGrantAwaited, 0, FlightKind::wait});
    ring_.put({ticks_.ticks(), 0, 0, FlightKind::wait_end});
    if (granted)
      ring_.put({ticks_.ticks(), static_cast<std::uint32_t>(k),
                 static_cast<std::uint16_t>(FlightEvent::granted), FlightKind::event});
    ring_.end();
  }
  std::uint64_t ticks() const TACTUS_RT { return ticks_.ticks(); }

  /// The first frame that overran since the last call, as FlownFrame::index.
  std::optional<std::uint64_t> take_overrun() {
    const std::uint64_t count = overrun_.exchange(0, std::memory_order_acquire);
    return count == 0 ? std::nullopt : std::optional(count - 1);
  }

 private:
  static constexpr std::int64_t kAnchorEvery = 10'000'000;  // ns

  std::uint64_t in_ticks(std::int64_t ns) const {
    return ticks_.scale() == 0
               ? static_cast<std::uint64_t>(ns)
               : static_cast<std::uint64_t>((static_cast<rtsync::Wide>(ns) << 32) / ticks_.scale());
  }
  static std::uint32_t clipped(std::int64_t value) TACTUS_RT {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, UINT32_MAX));
  }
  static std::uint16_t flags_of(const rtsync::FrameTiming& timing) TACTUS_RT {
    return static_cast<std::uint16_t>(static_cast<unsigned>(timing.overrun) |
                                      (timing.paced ? FlightFlags::kPaced : 0U) |
                                      (timing.late_wake ? FlightFlags::kLateWake : 0U) |
                                      (timing.late_by_housekeeping ? FlightFlags::kHousekeeping : 0U) |
                                      (timing.grace ? FlightFlags::kGrace : 0U));
  }
  void put(std::int64_t value, FlightKind kind) TACTUS_RT {
    ring_.put({static_cast<std::uint64_t>(value), 0, 0, kind});
  }
  /// All clocks at one moment; not if the machine took the CPU away between them.
  void put_anchor() TACTUS_RT {
    for (int i = 0; i < 2; ++i) {
      const std::uint64_t before = ticks_.ticks();
      const rtsync::TimePoint<rtsync::RigTime> rig = clock_.now();
      const rtsync::TimePoint<rtsync::MonotonicTime> kernel = rtsync::monotonic_now();
      const std::uint64_t after = ticks_.ticks();
      if (after - before > anchor_every_ / 5000 && anchored_ != 0) continue;  // 2 us
      ring_.put({before + (after - before) / 2, 0, 0, FlightKind::anchor_ticks});
      put(kernel.time_since_epoch().count(), FlightKind::anchor_kernel);
      put(rig.time_since_epoch().count(), FlightKind::anchor_rig);
      anchored_ = after;
      now_.alive_ns.store(kernel.time_since_epoch().count(), std::memory_order_relaxed);
      return;
    }
  }
  void put_edge(std::uint64_t ticks) TACTUS_RT {
    if (edges_->edges != edges_seen_ || edges_->missing != missing_seen_) {
      edges_seen_ = edges_->edges;
      missing_seen_ = edges_->missing;
      ring_.put({static_cast<std::uint64_t>(edges_->phase_error_ns), static_cast<std::uint32_t>(edges_seen_),
                 static_cast<std::uint16_t>(missing_seen_), FlightKind::edge});
    }
    if (edges_->state == edge_state_) return;
    edge_state_ = edges_->state;
    ring_.put({ticks, static_cast<std::uint32_t>(edge_state_),
               static_cast<std::uint16_t>(FlightEvent::clock_state), FlightKind::event});
  }
  void put_findings(std::int64_t frame) TACTUS_RT {
    const FrameNote& note = accounts_.note();
    FindingRecords records(ring_, frame);
    // A late begin is put once.
    for (const Finding* const finding : {&note.overrun, &note.beside})
      if (!finding->of_begin()) records.put(*finding, false);
    records.put(note.late, true);
  }
  void put_commands(std::uint32_t taken) TACTUS_RT {
    for (; taken != 0; taken &= taken - 1)
      put_event(FlightEvent::command, static_cast<std::uint32_t>(std::countr_zero(taken)));
  }
  void put_event(FlightEvent event, std::uint32_t id = 0) TACTUS_RT {
    ring_.begin(1);
    ring_.put({ticks_.ticks(), id, static_cast<std::uint16_t>(event), FlightKind::event});
    ring_.end();
  }

  FlightRing& ring_;
  FlightFrameNow& now_;
  const FrameAccounts& accounts_;
  const JobClock& ticks_;
  rtsync::PacedClock& clock_;
  const rtsync::EdgeClockStatus* const edges_;
  FlightValues values_;
  FrameServices* services_ = nullptr;
  std::int64_t edges_seen_ = 0;
  std::int64_t missing_seen_ = 0;
  const std::uint64_t anchor_every_;
  std::uint64_t anchored_ = 0;
  rtsync::ClockState edge_state_ = rtsync::ClockState::acquiring;
  std::atomic<std::uint64_t> overrun_{0};  // how many records there were behind it; 0: none
};

}  // namespace tactus::executive
