// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// Assignment of three buffers: one the writer fills, one the reader reads, one that waits between them and
/// is swapped in.
///
/// Threads  one writer (writing, publish), one reader (take, reading).
/// RT       both wait-free.
///
/// `Atomic` is std::atomic, but in the model check of its tests.
template <template <class> class Atomic>
class BasicLatestIndex {
 public:
  std::uint8_t writing() const TACTUS_RT { return writing_; }
  void publish() TACTUS_RT { writing_ = swap(static_cast<std::uint8_t>(writing_ | kFresh)); }
  /// Takes the newest buffer. True: reading() is a newer one than before.
  bool take() TACTUS_RT {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) == 0) return false;
    reading_ = swap(reading_);
    return true;
  }
  std::uint8_t reading() const TACTUS_RT { return reading_; }

 private:
  static constexpr std::uint8_t kIndex = 3;
  static constexpr std::uint8_t kFresh = 4;
  std::uint8_t swap(std::uint8_t given) TACTUS_RT {
    return middle_.exchange(given, std::memory_order_acq_rel) & kIndex;
  }
  std::uint8_t writing_ = 0;
  std::uint8_t reading_ = 1;
  Atomic<std::uint8_t> middle_{2};
};

using LatestIndex = BasicLatestIndex<std::atomic>;

}  // namespace tactus::rtsync
