// SPDX-License-Identifier: Apache-2.0
/// Chooses the partitions of a unit that a model has, alone or beside other models of the same instance.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "drivers/fmi/model/fmi_model.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {

void FmiModel::make_partitions(const Problems& problems) {
  if (execution_ != Execution::scheduled && !event_mode_) return;
  for (const ClockVariable& clock : contents_.partitions) {
    std::string problem;
    Partition& made = partitions_.emplace_back();
    if (event_mode_) {
      made.clock = clock.of->reference;
      made.name = clock.of->name;
      made.kind = ClockKind::triggered;
      made.times = tick_times_of(*clock.of, problem);
      tunables_from_unit_ =
          tunables_from_unit_ || (made.times.tunable && made.times.source == TickTimes::Source::unit);
      if (!problem.empty()) problems.add("unit", problem);
      take_given_interval(clock, made, problems);
      continue;
    }
    made = partition_of(clock, problem);
    if (!problem.empty()) problems.add("unit", problem);
    while (std::any_of(partitions_.begin(), partitions_.end() - 1,
                       [&](const Partition& each) { return each.job == made.job; }))
      made.job += '_';  // clocks a.b and a_b
  }
  give_phases(partitions_, contents_.partitions);
}

/// Refuses keys that mean something for a unit that makes steps alone.
void FmiModel::refuse_keys_of_steps(const Problems& problems) const {
  if (on_discard_ != OnFailure::terminate)
    problems.add("on_discard",
                 "the unit runs as scheduled execution, where Discard counts as Error; write 'on_error'");
  if (on_end_ != OnEnd::stop)
    problems.add("on_end",
                 "the unit runs as scheduled execution, where it cannot ask for the end; leave it out");
  if (ignore_fixed_step_)
    problems.add("ignore_fixed_step",
                 "the unit runs as scheduled execution, which has no steps, so no fixed one; leave it out");
}

/// Leaves what belongs to the partitions that the rig file names.
void FmiModel::choose_partitions(const Problems& problems) {
  if (execution_ != Execution::scheduled) {
    if (is_part() || is_split())
      problems.add(is_part() ? "part_of" : "partitions",
                   "the unit runs as co-simulation, whose one job is 'step'; only partitions of scheduled "
                   "execution can "
                   "be shared out");
    return;
  }
  refuse_keys_of_steps(problems);
  for (const Partition& each : partitions_) shared_->all_clocks.push_back(each.name);
  if (is_part() && !is_split())
    problems.add("partitions", "missing key 'partitions': the clocks whose partitions this model calls, [" +
                                   (partitions_.empty() ? "" : partitions_.back().name) + "]");
  std::vector<std::string> names;
  for (const Partition& each : partitions_) names.push_back(each.name);
  for (std::size_t i = 0; i < chosen_.size(); ++i)
    if (std::ranges::find(names, chosen_[i]) == names.end())
      problems.add("partitions[" + std::to_string(i) + "]",
                   in_quotes(chosen_[i]) + " is not an input clock of the unit" + nearest(chosen_[i], names));
  if (is_split()) {
    for (auto* const variables :
         {&contents_.inputs, &contents_.tunables, &contents_.outputs, &contents_.constants})
      keep_chosen(*variables, problems);
    std::erase_if(contents_.output_clocks, [&](const ClockVariable& clock) {
      const std::vector<std::uint32_t>& clocks = clock.of->clocks;
      const auto is_here = [&](std::uint32_t of) {
        const Variable* const found = description_.find_reference(of);
        return found != nullptr && std::ranges::find(chosen_, found->name) != chosen_.end();
      };
      return clocks.empty() ? is_part() : std::ranges::none_of(clocks, is_here);
    });
    if (is_part()) {
      contents_.parameters.clear();  // the model that has the instance sets them
      contents_.structure.clear();
      if (!texts_.empty())
        problems.add("texts", "belong to model " + in_quotes(part_of_) + ": write them there");
      contents_.texts.clear();
      for (const auto& [key, given] : {std::pair{"tolerance", tolerance_ != 0}, std::pair{"log", unit_log_}})
        if (given) problems.add(key, "belongs to model " + in_quotes(part_of_) + ": write it there");
    }
    std::vector<Partition> here;
    std::vector<ClockVariable> clocks;
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
      if (std::ranges::find(chosen_, partitions_[i].name) != chosen_.end()) {
        here.push_back(partitions_[i]);
        clocks.push_back(contents_.partitions[i]);
      } else if (partitions_[i].kind == ClockKind::countdown) {
        foreign_.push_back({contents_.partitions[i]});
      }
    }
    partitions_ = std::move(here);
    contents_.partitions = std::move(clocks);
  }
  std::size_t timed = 0;
  for (Partition& each : partitions_)
    if (each.is_timed()) each.timed = timed++;
}

/// Variables of two models would be set and got by two threads at one time.
void FmiModel::keep_chosen(std::vector<RigVariable>& variables, const Problems& problems) const {
  std::erase_if(variables, [&](const RigVariable& variable) {
    if (variable.of->clocks.empty()) return is_part();
    std::string here, elsewhere;
    for (const std::uint32_t clock : variable.of->clocks)
      if (const Variable* const found = description_.find_reference(clock); found != nullptr)
        (std::ranges::find(chosen_, found->name) != chosen_.end() ? here : elsewhere) = found->name;
    if (!here.empty() && !elsewhere.empty())
      problems.add("partitions",
                   "variable " + in_quotes(variable.of->name) + " belongs to clocks " + in_quotes(here) +
                       " and " + in_quotes(elsewhere) +
                       ", and models on two threads cannot both have it; name both clocks in one model");
    return here.empty();
  });
}

/// Finds the instance that this model is a part of, or shows its own to parts.
void FmiModel::join() {
  if (!is_part()) {
    shared_->token = description_.token;
    claim_partitions();
    SharedUnit::publish(name_, shared_);
    return;
  }
  const std::shared_ptr<SharedUnit> found = SharedUnit::find(part_of_);
  if (found == nullptr)
    throw std::runtime_error(
        "part_of: there is no model " + in_quotes(part_of_) +
        " of driver fmi before this one, in the same process: put it first, both without "
        "'isolated: yes'");
  if (found->token != description_.token)
    throw std::runtime_error("part_of: model " + in_quotes(part_of_) + " has another unit");
  shared_ = found;
  claim_partitions();
}

void FmiModel::claim_partitions() {
  for (const Partition& each : partitions_)
    if (!shared_->clocks.insert(each.name).second)
      throw std::runtime_error(
          "partitions: that of clock " + in_quotes(each.name) +
          " is a job of another model of the unit already; let each name its own, 'partitions: [" +
          each.name + "]'");
  shared_->models.push_back(this);
}

}  // namespace tactus::drivers::fmi
