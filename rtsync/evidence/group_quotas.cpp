// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/group_quotas.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

/// Longest time without a look before a frame: two of those of every 5 ms, and what they take.
constexpr Nanoseconds kOverdue{12'000'000};

/// The number at the beginning of a text; 0: there is none, as in "max" and "-1".
std::uint32_t positive_in(std::string_view text) {
  std::uint32_t number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The end of a long path.
GroupName name_of_group(std::string_view path) {
  constexpr std::string_view kCut = "...";
  GroupName name{};
  const std::size_t room = name.size() - 1;
  if (path.size() <= room) {
    std::copy(path.begin(), path.end(), name.begin());
    return name;
  }
  auto rest = std::copy(kCut.begin(), kCut.end(), name.begin());
  std::copy(path.end() - static_cast<std::ptrdiff_t>(room - kCut.size()), path.end(), rest);
  return name;
}

}  // namespace

GroupQuotas::GroupQuotas(const std::vector<pid_t>& threads, std::filesystem::path root, Clock clock)
    : root_(std::move(root)), clock_(clock) {
  for (const pid_t thread : threads) {
    if (threads_.size() == kMostThreads) break;
    const std::string number = std::to_string(thread);
    threads_.emplace_back(number, root_);
  }
}

Descriptor GroupQuotas::open(const std::string& file) const {
  return Descriptor(::open((root_ / file.substr(1)).c_str(), O_RDONLY | O_CLOEXEC));
}

/// Reads its file cpu.max, or the two of cgroup v1. Nothing: the group is gone.
std::optional<GroupQuotas::Limit> GroupQuotas::limit_of(const Group& group) {
  std::array<char, 64> text{};
  const std::string_view both = read_again(group.limit.get(), text);
  if (both.empty()) return std::nullopt;
  Limit limit{positive_in(both), 0};
  if (limit.runtime_us == 0) return limit;
  if (const std::size_t space = both.find(' '); space != std::string_view::npos)
    limit.period_us = positive_in(both.substr(space + 1));
  else
    limit.period_us = positive_in(read_again(group.period.get(), text));
  return limit;
}

/// Reads its file cpu.stat.
std::optional<GroupQuotas::Counts> GroupQuotas::count(const Group& group) const {
  std::array<char, 1024> text{};
  const Time before = clock_();
  const auto stops = stops_in(read_again(group.stat.get(), text));
  if (!stops) return std::nullopt;
  return Counts{clock_(), stops->times, stops->took.count(), before};
}

void GroupQuotas::keep(Group& group, const Counts& counts) {
  const std::int64_t until = counts.until.time_since_epoch().count();
  if (group.seen && group.seen->times == counts.times && group.seen->took_ns == counts.took_ns) {
    group.looks[(group.next_look - 1) % group.looks.size()].until_ns.store(until, std::memory_order_seq_cst);
    return;
  }
  group.seen = counts;
  Look& look = group.looks[group.next_look % group.looks.size()];
  look.number.store(0, std::memory_order_seq_cst);
  look.at_ns.store(counts.at.time_since_epoch().count(), std::memory_order_seq_cst);
  look.times.store(counts.times, std::memory_order_seq_cst);
  look.took_ns.store(counts.took_ns, std::memory_order_seq_cst);
  look.until_ns.store(until, std::memory_order_seq_cst);
  look.number.store(group.next_look++, std::memory_order_seq_cst);
}

/// Returns the place of a group. Nothing: there is no room, or it cannot be read.
GroupQuotas::Group* GroupQuotas::group_of(const QuotaFiles& files) {
  const std::size_t used = used_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < used; ++i)
    if (groups_[i].folder == files.folder) return &groups_[i];
  if (used == kMostGroups) {
    too_many_.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  Group& group = groups_[used];
  group.stat = open(files.folder + "/cpu.stat");
  group.limit = open(files.limit);
  if (!files.period.empty()) group.period = open(files.period);
  if (!limit_of(group) || !count(group)) return nullptr;
  group.folder = files.folder;
  group.name = name_of_group(files.path);
  used_.store(used + 1, std::memory_order_release);
  return &group;
}

/// Finds the groups of each thread. One that stays where it is may get another one: made anew, or with a limit of its own
/// from now on.
void GroupQuotas::find_groups() {
  std::optional<std::pair<std::uint64_t, std::uint64_t>> last;  // a digest, and the places of its groups
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    Thread& one = threads_[thread];
    const std::uint64_t digest = one.groups.digest();
    if (!last || last->first != digest) {
      last = {digest, 0};
      for (const QuotaFiles& files : quota_files(root_, one.number))
        if (const Group* const group = group_of(files); group != nullptr)
          last->second |= std::uint64_t{1} << static_cast<unsigned>(group - groups_.data());
    }
    for (std::size_t i = 0; i < used_.load(std::memory_order_relaxed); ++i) {
      const std::uint64_t self = std::uint64_t{1} << thread;
      if ((last->second >> i & 1U) != 0)
        groups_[i].threads.fetch_or(self, std::memory_order_seq_cst);
      else
        groups_[i].threads.fetch_and(~self, std::memory_order_seq_cst);
    }
    one.groups.keep(digest, clock_());
  }
}

