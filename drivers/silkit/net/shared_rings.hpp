// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A ring for each direction of a stream, in memory that two processes of one user share. It has no name in any file
/// system, so nothing is left of it when they end, however they do; and it is sealed, so that neither can cut it short.
#include <memory>
#include <string>

#include "drivers/silkit/net/ring.hpp"
#include "drivers/silkit/net/socket.hpp"
#include "drivers/silkit/wire/ring_message.hpp"

namespace tactus::silkit {

/// Returns true if both ends of a connected socket are on this host, as far as its addresses show.
bool is_on_one_host(int socket);

class SharedRings {
 public:
  /// Null: there is no memory, or no way to share it.
  static std::unique_ptr<SharedRings> make();
  /// Opens rings that another participant has made. Null, and the reason in `why`: it is of another user, not
  /// what it should be, or cannot be opened from here.
  static std::unique_ptr<SharedRings> open(const RingMessage& offer, std::string& why);
  SharedRings(const SharedRings&) = delete;
  SharedRings& operator=(const SharedRings&) = delete;
  ~SharedRings();

  /// Returns an offer for the other participant; to be opened until forget_file().
  RingMessage offer(RingMessage::Step step) const;
  void forget_file() { file_ = Descriptor(); }
  RingReader& in() { return in_; }
  RingWriter& out() { return out_; }

 private:
  struct Memory;
  SharedRings(Memory& memory, bool made, Descriptor file);

  Memory& memory_;
  Descriptor file_;  ///< its maker's, until it is open on both sides
  RingReader in_;
  RingWriter out_;
};

}  // namespace tactus::silkit
