// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

namespace tactus::test {

/// What an output of tests/rig/drivers/model_tape.cpp leaves in its file.
struct Tape {
  std::atomic<double> value{0};
  std::atomic<std::int64_t> writes{0};
  std::atomic<std::int64_t> times_safe{0};
  std::atomic<std::int64_t> turns{0};
};

}  // namespace tactus::test
