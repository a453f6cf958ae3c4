// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/settings.hpp"

#include <chrono>

#include "config/expression.hpp"

namespace tactus::executive {

using namespace std::chrono_literals;
using namespace config;

Choices<Severity> severity_choices() {
  return choices<Severity>({{"note", Severity::note, "reported only"},
                            {"warn", Severity::warn, "reported only, as a warning"},
                            {"fail", Severity::fail, "the test fails"},
                            {"stop", Severity::stop, "the test fails, and the rig is stopped at once"}});
}

const char* severity_name(Severity severity) {
  constexpr const char* kNames[] = {"note", "warn", "fail", "stop"};
  return kNames[static_cast<std::size_t>(severity)];
}

const Fields<EventSettings>& event_fields() {
  using E = EventSettings;
  static const Fields<E> fields{
      "An event: true in the frame in which its condition begins to hold.",
      {
          required("when", &E::when, length(1, kLongestExpression), "condition (expressions.md)"),
          optional("each", &E::each, "be true each time that the condition begins to hold, not only once"),
          optional("do", &E::action, "actions at the end of that frame (tests-of-a-rig.md)"),
      }};
  return fields;
}

const Fields<ExpectSettings>& expect_fields() {
  using E = ExpectSettings;
  const auto condition = [](const char* key, Located<std::string> E::*member, const char* meaning) {
    return optional(key, member, length(1, kLongestExpression), meaning);
  };
  static const Fields<E> fields{
      "An expectation: one of always, never, finally, after, between, before, settles, run; or a text.",
      {
          located(&E::origin),
          condition("always", &E::always, "condition that holds in every frame"),
          condition("never", &E::never, "condition that holds in no frame"),
          condition("finally", &E::finally, "condition that holds in the last frame"),
          condition("after", &E::after,
                    "event or condition that opens a duty each time that it begins to hold"),
          optional("within", &E::within, range(0ns, 3600s),
                   "`holds` becomes true at most this long after `after`"),
          optional("for", &E::lasting, range(0ns, 3600s),
                   "`holds` is true from `after` until this much later"),
          optional("between", &E::between, length(1, kLongestExpression),
                   "two conditions or times: `holds` is true from the one until the other begins to hold"),
          optional("from", &E::from, range(0ns, 3600s), "`holds` is true from this long after `after`, ..."),
          optional("until", &E::until, range(0ns, 3600s), "... until this long after it"),
          condition("holds", &E::holds, "condition of after and between"),
          optional("before", &E::before, length(1, kLongestExpression),
                   "two conditions: the one begins to hold in a frame before the other does"),
          condition("settles", &E::settles,
                    "condition that holds from `by` after `after` on, until the end or the next `after`"),
          optional("by", &E::by, range(0ns, 3600s), "time that `settles` may take"),
          optional("severity", &E::severity, severity_choices(), "consequence of a failure"),
          optional("requirement", &E::requirement, length(0, 200), "name of a requirement, for reports"),
          optional("ignore_nan", &E::ignore_nan, "leave out frames in which the condition has no value"),
          condition("run", &E::run, "condition on quantities of the run, judged at its end"),
          optional("shift", &E::shift, range(0ns, 3600s),
                   "a recording may be shifted as a whole by at most this much"),
          optional("tube", &E::tube, range(0ns, 3600s),
                   "the value of a recording is any that it has within this time before and after"),
          optional("realtime", &E::realtime,
                   choices<bool>({{"only", true, "judged in real time only, by stamps of the clock"}}),
                   "kind of time of `within`, `for`, `from`, `until` and `by`"),
      }};
  return fields;
}

}  // namespace tactus::executive
