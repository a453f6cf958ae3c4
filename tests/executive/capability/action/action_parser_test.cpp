// SPDX-License-Identifier: Apache-2.0
/// Actions as they are written: what is compiled, and what is refused where.
#include "executive/capability/action/action_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/executive/support/rig_files.hpp"

namespace tactus::executive::action_parser_test {
namespace {

using test::kHead;
using test::LoadedRig;
using test::problems_of;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kRig = kHead +
                         "  a: { model: gain, library: ./libmodels.so }\n"
                         "  b: { model: gain, library: ./libmodels.so }\n"
                         "connect: [{ from: a.y, to: b.u }]\n"
                         "record: { one: { variables: [a.y] }, two: { variables: [b.y] } }\n";

std::string event(const std::string& actions) {
  return kRig + "events: { e: { when: a.y > 1 V, do: " + actions + " } }\n";
}

const ActionPlan& plan_of(const LoadedRig& rig) { return *rig.Rig::settings().of<PlannedActions>().plan; }

std::vector<std::string> texts(const ActionList& list) {
  std::vector<std::string> all;
  for (const Action& each : list.actions) all.push_back(each.text);
  return all;
}

TEST(ActionParser, TextsAndMapsAreTheSame) {
  const LoadedRig rig(
      event("[ set a.u 2 V, { set: { a.u: 2 V } }, force b.u 3 V, { release: [b.u] }, record two off,"
            " { record: { two: on } }, pause, { stop: too hot }, abort, safe state, checkpoint,"
            " checkpoint one, enable a.step, { disable: a.step }, flight recorder, log it is hot ]"));
  const ActionPlan& plan = plan_of(rig);
  ASSERT_THAT(plan.lists, SizeIs(1));
  EXPECT_THAT(
      texts(plan.lists[0]),
      ElementsAre("set a.u 2 V", "set a.u 2 V", "force b.u 3 V", "release b.u", "record two off",
                  "record two on", "pause", "stop too hot", "abort", "safe state", "checkpoint",
                  "checkpoint one", "enable a.step", "disable a.step", "flight recorder", "log it is hot"));
  EXPECT_EQ(plan.lists[0].actions[0].value, plan.lists[0].actions[1].value);
  EXPECT_EQ(plan.lists[0].actions[4].number, 1U);
  EXPECT_EQ(plan.lists[0].actions[7].name, "stopped by the rig file (event e): too hot");
  EXPECT_EQ(plan.lists[0].actions[11].checkpoint.call.name, "one.tck");
  EXPECT_EQ(plan.writes, 4U);
  EXPECT_EQ(plan.most_in_a_frame(), 16U);
  EXPECT_TRUE(rig.plan().forces);
}

TEST(ActionParser, CommandsTakeActionsBesideTheirWords) {
  const LoadedRig rig(kRig +
                      "commands:\n  - { at: 2 s, do: [ log late, pause ] }\n  - { at: 1 s, do: log early }\n"
                      "  - { at: 1 s, do: stop }\n");
  EXPECT_THAT(rig.plan().commands, SizeIs(1));
  const ActionPlan& plan = plan_of(rig);
  ASSERT_THAT(plan.timed, SizeIs(2));
  EXPECT_EQ(plan.lists[plan.timed[0].list].owner, "commands at 1 s");
  EXPECT_THAT(texts(plan.lists[plan.timed[1].list]), ElementsAre("log late", "pause"));
  EXPECT_EQ(plan.most_in_a_frame(), 2U);
  EXPECT_THAT(problems_of(kRig + "commands: [{ at: 1 s, do: [ lag x ], job: a.step }]\n"),
              ElementsAre(HasSubstr("commands[0].do[0]: 'lag' is not an action; did you mean 'log'?"),
                          HasSubstr("commands[0].job: 'job' has no place beside a list of actions")));
}

TEST(ActionParser, EachMistakeHasItsPlace) {
  struct Row {
    const char* actions;
    const char* says;
  };
  for (const Row& row : {
           Row{"[ sett a.u 3 ]", "events.e.do[0]: 'sett' is not an action; did you mean 'set'?"},
           Row{"[ log ]", "needs a text: log TEXT"},
           Row{"[ [] ]", "expected an action, as 'log TEXT' or { log: TEXT }, found a list"},
           Row{"[ {} ]", "expected an action"},
           Row{"[ set a.u ]", "needs a variable and a value"},
           Row{"[ set b.u 3 ]",
               "'b.u' is fed by 'a.y', so a value that is set would not last; force it instead"},
           Row{"[ { set: { a.uu: 3 } } ]", "did you mean 'a.u'?"},
           Row{"[ set a.u much ]", "events.e.do[0]"},
           Row{"[ force rt.late 3 ]", "'rt.late' is the executive's own: it can only be read"},
           Row{"[ release c.u ]", "there is no model 'c'"},
           Row{"[ { release: { a: b } } ]", "needs a name, or a list of names; found a map"},
           Row{"[ fault stuck ]", "there is no fault 'stuck'; there is none"},
           Row{"[ stimulus s ]", "there is no stimulus 's'"},
           Row{"[ end s ]", "there is no fault and no stimulus 's'"},
           Row{"[ record on on ]", "there is no recording 'on'; did you mean 'one'?"},
           Row{"[ record one ]", "needs 'on' or 'off' after the name"},
           Row{"[ { record: { one: perhaps } } ]", "needs 'on' or 'off' after the name; found 'perhaps'"},
           Row{"[ pause now ]", "'pause' takes nothing after it; remove 'now'"},
           Row{"[ checkpoint ../x ]", "'../x' is not allowed"},
           Row{"[ enable a.stp ]", "there is no job 'a.stp'; did you mean 'a.step'?"},
           Row{"[ ratio 0 ]", "ratio"},
           Row{"[ ratio 2000 ]", "ratio"},
           Row{"[ ratio ]", "ratio"},
           Row{"[ on_event a.step ]",
               "'a.step' is a job of class scheduled; only a job that its model declares"},
           Row{"[ on_event a.stp ]",
               "there is no job 'a.stp', and no model of this rig has a job of class on_event"},
       })
    EXPECT_THAT(problems_of(event(row.actions)), ElementsAre(HasSubstr(row.says))) << row.actions;
  EXPECT_THAT(problems_of(event("[ checkpoint ]") + "checkpoint: { enabled: no }\n"),
              ElementsAre(HasSubstr("no checkpoint can be taken with checkpoint.enabled: no")));
  EXPECT_THAT(problems_of(event("flight recorder") + "flight_recorder: { enabled: no }\n"),
              ElementsAre(HasSubstr("the flight recorder is off")));
}

TEST(ActionParser, WhatAFrameDoesIsBounded) {
  std::string many;
  for (int i = 0; i < 65; ++i) many += "log x, ";
  EXPECT_THAT(problems_of(event("[ " + many + "log y ]")),
              ElementsAre(HasSubstr("66 actions are more than 64")));
  const LoadedRig rig(
      kRig +
      "events: { e: { when: a.y > 1 V, do: [ log x, log y ] }, f: { when: a.y > 2 V } }\n"
      "sequence: [{ step: s, do: log a, for: 1 s }, { step: t, do: [ log a, log b, log c ] }]\n"
      "commands: [{ at: 1 s, do: [ log a ] }, { at: 1 s, do: [ log b ] }, { at: 2 s, do: [ log c ] }]\n");
  EXPECT_EQ(plan_of(rig).most_in_a_frame(), 2U + 3U + 2U);
}

}  // namespace
}  // namespace tactus::executive::action_parser_test
