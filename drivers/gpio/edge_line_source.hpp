// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <time.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tactus/clock_driver.hpp>

#include "drivers/gpio/gpio.hpp"
#include "rtsync/rt.hpp"

namespace tactus::drivers::gpio {

/// Reads a clock of the kernel, ns. @when any
std::int64_t read_clock(clockid_t clock) TACTUS_RT;

/// Edges of a requested line.
///
/// The kernel stamps edges in CLOCK_MONOTONIC since Linux 5.7. At the first edge the stamp is compared with
/// the clocks; when it is in another one, the line is `gone` with EPROTO, and what() says why.
///
/// Threads, RT  as tactus::ClockDriver.
class EdgeLineSource {
 public:
  EdgeLineSource(std::unique_ptr<EdgeLine> line, std::string what);

  /// Do what tactus::ClockDriver::wait() and what() promise.
  tactus::Edges wait(std::int64_t deadline_ns, std::span<std::int64_t> stamps) TACTUS_RT;
  std::string what() const;

 private:
  tactus::Edges take(std::span<std::int64_t> stamps) TACTUS_RT;
  tactus::Edges gone(int error) TACTUS_RT;
  bool stamps_are_monotonic(std::int64_t stamp) TACTUS_RT;

  enum class WrongClock { none, realtime, unknown };

  std::unique_ptr<EdgeLine> line_;
  std::string what_;
  std::int64_t opened_;
  bool checked_ = false;
  int gone_ = 0;
  std::size_t in_a_row_ = 0;  ///< edges taken since the kernel's buffer was last seen empty
  std::atomic<WrongClock> wrong_clock_{WrongClock::none};
};

}  // namespace tactus::drivers::gpio
