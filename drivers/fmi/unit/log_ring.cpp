// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/unit/log_ring.hpp"

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

void LastError::put(const char* text) noexcept {
  std::uint32_t turn = turn_.load(std::memory_order_relaxed);
  if (turn % 2 != 0 || !turn_.compare_exchange_strong(turn, turn + 1, std::memory_order_acquire)) return;
  std::atomic_thread_fence(std::memory_order_release);
  Text cut{};
  copy(cut, text);
  std::array<std::uint64_t, kWords> words{};
  std::memcpy(words.data(), cut.data(), cut.size());
  for (std::size_t i = 0; i < kWords; ++i) words_[i].store(words[i], std::memory_order_relaxed);
  turn_.store(turn + 2, std::memory_order_release);
}

LastError::Text LastError::get() const noexcept {
  Text text{};
  // A writer of lower priority on this CPU may not get on while this thread looks: it does so for a while only.
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t turn = turn_.load(std::memory_order_acquire);
    if (turn % 2 != 0) continue;
    std::array<std::uint64_t, kWords> words{};
    for (std::size_t k = 0; k < kWords; ++k) words[k] = words_[k].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (turn_.load(std::memory_order_relaxed) != turn) continue;
    std::memcpy(text.data(), words.data(), text.size());
    break;
  }
  return text;
}

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
  if (status >= Status::error) last_error_.put(text);
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
