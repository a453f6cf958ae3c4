// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Whether a machine is ready for hard real time, judged by facts and by measured wakes.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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
  bool realtime = false;  ///< under a real-time policy
};

struct Readiness {
  bool ready = false;
  std::vector<Fact> findings;  ///< what is not ok, what matters most first; the wakes are one of them
  std::size_t decisive = 0;    ///< so many of them, the first, are why it is not ready
};

/// Ready means: PREEMPT_RT, no hypervisor below, all that the rig asks for is granted, and no measured wake was later
/// than a tenth of the frame. What is not ok beside that makes late frames likelier, but is no reason by itself. What
/// was not measured is not ready. @when setup or service
Readiness judge_readiness(const std::vector<Fact>& facts, const MeasuredWakes& wakes, Nanoseconds frame);

}  // namespace tactus::rtsync
