// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/unrecorded_faults.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {

std::optional<std::int64_t> minor_faults_in(std::string_view text) {
  constexpr int kFieldsBefore = 7;  // state, parent, group, session, terminal, its group, flags
  // The name before it may have any character.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 1);
  for (int i = 0; i <= kFieldsBefore; ++i) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    text.remove_prefix(space + 1);
  }
  std::int64_t faults = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), faults);
  return error == std::errc{} && end != text.data() + text.size() ? std::optional(faults) : std::nullopt;
}

void UnrecordedFaults::add(pid_t thread, int recorded) {
  Thread& added = threads_.emplace_back();
  const std::string file = "/proc/self/task/" + std::to_string(thread) + "/stat";
  added.stat = Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  added.recorded = recorded;
}

std::optional<std::int64_t> UnrecordedFaults::count(const Thread& thread) {
  std::array<char, 512> text{};
  const auto all = minor_faults_in(read_again(thread.stat.get(), text));
  std::uint64_t recorded = 0;
  if (!all ||
      (thread.recorded >= 0 && ::read(thread.recorded, &recorded, sizeof recorded) != sizeof recorded))
    return std::nullopt;
  return *all - static_cast<std::int64_t>(recorded) -
         static_cast<std::int64_t>(thread.mapped.load(std::memory_order_relaxed));
}

void UnrecordedFaults::keep(Look& look, std::int64_t count) {
  look.at_ns.store(0, std::memory_order_release);
  look.count.store(count, std::memory_order_release);
  look.at_ns.store(monotonic_now().time_since_epoch().count(), std::memory_order_release);
}

void UnrecordedFaults::look() {
  const std::lock_guard lock(looking_);
  for (Thread& thread : threads_) {
    const auto now = count(thread);
    if (!now) continue;
    keep(thread.looks[thread.next], *now);
    thread.next ^= 1U;
  }
}

std::optional<std::uint64_t> UnrecordedFaults::since(std::size_t thread, TimePoint<MonotonicTime> from) {
  Thread& one = threads_[thread];
  const auto now = count(one);
  if (!now) return std::nullopt;
  std::int64_t latest = 0;
  std::int64_t counted = 0;
  for (const Look* const look : {&one.looks[0], &one.looks[1], &one.own}) {
    const std::int64_t at = look->at_ns.load(std::memory_order_acquire);
    const std::int64_t then = look->count.load(std::memory_order_acquire);
    const bool before = at <= from.time_since_epoch().count() || look == &one.own;  // none counts twice
    if (at <= latest || !before || at != look->at_ns.load(std::memory_order_acquire)) continue;
    latest = at;
    counted = then;
  }
  keep(one.own, *now);
  if (latest == 0) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(*now - counted, 0));
}

}  // namespace tactus::rtsync
