// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/run_delays.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "rtsync/host/control_group.hpp"
#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {

std::optional<Nanoseconds> run_delay_in(std::string_view schedstat) TACTUS_RT {
  std::int64_t ran = 0;
  std::int64_t waited = 0;
  const char* const end = schedstat.data() + schedstat.size();
  const auto [space, error] = std::from_chars(schedstat.data(), end, ran);
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
  const auto waited = run_delay_in(read_again(schedstat_.get(), text));
  if (!waited) return std::nullopt;
  count.waited_ns = waited->count();
  for (const Descriptor& file : groups_)
    count.stops += number_behind(read_again(file.get(), text), "nr_throttled ").value_or(0);
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
