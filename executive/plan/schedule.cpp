// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/schedule.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace tactus::executive {
namespace {

using rtsync::Period;
using rtsync::Wide;

/// Ticks per nanosecond: the least common multiple of all denominators.
std::int64_t common_denominator(std::span<const ScheduledJob> jobs, Period frame) {
  std::int64_t common = 1;
  const auto include = [&common](const Period& period) {
    const std::int64_t factor = period.den() / std::gcd(common, period.den());
    if (factor > kMostTicksPerNs / common)
      throw std::invalid_argument(
          "the cycle of this job has no common time base with the frame and the jobs before it: written as "
          "fractions of a nanosecond, their common denominator exceeds 10^9; choose cycles that are related, "
          "such as 1/3 ms and 1 ms");
    common *= factor;
  };
  include(frame);
  for (const ScheduledJob& job : jobs) {
    if (job.cycle.is_zero() && !job.dynamic)
      throw std::invalid_argument("a cyclic job needs a cycle greater than zero");
    if (!job.dynamic) include(job.cycle);
    include(job.first);
    if (job.stop) include(*job.stop);
  }
  return common;
}

std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

}  // namespace

Schedule::Schedule(std::span<const ScheduledJob> jobs, Period frame, std::size_t lanes)
    : ticks_per_ns_(common_denominator(jobs, frame)), place_of_(jobs.size()), lanes_(lanes) {
  if (lanes == 0 || lanes > kMostLanes) throw std::invalid_argument("a schedule has 1 to 64 lanes");
  const auto half_ticks = [this](Period period) {
    return 2 * static_cast<Wide>(period.num()) * (ticks_per_ns_ / period.den());
  };
  frame_ticks_ = half_ticks(frame);

  std::vector<std::uint32_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    return std::tuple(jobs[i].lane, jobs[i].controller, jobs[i].job_class, jobs[i].phase, jobs[i].declaration,
                      i);
  });

  // Places: each lane, and in it the controller jobs, begin at a word of their own, so that a word belongs to
  // one lane and one state.
  auto at = order.begin();
  for (std::uint32_t l = 0; l < lanes; ++l) {
    Lane& lane = lanes_[l];
    lane.word_begin = static_cast<std::uint32_t>(job_at_.size() / 64);
    for (const bool controller : {false, true}) {
      if (controller) lane.controller_word = static_cast<std::uint32_t>(job_at_.size() / 64);
      for (; at != order.end() && jobs[*at].lane == l && jobs[*at].controller == controller; ++at) {
        place_of_[*at] = static_cast<std::uint32_t>(job_at_.size());
        job_at_.push_back(*at);
      }
      job_at_.resize(words_for(job_at_.size()) * 64, kNoJob);
    }
    lane.word_end = static_cast<std::uint32_t>(job_at_.size() / 64);
    lane.due.assign(lane.word_end - lane.word_begin, 0);
    lane.due_sum.assign(words_for(lane.due.size()), 0);
  }
  if (at != order.end()) throw std::invalid_argument("a job is in a lane that the schedule does not have");
  const std::size_t words = job_at_.size() / 64;

  // Groups, and their words in the order of the places. A dynamic job is a group of its own, with what shares
  // its declaration.
  using Times = std::tuple<Period, Period, std::optional<Period>, bool, std::optional<std::uint64_t>>;
  std::map<Times, std::vector<std::uint32_t>> by_times;
  for (const std::uint32_t job : order) {
    const ScheduledJob& j = jobs[job];
    const auto own = j.dynamic || j.own_call ? std::optional(j.declaration) : std::nullopt;
    by_times[{j.first, j.dynamic ? frame : j.cycle, j.stop, j.integration, own}].push_back(place_of_[job]);
  }
  group_at_.assign(job_at_.size(), 0);
  for (const auto& [times, places] : by_times) {
    const auto& [first, cycle, stop, integration, own] = times;
    const bool dynamic = jobs[job_at_[places.front()]].dynamic;
    const Wide early = integration ? 1 : 0;
    const auto group = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({half_ticks(first) - early, half_ticks(cycle),
                       stop ? half_ticks(*stop) - early : kNever, 0,
                       dynamic ? static_cast<std::uint32_t>(dynamic_groups_.size()) : kCyclic});
    auto place = places.begin();
    for (std::uint32_t l = 0; l < lanes; ++l) {
      const auto begin = static_cast<std::uint32_t>(words_.size());
      for (; place != places.end() && *place / 64 < lanes_[l].word_end; ++place) {
        group_at_[*place] = group;
        groups_.back().lanes |= std::uint64_t{1} << l;
        if (words_.size() == begin || words_.back().index != *place / 64) words_.push_back({*place / 64, 0});
        words_.back().bits |= std::uint64_t{1} << (*place % 64);
      }
      ranges_.push_back({begin, static_cast<std::uint32_t>(words_.size())});
    }
    calls_.push_back({0, 0, dynamic ? 0 : cycle.seconds()});
    if (dynamic) {
      dynamic_groups_.push_back(group);
      dynamic_times_.push_back(kFirst);
    }
  }

  wanted_ = std::make_unique<std::atomic<std::uint64_t>[]>(std::max<std::size_t>(words, 1));
  enabled_.assign(std::max<std::size_t>(words, 1), 0);
  left_out_.assign(enabled_.size(), 0);
  for (std::size_t job = 0; job < jobs.size(); ++job) enable(job, jobs[job].enabled);
  take_switches();
  due_at_.assign(groups_.size(), 0);
  due_groups_.resize(groups_.size());
  for (std::uint32_t i = 0; i < groups_.size(); ++i)
    if (groups_[i].dynamic == kCyclic) heap_.push_back({kNever, i});
  const std::size_t dynamics = dynamic_groups_.size();
  dynamic_heap_ = TimeHeap(dynamics, kNever);
  changed_ = std::make_unique<std::atomic<std::uint64_t>[]>(words_for(dynamics));
  changed_words_ = std::make_unique<std::atomic<std::uint64_t>[]>(words_for(words_for(dynamics)));
  reset();
}

