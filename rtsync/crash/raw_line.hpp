// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// A line of text made without the heap, for use in a crash. Cut to 512 bytes.
///
/// RT  everything; write_to_stderr() makes two system calls and never waits.
class RawLine {
 public:
  RawLine& operator<<(std::string_view text) TACTUS_RT {
    const std::size_t length = std::min(text.size(), text_.size() - length_);
    std::memcpy(text_.data() + length_, text.data(), length);
    length_ += length;
    return *this;
  }
  RawLine& operator<<(int number) TACTUS_RT {
    char digits[12];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number);
    return *this << std::string_view(digits, static_cast<std::size_t>(end.ptr - digits));
  }
  std::string_view text() const TACTUS_RT { return {text_.data(), length_}; }
  /// Writes the line unless that would have to wait: a terminal that was stopped must not hold up a crash.
  void write_to_stderr() const TACTUS_RT {
    pollfd polled{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&polled, 1, 0) != 1 || (polled.revents & POLLOUT) == 0) return;
    // Nothing can be done about a stderr that is gone.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text_.data(), length_);
  }

 private:
  std::array<char, 512> text_{};
  std::size_t length_ = 0;
};

}  // namespace tactus::rtsync
