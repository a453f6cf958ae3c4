// SPDX-License-Identifier: Apache-2.0
#include "executive/admission/frame_loads.hpp"

#include <algorithm>
#include <utility>

#include "executive/model/job_class.hpp"
#include "executive/plan/schedule.hpp"

namespace tactus::executive {
namespace {

using rtsync::Period;
using rtsync::Wide;

bool has_times(const PlannedJob& work) { return is_cyclic(work.job_class) || is_loop(work); }

Wide floor_of(const Period& time, const Period& frame) {
  return static_cast<Wide>(time.num()) * frame.den() / (static_cast<Wide>(time.den()) * frame.num());
}
Wide ceiling_of(const Period& time, const Period& frame) {
  const Wide divisor = static_cast<Wide>(time.den()) * frame.num();
  return (static_cast<Wide>(time.num()) * frame.den() + divisor - 1) / divisor;
}

/// Frames after which all cycles begin again; INT64_MAX: as many or more.
std::int64_t hyperperiod_of(const std::vector<ScheduledJob>& jobs, const Period& frame) {
  const auto greatest_divisor = [](Wide a, Wide b) {
    while (b != 0) a = std::exchange(b, a % b);
    return a;
  };
  Wide frames = 1;
  for (const ScheduledJob& job : jobs) {
    // The least n with n frames a whole number of cycles: the denominator of frame / cycle in lowest terms.
    const Wide num = static_cast<Wide>(frame.num()) * job.cycle.den();
    const Wide den = static_cast<Wide>(frame.den()) * job.cycle.num();
    const Wide own = den / greatest_divisor(num, den);
    const Wide more = own / greatest_divisor(frames, own);
    if (more > INT64_MAX / frames) return INT64_MAX;
    frames *= more;
  }
  return static_cast<std::int64_t>(frames);
}

/// Jobs that run by one clock (main and the scheduled threads, or an asynchronous thread), and their
/// schedule.
class Walk {
 public:
  Walk(std::span<const PlannedJob> works, std::vector<std::size_t> of, const Period& frame)
      : works_(works), of_(std::move(of)), frame_(frame) {
    for (const std::size_t i : of_) {
      const PlannedJob& work = works_[i];
      if (!has_times(work)) continue;
      scheduled_.push_back(i);
      jobs_.push_back(
          {work.job_class, work.phase, i, is_controller(work.job_class) && is_cyclic(work.job_class),
           work.dynamic ? frame : work.cycle, work.first, work.stop, true, false, is_loop(work), 0});
    }
    hyperperiod_.frames = hyperperiod_of(jobs_, frame);
  }

  /// Number of frames after which all cycles begin again.
  std::int64_t frames() const { return hyperperiod_.frames; }

  /// visitor.begin(k), visitor.instant(), visitor.call(work), visitor.end() for all frames that matter, as long
  /// as `calls_left` allows.
  template <class Visitor>
  Hyperperiod run(std::int64_t calls_left, Visitor& visitor) {
    struct Inner {
      const Walk& walk;
      const Schedule& schedule;
      Visitor& visitor;
      std::int64_t& left;
      void simulator() { visitor.instant(); }
      void controller() {}
      bool call(std::uint32_t place) {
        visitor.call(walk.scheduled_[schedule.job_at(place)]);
        return --left > 0;
      }
    };
    Schedule schedule(jobs_, frame_);
    Inner inner{*this, schedule, visitor, calls_left};
    for (const auto& [first, last] : windows()) {
      schedule.seek(first);
      for (std::int64_t k = first; k <= last; ++k) {
        visitor.begin(k);
        for (const std::size_t i : of_)
          if (works_[i].job_class == TACTUS_TOP_OF_FRAME) visitor.call(i);
        const bool whole = schedule.run_frame(k, inner);
        visitor.instant();
        for (const std::size_t i : of_)
          if (works_[i].job_class == TACTUS_END_OF_FRAME) visitor.call(i);
        visitor.end();
        if (whole && --calls_left > 0) continue;
        hyperperiod_.complete = k == last && last == end_;
        return hyperperiod_;
      }
    }
    return hyperperiod_;
  }

 private:
  /// First and last frames: around each time at which something begins or ends, and a hyperperiod from there.
  std::vector<std::pair<std::int64_t, std::int64_t>> windows() {
    constexpr Wide kLast = INT64_MAX / 4;
    std::vector<std::int64_t> events{0};
    const auto add = [&](const Period& time) {
      const Wide k = std::min(floor_of(time, frame_), kLast);
      events.push_back(static_cast<std::int64_t>(std::max<Wide>(k - 1, 0)));
    };
    for (const ScheduledJob& job : jobs_) {
      if (!job.first.is_zero()) add(job.first);
      if (job.stop) add(*job.stop);
    }
    std::ranges::sort(events);
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (const std::int64_t event : events) {
      // The frame before, the one of the event, and a hyperperiod.
      const auto last =
          static_cast<std::int64_t>(std::min<Wide>(Wide{event} + 1 + hyperperiod_.frames, kLast * 2));
      if (!all.empty() && event <= all.back().second + 1)
        all.back().second = std::max(all.back().second, last);
      else
        all.emplace_back(event, last);
    }
    end_ = all.back().second;
    return all;
  }

