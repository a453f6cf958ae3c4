// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "drivers/fmi/unit/life_cycle.hpp"

namespace tactus::drivers::fmi {

/// A message of a unit.
struct LogEntry {
  Status status = Status::ok;
  std::array<char, 32> category{};
  std::array<char, 216> text{};
};

/// The text of the last error of a unit. Partitions on several threads may write it at a time: one that comes while
/// another is written is left out, and a reader gets one text whole.
///
/// Threads  any.                                                                                        @when any
class LastError {
 public:
  using Text = std::array<char, 216>;  ///< ends with '\0'
  void put(const char* text) noexcept;
  /// Empty: there is none, or one was being written all the time.
  Text get() const noexcept;

 private:
  static constexpr std::size_t kWords = sizeof(Text) / sizeof(std::uint64_t);
  std::array<std::atomic<std::uint64_t>, kWords> words_{};
  std::atomic<std::uint32_t> turn_{0};  // odd while one writes
};

/// Messages of a unit on their way from its calls, which may be in a frame, to whoever reads them. A full ring drops and
/// counts.
///
/// Threads  put(), vput(): any, also several at a time. take(), dropped(): one at a time.
class LogRing {
 public:
  LogRing();
  LogRing(const LogRing&) = delete;
  LogRing& operator=(const LogRing&) = delete;

  /// Copies; a long text is cut. No lock, no heap.                                                       @when any
  void put(Status status, const char* category, const char* text) noexcept;
  /// The same with the format of printf, as FMI 2.0 has it.                                              @when any
  void vput(Status status, const char* category, const char* format, std::va_list arguments) noexcept
      __attribute__((format(printf, 4, 0)));
  /// Takes the oldest message. False: there is none.                                                     @when any
  bool take(LogEntry& to) noexcept;
  /// Number of messages that did not fit since the last call.                                            @when any
  std::uint64_t dropped() noexcept { return dropped_.exchange(0, std::memory_order_relaxed); }
  /// Text of the last message with status Error or worse; empty: none.                             @when any
  LastError::Text last_error() const noexcept { return last_error_.get(); }
  void forget_error() noexcept { last_error_.put(""); }

 private:
  static constexpr std::size_t kSlots = 256;
  struct Slot {
    std::atomic<std::uint64_t> turn{0};
    LogEntry entry;
  };
  Slot* claim(std::uint64_t& ticket) noexcept;

  std::array<Slot, kSlots> slots_;
  std::atomic<std::uint64_t> head_{0};  // next ticket of a writer
  std::uint64_t tail_ = 0;              // next ticket of the reader
  std::atomic<std::uint64_t> dropped_{0};
  LastError last_error_;
};

}  // namespace tactus::drivers::fmi
