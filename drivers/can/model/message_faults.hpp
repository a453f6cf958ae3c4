// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

/// Kind of a fault of a message, on the wire as its receivers see it.
enum class MessageFault : std::uint8_t {
  wrong_checksum,
  stuck_counter,
  missing,
  late,
  twice,
  extra,
  wrong_length
};
inline constexpr std::size_t kMessageFaults = 7;

/// Amount of a fault that was rounded, on its way to the log: one that changes in each frame is said once.
///
/// Threads  set(): that of the frames. take(): that of the sending job.
/// RT       all of it.
class RoundedAmount {
 public:
  void set(std::int64_t amount) TACTUS_RT {
    if (was_set_) return;
    was_set_ = true;
    amount_.store(amount, std::memory_order_relaxed);
  }
  /// Returns the amount if it has not been said; below 0: there is none.
  std::int64_t take() TACTUS_RT { return amount_.exchange(-1, std::memory_order_relaxed); }

 private:
  bool was_set_ = false;
  std::atomic<std::int64_t> amount_{-1};
};

/// Faults of one sent message: which of them act, and how often each had its effect.
///
/// Threads  set(): that of the frames. The rest: that of the sending job. count(): any.
/// RT       all of it.
class MessageFaults {
 public:
  void set(MessageFault kind, bool acts, double amount) TACTUS_RT {
    all_[static_cast<std::size_t>(kind)].amount.store(amount, std::memory_order_relaxed);
    const std::uint32_t others = acting_.load(std::memory_order_relaxed) & ~bit_of(kind);
    acting_.store(others | (acts ? bit_of(kind) : 0), std::memory_order_relaxed);
  }
  bool acts(MessageFault kind) const TACTUS_RT {
    return (acting_.load(std::memory_order_relaxed) & bit_of(kind)) != 0;
  }
  double amount(MessageFault kind) const TACTUS_RT {
    return all_[static_cast<std::size_t>(kind)].amount.load(std::memory_order_relaxed);
  }
  /// Returns whether it acts, and counts that it has its effect then.
  bool take(MessageFault kind) TACTUS_RT {
    if (!acts(kind)) return false;
    all_[static_cast<std::size_t>(kind)].count.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  std::uint64_t count(MessageFault kind) const TACTUS_RT {
    return all_[static_cast<std::size_t>(kind)].count.load(std::memory_order_relaxed);
  }
  /// Length in bytes of `wrong_length`, where it was rounded.
  RoundedAmount& rounded() TACTUS_RT { return rounded_; }

 private:
  static constexpr std::uint32_t bit_of(MessageFault kind) TACTUS_RT {
    return 1U << static_cast<unsigned>(kind);
  }
  struct One {
    std::atomic<double> amount{0};
    std::atomic<std::uint64_t> count{0};
  };
  std::atomic<std::uint32_t> acting_{0};  // a bit each: a frame without faults looks at one word
  std::array<One, kMessageFaults> all_{};
  RoundedAmount rounded_;
};

}  // namespace tactus::drivers::can
