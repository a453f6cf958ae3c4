// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

/// A bounded queue from one thread to another.
///
/// Threads  put(): one; take(), front(), pop(): one.
/// RT       all but the constructor.
template <class T>
class Ring {
 public:
  /// @when setup
  explicit Ring(std::size_t room) : items_(room + 1) {}

  /// Returns false, and takes nothing, when it is full.
  bool put(const T& item) TACTUS_RT {
    const std::size_t at = end_.load(std::memory_order_relaxed);
    const std::size_t next = after(at);
    if (next == begin_.load(std::memory_order_acquire)) return false;
    items_[at] = item;
    end_.store(next, std::memory_order_release);
    return true;
  }
  /// Returns the oldest item; nullptr: there is none. Valid until pop().
  T* front() TACTUS_RT {
    const std::size_t at = begin_.load(std::memory_order_relaxed);
    return at == end_.load(std::memory_order_acquire) ? nullptr : &items_[at];
  }
  void pop() TACTUS_RT {
    begin_.store(after(begin_.load(std::memory_order_relaxed)), std::memory_order_release);
  }
  bool take(T& to) TACTUS_RT {
    const T* const oldest = front();
    if (oldest == nullptr) return false;
    to = *oldest;
    pop();
    return true;
  }

 private:
  std::size_t after(std::size_t at) const TACTUS_RT { return at + 1 == items_.size() ? 0 : at + 1; }

  std::vector<T> items_;
  std::atomic<std::size_t> begin_{0};
  std::atomic<std::size_t> end_{0};
};

}  // namespace tactus::drivers::can
