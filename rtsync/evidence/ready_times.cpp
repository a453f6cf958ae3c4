// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/ready_times.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "rtsync/evidence/run_delays.hpp"

namespace tactus::rtsync {
namespace {

/// Nothing: it has ended, or the kernel counts nothing and writes zeros.
std::optional<std::int64_t> counted_in(int file) {
  std::array<char, 80> text{};
  const std::string_view seen = read_again(file, text);
  const auto delay = seen.starts_with("0 0 0") ? std::nullopt : run_delay_in(seen);
  return delay ? std::optional(delay->count()) : std::nullopt;
}

}  // namespace

ReadyTimes::ReadyTimes(const std::vector<pid_t>& threads, const std::filesystem::path& root) {
  for (const pid_t thread : threads) {
    const std::string file = "proc/" + std::to_string(thread) + "/schedstat";
    threads_.emplace_back(Descriptor(::open((root / file).c_str(), O_RDONLY | O_CLOEXEC)));
  }
}

void ReadyTimes::look() {
  for (Thread& thread : threads_)
    if (const auto counted = counted_in(thread.schedstat.get()))
      thread.looked_ns.store(*counted, std::memory_order_release);
}

void ReadyTimes::end_frame() TACTUS_RT {
  for (Thread& thread : threads_)
    thread.before_ns =
        std::max({thread.before_ns, thread.read_ns, thread.looked_ns.load(std::memory_order_acquire)});
}

std::optional<Nanoseconds> ReadyTimes::most(std::size_t thread) {
  if (thread >= threads_.size()) return std::nullopt;
  Thread& one = threads_[thread];
  const auto counted = counted_in(one.schedstat.get());
  if (!counted || *counted < one.before_ns) return std::nullopt;  // it is another file by now
  one.read_ns = *counted;
  return Nanoseconds{*counted - one.before_ns};
}

}  // namespace tactus::rtsync
