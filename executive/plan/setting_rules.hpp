// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>

#include "config/fields.hpp"
#include "config/rules.hpp"
#include "config/text.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/plan/schedule.hpp"

/// Rules that the tables of several sections share.                                            @when setup
namespace tactus::executive {

/// The table of the `threads` section.
config::Fields<ThreadsSection> threads_fields();
/// The table of a command of the `commands` section.
config::Fields<CommandSettings> commands_fields();

namespace setting {

// About 292 years: what a signed 64-bit count of nanoseconds holds.
inline constexpr Nanoseconds kEver = Nanoseconds::max();

inline config::PeriodRange any_period() { return config::range(Period{1, 1}, Period{kEver}); }

/// The period of a frame or of a freeze frame, whose numbers have to fit the ticks that the schedule counts.
struct CountedPeriodRule {
  config::PeriodRange within;

  template <class V>
  requires std::same_as<V, Period> config::Type<V> type()
  const {
    config::Type<Period> type = within.base();
    type.reads([any = type](const config::Node& node, const config::Context& context, Period& period) {
      if (!any.read(node, context, period)) return false;
      if (period.den() <= kMostTicksPerNs) return true;
      context.fail(node.place(), config::show(node.text()) +
                                     " has too many digits to count time exactly: as a fraction of a "
                                     "nanosecond, its denominator exceeds 10^9; round it to six digits, or "
                                     "write the fraction that is meant, such as 60000/1001 Hz");
      return false;
    });
    return type;
  }
};

/// Field for the escalation of the rig, a thread or a job.
template <class T>
config::Field<T> escalation(EscalationSection T::*member, const char* meaning) {
  return config::optional("escalation", member, EscalationRule{}, meaning);
}

/// Field for the order in which a job or a recording is left out.
template <class T>
config::Field<T> left_out(std::optional<Located<std::int64_t>> T::*member, const char* meaning) {
  return config::optional("optional", member, config::or_word("no", config::range(1, 1000)), meaning);
}

/// Field for the budget of a job, a loop, a recording or a thread.
template <class T>
config::Field<T> budget(Budget T::*member, const char* meaning) {
  return config::optional(
      "budget", member,
      config::or_word("none", config::range(Nanoseconds{1}, Nanoseconds{std::chrono::hours{1}})), meaning);
}

/// A section that means something by being there, however empty.
template <class Section, class T>
config::Field<T> when_present(config::Field<T> field) {
  field.value.read_at = [read = field.value.read_at](const config::Node& node, const config::Context& context,
                                                     void* section) {
    static_cast<Section*>(section)->present = true;
    return read(node, context, section);
  };
  field.value.write_at = [write = field.value.write_at](const void* section) {
    return static_cast<const Section*>(section)->present ? write(section) : config::Node();
  };
  return field;
}

}  // namespace setting
}  // namespace tactus::executive
