// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/record/record_choices.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "config/expression_builder.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/expression/variable_inputs.hpp"
#include "executive/record/record_changes.hpp"
#include "executive/record/record_decimation.hpp"
#include "executive/record/record_trigger.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {
namespace {

constexpr std::size_t kMostWaiting = std::size_t{1} << 30;  // bytes, of a trigger

std::string_view without_blanks(std::string_view text) { return rtsync::trimmed(text, " "); }

/// Texts of earlier versions as expressions: 'motor.mode changes', and names with characters that need quotes.
std::string as_expression(const Draft& draft, std::string_view text) {
  text = without_blanks(text);
  std::string unused;
  const auto quoted = [](std::string_view name) { return '"' + std::string(name) + '"'; };
  if (text.ends_with(" changes")) {
    const std::string_view name = without_blanks(text.substr(0, text.size() - 8));
    if (name.find_first_of("()<>=! ") == std::string_view::npos) return "changes(" + std::string(name) + ")";
  }
  const std::size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos) return std::string(text);
  const std::size_t end = std::min(text.find_first_not_of("<>=!", at), text.size());
  const std::string name(without_blanks(text.substr(0, at)));
  const std::string limit(without_blanks(text.substr(end)));
  const auto ref = draft.look_up(name, unused);
  if (!ref) return std::string(text);
  const std::vector<VariableLabel>& labels = ref->variable->labels;
  const bool is_label =
      std::ranges::any_of(labels, [&](const VariableLabel& label) { return label.name == limit; });
  // A number is one, as in every expression, also where a value has it as its name.
  const bool quotes_limit = is_label && !config::parse_real(limit);
  const bool odd_name =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]") !=
      std::string::npos;
  if (!odd_name && (!quotes_limit || config::is_name(limit))) return std::string(text);
  const std::size_t index = std::min(name.find('['), name.size());
  return quoted(name.substr(0, index)) + name.substr(index) + " " + std::string(text.substr(at, end - at)) +
         " " + (quotes_limit ? quoted(limit) : limit);
}

void add_trigger(Draft& draft, const RecordingSettings& settings, std::size_t bytes,
                 RecordingChoices& choices) {
  const TriggerSection& trigger = settings.trigger;
  if (trigger.when.value.empty()) return;  // that was said
  const std::string text = as_expression(draft, trigger.when.value);
  const Period every = settings.every.value_or(draft.plan.frame);
  const VariableNames names(std::bind_front(&Draft::look_up, &draft));
  config::ExpressionBuilder builder(names,
                                    {.tick = every.is_zero() ? Period{1, 1} : every, .equal_reals = true});
  std::vector<config::ExpressionProblem> problems;
  RecordCondition condition;
  try {
    if (const auto result = builder.add_condition(config::parse_expression(text), problems))
      condition.result = result->cell;
  } catch (const config::ExpressionError& error) {
    problems.push_back(error.problem());
  }
  for (const config::ExpressionProblem& problem : problems)
    if (!problem.message.empty()) draft.problems.add(trigger.when, problem.text(text));
  if (!problems.empty()) return;
  condition.program = builder.take();
  std::vector<std::size_t> offsets;
  for (const VariableRef& ref : names.variables()) {
    choices.watched.push_back(ref);
    offsets.push_back(bytes);
    bytes += size_of(ref.variable->type);
  }
  for (const config::ProgramInput& input : condition.program.inputs)
    condition.inputs.push_back({names.variables()[input.key].variable->type, offsets[input.key], input.cell});
  const auto ns = static_cast<rtsync::Wide>(trigger.before.count());
  const auto room = every.is_zero() ? rtsync::Wide{1} : ns * every.den() / every.num() + 2;
  if (room * static_cast<rtsync::Wide>(bytes) > static_cast<rtsync::Wide>(kMostWaiting))
    return draft.problems.add(trigger.origin.place, trigger.origin.path + ".before",
                              config::print_duration(trigger.before) + " of records of " +
                                  std::to_string(bytes) + " bytes every " + config::print_period(every) +
                                  " take more than 1 GiB of memory; record less often, fewer variables, or "
                                  "a shorter time before");
  choices.filters.push_back(std::make_unique<RecordTrigger>(
      std::move(condition), trigger.before, trigger.after, bytes, static_cast<std::size_t>(room)));
}

void add_decimation(Draft& draft, const RecordingSettings& settings, RecordingChoices& choices) {
  const DecimateSection& decimate = settings.decimate;
  if (decimate.to.value.is_zero()) return;  // that was said
  const Period every = settings.every.value_or(draft.plan.frame);
  if (decimate.to.value <= every)
    return draft.problems.add(decimate.to, config::print_period(decimate.to.value) +
                                               " is not more than the time between two records, " +
                                               config::print_period(every) +
                                               "; make it longer, or remove 'decimate'");
  if (settings.on_change)
    return draft.problems.add(decimate.origin,
                              "cannot be combined with on_change: yes, as decimation needs the records that "
                              "did not change, too; remove one of the two");
  choices.filters.push_back(std::make_unique<RecordDecimation>(decimate.to.value, decimate.keep));
}

}  // namespace

rtsync::Nanoseconds real_time_of(const Draft& draft, const rtsync::Period& simulated) {
  return rtsync::real_period(simulated, draft.plan.ratio).floor();
}

RecordingChoices recording_choices(Draft& draft, const RecordingSettings& settings,
                                   const std::vector<VariableRef>& variables) {
  RecordingChoices choices{.epoch_ns = draft.rig.epoch_ns,
                           .every = real_time_of(draft, settings.every.value_or(draft.plan.frame))};
  std::size_t bytes = sizeof(std::int64_t);
  for (const VariableRef& ref : variables) bytes += ref.elements * size_of(ref.variable->type);
  if (settings.trigger.present) add_trigger(draft, settings, bytes, choices);
  if (settings.on_change) choices.filters.push_back(std::make_unique<RecordChanges>());
  if (settings.decimate.present) add_decimation(draft, settings, choices);
  return choices;
}

}  // namespace tactus::executive
