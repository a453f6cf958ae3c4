// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/witness_page.hpp"

#include <algorithm>
#include <cstring>

namespace tactus::rtsync {
namespace {

std::atomic<WitnessPage*> page_of_this_process{nullptr};

/// Returns the page that Doing writes. Without a witness this process itself reads it.
WitnessPage& doing_page() {
  static WitnessPage& own = *new WitnessPage;  // never destroyed: libraries are unloaded late
  WitnessPage* const page = witness_page();
  return page != nullptr ? *page : own;
}

}  // namespace

bool WitnessPage::pass(Signal signal) {
  const std::uint32_t count = passed_count.load(std::memory_order_relaxed);
  if (count - passed_taken.load(std::memory_order_acquire) == kMostPassed) return false;
  passed[count % kMostPassed].store(
      static_cast<std::uint64_t>(signal.number) << 32 | static_cast<std::uint32_t>(signal.value),
      std::memory_order_relaxed);
  passed_count.store(count + 1, std::memory_order_release);
  return true;
}

std::optional<WitnessPage::Signal> WitnessPage::take_passed() {
  const std::uint32_t taken = passed_taken.load(std::memory_order_relaxed);
  if (taken == passed_count.load(std::memory_order_acquire)) return std::nullopt;
  const std::uint64_t entry = passed[taken % kMostPassed].load(std::memory_order_relaxed);
  passed_taken.store(taken + 1, std::memory_order_release);
  return Signal{static_cast<int>(entry >> 32), static_cast<int>(static_cast<std::uint32_t>(entry))};
}

std::string WitnessPage::doing_text() const {
  constexpr int kTries = 1000;  // who writes may be dead
  for (int i = 0; i < kTries; ++i) {
    const std::uint32_t turn = doing_turn.load(std::memory_order_acquire);
    if (turn % 2 != 0) continue;
    std::string text(std::min(doing_length.load(std::memory_order_relaxed), doing.size()), '\0');
    for (std::size_t at = 0; at < text.size(); ++at) text[at] = doing[at].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (doing_turn.load(std::memory_order_relaxed) == turn) return text;
  }
  return "";
}

void WitnessPage::set_doing(std::string_view text) TACTUS_RT {
  const std::size_t length = std::min(text.size(), doing.size());
  const std::uint32_t turn =
      doing_turn.load(std::memory_order_relaxed) | 1;  // even in the end, whoever else writes
  doing_turn.store(turn, std::memory_order_relaxed);
  // Nobody takes a part of the new text for the old one's.
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t at = 0; at < length; ++at) doing[at].store(text[at], std::memory_order_relaxed);
  doing_length.store(length, std::memory_order_relaxed);
  doing_turn.store(turn + 1, std::memory_order_release);
}

std::string WitnessPage::call_text() const {
  return {call.data(), std::min(call_length.load(std::memory_order_acquire), call.size())};
}

WitnessPage* witness_page() TACTUS_RT { return page_of_this_process.load(std::memory_order_relaxed); }

void show_to_witness(WitnessPage& page) { page_of_this_process.store(&page); }

void tell_witness_of_end(int status) TACTUS_RT {
  if (WitnessPage* const page = witness_page()) page->status.store(status);
}

void tell_witness_of_call(std::string_view call) TACTUS_RT {
  WitnessPage* const page = witness_page();
  if (page == nullptr) return;
  const std::size_t length = std::min(call.size(), page->call.size());
  std::memcpy(page->call.data(), call.data(), length);
  page->call_length.store(length, std::memory_order_release);
}

void tell_witness_of_thread(int tid, const ThreadOrigin& origin) TACTUS_RT {
  WitnessPage* const page = witness_page();
  if (page == nullptr) return;
  page->crashed_origin = origin;
  page->crashed_thread.store(tid, std::memory_order_release);
}

const char* text_of(WitnessPage::GivenUp why) {
  return why == WitnessPage::GivenUp::too_long ? "ended, as its end took too long"
                                               : "ended by a second signal";
}

std::string doing_text() { return doing_page().doing_text(); }

Doing::Doing(std::string_view text) : before_(doing_text()) { doing_page().set_doing(text); }

Doing::~Doing() { doing_page().set_doing(before_); }

}  // namespace tactus::rtsync
