// SPDX-License-Identifier: Apache-2.0
/// Jobs of a unit for scheduled execution: one for each model partition.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "drivers/fmi/abi/fmi3.hpp"
#include "drivers/fmi/model/fmi_model.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr std::int64_t kLongWait = 1'000'000;  // ns

double as_seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

/// The time of a call, as one multiplication where the cycle is no whole number of nanoseconds.
double time_of(const tactus::Call& call, const Cycle& cycle) {
  if (cycle.den <= 1) return as_seconds(call.sim_time_ns);
  const double step = cycle.seconds();
  const double k = std::round(as_seconds(call.sim_time_ns) / step);
  const double exact = k * step;
  return std::abs(exact - as_seconds(call.sim_time_ns)) <= 1e-9 ? exact : as_seconds(call.sim_time_ns);
}

}  // namespace

/// The jobs of the ABI have the model alone as their argument, so each partition has a function of its own.
template <std::size_t kNumber>
int FmiModel::run_partition(void* self, const tactus_call* call) {
  return static_cast<FmiModel*>(static_cast<Model*>(self))->activate(kNumber, *call);
}

template <std::size_t... kNumbers>
tactus_job_function FmiModel::partition_function(std::size_t number, std::index_sequence<kNumbers...>) {
  static constexpr tactus_job_function kAll[] = {&FmiModel::run_partition<kNumbers>...};
  return kAll[number];
}

void FmiModel::declare_partitions(Declare& d) {
  const auto belongs = [](const Values& values, std::uint32_t clock) {
    const std::vector<std::uint32_t>& clocks = values.clocks();
    return clocks.empty() || std::ranges::find(clocks, clock) != clocks.end();
  };
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    Partition& partition = partitions_[i];
    const ClockVariable& clock = contents_.partitions[i];
    for (const auto& [groups, to] :
         {std::pair{&inputs_, &partition.inputs}, std::pair{&tunables_, &partition.tunables},
          std::pair{&outputs_, &partition.outputs}})
      for (const auto& group : *groups)
        if (belongs(*group, partition.clock)) to->push_back(group.get());
    const std::string& about = clock.of->about;
    if (partition.kind == ClockKind::triggered) {
      d.input(clock.name.c_str(), partition.asked, "",
              ("ticks of the clock that are wanted: the partition runs when it changes" +
               (about.empty() ? "" : ": " + about))
                  .c_str());
      d.state(clock.served.c_str(), partition.served, "", "value of the clock that was served");
    }
    d.state(clock.ticks.c_str(), partition.ticks, "", "activations of the partition");
    if (is_split() && partition.kind == ClockKind::countdown) {
      d.input(clock.news.c_str(), partition.news, "",
              "times that a partition of another model has started the countdown, from there");
      d.input(clock.due.c_str(), partition.due, "s", "time of the tick that it started last, from there");
      d.state(clock.seen.c_str(), partition.seen, "", "value of the former that was taken");
    }
    if (partition.is_timed()) {
      d.state(clock.next.c_str(), partition.next, "s", "time at which the clock ticks; below 0: it does not");
      if (partition.kind == ClockKind::changing)
        d.state(clock.interval.c_str(), partition.interval, "s", "interval of the clock");
      d.state(clock.late.c_str(), partition.late, "s",
              "longest time from a tick to the frame that served it");
    }
    const bool cyclic = partition.kind == ClockKind::periodic;
    const bool dynamic = cyclic && partition.shift_ns != 0;
    const tactus_job job{
        sizeof(tactus_job),
        partition.job.c_str(),
        TACTUS_SCHEDULED,
        partition.phase,
        partition_function(i, std::make_index_sequence<kMostPartitions>()),
        dynamic ? std::int64_t{TACTUS_DYNAMIC} : (cyclic ? partition.cycle.num : std::int64_t{0}),
        cyclic && !dynamic ? partition.cycle.den : std::int64_t{1}};
    if (host_->declare_job(host_->context, &job) != 0)
      throw std::runtime_error("tactus refused job " + in_quotes(partition.job));
  }
  for (std::size_t i = 0; i < output_ticks_.size(); ++i)
    d.output(contents_.output_clocks[i].name.c_str(), output_ticks_[i], "", "ticks of the clock");
  for (Foreign& each : foreign_) {
    d.output(each.clock.news.c_str(), each.news, "",
             "times that partitions of this model have started the countdown");
    d.output(each.clock.due.c_str(), each.due, "s", "time of the tick that they started last");
  }
}

