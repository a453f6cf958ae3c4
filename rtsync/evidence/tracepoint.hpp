// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "rtsync/host/provision.hpp"

namespace tactus::rtsync {

/// A tracepoint of the kernel, as perf_event_open(2) names it.
struct Tracepoint {
  std::uint64_t id = 0;
  std::uint32_t number_offset = 0;  ///< offset in its bytes of the number that it is about
};

/// An interrupt that has a name and no number: one CPU asks another one for something.
struct VectorTracepoints {
  std::int32_t vector = 0;  ///< see name_of_vector()
  Tracepoint begin;
  Tracepoint end;
};
inline constexpr std::size_t kMostVectors = 3;
/// "call_function": as the kernel's tracepoints have it, without _entry and _exit.
const char* name_of_vector(std::int32_t vector);

/// Those at the beginning and the end of interrupts. The timer's own interrupt is left out: each frame has one.
struct InterruptTracepoints {
  Tracepoint irq_begin;
  Tracepoint irq_end;
  std::optional<Tracepoint> softirq_begin;  ///< nothing: softirqs are threads here
  std::optional<Tracepoint> softirq_end;
  std::vector<VectorTracepoints> vectors{};  ///< vectors, as far as this kernel has them (x86)
};

/// The switches of a CPU, and where a record says what of them.
struct SwitchTracepoint {
  std::uint64_t id = 0;
  std::uint32_t thread = 0;    ///< the one that leaves
  std::uint32_t priority = 0;  ///< its priority
  std::uint32_t state = 0;     ///< state of the thread then
  std::uint32_t next = 0;
  std::uint32_t next_priority = 0;
  std::uint32_t next_name = 0;
  std::uint32_t name = 0;  ///< name of the thread that leaves
};
/// Reads tracefs. Nothing where that is not possible, and in another PID namespace than the kernel's own: the records
/// have the kernel's numbers of threads.                                                          @when setup
std::optional<SwitchTracepoint> find_switch_tracepoint(const std::filesystem::path& root = "/");

/// Result of the search in tracefs.
struct TracepointSearch {
  std::optional<InterruptTracepoints> tracepoints;
  Refusal refusal;  ///< reason why there are none
};

/// Reads tracefs, where it is mounted and may be read. @when setup
TracepointSearch find_interrupt_tracepoints(const std::filesystem::path& root = "/");

}  // namespace tactus::rtsync
