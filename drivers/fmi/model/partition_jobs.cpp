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

void FmiModel::make_partitions(const Problems& problems) {
  if (execution_ != Execution::scheduled) return;
  std::size_t timed = 0;
  for (const ClockVariable& clock : contents_.partitions) {
    std::string problem;
    Partition& made = partitions_.emplace_back(partition_of(clock, problem));
    if (!problem.empty()) problems.add("unit", problem);
    while (std::any_of(partitions_.begin(), partitions_.end() - 1,
                       [&](const Partition& each) { return each.job == made.job; }))
      made.job += '_';  // clocks a.b and a_b
    if (made.is_timed()) made.timed = timed++;
  }
  give_phases(partitions_, contents_.partitions);
  output_ticks_.assign(contents_.output_clocks.size(), 0);
}

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
    return clocks.empty() || std::find(clocks.begin(), clocks.end(), clock) != clocks.end();
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
}

/// Takes a cycle that the rig file says.
void FmiModel::plan_partition(Partition& partition, std::int64_t num, std::int64_t den) const {
  if (partition.kind != ClockKind::periodic) return;
  const std::int64_t common = std::gcd(num, den);
  const Cycle cycle{num / common, den / common};
  if (cycle == partition.cycle) return;
  if (!partition.may_be_set) {
    std::array<char, 200> text{};
    (void)std::snprintf(text.data(), text.size(), "%.9g s, and not %.9g s", partition.cycle.seconds(),
                        cycle.seconds());
    throw std::runtime_error("the unit's clock " + in_quotes(partition.name) + " has an interval of " +
                             text.data() + ", which the rig cannot change; leave 'cycle' out");
  }
  partition.other_cycle = cycle;
}

void FmiModel::need_clocks() {
  std::vector<std::uint32_t> outputs, timed;
  for (const ClockVariable& clock : contents_.output_clocks) outputs.push_back(clock.of->reference);
  for (const Partition& partition : partitions_)
    if (partition.is_timed()) timed.push_back(partition.clock);
  unit_->need_clocks(std::move(outputs), std::move(timed));
}

/// Gives the unit the cycles that the rig file changed, and asks it for its intervals.
int FmiModel::initialize_clocks() {
  if (execution_ != Execution::scheduled) return 0;
  unit_->clear_news();
  std::fill(output_ticks_.begin(), output_ticks_.end(), 0);
  for (Partition& partition : partitions_) {
    partition.ticks = 0;
    partition.served = partition.asked;
    partition.next = -1;
    partition.late = 0;
    if (!partition.other_cycle) continue;
    if (const int bad =
            take("SetInterval", unit_->set_interval(partition.clock, partition.other_cycle->seconds()));
        bad != 0)
      return bad;
  }
  if (std::any_of(partitions_.begin(), partitions_.end(), [](const Partition& p) { return p.is_timed(); }))
    if (const int bad = take("GetInterval", unit_->ask_intervals()); bad != 0) return bad;
  take_news(start_);
  return 0;
}

/// Notes what the clocks of the unit said at a time.
void FmiModel::take_news(double now) {
  ClockNews& news = unit_->news();
  for (std::size_t i = 0; i < output_ticks_.size(); ++i) output_ticks_[i] += news.ticked[i] != 0 ? 1 : 0;
  for (Partition& partition : partitions_)
    if (partition.is_timed() && news.qualifiers[partition.timed] == abi3::kChanged)
      set_interval(partition, now, news.intervals[partition.timed]);
  unit_->clear_news();
}

void FmiModel::set_interval(Partition& partition, double now, double interval) {
  if (interval >= 0 && std::isfinite(interval)) {
    partition.next = now + interval;
    partition.interval = interval;
    return;
  }
  partition.next = -1;
  if (std::exchange(interval_said_, true)) return;
  std::array<char, 200> text{};
  (void)std::snprintf(text.data(), text.size(), "gives clock '%.60s' an interval of %.9g s; it does not tick",
                      partition.name.c_str(), interval);
  log_.put(Status::warning, "tactus", text.data());
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
      std::array<char, 256> text{};
      (void)std::snprintf(text.data(), text.size(),
                          "job '%.60s' has a cycle of %.9g s, and the unit's clock an interval of %.9g s%s",
                          partition.job.c_str(), call.dt, planned,
                          partition.may_be_set ? "; a unit of its own process cannot be told another" : "");
      return fail_with(text.data());
    }
  }
  double time = 0;
  if (!ticks(partition, call, time)) return 0;
  for (Values* const group : partition.tunables)
    if (const Status status = group->set_changed(*unit_, Call::set_input); !is_good(status))
      return partition_failed(partition, "Set of tunable parameters", status);
  for (Values* const group : partition.inputs)
    if (const Status status = group->set(*unit_, Call::set_input); !is_good(status))
      return partition_failed(partition, "Set of inputs", status);
  time_ = time;
  if (const Status status = unit_->activate(partition.clock, time); !is_good(status))
    return partition_failed(
        partition, is_good(unit_->news().status) ? "ActivateModelPartition" : "a question about its clocks",
        status);
  ++partition.ticks;
  for (Values* const group : partition.outputs)
    if (const Status status = group->get(*unit_); !is_good(status))
      return partition_failed(partition, "Get of outputs", status);
  take_news(time);
  return 0;
}

int FmiModel::partition_failed(const Partition& partition, const char* what, Status status) {
  std::array<char, 120> text{};
  (void)std::snprintf(text.data(), text.size(), "%s, clock '%.60s',", what, partition.name.c_str());
  return failed(text.data(), status, on_error_);
}

}  // namespace tactus::drivers::fmi
