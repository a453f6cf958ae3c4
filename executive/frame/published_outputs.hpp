// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <deque>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Copies of variables of models whose thread works at its own pace, for other threads to read. They are made
/// while the thread is at rest, so that all readers see the end of the same period.
///
/// RT  publish().
class PublishedOutputs {
 public:
  /// Returns where to read instead of `data`. @when setup
  const void* copy_of(const void* data, std::size_t bytes) {
    for (const Piece& piece : pieces_)
      if (piece.from == data && piece.copy.size() == bytes) return piece.copy.data();
    return pieces_.emplace_back(Piece{data, std::vector<std::byte>(bytes)}).copy.data();
  }
  void publish() TACTUS_RT {
    for (Piece& piece : pieces_) std::memcpy(piece.copy.data(), piece.from, piece.copy.size());
  }

 private:
  struct Piece {
    const void* from;
    std::vector<std::byte> copy;
  };
  std::deque<Piece> pieces_;  // the copies stay where they are
};

}  // namespace tactus::executive
