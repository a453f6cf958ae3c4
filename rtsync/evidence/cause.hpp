// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// Cause of a frame's overrun or late wake. docs/causes.md has the evidence for each.
enum class Cause : std::uint8_t {
  none,             ///< it did neither
  computed,         ///< a job used its CPU longer than usual
  blocked,          ///< a job slept, waited for a lock, or did I/O
  faulted,          ///< page faults
  heap,             ///< calls of the heap
  preempted,        ///< another thread had the CPU
  interrupted,      ///< interrupts had the CPU
  migrated,         ///< the thread was moved to another CPU
  throttled,        ///< the kernel's limit for real-time threads, or that of a control group
  machine_stopped,  ///< the thread was on its CPU, and no thread made progress
  slowed,           ///< the CPU was slower than usual
  timer_late,       ///< no thread had the CPU, and the timer woke the thread late
  waited,           ///< waited for another thread, or for an isolated model
  clock,            ///< a fault of the external clock
  catching_up,      ///< begun late because of an overrun before
  housekeeping,     ///< the executive's or a driver's own work
  unknown,          ///< no evidence covers it
  suspended,        ///< a debugger stopped the thread
  injected,         ///< a fault of the rig file made a job longer, or disturbed the external clock
};
inline constexpr std::size_t kCauses = 19;

/// "machine_stopped".
std::string_view name_of(Cause cause) TACTUS_RT;
/// "the machine stood still".
std::string_view meaning_of(Cause cause) TACTUS_RT;

}  // namespace tactus::rtsync
