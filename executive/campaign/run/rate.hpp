// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

namespace tactus::campaign {

/// Cases a second, of the last 256 that ended.
class Rate {
 public:
  /// A case ended at that time, in seconds since the begin.
  void add(double at) { ends_[count_++ % kMost] = at; }
  double of(double now) const {
    if (count_ == 0) return 0;
    const double first = count_ > kMost ? ends_[count_ % kMost] : 0;
    const double number = static_cast<double>(count_ > kMost ? kMost - 1 : count_);
    return now > first ? number / (now - first) : 0;
  }

 private:
  static constexpr std::size_t kMost = 256;
  std::array<double, kMost> ends_{};
  std::size_t count_ = 0;
};

}  // namespace tactus::campaign
