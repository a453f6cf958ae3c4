// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/edge_line_source.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tactus::drivers::gpio {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

std::int64_t read_clock(clockid_t clock) TACTUS_RT {
  timespec time{};
  (void)::clock_gettime(clock, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

EdgeLineSource::EdgeLineSource(std::unique_ptr<EdgeLine> line, std::string what)
    : line_(std::move(line)), what_(std::move(what)), opened_(read_clock(CLOCK_MONOTONIC)) {}

tactus::Edges EdgeLineSource::wait(std::int64_t deadline_ns, std::span<std::int64_t> stamps) TACTUS_RT {
  if (gone_ != 0) return gone(gone_);
  for (;;) {
    const std::int64_t left = std::max<std::int64_t>(0, deadline_ns - read_clock(CLOCK_MONOTONIC));
    const timespec time{left / kSecond, left % kSecond};
    pollfd polled{line_->fd(), POLLIN, 0};
    const int count = ::ppoll(&polled, 1, &time, nullptr);
    if (count < 0) {
      if (errno == EINTR) continue;  // the deadline is absolute: what is left is worked out anew
      return gone(errno);
    }
    if (count == 0) return {};
    const tactus::Edges read = take(stamps);
    if (read.status != TACTUS_NO_EDGE) return read;
    // Without an edge and without an error of the read: what poll said decides.
    if ((polled.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return gone(ENODEV);
    if (left == 0) return {};
  }
}

tactus::Edges EdgeLineSource::take(std::span<std::int64_t> stamps) TACTUS_RT {
  tactus::Edges read;
  while (read.count < stamps.size()) {
    const std::span<std::int64_t> room = stamps.subspan(read.count);
    const EdgeLine::Taken taken = line_->take(room.first(std::min<std::size_t>(room.size(), 16)));
    if (taken.error != 0) {
      if (read.count == 0) return gone(taken.error);
      break;  // the edges first; the error comes again
    }
    if (taken.count > 0 && !checked_) {
      checked_ = true;
      if (!stamps_are_monotonic(room.front())) return gone(EPROTO);
    }
    read.count += taken.count;
    in_a_row_ += taken.count;
    if (in_a_row_ >= line_->buffer()) {
      read.overflowed = true;
      in_a_row_ = 0;
    }
    if (taken.count < std::min<std::size_t>(room.size(), 16)) {
      in_a_row_ = 0;
      break;
    }
  }
  if (read.count > 0) read.status = TACTUS_EDGES;
  return read;
}

tactus::Edges EdgeLineSource::gone(int error) TACTUS_RT {
  gone_ = error;
  return {TACTUS_CLOCK_GONE, 0, false, error};
}

bool EdgeLineSource::stamps_are_monotonic(std::int64_t stamp) TACTUS_RT {
  const std::int64_t monotonic = read_clock(CLOCK_MONOTONIC);
  // It may have waited in the kernel since the line was requested, but not for longer.
  if (stamp >= opened_ - kSecond && stamp <= monotonic + kSecond) return true;
  const std::int64_t ago = read_clock(CLOCK_REALTIME) - stamp;
  const bool realtime = ago >= -kSecond && ago <= monotonic - opened_ + kSecond;
  wrong_clock_.store(realtime ? WrongClock::realtime : WrongClock::unknown);
  return false;
}

std::string EdgeLineSource::what() const {
  switch (wrong_clock_.load()) {
    case WrongClock::none:
      break;
    case WrongClock::realtime:
      return what_ + "; its edges are stamped in CLOCK_REALTIME, which can jump: use Linux 5.7 or later";
    case WrongClock::unknown:
      return what_ + "; its edges are stamped in a clock that is neither CLOCK_MONOTONIC nor CLOCK_REALTIME";
  }
  return what_;
}

}  // namespace tactus::drivers::gpio