void Schedule::reset() TACTUS_RT {
  std::ranges::fill(dynamic_times_, kFirst);
  seek(0);
}

void Schedule::seek(std::int64_t k, bool late) TACTUS_RT {
  const Wide from = frame_ticks_ * k;
  for (Due& due : heap_) {
    const Group& group = groups_[due.group];
    const Wide calls = from <= group.first ? 0 : (from - group.first + group.cycle - 1) / group.cycle;
    due.next = group.first + calls * group.cycle;
    if (due.next > group.stop) due.next = kNever;
  }
  std::ranges::sort(heap_, [](const Due& a, const Due& b) { return a.next < b.next; });  // sorted is a heap
  for (Lane& lane : lanes_) {
    std::ranges::fill(lane.due, 0);
    std::ranges::fill(lane.due_sum, 0);
  }
  now_ = from - 1;
  now_ns_ = static_cast<std::int64_t>(from / 2 / ticks_per_ns_) - 1;
  take_changed_times();  // none is left to be told
  for (std::uint32_t i = 0; i < dynamic_groups_.size(); ++i) {
    const Wide next = dynamic_time(i, from);
    const bool passed =
        next == kNever && dynamic_times_[i] != kNeverNs && from <= groups_[dynamic_groups_[i]].stop;
    dynamic_heap_.set(i, late && passed ? from : next);
  }
}

void Schedule::take_switches() TACTUS_RT {
  for (std::size_t word = 0; word < enabled_.size(); ++word)
    enabled_[word] = wanted_[word].load(std::memory_order_relaxed) & ~left_out_[word];
}

std::int64_t Schedule::calls_before(std::size_t job, std::int64_t k) const TACTUS_RT {
  const Group& group = groups_[group_at_[place_of_[job]]];
  const Wide end = std::min(frame_ticks_ * k, group.stop == kNever ? kNever : group.stop + 1);
  return end <= group.first ? 0
                            : static_cast<std::int64_t>((end - group.first + group.cycle - 1) / group.cycle);
}

/// Next time of a dynamic job, not before `from`.
Wide Schedule::dynamic_time(std::uint32_t i, Wide from) const TACTUS_RT {
  const Group& group = groups_[dynamic_groups_[i]];
  const std::int64_t ns = dynamic_times_[i];
  if (ns == kNeverNs) return kNever;
  const Wide time = ns == kFirst ? group.first : 2 * static_cast<Wide>(ns) * ticks_per_ns_;
  return time < from || time > group.stop ? kNever : time;
}

