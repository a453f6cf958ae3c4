// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/unit/log_ring.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tactus::drivers::fmi {
namespace {

template <std::size_t kRoom>
void copy(std::array<char, kRoom>& to, const char* from) noexcept {
  const std::size_t length = from == nullptr ? 0 : ::strnlen(from, kRoom - 1);
  if (length > 0) std::memcpy(to.data(), from, length);
  to[length] = '\0';
}

}  // namespace

LogRing::LogRing() {
  for (std::size_t i = 0; i < kSlots; ++i) slots_[i].turn.store(i, std::memory_order_relaxed);
}

/// A slot is free for ticket t when its turn is t, and full when it is t + 1.
LogRing::Slot* LogRing::claim(std::uint64_t& ticket) noexcept {
  ticket = head_.load(std::memory_order_relaxed);
  for (;;) {
    Slot& slot = slots_[ticket % kSlots];
    const std::uint64_t turn = slot.turn.load(std::memory_order_acquire);
    if (turn == ticket) {
      if (head_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed)) return &slot;
    } else if (turn < ticket) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    } else {
      ticket = head_.load(std::memory_order_relaxed);
    }
  }
}

void LogRing::put(Status status, const char* category, const char* text) noexcept {
  if (status >= Status::error) copy(last_error_, text);
  std::uint64_t ticket = 0;
  Slot* const slot = claim(ticket);
  if (slot == nullptr) return;
  slot->entry.status = status;
  copy(slot->entry.category, category);
  copy(slot->entry.text, text);
  slot->turn.store(ticket + 1, std::memory_order_release);
}

void LogRing::vput(Status status, const char* category, const char* format, std::va_list arguments) noexcept {
  std::array<char, sizeof(LogEntry::text)> text{};
  if (format != nullptr) (void)std::vsnprintf(text.data(), text.size(), format, arguments);
  put(status, category, text.data());
}

bool LogRing::take(LogEntry& to) noexcept {
  Slot& slot = slots_[tail_ % kSlots];
  if (slot.turn.load(std::memory_order_acquire) != tail_ + 1) return false;
  to = slot.entry;
  slot.turn.store(tail_ + kSlots, std::memory_order_release);
  ++tail_;
  return true;
}

}  // namespace tactus::drivers::fmi
