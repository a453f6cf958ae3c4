// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "config/rules.hpp"
#include "executive/capability/action/settings.hpp"
#include "executive/capability/judge/compiled_test.hpp"
#include "executive/capability/judge/settings.hpp"
#include "executive/model/suggest.hpp"
#include "executive/plan/draft.hpp"

namespace tactus::executive {

using namespace config;

namespace {

std::vector<Field<RigSettings>> test_keys() {
  using S = TestSettings;
  return {
      rig_key(optional("test", &S::test, length(0, 200), "name of the test whose expectations `expect` has")),
      rig_key(optional("events", &S::events, "events by name: a condition each (tests-of-a-rig.md)")),
      rig_key(optional("sequence", &S::sequence, "steps that run one after the other (tests-of-a-rig.md)")),
      rig_key(optional("expect", &S::expect, "expectations by name (tests-of-a-rig.md)")),
      rig_key(optional("measure", &S::measure,
                       "measurements over the run: expressions by name (tests-of-a-rig.md)")),
      rig_key(optional("around", &S::around, range(Nanoseconds{0}, std::chrono::hours(1)),
                       "simulated time before and after a failed expectation that is kept; 0 s: none")),
  };
}

/// Refuses what begins with an event that is not there.
void refuse_unknown_events(Draft& draft) {
  const std::vector<std::string> known =
      names_of(draft.settings.of<TestSettings>().events.entries(), &Node::Entry::key);
  for (const EventSwitch& each : draft.plan.event_switches)
    if (std::ranges::find(known, each.event.value) == known.end())
      draft.problems.add(
          each.event.place, each.event.path,
          "there is no event " + show(each.event.value) + "; " + hint(each.event.value, known));
}

void plan_test(Draft& draft) {
  const std::optional<Nanoseconds>& until = draft.settings.until;
  const std::int64_t frames = until ? draft.plan.frame.begun_in(*until) : INT64_MAX;
  plan_actions(draft);
  ActionParser actions(draft, *draft.settings.of<PlannedActions>().plan);
  draft.settings.of<PlannedTest>().test = std::make_shared<const CompiledTest>(
      compile_test(draft.settings.of<TestSettings>(), std::bind_front(&Draft::look_up, &draft),
                   draft.plan.frame, frames, draft.base, actions, draft.problems));
  refuse_unknown_events(draft);
  note_pauses(draft);
}

}  // namespace

const CapabilitySection kJudgeSection{&test_keys, nullptr, &plan_test};

}  // namespace tactus::executive
