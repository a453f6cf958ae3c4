// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// Dates of frames.
struct FrameDates {
  std::int64_t epoch_ns;  ///< epoch: simulated time 0, since 1970-01-01T00:00:00Z
  rtsync::Period frame;

  std::string date_of(std::int64_t frame_number) const;
  /// The frame that begins at a date. Nothing, and why, when none does. The problem offers frames of `least` .. `most`
  /// alone; of a date outside of them that no frame has, it returns the next frame outside: the caller says that this is
  /// out of reach.
  std::optional<std::int64_t> frame_of(const std::string& date, std::int64_t least, std::int64_t most,
                                       std::string& problem) const;
};

}  // namespace tactus::executive
