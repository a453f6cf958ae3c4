// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "drivers/can/port/port.hpp"
#include "rtsync/exchange/block_ring.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/thread/gate.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::drivers::link {

using MonotonicInstant = rtsync::TimePoint<rtsync::MonotonicTime>;

/// No virtual time: the sender has none.
constexpr std::int64_t kNoStamp = INT64_MIN;

/// Head before the block of a message that came in.
struct Incoming {
  std::int64_t stamp_ns = kNoStamp;  ///< virtual time of the sender's step
  std::int64_t sequence = 0;         ///< number in the order of arrival, over all subscriptions
  std::uint32_t subscription = 0;    ///< index; those after the subscriptions are CAN networks
};

/// A frame of a real CAN bus for the peers.
struct OutgoingCan {
  std::int64_t step = 0;
  std::uint32_t network = 0;  ///< index
  can::CanFrame frame{};
};

/// Counters and states of a CAN network, which both sides know.
struct CanTraffic {
  std::atomic<std::int32_t> state{0};           ///< participant: SilKit_CanControllerState
  std::atomic<std::int32_t> error_state{0};     ///< participant: SilKit_CanErrorState
  std::atomic<std::int64_t> lost{0};            ///< participant: not transmitted, or refused by the library
  std::atomic<std::int64_t> mismatched{0};      ///< participant: frames that the bus cannot carry
  std::atomic<std::int64_t> acknowledged{0};    ///< participant: frames that were transmitted
  std::atomic<std::int64_t> to_virtual{0};      ///< frames
  std::atomic<std::int64_t> to_real{0};         ///< frames
  std::atomic<std::int64_t> lost_in_frames{0};  ///< frames
};

/// Head before the blocks of all publications, one after the other.
struct Outgoing {
  std::int64_t step = 0;
  std::int64_t frame = 0;
};

/// Permission of the federation for the rig to run.
enum class Federation : std::uint8_t {
  assembling,  ///< not every participant is there and ready
  running,     ///< has run, and may be paused
  left,        ///< the rig is alone: it left, or all is lost; frames need no grant any more
};

/// Exchange between the frames and the participant. Steps are counted from 0, the one that begins at the
/// rig's first virtual time.
///
/// Threads  frames: one thread. Participant: any, but only one at a time writes.
/// RT       everything is wait-free on the frames' side.
class Exchange {
 public:
  /// Frames of a CAN bus that may wait for `slots` steps of `step_ns` to be granted: as many as a full bus of 1 Mbit/s has
  /// in them, 8 a step or more, and 65,536 or 8 a step at most.
  static constexpr std::size_t can_room(std::size_t slots, std::int64_t step_ns) {
    constexpr std::size_t kLeast = 8, kMost = 65'536;
    constexpr std::int64_t kShortest = 47'000;  // ns: a frame without data
    const std::int64_t in_a_step = std::min<std::int64_t>(step_ns / kShortest + 1, kMost);
    return std::max(slots * kLeast, std::min(slots * static_cast<std::size_t>(in_a_step), kMost));
  }

  /// `in`, `out`: bytes of the largest block in, of all blocks out together. `networks`: CAN. `step_ns`: of the link.
  /// @when setup
  Exchange(std::size_t in, std::size_t out, std::size_t slots, std::size_t networks = 0,
           std::int64_t step_ns = 1'000'000)
      : inbox(sizeof(Incoming) + in, slots),
        outbox(sizeof(Outgoing) + out, slots),
        can_outbox(sizeof(OutgoingCan), networks == 0 ? 1 : networks * can_room(slots, step_ns)),
        can(networks) {}

  // ---- from the participant to the frames

  rtsync::BlockRing inbox;  ///< Incoming, block
  // What the frames look at every time stands on one cache line.
  alignas(64) std::atomic<Federation> federation{Federation::assembling};
  std::atomic<std::int64_t> granted{-1};  ///< the highest step whose grant has come; all before it have, too
  std::atomic<std::int64_t> first_virtual_ns{0};  ///< virtual time of step 0; written before it is granted
  /// A participant is paused, or the end begins: a missing grant is not lateness.
  std::atomic<bool> lateness_suspended{false};
  std::atomic<std::int64_t> newest_arrival_ns{0};  ///< arrival of the grant of `granted`
  /// Opened with every change of `federation` and `granted`; the low bits of a count of changes.
  rtsync::Gate changed;

  /// Participant: the grant of the step after `granted` has come. Wakes the waiting threads.
  void grant(std::int64_t step, MonotonicInstant arrival) {
    arrivals_[static_cast<std::size_t>(step) % kArrivals].store(arrival.time_since_epoch().count(),
                                                                std::memory_order_relaxed);
    newest_arrival_ns.store(arrival.time_since_epoch().count(), std::memory_order_relaxed);
    granted.store(step, std::memory_order_release);
    changed.open(changed.value() + 1);
  }
  /// Participant: the federation has changed.
  void become(Federation next) {
    federation.store(next, std::memory_order_release);
    changed.open(changed.value() + 1);
  }
  /// Time at which the grant of a step that is not above `granted` came. Only the last kArrivals are kept; an
  /// older one has the time of a newer. @when rt
  MonotonicInstant arrival(std::int64_t step) const TACTUS_RT {
    return MonotonicInstant{rtsync::Nanoseconds{
        arrivals_[static_cast<std::size_t>(step) % kArrivals].load(std::memory_order_relaxed)}};
  }

  // ---- from the frames to the participant

  rtsync::BlockRing outbox;      ///< Outgoing, blocks: one for every step that was taken
  rtsync::BlockRing can_outbox;  ///< OutgoingCan
  alignas(64) std::atomic<std::int64_t> steps_done{
      0};  ///< steps whose last frame has ended; may be completed
  std::atomic<std::int64_t> outgoing_lost{0};
  std::atomic<bool> frozen{false};  ///< the rig is frozen
  /// True: the rig is paused, and would be if no other participant were.
  std::atomic<bool> paused_here{false};
  std::atomic<bool> degrade{false};  ///< the policy says: continue without the peers
  std::atomic<const char*> why{""};  ///< reason of degrade, and of a freeze by the link's policies; stays
  /// Time at which the participant should look at the outbox next: the expected end of the step under way.
  std::atomic<std::int64_t> expected_end_ns{0};  ///< CLOCK_MONOTONIC; 0: not known
  /// Frames that are not in real time open it after each step, so that no thread has to poll; in real time
  /// they never do.
  rtsync::Gate stepped;

  std::deque<CanTraffic> can;  ///< traffic by network

  // ---- counters, by who counts

  alignas(64) std::atomic<std::int64_t> messages_in{0};  ///< participant: that fit and were handed over
  std::atomic<std::int64_t> late_grants{0};              ///< frames
  std::atomic<std::int64_t> worst_lateness_ns{0};        ///< frames
  std::atomic<std::int64_t> too_old{0};                  ///< frames: data that became so
  std::atomic<std::int64_t> too_old_injected{0};  ///< frames: of these, while a fault withheld messages
  std::atomic<std::int64_t> withheld{0};          ///< frames: messages that a fault withheld
  std::atomic<std::int64_t> messages_out{0};      ///< participant
  std::atomic<std::int64_t> mismatched{0};        ///< participant: did not fit; not applied
  std::atomic<std::int64_t> incoming_lost{0};     ///< participant: the inbox was full
  std::atomic<std::int64_t> publish_failed{0};    ///< participant: the library refused

 private:
  static constexpr std::size_t kArrivals = 4096;
  std::array<std::atomic<std::int64_t>, kArrivals> arrivals_{};
};

}  // namespace tactus::drivers::link
