// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/record/record_choices.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/number.hpp"
#include "config/quantity.hpp"
#include "config/text.hpp"
#include "executive/model/suggest.hpp"
#include "executive/model/with_type.hpp"
#include "executive/record/record_changes.hpp"
#include "executive/record/record_decimation.hpp"
#include "executive/record/record_trigger.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {
namespace {

using Is = RecordCondition::Is;

constexpr std::size_t kMostWaiting = std::size_t{1} << 30;  // bytes, of a trigger

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// "motor.speed > 100 rad/s" in its parts.
struct ConditionText {
  std::string variable;
  Is is = Is::changed;
  std::string limit;
};

std::optional<ConditionText> split(std::string_view text) {
  constexpr std::pair<std::string_view, Is> kSigns[] = {{">=", Is::at_least}, {"<=", Is::at_most},
                                                        {"==", Is::equal},    {"!=", Is::other},
                                                        {">", Is::above},     {"<", Is::below}};
  text = without_blanks(text);
  if (text.ends_with(" changes"))
    return ConditionText{std::string(without_blanks(text.substr(0, text.size() - 8))), Is::changed, ""};
  const std::size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos) return std::nullopt;
  for (const auto& [sign, is] : kSigns)
    if (text.substr(at).starts_with(sign)) {
      ConditionText parts{std::string(without_blanks(text.substr(0, at))), is,
                          std::string(without_blanks(text.substr(at + sign.size())))};
      if (parts.variable.empty() || parts.limit.empty()) return std::nullopt;
      return parts;
    }
  return std::nullopt;
}

/// The value that a variable is compared with; nothing, and a problem, when it is none.
std::optional<long double> limit_of(Draft& draft, const Located<std::string>& when, const Variable& variable,
                                    const std::string& text) {
  for (const VariableLabel& label : variable.labels)
    if (label.name == text)
      return variable.type == TACTUS_UINT64
                 ? static_cast<long double>(static_cast<std::uint64_t>(label.value))
                 : static_cast<long double>(label.value);
  if (variable.type == TACTUS_BOOL) {
    if (text == "yes" || text == "true" || text == "1") return 1;
    if (text == "no" || text == "false" || text == "0") return 0;
    draft.problems.add(when,
                       "'" + text + "' is neither yes nor no, and " + variable.name + " is one of them");
    return std::nullopt;
  }
  // A whole number without a unit may be one that no double holds.
  char* end = nullptr;
  const bool whole = text.find_first_not_of("+-0123456789") == std::string::npos;
  const long double exact = std::strtold(text.c_str(), &end);
  if (whole && (variable.unit_text.empty() || variable.unit_text == "1") && *end == '\0') return exact;
  const config::Parsed<double> value = config::to_unit(text, variable.unit);
  if (value) return *value.value;
  draft.problems.add(
      when, value.problem +
                (variable.labels.empty() ? "" : did_you_mean(text, variable.labels, &VariableLabel::name)));
  return std::nullopt;
}

void add_trigger(Draft& draft, const RecordingSettings& settings, std::size_t bytes,
                 RecordingChoices& choices) {
  const TriggerSection& trigger = settings.trigger;
  if (trigger.when.value.empty()) return;  // that was said
  const std::optional<ConditionText> parts = split(trigger.when.value);
  if (!parts)
    return draft.problems.add(trigger.when,
                              config::show(trigger.when.value) +
                                  " is not a condition; write one as 'motor.speed > 100 rad/s' (with "
                                  "one of > >= < <= == !=), or as 'motor.mode changes'");
  const auto ref = draft.find_variable({parts->variable, trigger.when.place, trigger.when.path});
  if (!ref) return;
  if (ref->elements != 1)
    return draft.problems.add(trigger.when, "'" + parts->variable + "' is " + describe(*ref) +
                                                "; name one of its elements, as " + parts->variable + "[0]");
  RecordCondition condition{.is = parts->is, .type = ref->variable->type, .offset = bytes};
  if (parts->is != Is::changed) {
    const auto limit = limit_of(draft, trigger.when, *ref->variable, parts->limit);
    if (!limit) return;
    condition.limit = *limit;
  }
  choices.watched.push_back(*ref);
  bytes += size_of(ref->variable->type);
  const Period every = settings.every.value_or(draft.plan.frame);
  const auto ns = static_cast<rtsync::Wide>(trigger.before.count());
  const auto room = every.is_zero() ? rtsync::Wide{1} : ns * every.den() / every.num() + 2;
  if (room * static_cast<rtsync::Wide>(bytes) > static_cast<rtsync::Wide>(kMostWaiting))
    return draft.problems.add(trigger.origin.place, trigger.origin.path + ".before",
                              config::print_duration(trigger.before) + " of records of " +
                                  std::to_string(bytes) + " bytes every " + config::print_period(every) +
                                  " take more than 1 GiB of memory; record less often, fewer variables, or "
                                  "a shorter time before");
  choices.filters.push_back(std::make_unique<RecordTrigger>(condition, trigger.before, trigger.after, bytes,
                                                            static_cast<std::size_t>(room)));
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
                              "cannot be combined with on_change: yes, as records that did not change "
                              "would be left out of it; remove one of the two");
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
