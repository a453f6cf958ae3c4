// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A pipe by which others on this host wake the thread of an io_context: a byte through it costs less than one through
/// a TCP socket. Only for the inside of net/: it brings asio along.
#include <array>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "drivers/silkit/net/socket.hpp"
#include "drivers/silkit/wire/ring_message.hpp"

namespace tactus::silkit {

/// One for all that wake this participant: a byte says only that it is to look. It has both ends open, as its
/// writers have, so that neither meets an end of the other.
///
/// Threads  the I/O thread.
class WakePipe {
 public:
  /// Null: there are no descriptors left.
  static std::unique_ptr<WakePipe> make(asio::io_context& io);
  WakePipe(const WakePipe&) = delete;
  WakePipe& operator=(const WakePipe&) = delete;

  /// Lets a byte wake the io_context from here on, once: however many there are, it gets to all else, too.
  void fall_asleep();
  void name_in(RingMessage& message) const;
  /// The pipe of another participant, which its message names. None, and the reason in `why` ("" otherwise):
  /// it has none, or it is not a pipe, another one, or one of another user.
  Descriptor open_other(const RingMessage& message, std::string& why) const;

 private:
  WakePipe(asio::io_context& io, Descriptor reader, Descriptor writer);

  asio::posix::stream_descriptor reader_;
  const Descriptor writer_;
  bool waits_ = false;
  std::array<std::byte, 256> discarded_;
};

}  // namespace tactus::silkit
