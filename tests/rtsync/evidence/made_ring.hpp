// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "rtsync/evidence/event_record.hpp"

namespace tactus::rtsync {

inline constexpr std::uint64_t kOnePlace = 0x7f00'1234;  // where the C library makes its calls
inline constexpr EventIds kMadeIds{
    11, 12, 13, 21, 22, 23, 24, 31, 8, 12, {kOnePlace, 16}, 14, {{{41, 42}, {43, 44}}}};

/// A ring of the kernel, written as the kernel does.
struct MadeRing {
  std::vector<std::byte> bytes = std::vector<std::byte>(512);
  std::uint64_t head = 0;

  void put(std::uint64_t word) {
    std::memcpy(&bytes[head % bytes.size()], &word, sizeof word);
    head += sizeof word;
  }
  void header(std::uint32_t type, std::uint16_t misc, std::uint16_t words) {
    const perf_event_header made{type, misc, static_cast<std::uint16_t>(8 + words * 8)};
    std::uint64_t word = 0;
    std::memcpy(&word, &made, sizeof word);
    put(word);
  }
  static std::uint64_t pair(std::uint32_t first, std::uint32_t second) {
    return first | std::uint64_t{second} << 32;
  }
  void identity(std::uint64_t time, std::uint32_t cpu = 1, std::uint32_t thread = 77) {
    put(pair(70, thread));
    put(time);
    put(pair(cpu, 0));
  }
  void own_switch(std::uint16_t misc, std::uint64_t time) {
    header(PERF_RECORD_SWITCH, misc, 4);
    identity(time);
    put(10);
  }
  void cpu_switch(std::uint16_t misc, std::uint32_t other, std::uint64_t time) {
    header(PERF_RECORD_SWITCH_CPU_WIDE, misc, 5);
    put(pair(other, other));
    identity(time);
    put(10);
  }
  void sample(std::uint64_t id, std::uint64_t time, std::uint32_t thread = 77) {
    header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 4);
    put(id);
    identity(time, 1, thread);
  }
  /// As PERF_SAMPLE_REGS_USER has it: which kind of registers, and if there are any, the one asked for.
  void left(std::uint64_t kind, std::uint64_t code) {
    header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, kind == PERF_SAMPLE_REGS_ABI_NONE ? 5 : 6);
    put(31);
    identity(3);
    put(kind);
    if (kind != PERF_SAMPLE_REGS_ABI_NONE) put(code);
  }
  /// And as PERF_SAMPLE_STACK_USER has it: its size, the stack, and how much of that could be read.
  void left(std::uint64_t code, std::initializer_list<std::uint64_t> stack, std::uint64_t could_be_read) {
    header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, static_cast<std::uint16_t>(8 + stack.size()));
    put(31);
    identity(3);
    put(PERF_SAMPLE_REGS_ABI_64);
    put(code);
    put(8 * stack.size());
    for (const std::uint64_t word : stack) put(word);
    put(could_be_read);
  }
  /// As PERF_SAMPLE_RAW has it: a size, and what the tracepoint writes, 20 bytes.
  void tracepoint(std::uint64_t id, std::uint32_t at_8, std::uint32_t at_12) {
    header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 7);
    put(id);
    identity(3);
    put(pair(20, 0));
    put(pair(0, at_8));
    put(pair(at_12, 0));
  }
  void lost(std::uint64_t time) {
    header(PERF_RECORD_LOST, 0, 6);
    put(10);
    put(1234);
    identity(time);
    put(10);
  }
  void limited(std::uint64_t time, std::uint32_t type = PERF_RECORD_THROTTLE) {
    header(type, 0, 7);
    put(time);
    put(10);
    put(10);
    identity(time);
    put(10);
  }
  EventBytes read() const { return {bytes, kMadeIds}; }
};

}  // namespace tactus::rtsync