  std::span<const PlannedJob> works_;
  std::vector<std::size_t> of_;
  std::vector<std::size_t> scheduled_;  // the work of each of jobs_
  std::vector<ScheduledJob> jobs_;
  Period frame_;
  Hyperperiod hyperperiod_;
  std::int64_t end_ = 0;
};

/// The sums of threads in each frame, and the worst of each.
class Sums {
 public:
  Sums(std::span<const PlannedJob> works, std::span<const Nanoseconds> takes, std::size_t threads)
      : works_(works), takes_(takes), sums_(threads), calls_(works.size()) {}

  void begin(std::int64_t k) {
    k_ = k;
    std::ranges::fill(sums_, Nanoseconds{0});
    for (const std::size_t work : called_) calls_[work] = 0;
    called_.clear();
  }
  void add(std::size_t work) {
    sums_[works_[work].thread] += takes_[work];
    if (calls_[work]++ == 0) called_.push_back(work);
  }
  std::vector<JobCalls> calls() const {
    std::vector<JobCalls> all;
    for (const std::size_t work : called_) all.push_back({work, calls_[work]});
    return all;
  }
  void end(std::vector<ThreadLoad>& loads) {
    for (std::size_t thread = 0; thread < sums_.size(); ++thread) {
      if (sums_[thread] <= loads[thread].worst.takes) continue;
      loads[thread].worst = {k_, sums_[thread]};
      loads[thread].calls.clear();
      for (const std::size_t work : called_)
        if (works_[work].thread == thread) loads[thread].calls.push_back({work, calls_[work]});
    }
  }

 private:
  std::span<const PlannedJob> works_;
  std::span<const Nanoseconds> takes_;
  std::int64_t k_ = 0;
  std::vector<Nanoseconds> sums_;
  std::vector<std::int64_t> calls_;  // by work
  std::vector<std::size_t> called_;
};

/// Main and the scheduled threads: as Sums, and how long the frame is if no thread is disturbed. All threads
/// wait for each other at the end of an instant, and jobs for those that they depend on.
class LockStep {
 public:
  LockStep(std::span<const PlannedJob> works, std::span<const Nanoseconds> takes,
           std::span<const std::size_t> cpu_of_thread, FrameLoads& loads, std::int64_t most_first)
      : works_(works),
        takes_(takes),
        cpu_of_thread_(cpu_of_thread),
        loads_(loads),
        sums_(works, takes, loads.threads.size()),
        done_(works.size(), kNone),
        last_on_cpu_(cpu_of_thread.empty() ? 1 : *std::ranges::max_element(cpu_of_thread) + 1),
        most_first_(most_first) {}

