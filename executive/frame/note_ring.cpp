// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/note_ring.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tactus::executive {
namespace {

/// First part of a note: it says which parts follow.
struct Head {
  static constexpr std::size_t kFindings = 3;
  std::uint32_t pieces = 0;
  std::array<bool, kFindings> found{};
  std::array<bool, kFindings> rooted{};
  NoteFacts facts;
};

/// A note as bytes, one part after the other.
class NoteBytes {
 public:
  static constexpr std::size_t kMost =
      sizeof(Head) + Head::kFindings * (sizeof(OwnFinding) + sizeof(Finding::Root));

  template <class Part>
  void put(const Part& part) TACTUS_RT {
    static_assert(std::is_trivially_copyable_v<Part>);
    std::memcpy(bytes_.data() + at_, &part, sizeof part);
    at_ += sizeof part;
  }
  template <class Part>
  Part take() {
    Part part;
    std::memcpy(&part, bytes_.data() + at_, sizeof part);
    at_ += sizeof part;
    return part;
  }
  std::byte* data() TACTUS_RT { return bytes_.data(); }
  std::size_t at() const TACTUS_RT { return at_; }

 private:
  static_assert(kMost <= NoteRing::kMostOfNote * 256);
  std::array<std::byte, kMost + 256> bytes_;  // the last piece is copied whole
  std::size_t at_ = 0;
};

bool has_root(const Finding& finding) TACTUS_RT {
  return finding.root.cause != rtsync::Cause::none || finding.root.thread != 0;
}

}  // namespace

bool NoteRing::push(const FrameNote& note) TACTUS_RT {
  const std::array<const Finding*, Head::kFindings> findings{&note.overrun, &note.late, &note.beside};
  Head head{.facts = note};
  std::size_t bytes = sizeof head;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    head.found[i] = findings[i]->cause != rtsync::Cause::none;
    head.rooted[i] = head.found[i] && has_root(*findings[i]);
    bytes += (head.found[i] ? sizeof(OwnFinding) : 0) + (head.rooted[i] ? sizeof(Finding::Root) : 0);
  }
  const std::size_t pieces = (bytes + kPieceBytes - 1) / kPieceBytes;
  if (ring_.capacity() - ring_.size() < pieces) return false;
  head.pieces = static_cast<std::uint32_t>(pieces);
  NoteBytes all;
  all.put(head);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (head.found[i]) all.put(OwnFinding(*findings[i]));
    if (head.rooted[i]) all.put(findings[i]->root);
  }
  for (std::size_t i = 0; i < pieces; ++i) {
    std::byte* const piece = ring_.claim();
    if (piece == nullptr) return false;  // there was room
    std::memcpy(piece, all.data() + i * kPieceBytes, std::min(kPieceBytes, all.at() - i * kPieceBytes));
    ring_.publish();
  }
  return true;
}

bool NoteRing::pop(FrameNote& note) {
  const std::byte* piece = ring_.front();
  if (piece == nullptr) return false;
  static_assert(sizeof(Head) <= kPieceBytes, "the first piece says how many there are");
  Head head;
  std::memcpy(&head, piece, sizeof head);
  if (ring_.size() < head.pieces) return false;  // it is being written
  NoteBytes all;
  for (std::size_t i = 0; i < head.pieces; ++i) {
    std::memcpy(all.data() + i * kPieceBytes, ring_.front(), kPieceBytes);
    ring_.release();
  }
  (void)all.take<Head>();
  note = {};
  static_cast<NoteFacts&>(note) = head.facts;
  const std::array<Finding*, Head::kFindings> findings{&note.overrun, &note.late, &note.beside};
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (head.found[i]) static_cast<OwnFinding&>(*findings[i]) = all.take<OwnFinding>();
    if (head.rooted[i]) findings[i]->root = all.take<Finding::Root>();
  }
  return true;
}

}  // namespace tactus::executive