void GroupQuotas::find_limit(Group& group) {
  const std::optional<Limit> limit = limit_of(group);
  if (!limit) group.folder.clear();  // another one may come in its place
  if (!limit || limit->runtime_us == 0) return;
  group.runtime_us.store(limit->runtime_us, std::memory_order_relaxed);
  group.period_us.store(limit->period_us, std::memory_order_relaxed);
  group.counts.store(true, std::memory_order_release);
}

void GroupQuotas::look(bool find) {
  if (find) find_groups();
  for (std::size_t i = 0; i < used_.load(std::memory_order_relaxed); ++i) {
    Group& group = groups_[i];
    if (group.threads.load(std::memory_order_relaxed) == 0) continue;
    if (find) find_limit(group);
    if (group.counts.load(std::memory_order_relaxed)) {
      if (const auto counts = count(group))
        keep(group, *counts);
      else
        group.folder.clear();
    }
  }
}

/// Reads what is counted of a group, once in a late frame.
void GroupQuotas::read(Group& group) {
  if (group.frame == frame_) return;
  group.frame = frame_;
  group.before = group.now;
  group.now.reset();
  const bool known = group.counts.load(std::memory_order_acquire);
  if (known || limit_of(group).value_or(Limit{}).runtime_us > 0) group.now = count(group);
}

/// Nothing: there was none, or it is being written.
std::optional<GroupQuotas::Counts> GroupQuotas::counts_of(const Look& look) TACTUS_RT {
  const std::uint64_t number = look.number.load(std::memory_order_seq_cst);
  const Counts counts{Time{Nanoseconds{look.at_ns.load(std::memory_order_seq_cst)}},
                      look.times.load(std::memory_order_seq_cst),
                      look.took_ns.load(std::memory_order_seq_cst),
                      Time{Nanoseconds{look.until_ns.load(std::memory_order_seq_cst)}}};
  const bool whole = number != 0 && number == look.number.load(std::memory_order_seq_cst);
  return whole ? std::optional(counts) : std::nullopt;
}

/// The largest counts that are known to be of that time or before it.
std::optional<GroupQuotas::Counts> GroupQuotas::known_at(const Group& group, Time from) TACTUS_RT {
  std::optional<Counts> most;
  const auto compare = [&](const Counts& then) TACTUS_RT {
    if (then.at > from) return;
    if (!most || then.took_ns > most->took_ns || then.times > most->times)
      most = then;
    else if (then.took_ns == most->took_ns && then.times == most->times)
      most->until = std::max(most->until, then.until);
  };
  for (const Look& look : group.looks)
    if (const auto counts = counts_of(look)) compare(*counts);
  if (group.before) compare(*group.before);
  return most;
}

/// Returns how long the group stopped threads from then on, at most. A stop is counted at its end: what was counted by a
/// look ended before it.
GroupQuotas::Stopped GroupQuotas::stopped_since(const Group& group, const Counts& then, Time from) TACTUS_RT {
  std::array<Counts, std::tuple_size_v<decltype(group.looks)> + 1> all{};
  std::size_t used = 0;
  const auto keep = [&](const Counts& counts) TACTUS_RT {
    if (counts.at > from) all[used++] = counts;
  };
  for (const Look& look : group.looks)
    if (const auto counts = counts_of(look)) keep(*counts);
  keep(*group.now);
  std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(used),
            [](const Counts& a, const Counts& b) { return a.at < b.at; });
  Stopped stopped;
  std::int64_t counted = then.took_ns;
  for (std::size_t i = 0; i < used && counted < group.now->took_ns; ++i) {
    const Nanoseconds grown{all[i].took_ns - counted};
    if (grown <= Nanoseconds{0}) continue;
    counted = all[i].took_ns;
    stopped.over_after = all[i].at - from;
    stopped.took += std::min(grown, stopped.over_after);
  }
  return stopped;
}

QuotaStops GroupQuotas::stops_since(std::size_t thread, Time from) {
  QuotaStops most;
  const bool known = thread < threads_.size();
  most.uncertain = too_many_.load(std::memory_order_relaxed);
  if (known) {
    // Before the groups are read, so that it is not in another one then.
    most.uncertain = most.uncertain || threads_[thread].groups.may_have_moved_since(from);
  }
  const std::size_t used = used_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    Group& group = groups_[i];
    const std::uint64_t inside = group.threads.load(std::memory_order_acquire);
    if (known ? (inside >> thread & 1U) == 0 : inside == 0) continue;
    read(group);
    if (!group.now) continue;
    const std::optional<Counts> then = known_at(group, from);
    QuotaStops stops;
    stops.times =
        then ? static_cast<std::int32_t>(std::min<std::int64_t>(group.now->times - then->times, INT32_MAX))
             : 0;
    if (then) {
      const Stopped stopped = stopped_since(group, *then, from);
      stops.took = stopped.took;
      stops.over_after = stopped.over_after;
    }
    // The stops may have ended before that time, as nobody looked for a while.
    const bool before = then && from - then->until > kOverdue && stops.any();
    stops.uncertain = then ? before || (!known && stops.any()) : group.now->times > 0;
    if (!stops.any()) continue;
    most.uncertain = most.uncertain || stops.uncertain;
    if (most.group[0] != 0 && stops.took <= most.took) continue;
    stops.uncertain = most.uncertain;
    stops.runtime_us = group.runtime_us.load(std::memory_order_relaxed);
    stops.period_us = group.period_us.load(std::memory_order_relaxed);
    stops.group = group.name;
    most = stops;
  }
  return most;
}

}  // namespace tactus::rtsync