/// Takes a cycle that the rig file says.
void FmiModel::plan_partition(Partition& partition, std::int64_t num, std::int64_t den) const {
  if (partition.kind != ClockKind::periodic) return;
  const std::int64_t common = std::gcd(num, den);
  const Cycle cycle{num / common, den / common};
  if (cycle == partition.cycle) return;
  if (!partition.may_be_set) {
    throw std::runtime_error(
        "the unit's clock " + in_quotes(partition.name) + " has an interval of " +
        std::string(Line("%.9g s, and not %.9g s", partition.cycle.seconds(), cycle.seconds())) +
        ", which the rig cannot change; leave 'cycle' out");
  }
  partition.other_cycle = cycle;
}

void FmiModel::need_clocks() {
  news_.outputs.clear();
  news_.timed.clear();
  for (const ClockVariable& clock : contents_.output_clocks) news_.outputs.push_back(clock.of->reference);
  for (const Partition& partition : partitions_)
    if (partition.is_timed()) news_.timed.push_back(partition.clock);
  for (const Foreign& each : foreign_) news_.timed.push_back(each.clock.of->reference);
  news_.lay_out();
  unit_->need_clocks(news_);
}

/// Gives the unit the cycles that the rig file changed, and asks it for its intervals.
int FmiModel::initialize_clocks() {
  if (event_mode_) return initialize_tick_times();
  if (execution_ != Execution::scheduled) return 0;
  news_.clear();
  std::ranges::fill(output_ticks_, 0);
  for (Foreign& each : foreign_) each.news = 0, each.due = -1;
  for (Partition& partition : partitions_) {
    partition.ticks = 0;
    partition.served = partition.asked;
    partition.next = -1;
    partition.late = 0;
    partition.seen = partition.news;
    if (!partition.other_cycle) continue;
    if (const int bad =
            take("SetInterval", unit_->set_interval(partition.clock, partition.other_cycle->seconds()));
        bad != 0)
      return bad;
  }
  // Each model asks for the clocks of its own partitions now, and for those of others only after its activations.
  if (std::ranges::any_of(partitions_, [](const Partition& p) { return p.is_timed(); })) {
    std::vector<std::uint32_t> all = news_.timed;
    news_.timed.resize(all.size() - foreign_.size());
    const Status status = unit_->ask_intervals(news_);
    news_.timed = std::move(all);
    if (const int bad = take("GetInterval", status); bad != 0) return bad;
  }
  take_news(start_);
  return 0;
}

/// Notes what the clocks of the unit said at a time.
void FmiModel::take_news(double now) {
  for (std::size_t i = 0; i < output_ticks_.size(); ++i) output_ticks_[i] += news_.ticked[i] != 0 ? 1 : 0;
  for (Partition& partition : partitions_)
    if (partition.is_timed() && news_.qualifiers[partition.timed] == abi3::kChanged)
      set_interval(partition, now, news_.intervals[partition.timed]);
  const std::size_t own = news_.timed.size() - foreign_.size();
  for (std::size_t i = 0; i < foreign_.size(); ++i) {
    if (news_.qualifiers[own + i] != abi3::kChanged) continue;
    const double interval = news_.intervals[own + i];
    foreign_[i].due = interval >= 0 && std::isfinite(interval) ? now + interval : -1;
    ++foreign_[i].news;
  }
  news_.clear();
}

void FmiModel::set_interval(Partition& partition, double now, double interval) {
  if (interval >= 0 && std::isfinite(interval)) {
    partition.next = now + interval;
    partition.interval = interval;
    return;
  }
  partition.next = -1;
  say_interval(partition, interval);
}

/// False: the clock does not tick now. Else the time of its tick.
bool FmiModel::ticks(Partition& partition, const tactus::Call& call, double& time) {
  switch (partition.kind) {
    case ClockKind::periodic: {
      if (partition.shift_ns == 0) {
        time = time_of(call, partition.other_cycle.value_or(partition.cycle));
        return true;
      }
      const std::int64_t next =
          std::max(partition.shift_ns,
                   partition.shift_ns + ((call.sim_time_ns - partition.shift_ns) / partition.cycle.num + 1) *
                                            partition.cycle.num);
      const bool due = call.sim_time_ns >= partition.shift_ns;
      (void)call_at(partition.job.c_str(), due ? next : partition.shift_ns);
      time = as_seconds(call.sim_time_ns);
      return due;
    }
    case ClockKind::triggered:
      time = as_seconds(call.sim_time_ns);
      if (partition.asked == partition.served) return false;
      partition.served = partition.asked;
      return true;
    case ClockKind::countdown:
    case ClockKind::changing:
      break;
  }
  const double now = as_seconds(call.sim_time_ns);
  if (partition.news != partition.seen) {
    partition.seen = partition.news;
    partition.next = partition.due;
  }
  if (partition.next < 0 || partition.next > now + 1e-10) return false;
  time = partition.next;
  const double waited = now - time;
  if (waited > 1e-10) partition.late = std::max(partition.late, waited);
  partition.next =
      partition.kind == ClockKind::changing && partition.interval > 0 ? time + partition.interval : -1;
  return true;
}