void Schedule::take_changed_times() TACTUS_RT {
  rescheduled_.store(false, std::memory_order_relaxed);
  const auto words = static_cast<std::uint32_t>(words_for(dynamic_groups_.size()));
  for (std::uint32_t sum = 0; sum < words_for(words); ++sum) {
    std::uint64_t marked = changed_words_[sum].exchange(0, std::memory_order_relaxed);
    for (; marked != 0; marked &= marked - 1) {
      const std::uint32_t word = sum * 64 + static_cast<std::uint32_t>(std::countr_zero(marked));
      std::uint64_t bits = changed_[word].exchange(0, std::memory_order_relaxed);
      for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t i = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        dynamic_heap_.set(i, dynamic_time(i, now_ + 1));
      }
    }
  }
}

bool Schedule::call_at(std::size_t job, std::int64_t sim_time_ns) TACTUS_RT {
  const std::uint32_t i = dynamic_of(job);
  if (i == kCyclic || 2 * static_cast<Wide>(sim_time_ns) * ticks_per_ns_ <= now_) return false;
  dynamic_times_[i] = sim_time_ns;
  changed_[i / 64].fetch_or(std::uint64_t{1} << (i % 64), std::memory_order_relaxed);
  changed_words_[i / 64 / 64].fetch_or(std::uint64_t{1} << (i / 64 % 64), std::memory_order_relaxed);
  rescheduled_.store(true, std::memory_order_relaxed);
  return true;
}

void Schedule::take(std::uint32_t group) TACTUS_RT {
  calls_[group].sim_time_ns = now_ns_;
  calls_[group].frame = frame_;
  due_at_[group] = instant_;
  due_groups_[due_count_++] = group;
  lanes_due_ |= groups_[group].lanes;
}

void Schedule::take_first() TACTUS_RT {
  Due& first = heap_.front();
  const Group& group = groups_[first.group];
  take(first.group);
  first.next += group.cycle;
  if (first.next > group.stop) first.next = kNever;
  sift_down();
}

bool Schedule::next(std::int64_t k) TACTUS_RT {
  const Wide cyclic = heap_.empty() ? kNever : heap_.front().next;
  if (rescheduled_.load(std::memory_order_relaxed)) take_changed_times();  // between the instants
  const Wide now = std::min(cyclic, next_dynamic());
  if (const Wide end = frame_ticks_ * (k + 1); now >= end) {
    now_ = end - 1;  // from here on nobody may call a dynamic job before the boundary
    return false;
  }
  now_ = now;
  const Wide ticks = (now + 1) / 2;
  now_ns_ = static_cast<std::int64_t>(ticks_per_ns_ == 1 ? ticks : ticks / ticks_per_ns_);
  frame_ = k;
  if (++instant_ == 0) ++instant_;
  lanes_due_ = 0;
  due_count_ = 0;
  if (switched_.load(std::memory_order_relaxed) && switched_.exchange(false, std::memory_order_acquire))
    take_switches();
  if (cyclic == now) {
    do take_first();
    while (heap_.front().next == now);
  }
  while (next_dynamic() == now) {
    const std::uint32_t i = dynamic_heap_.first();
    dynamic_times_[i] = kNeverNs;  // unless it says another
    dynamic_heap_.set(i, kNever);
    take(dynamic_groups_[i]);
  }
  return true;
}

void Schedule::sift_down() TACTUS_RT {
  const std::size_t size = heap_.size();
  const Due moved = heap_.front();
  std::size_t hole = 0;
  for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
    if (child + 1 < size && heap_[child + 1].next < heap_[child].next) ++child;
    if (heap_[child].next >= moved.next) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = moved;
}

void Schedule::start(std::size_t index) TACTUS_RT {
  Lane& lane = lanes_[index];
  lane.in_controller = false;
  for (std::size_t i = 0; i < due_count_; ++i) {
    const Range& words = range(due_groups_[i], index);
    for (std::uint32_t w = words.begin; w < words.end; ++w) {
      const std::uint32_t word = words_[w].index - lane.word_begin;
      lane.due[word] |= words_[w].bits;
      lane.due_sum[word / 64] |= std::uint64_t{1} << (word % 64);
    }
  }
}

}  // namespace tactus::executive
