#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// The latest value of something, from one thread to one other: a reader never sees half a value and never
/// makes the writer wait; values nobody read are overwritten.
///
/// Three buffers: one the writer fills, one the reader reads, one that waits between them and is swapped in.
///
/// Threads  one writer (write), one reader (read).
/// RT       both wait-free.
template <class T>
class LatestCell {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void write(const T& value) TACTUS_RT {
    buffers_[writing_] = value;
    writing_ =
        middle_.exchange(static_cast<std::uint8_t>(writing_ | kFresh), std::memory_order_acq_rel) & kIndex;
  }
  /// The last value written; T{} before the first.
  const T& read() TACTUS_RT {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) != 0)
      reading_ = middle_.exchange(reading_, std::memory_order_acq_rel) & kIndex;
    return buffers_[reading_];
  }

 private:
  static constexpr std::uint8_t kIndex = 3;
  static constexpr std::uint8_t kFresh = 4;
  std::array<T, 3> buffers_{};
  std::uint8_t writing_ = 0;
  std::uint8_t reading_ = 1;
  std::atomic<std::uint8_t> middle_{2};
};

}  // namespace tactus::rtsync
