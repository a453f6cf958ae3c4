// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "rtsync/evidence/cause.hpp"
#include "rtsync/evidence/evidence.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// A cause, and how much of the excess it had.
struct CauseTime {
  Cause cause = Cause::none;
  Nanoseconds time{0};
};

/// The causes of a part of a frame.
struct CauseWeights {
  Cause cause = Cause::none;          ///< the one with the largest share
  Nanoseconds share{0};               ///< its part of the excess
  std::array<CauseTime, 2> beside{};  ///< others, from a twentieth of the excess on, the larger one first
};

/// Names why a part of a frame took longer than usual. The excess is divided among all that was seen; what is
/// left is the thread's own work, if it is known that it was on its CPU and got on there. The largest share
/// decides. A share that could not be seen is `unknown`, never another cause's.
///
/// Threads  any.
/// RT       yes.
CauseWeights weigh(const FrameFacts& facts, const Evidence& evidence) TACTUS_RT;
/// The largest share alone.
inline Cause judge(const FrameFacts& facts, const Evidence& evidence) TACTUS_RT {
  return weigh(facts, evidence).cause;
}

/// The time that page faults without a record had: as many as the kernel counted take some time each, but no more than
/// it had in that part beside all else that is known of it.
///
/// Threads  any.
/// RT       yes.
Nanoseconds in_counted_faults(const FrameFacts& facts, const Evidence& evidence) TACTUS_RT;

/// The time that the thread was on its CPU, and the kernel had that, in what is not recorded: in no system call that is
/// known to be the thread's, no fault that was counted and no interrupt that was recorded.
///
/// Threads  any.
/// RT       yes.
Nanoseconds unrecorded_in_kernel(const Evidence& evidence) TACTUS_RT;

/// The part of its sleep in which a thread that was to be woken was not ready either, as the kernel counts that; 0: not
/// known.
///
/// Threads  any.
/// RT       yes.
Nanoseconds not_queued(const Evidence& evidence) TACTUS_RT;

/// The time for which something stopped the thread that leaves no record: it was in no system call, or was not ready though
/// it was to be woken.
///
/// Threads  any.
/// RT       yes.
Nanoseconds could_not_run(const Evidence& evidence) TACTUS_RT;

/// Returns true if signs of life would show that the machine had stood still for that time.
///
/// Threads  any.
/// RT       yes.
bool can_be_seen(Nanoseconds time, const Silence& silence) TACTUS_RT;

/// Returns true if signs of life came late by a sixth of that time or more: the machine stood still again and again, each
/// time too shortly to be seen, and late signs show a part of it alone.
///
/// Threads  any.
/// RT       yes.
bool stood_in_pieces(Nanoseconds time, const Evidence& evidence) TACTUS_RT;

}  // namespace tactus::rtsync
