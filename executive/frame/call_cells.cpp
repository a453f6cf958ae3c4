// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/call_cells.hpp"

#include <algorithm>

namespace tactus::executive {

CallCellStore::Slot* CallCellStore::room_for(std::size_t slots) {
  constexpr std::size_t kBlock = 1 << 14;
  if (blocks_.empty() || blocks_.back().size() + slots > blocks_.back().capacity())
    blocks_.emplace_back().reserve(std::max(kBlock, slots));
  std::vector<Slot>& block = blocks_.back();
  block.resize(block.size() + slots);
  return block.data() + block.size() - slots;
}

const CallCells* CallCellStore::add(VariableGuard* guard, std::span<const WordCopy> copies,
                                    std::span<const FiniteRun> runs) {
  if (copies.empty() && runs.empty()) return nullptr;
  Slot* const at = room_for(1 + copies.size() + runs.size());
  CallCells head;
  head.guard_ = guard;
  head.copies_ = static_cast<std::uint32_t>(copies.size());
  head.runs_ = static_cast<std::uint32_t>(runs.size());
  std::memcpy(at, &head, sizeof head);
  if (!copies.empty()) std::memcpy(at + 1, copies.data(), copies.size_bytes());
  if (!runs.empty()) std::memcpy(at + 1 + copies.size(), runs.data(), runs.size_bytes());
  return reinterpret_cast<const CallCells*>(at);
}

const CallCells* CallCellStore::again(const CallCells* cells) {
  return cells == nullptr
             ? nullptr
             : add(cells->guard_, {cells->copies(), cells->copies_}, {cells->runs(), cells->runs_});
}

}  // namespace tactus::executive
