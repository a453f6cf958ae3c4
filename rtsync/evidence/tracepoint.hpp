// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include "rtsync/host/provision.hpp"

namespace tactus::rtsync {

/// A tracepoint of the kernel, as perf_event_open(2) names it.
struct Tracepoint {
  std::uint64_t id = 0;
  std::uint32_t number_offset = 0;  ///< where what it is about stands in its bytes
};

/// Those at the beginning and the end of interrupts. The timer's own interrupt has none of them.
struct InterruptTracepoints {
  Tracepoint irq_begin;
  Tracepoint irq_end;
  std::optional<Tracepoint> softirq_begin;  ///< nothing: softirqs are threads here
  std::optional<Tracepoint> softirq_end;
};

/// What tracefs tells.
struct TracepointSearch {
  std::optional<InterruptTracepoints> tracepoints;
  Refusal refusal;  ///< why there are none
};

/// Reads tracefs, where it is mounted and may be read. @when setup
TracepointSearch find_interrupt_tracepoints(const std::filesystem::path& root = "/");

}  // namespace tactus::rtsync
