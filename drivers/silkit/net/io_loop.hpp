// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Runs what an io_context has to do. Only for the inside of net/: it brings asio along.
#include <asio/io_context.hpp>

namespace tactus::silkit {

/// Number of times that a loop looked for work, and that it slept.
struct IoLoopCounts {
  long spins_that_paid = 0;
  long spins_in_vain = 0;
  long sleeps = 0;
};

/// Further source that a loop looks at: its data come without the kernel's knowledge.
class IoSource {
 public:
  virtual ~IoSource() = default;
  /// Does what is there. False: nothing.
  virtual bool look() = 0;
  /// A look is cheap, and likely to pay: the io_context may be looked at less often.
  virtual bool is_likely() const = 0;
  /// Lets what comes from here on wake the io_context. False: something has come already.
  virtual bool fall_asleep() = 0;
  virtual void wake_up() = 0;
};

/// Runs as io_context::run(), but before it sleeps it looks for a while whether something comes: participants
/// in step hear of each other within microseconds, and to be woken takes longer than that. It looks less
/// where that was in vain, and gives its CPU to threads that wait for it. With one CPU it sleeps at once.
///
/// Threads  the I/O thread.
IoLoopCounts run_io_loop(asio::io_context& io, IoSource* source = nullptr);

}  // namespace tactus::silkit
