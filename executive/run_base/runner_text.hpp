// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "rtsync/evidence/evidence.hpp"

namespace tactus::executive {

/// Name and policy of a thread: "'stress'" and "SCHED_FIFO 90"; the policy is empty where it is not known.
struct RunnerWords {
  std::string name;
  std::string policy;
  std::string rig{};  ///< the other rig that it belongs to, as its name says; empty: to none
};
RunnerWords words_of(const rtsync::Runner& runner);

/// Returns "'stress' (tid 123, SCHED_FIFO 90)", "'main' of rig servo (tid 123, SCHED_FIFO 80)". Name and priority are those of the record of its switch; what that does
/// not say is asked of the kernel now.                                                          @when service
std::string runner_text(const rtsync::Runner& runner);

/// Returns the thread of `others` that had the CPU longest, with what is known of it.             @when any
rtsync::Runner longest_of(const rtsync::OtherThreads& others);
/// Returns the same for a thread that was kept from its CPU. Thread 0: none, or one that may have had the CPU only while the
/// rig's thread was not ready.                                                                   @when any
rtsync::Runner blamed_runner(const rtsync::Evidence& evidence);

}  // namespace tactus::executive
