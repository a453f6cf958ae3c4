// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_taps.hpp"

#include <cstring>
#include <utility>

namespace tactus::executive {
namespace {

constexpr std::size_t kMarkBytes = (sizeof(LiveTap::Mark) + 7) / 8 * 8;
constexpr rtsync::Nanoseconds kCacheLine{80};  // that is not in the cache

std::size_t tap_bytes(std::span<const LiveTap::Piece> pieces) {
  std::size_t bytes = kMarkBytes;
  for (const LiveTap::Piece& piece : pieces) bytes += piece.bytes;
  return bytes;
}

}  // namespace

LiveTap::LiveTap(std::span<const Piece> pieces, std::size_t slots) : ring_(tap_bytes(pieces), slots) {
  std::size_t offset = kMarkBytes;
  for (const Piece& piece : pieces) {
    (piece.bytes == 8 ? words_ : others_)
        .push_back({piece.from, static_cast<std::uint32_t>(piece.bytes), static_cast<std::uint32_t>(offset)});
    offset += piece.bytes;
  }
  std::size_t lines = 2;
  for (const Piece& piece : pieces) lines += 1 + piece.bytes / 64;
  cost_ = static_cast<std::int64_t>(lines) * kCacheLine;
}

void LiveTap::take(std::int64_t frame) TACTUS_RT {
  const Mark mark{frame, number_++};
  std::byte* const slot = ring_.claim();
  if (slot == nullptr) return;
  std::memcpy(slot, &mark, sizeof mark);
  for (const Copy& copy : words_) std::memcpy(slot + copy.offset, copy.from, 8);
  for (const Copy& copy : others_) std::memcpy(slot + copy.offset, copy.from, copy.bytes);
  ring_.publish();
}

void LiveTaps::add(std::shared_ptr<LiveTap> tap) {
  taps_.push_back(std::move(tap));
  offer();
}

void LiveTaps::remove(const std::shared_ptr<LiveTap>& tap) {
  std::erase(taps_, tap);
  offer();
}

void LiveTaps::offer() {
  lists_.push_back(std::make_unique<List>(List{++generations_, taps_}));
  // One that the frames did not come to see, and those before the one that they use.
  const List* const unseen = offered_.exchange(lists_.back().get(), std::memory_order_acq_rel);
  const std::uint64_t adopted = adopted_.load(std::memory_order_acquire);
  std::erase_if(lists_, [&](const std::unique_ptr<List>& list) {
    return list.get() == unseen || list->generation < adopted;
  });
}

}  // namespace tactus::executive
