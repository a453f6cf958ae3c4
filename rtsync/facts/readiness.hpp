// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Judges by facts and by measured wakes whether a machine is ready for hard real time.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rtsync/facts/host_facts.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Wakes as they were measured on the CPU of the frames; nothing known: count 0.
struct MeasuredWakes {
  std::uint64_t count = 0;
  Nanoseconds p50{0};
  Nanoseconds p99{0};
  Nanoseconds max{0};
  bool realtime = false;  ///< marks times under a real-time policy
};

struct Readiness {
  bool ready = false;
  /// Findings that are not ok, the most important first; the wakes are one of them.
  std::vector<Fact> findings;
  std::size_t decisive = 0;  ///< number of the first findings because of which it is not ready
};

/// Ready means: PREEMPT_RT, no hypervisor below, all that the rig asks for is granted, and no measured wake was later
/// than a tenth of the frame. What is not ok beside that makes late frames likelier, but is no reason by itself. What
/// was not measured is not ready. @when setup or service
Readiness judge_readiness(const std::vector<Fact>& facts, const MeasuredWakes& wakes, Nanoseconds frame);

}  // namespace tactus::rtsync
