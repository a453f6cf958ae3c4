// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/edge_line_source.hpp"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "rtsync/time/kernel_clock.hpp"

namespace tactus::drivers::gpio {
namespace {

using rtsync::EdgeRead;
using rtsync::EdgeStatus;
using rtsync::MonotonicTime;
using rtsync::Nanoseconds;
using rtsync::TimePoint;

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t now(clockid_t clock) TACTUS_RT { return rtsync::kernel_time(clock).count(); }

}  // namespace

EdgeLineSource::EdgeLineSource(std::unique_ptr<EdgeLine> line, std::string what)
    : line_(std::move(line)), what_(std::move(what)), opened_(now(CLOCK_MONOTONIC)) {}

EdgeRead EdgeLineSource::wait(TimePoint<MonotonicTime> deadline,
                              std::span<TimePoint<MonotonicTime>> edges) TACTUS_RT {
  if (gone_ != 0) return gone(gone_);
  for (;;) {
    const std::int64_t left =
        std::max<std::int64_t>(0, deadline.time_since_epoch().count() - now(CLOCK_MONOTONIC));
    const timespec time = rtsync::to_timespec(Nanoseconds{left});
    pollfd polled{line_->fd(), POLLIN, 0};
    const int count = ::ppoll(&polled, 1, &time, nullptr);
    if (count < 0) {
      if (errno == EINTR) continue;  // the deadline is absolute: what is left is worked out anew
      return gone(errno);
    }
    if (count == 0) return {};
    const EdgeRead read = take(edges);
    if (read.status != EdgeStatus::timeout) return read;
    // Without an edge and without an error of the read: what poll said decides.
    if ((polled.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return gone(ENODEV);
    if (left == 0) return {};
  }
}

EdgeRead EdgeLineSource::take(std::span<TimePoint<MonotonicTime>> edges) TACTUS_RT {
  EdgeRead read;
  std::array<std::int64_t, 16> stamps;
  while (read.count < edges.size()) {
    const std::size_t room = std::min(stamps.size(), edges.size() - read.count);
    const EdgeLine::Taken taken = line_->take({stamps.data(), room});
    if (taken.error != 0) {
      if (read.count == 0) return gone(taken.error);
      break;  // the edges first; the error comes again
    }
    if (taken.count > 0 && !checked_) {
      checked_ = true;
      if (!stamps_are_monotonic(stamps[0])) return gone(EPROTO);
    }
    for (std::size_t i = 0; i < taken.count; ++i)
      edges[read.count++] = TimePoint<MonotonicTime>(Nanoseconds(stamps.at(i)));
    in_a_row_ += taken.count;
    if (in_a_row_ >= line_->buffer()) {
      read.overflowed = true;
      in_a_row_ = 0;
    }
    if (taken.count < room) {
      in_a_row_ = 0;
      break;
    }
  }
  if (read.count > 0) read.status = EdgeStatus::edges;
  return read;
}

EdgeRead EdgeLineSource::gone(int error) TACTUS_RT {
  gone_ = error;
  return {EdgeStatus::gone, 0, false, error};
}

bool EdgeLineSource::stamps_are_monotonic(std::int64_t stamp) TACTUS_RT {
  const std::int64_t monotonic = now(CLOCK_MONOTONIC);
  // It may have waited in the kernel since the line was requested, but not for longer.
  if (stamp >= opened_ - kSecond && stamp <= monotonic + kSecond) return true;
  const std::int64_t ago = now(CLOCK_REALTIME) - stamp;
  const bool realtime = ago >= -kSecond && ago <= monotonic - opened_ + kSecond;
  wrong_clock_.store(realtime ? WrongClock::realtime : WrongClock::unknown);
  return false;
}

std::string EdgeLineSource::what() const {
  switch (wrong_clock_.load()) {
    case WrongClock::none:
      break;
    case WrongClock::realtime:
      return what_ +
             "; its edges are stamped in CLOCK_REALTIME, which jumps: that is a kernel before Linux 5.7";
    case WrongClock::unknown:
      return what_ + "; its edges are stamped in a clock that is neither CLOCK_MONOTONIC nor CLOCK_REALTIME";
  }
  return what_;
}

}  // namespace tactus::drivers::gpio
