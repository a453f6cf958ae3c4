// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "executive/frame/job_end.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Passes the calls of a lane on to the thread that counts their times, a page for each frame. The lane writes straight
/// into a page. Where all pages wait, it keeps the one that it has, and counts for itself: nothing is lost, and nobody
/// waits.
///
/// Threads  open(), pass(): one at a time, that of the lane. next(), counted(): one at a time, that which counts. The
///          rest: any.
/// RT       all but the constructor.
class CallPages {
 public:
  static constexpr std::size_t kPages = 16;

  /// Calls of one frame, in their order.
  struct Page {
    std::span<const JobEnd> ends;
    std::uint64_t began = 0;  ///< ticks at which the first of them began
  };

  /// `room`: calls in a page, at least 1.                                                           @when setup
  explicit CallPages(std::size_t room) : room_(room), ends_(kPages * room) {}
  CallPages(const CallPages&) = delete;
  CallPages& operator=(const CallPages&) = delete;

  std::size_t room() const TACTUS_RT { return room_; }
  /// Page that the lane writes into, until it has passed it on.
  JobEnd* open() TACTUS_RT { return page(passed_.load(std::memory_order_relaxed)); }
  /// Passes the open page on. False: all others wait already, and it stays open.
  bool pass(std::uint64_t began, std::size_t size) TACTUS_RT {
    const std::uint64_t passed = passed_.load(std::memory_order_relaxed);
    if (passed - counted_.load(std::memory_order_acquire) >= kPages - 1) return false;
    heads_[passed % kPages] = {began, size};
    passed_.store(passed + 1, std::memory_order_release);
    return true;
  }

  /// Returns the page that waits longest; nothing: none waits. It stays until counted().
  std::optional<Page> next() const TACTUS_RT {
    const std::uint64_t counted = counted_.load(std::memory_order_relaxed);
    if (counted == passed_.load(std::memory_order_acquire)) return std::nullopt;
    const Head& head = heads_[counted % kPages];
    return Page{{page(counted), head.size}, head.began};
  }
  /// The page of next() has been counted: the lane may write there.
  void counted() TACTUS_RT {
    counted_.store(counted_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  /// Number of pages that were passed on, and of those that were counted; both only grow.
  std::uint64_t number_passed() const TACTUS_RT { return passed_.load(std::memory_order_acquire); }
  std::uint64_t number_counted() const TACTUS_RT { return counted_.load(std::memory_order_acquire); }

 private:
  struct Head {
    std::uint64_t began = 0;
    std::size_t size = 0;
  };
  JobEnd* page(std::uint64_t number) TACTUS_RT { return ends_.data() + number % kPages * room_; }
  const JobEnd* page(std::uint64_t number) const TACTUS_RT { return ends_.data() + number % kPages * room_; }

  const std::size_t room_;
  std::vector<JobEnd> ends_;
  std::array<Head, kPages> heads_{};
  alignas(64) std::atomic<std::uint64_t> passed_{0};   // the lane's
  alignas(64) std::atomic<std::uint64_t> counted_{0};  // of the thread that counts
};

}  // namespace tactus::executive