  void begin(std::int64_t k) {
    k_ = k;
    sums_.begin(k);
    nodes_.clear();
    latest_ = kNone;
    instant();
  }
  void instant() {
    start_ = latest_;
    std::ranges::fill(last_on_cpu_, start_);
    for (const std::size_t work : due_) done_[work] = kNone;
    due_.clear();
  }
  void call(std::size_t work) {
    const PlannedJob& job = works_[work];
    if (job.recording) {  // when all have ended
      start_ = latest_;
      std::ranges::fill(last_on_cpu_, start_);
    }
    std::size_t& cpu = last_on_cpu_[cpu_of_thread_[job.thread]];
    std::size_t after = cpu;
    for (const std::size_t on : job.depends_on)
      if (done_[on] != kNone && end_of(done_[on]) > end_of(after)) after = done_[on];
    nodes_.push_back({work, after, end_of(after) + takes_[work]});
    cpu = nodes_.size() - 1;
    if (latest_ == kNone || end_of(cpu) > end_of(latest_)) latest_ = cpu;
    done_[work] = cpu;
    due_.push_back(work);
    sums_.add(work);
  }
  void end() {
    sums_.end(loads_.threads);
    if (k_ == static_cast<std::int64_t>(loads_.first.size()) && k_ < most_first_)
      loads_.first.push_back(end_of(latest_));
    if (end_of(latest_) <= loads_.longest.takes) return;
    loads_.longest = {k_, end_of(latest_)};
    loads_.calls = sums_.calls();
    loads_.critical_path.clear();
    for (std::size_t node = latest_; node != kNone; node = nodes_[node].after)
      if (takes_[nodes_[node].work] > Nanoseconds{0}) loads_.critical_path.push_back(nodes_[node].work);
    std::ranges::reverse(loads_.critical_path);
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  struct Call {
    std::size_t work;
    std::size_t after;  // the call that it had to wait for
    Nanoseconds end;    // from the beginning of the frame
  };
  Nanoseconds end_of(std::size_t node) const { return node == kNone ? Nanoseconds{0} : nodes_[node].end; }

  std::span<const PlannedJob> works_;
  std::span<const Nanoseconds> takes_;
  std::span<const std::size_t> cpu_of_thread_;
  FrameLoads& loads_;
  Sums sums_;
  std::int64_t k_ = 0;
  std::vector<Call> nodes_;        // of the frame
  std::size_t latest_ = kNone;     // the call that ends last, so far
  std::size_t start_ = kNone;      // the call that the instant waited for
  std::vector<std::size_t> due_;   // of the instant
  std::vector<std::size_t> done_;  // by work: its call in this instant
  std::vector<std::size_t> last_on_cpu_;
  std::int64_t most_first_;  // number of frames in FrameLoads::first
};

/// An asynchronous thread: its periods.
struct Alone {
  Sums sums;
  std::vector<ThreadLoad>& loads;
  void begin(std::int64_t k) { sums.begin(k); }
  void instant() {}
  void call(std::size_t work) { sums.add(work); }
  void end() { sums.end(loads); }
};

/// Largest number of its calls in a frame or period.
std::int64_t most_calls_of(const PlannedJob& work, const Period& frame) {
  if (!has_times(work) || work.dynamic) return 1;
  return static_cast<std::int64_t>(std::min<Wide>(ceiling_of(frame, work.cycle), INT64_MAX));
}

Nanoseconds saturated(Wide sum) {
  return Nanoseconds{static_cast<std::int64_t>(std::min<Wide>(sum, INT64_MAX))};
}

}  // namespace

std::vector<PlannedJob> works(const Plan& plan) {
  std::vector<PlannedJob> all = plan.jobs;
  for (const PlannedLoop& loop : plan.loops) all.push_back(job_of(loop));
  return all;
}

bool is_in_frames(const PlannedJob& work) {
  return work.enabled && (has_times(work) || is_around_frame(work.job_class));
}

FrameLoads add_up(const Plan& plan, std::span<const Nanoseconds> takes,
                  std::span<const std::size_t> cpu_of_thread, std::int64_t most_calls) {
  const std::vector<PlannedJob> all = works(plan);
  FrameLoads loads;
  loads.threads.resize(plan.threads.size() + 1);
  const auto period_of = [&plan](std::size_t thread) {
    const bool own = plan.is_asynchronous(thread) && !plan.threads[thread - 1].period.is_zero();
    return own ? plan.threads[thread - 1].period : plan.frame;
  };
  std::vector<std::size_t> together;
  std::vector<std::vector<std::size_t>> apart(loads.threads.size());
  std::vector<Wide> bounds(loads.threads.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PlannedJob& work = all[i];
    if (!is_in_frames(work)) continue;
    const bool asynchronous = plan.is_asynchronous(work.thread);
    // Without a period each job is called once in a release, whatever its cycle.
    const bool released = asynchronous && plan.threads[work.thread - 1].period.is_zero();
    const Period period = period_of(work.thread);
    (asynchronous ? apart[work.thread] : together).push_back(i);
    bounds[work.thread] += static_cast<Wide>(released ? 1 : most_calls_of(work, period)) * takes[i].count();
    const Period& cycle = has_times(work) && !work.dynamic && !released ? work.cycle : period;
    loads.threads[work.thread].share +=
        static_cast<double>(takes[i].count()) * 1e-9 / cycle.seconds() * plan.ratio;
  }
  Wide bound = 0;
  Walk walk(all, std::move(together), plan.frame);
  LockStep lock_step(all, takes, cpu_of_thread, loads,
                     std::min<std::int64_t>(walk.frames(), FrameLoads::kFirstFrames));
  loads.hyperperiod = walk.run(most_calls, lock_step);
  for (std::size_t thread = 0; thread < loads.threads.size(); ++thread) {
    ThreadLoad& load = loads.threads[thread];
    load.bound = saturated(bounds[thread]);
    if (!plan.is_asynchronous(thread)) {
      bound += bounds[thread];
      load.hyperperiod = loads.hyperperiod;
    } else if (plan.threads[thread - 1].period.is_zero()) {
      load.worst.takes = load.bound;
      for (const std::size_t work : apart[thread]) load.calls.push_back({work, 1});
    } else {
      Alone alone{Sums(all, takes, loads.threads.size()), loads.threads};
      load.hyperperiod = Walk(all, std::move(apart[thread]), period_of(thread)).run(most_calls, alone);
    }
  }
  loads.bound = saturated(bound);
  return loads;
}

}  // namespace tactus::executive