int FmiModel::activate(std::size_t number, const tactus::Call& call) {
  if (unit_ == nullptr) return fail_with("the unit was not opened");
  surroundings_.on_thread();
  Partition& partition = partitions_[number];
  if (status_ != kRuns) return 0;
  // The first call says what the rig file says; later ones may be of a job that the rig calls more seldom (demote).
  if (partition.ticks == 0 && partition.kind == ClockKind::periodic && partition.shift_ns == 0) {
    const double planned = partition.other_cycle.value_or(partition.cycle).seconds();
    if (std::abs(call.dt - planned) > 1e-9 * planned) {
      if (call.dt == 0)
        return fail_with(
            Line("job '%.60s' is on an asynchronous thread without a period, and the unit's clock has an "
                 "interval of %.9g s: give the thread a 'period'",
                 partition.job.c_str(), planned));
      return fail_with(Line("job '%.60s' has a cycle of %.9g s, and the unit's clock an interval of %.9g s",
                            partition.job.c_str(), call.dt, planned));
    }
  }
  double time = 0;
  if (!ticks(partition, call, time)) return 0;
  UnitTimes::OfClock& measured = measured_.clocks[number];
  measured.late.add(as_seconds(call.sim_time_ns) - time, false, 0);
  const Preemption::Activation activation(shared_->models.size() > 1 ? &shared_->preemption : nullptr,
                                          partition.rank);
  for (Values* const group : partition.tunables)
    if (const Status status = group->set_changed(*unit_, Call::set_input); !is_good(status))
      return partition_failed(partition, "Set of tunable parameters", status);
  for (Values* const group : partition.inputs)
    if (const Status status = group->set(*unit_, Call::set_input); !is_good(status))
      return partition_failed(partition, "Set of inputs", status);
  time_ = time;
  if (const Status status = unit_->activate(partition.clock, time, news_); !is_good(status))
    return partition_failed(
        partition, is_good(news_.status) ? "ActivateModelPartition" : "a question about its clocks", status);
  ++partition.ticks;
  for (Values* const group : partition.outputs)
    if (const Status status = group->get(*unit_); !is_good(status))
      return partition_failed(partition, "Get of outputs", status);
  take_news(time);
  measured.wait.add(as_seconds(activation.waited_ns()), activation.waited_ns() > kLongWait,
                    static_cast<std::size_t>(activation.reason()));
  if (activation.waited_ns() >= kLongWait) say_wait(partition, activation);
  return 0;
}

/// Says once a model that one of its partitions waited for others of the unit: that time is in its job's.
void FmiModel::say_wait(const Partition& partition, const Preemption::Activation& activation) {
  if (std::exchange(wait_said_, true)) return;
  constexpr const char* kFor[] = {
      "one of another thread, at a section that the unit locks against preemption",
      "one of equal priority on another thread, to which it lends nothing; put both on one thread",
      "a more urgent one of another thread"};
  warn(Line("partition '%.60s' waited %.3g ms for %s", partition.name.c_str(),
            static_cast<double>(activation.waited_ns()) * 1e-6,
            kFor[static_cast<unsigned>(activation.reason())]));
}

int FmiModel::partition_failed(const Partition& partition, const char* what, Status status) {
  measured_.clocks[static_cast<std::size_t>(&partition - partitions_.data())].wait.add(0, true,
                                                                                       UnitTimes::kFailed);
  const char* first = nullptr;
  if (!shared_->failed.compare_exchange_strong(first, partition.name.c_str()) && status == Status::illegal) {
    std::array<char, 280> text{};
    (void)std::snprintf(text.data(), text.size(),
                        "the unit failed in partition '%.60s', so '%.60s' cannot be called: %.100s", first,
                        partition.name.c_str(), unit_->log().last_error().data());
    return failed(text.data(), on_error_);
  }
  return failed(Line("%s, clock '%.60s',", what, partition.name.c_str()), status, on_error_);
}

}  // namespace tactus::drivers::fmi
