#include "executive/schedule.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace tactus::executive {
namespace {

using rtsync::Period;
using rtsync::Wide;

constexpr std::int64_t kMostTicksPerNs = 1'000'000'000;

/// Ticks per nanosecond: the least common multiple of all denominators.
std::int64_t common_denominator(std::span<const ScheduledJob> jobs, Period frame) {
  std::int64_t common = 1;
  const auto include = [&common](const Period& period) {
    const std::int64_t factor = period.den() / std::gcd(common, period.den());
    if (factor > kMostTicksPerNs / common)
      throw std::invalid_argument(
          "the cycles of the jobs have no common time base: written as fractions of a nanosecond, their "
          "common "
          "denominator exceeds 10^9; choose cycles that are related, such as 1/3 ms and 1 ms");
    common *= factor;
  };
  include(frame);
  for (const ScheduledJob& job : jobs) {
    if (job.cycle.is_zero()) throw std::invalid_argument("a cyclic job needs a cycle greater than zero");
    include(job.cycle);
    include(job.first);
    if (job.stop) include(*job.stop);
  }
  return common;
}

}  // namespace

Schedule::Schedule(std::span<const ScheduledJob> jobs, Period frame)
    : ticks_per_ns_(common_denominator(jobs, frame)), place_of_(jobs.size()) {
  const auto ticks = [this](Period period) {
    return static_cast<Wide>(period.num()) * (ticks_per_ns_ / period.den());
  };
  frame_ticks_ = ticks(frame);

  std::vector<std::uint32_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t i) {
      return std::tuple(jobs[i].controller, jobs[i].job_class, jobs[i].phase, jobs[i].declaration, i);
    };
    return key(a) < key(b);
  });

  // Places: the controller jobs begin at a word of their own, so that a word belongs to one state.
  bool in_controller = false;
  for (const std::uint32_t job : order) {
    if (jobs[job].controller && !in_controller) {
      in_controller = true;
      job_at_.resize((job_at_.size() + 63) / 64 * 64, kNoJob);
      controller_word_ = static_cast<std::uint32_t>(job_at_.size() / 64);
    }
    place_of_[job] = static_cast<std::uint32_t>(job_at_.size());
    job_at_.push_back(job);
  }
  job_at_.resize((job_at_.size() + 63) / 64 * 64, kNoJob);
  const std::size_t words = job_at_.size() / 64;
  if (!in_controller) controller_word_ = static_cast<std::uint32_t>(words);

  // Groups, and their words in the order of the places.
  std::map<std::tuple<Period, Period, std::optional<Period>>, std::vector<std::uint32_t>> by_times;
  for (const std::uint32_t job : order)
    by_times[{jobs[job].first, jobs[job].cycle, jobs[job].stop}].push_back(place_of_[job]);
  group_at_.assign(job_at_.size(), 0);
  for (const auto& [times, places] : by_times) {
    const auto& [first, cycle, stop] = times;
    Group group{ticks(first), ticks(cycle), stop ? ticks(*stop) : kNever,
                static_cast<std::uint32_t>(words_.size()), 0};
    for (const std::uint32_t place : places) {
      group_at_[place] = static_cast<std::uint32_t>(groups_.size());
      if (words_.size() == group.words_begin || words_.back().index != place / 64)
        words_.push_back({place / 64, 0});
      words_.back().bits |= std::uint64_t{1} << (place % 64);
    }
    group.words_end = static_cast<std::uint32_t>(words_.size());
    groups_.push_back(group);
    calls_.push_back({0, 0, cycle.seconds()});
  }

  enabled_ = std::make_unique<std::atomic<std::uint64_t>[]>(std::max<std::size_t>(words, 1));
  for (std::size_t job = 0; job < jobs.size(); ++job) enable(job, jobs[job].enabled);
  due_.assign(words, 0);
  due_sum_.assign((words + 63) / 64, 0);
  heap_.resize(groups_.size());
  reset();
}

void Schedule::reset() TACTUS_RT {
  for (std::uint32_t i = 0; i < groups_.size(); ++i)
    heap_[i] = {groups_[i].first > groups_[i].stop ? kNever : groups_[i].first, i};
  std::sort(heap_.begin(), heap_.end(),
            [](const Due& a, const Due& b) { return a.next < b.next; });  // sorted is a heap
}

std::uint32_t Schedule::take_first(std::int64_t k, std::int64_t sim_time_ns) TACTUS_RT {
  Due& first = heap_.front();
  const std::uint32_t group = first.group;
  calls_[group].sim_time_ns = sim_time_ns;
  calls_[group].frame = k;
  first.next += groups_[group].cycle;
  if (first.next > groups_[group].stop) first.next = kNever;
  sift_down();
  return group;
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

void Schedule::mark(std::uint32_t group) TACTUS_RT {
  for (std::uint32_t i = groups_[group].words_begin; i < groups_[group].words_end; ++i) {
    const std::uint32_t word = words_[i].index;
    due_[word] |= words_[i].bits;
    due_sum_[word / 64] |= std::uint64_t{1} << (word % 64);
  }
}

}  // namespace tactus::executive
