// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Faults of a link, at the borders of its frames.
///
/// Threads  the frames' main thread.
/// RT       all.
class LinkFaults {
 public:
  virtual ~LinkFaults() = default;
  /// Frame k begins, and the link has not taken in its messages.
  virtual void before_receiving(std::int64_t k) TACTUS_RT = 0;
  /// The jobs of a frame have run, and the link has not taken what it sends.
  virtual void before_sending() TACTUS_RT = 0;
};

}  // namespace tactus::executive
