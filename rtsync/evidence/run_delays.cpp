// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/run_delays.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "rtsync/host/control_group.hpp"

namespace tactus::rtsync {
namespace {

/// The number behind a key at the beginning of a line; 0: it is not there.
std::int64_t number_of(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  std::int64_t number = 0;
  if (at != std::string_view::npos)
    (void)std::from_chars(text.data() + at + key.size(), text.data() + text.size(), number);
  return number;
}

/// Reads the beginning of a file that is open.
std::string_view read_again(int file, std::array<char, 1024>& text) {
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace

std::optional<Nanoseconds> run_delay_in(const char* schedstat, std::size_t size) TACTUS_RT {
  std::int64_t ran = 0;
  std::int64_t waited = 0;
  const char* const end = schedstat + size;
  const auto [space, error] = std::from_chars(schedstat, end, ran);
  if (error != std::errc{} || space == end || *space != ' ') return std::nullopt;
  const auto [behind, bad] = std::from_chars(space + 1, end, waited);
  if (bad != std::errc{} || behind == end || waited < 0) return std::nullopt;
  return Nanoseconds{waited};
}

RunDelays::RunDelays(pid_t thread, Nanoseconds early, const std::filesystem::path& root) : early_(early) {
  const auto open = [&](const std::string& file) {
    return Descriptor(::open((root / file.substr(1)).c_str(), O_RDONLY | O_CLOEXEC));
  };
  schedstat_ = open("/proc/self/task/" + std::to_string(thread) + "/schedstat");
  for (const std::string& folder : limited_groups(root))
    if (Descriptor file = open(folder + "/cpu.stat"); file.get() >= 0) groups_.push_back(std::move(file));
}

std::optional<RunDelays::Count> RunDelays::count() const {
  Count count;
  // Before the kernel's count: of a frame that ends in between, all counts as elsewhere.
  count.awake_ns = awake_ns_.load(std::memory_order_acquire);
  std::array<char, 1024> text{};
  const std::string_view found =
      schedstat_.get() < 0 ? std::string_view{} : read_again(schedstat_.get(), text);
  const auto waited = run_delay_in(found.data(), found.size());
  if (!waited) return std::nullopt;
  count.waited_ns = waited->count();
  for (const Descriptor& file : groups_)
    count.stops += number_of(read_again(file.get(), text), "nr_throttled ");
  return count;
}

void RunDelays::look() {
  const auto now = count();
  if (!now) return;
  Look& look = looks_[next_look_ % looks_.size()];
  look.number.store(0, std::memory_order_seq_cst);
  look.waited_ns.store(now->waited_ns, std::memory_order_seq_cst);
  look.stops.store(now->stops, std::memory_order_seq_cst);
  look.awake_ns.store(now->awake_ns, std::memory_order_seq_cst);
  look.number.store(next_look_++, std::memory_order_seq_cst);
}

void RunDelays::read() {
  before_ = now_;
  now_ = count();
  read_in_this_ = now_.has_value();
}

std::optional<Nanoseconds> RunDelays::least_in(Nanoseconds elsewhere) const TACTUS_RT {
  if (!now_) return std::nullopt;
  std::optional<Nanoseconds> most;
  const auto compare = [&](const Count& then) TACTUS_RT {
    if (then.stops != now_->stops) return;
    const Nanoseconds grown{now_->waited_ns - then.waited_ns};
    const Nanoseconds awake{now_->awake_ns - then.awake_ns};
    most = std::max({most.value_or(Nanoseconds{0}), grown - awake - elsewhere, Nanoseconds{0}});
  };
  for (const Look& look : looks_) {
    const std::uint64_t number = look.number.load(std::memory_order_seq_cst);
    const Count then{look.waited_ns.load(std::memory_order_seq_cst),
                     look.stops.load(std::memory_order_seq_cst),
                     look.awake_ns.load(std::memory_order_seq_cst)};
    if (number != 0 && number == look.number.load(std::memory_order_seq_cst)) compare(then);
  }
  if (before_) compare(*before_);
  return most;
}

}  // namespace tactus::rtsync
