// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>

#include "executive/frame/frame_note.hpp"
#include "rtsync/exchange/block_ring.hpp"

namespace tactus::executive {

/// Notes from the rig's main thread to one reader. A note takes as much room as it has findings: most have one, and
/// none of them a root; room for the largest, in each of them, was 20 MB.
///
/// Threads  push(): one. pop(): one other.
/// RT       push().
class NoteRing {
 public:
  /// Room for 3000 notes with one finding, 1700 with two, 700 with three and all their roots.
  static constexpr std::size_t kPieces = 16384;
  /// Pieces of the largest note.
  static constexpr std::size_t kMostOfNote = 23;

  /// `notes`: number of notes that there may be at a time, where it is known to be small.
  explicit NoteRing(std::size_t notes = kPieces)
      : ring_(kPieceBytes, std::min(kPieces, std::min(notes, kPieces) * kMostOfNote),
              rtsync::RingMemory::as_used) {}

  /// Touches all memory, so that push() faults no page in. Before the first note. @when setup
  void make_present() { ring_.make_present(); }

  /// False, and nothing is stored, when there is no room for it.                                     @when rt
  [[nodiscard]] bool push(const FrameNote& note) TACTUS_RT;
  /// False when there is nothing to take.
  [[nodiscard]] bool pop(FrameNote& note);

 private:
  static constexpr std::size_t kPieceBytes = 256;

  rtsync::BlockRing ring_;
};

}  // namespace tactus::executive
