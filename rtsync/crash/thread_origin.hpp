// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Origin of a thread that runs none of the rig's jobs: found when it crashes, from its stack, as nobody noted it before.
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <string_view>

#include "rtsync/crash/raw_line.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

struct ThreadOrigin {
  std::array<char, 16> name{};      ///< its own; empty: it has that of the thread that made it
  std::array<char, 192> library{};  ///< the library whose code it began with; empty: it is not known
  bool is_main = false;             ///< the process began with it: no library started it
};

/// Text up to the first zero.
template <std::size_t Size>
std::string_view text_in(const std::array<char, Size>& text) TACTUS_RT {
  std::size_t length = 0;
  while (length < Size && text[length] != 0) ++length;
  return {text.data(), length};
}

/// Returns the calling thread's own name. Without heap and locks; it reads /proc.                 @when any
ThreadOrigin name_of_this_thread() noexcept;

/// Adds the library: that of the outermost code on the calling thread's stack that is of no library of the C++ language
/// or of the system. Without heap and locks. A stack that the thread has destroyed may end the process here. @when any
void find_library(ThreadOrigin& origin) noexcept;

/// "thread 312 ('poller'), which library /x/libplant.so started and which runs none of the rig's jobs"; of a thread of
/// tactus, and of the main thread, "which was in library ... and runs none of the rig's jobs". @when any
void write(RawLine& line, const ThreadOrigin& origin, pid_t thread) TACTUS_RT;

}  // namespace tactus::rtsync
