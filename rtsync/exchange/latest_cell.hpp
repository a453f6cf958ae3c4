// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <type_traits>

#include "rtsync/exchange/latest_index.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// The latest value of something, from one thread to one other: a reader never sees half a value and never
/// makes the writer wait; values that were not read are overwritten.
///
/// Threads  one writer (write), one reader (read).
/// RT       both wait-free.
template <class T>
class LatestCell {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void write(const T& value) TACTUS_RT {
    buffers_[index_.writing()] = value;
    index_.publish();
  }
  /// The last value written; T{} before the first.
  const T& read() TACTUS_RT {
    (void)index_.take();
    return buffers_[index_.reading()];
  }

 private:
  std::array<T, 3> buffers_{};
  LatestIndex index_;
};

}  // namespace tactus::rtsync
