// SPDX-License-Identifier: Apache-2.0
/// Actions as they are written: what is compiled, and what is refused where.
#include "executive/capability/action/action_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/executive/support/rig_files.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::executive::action_parser_test {
namespace {

using test::kHead;
using test::LoadedRig;
using test::problems_of;
using ::testing::ElementsAre;
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
  tactus::test::Snapshot().add(plan.lists[0].actions[7].name);
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
  tactus::test::Snapshot().add(problems_of(kRig + "commands: [{ at: 1 s, do: [ lag x ], job: a.step }]\n"));
}

TEST(ActionParser, EachMistakeHasItsPlace) {
  tactus::test::Snapshot texts;
  const char* const rows[] = {"[ sett a.u 3 ]",
                              "[ log ]",
                              "[ [] ]",
                              "[ {} ]",
                              "[ set a.u ]",
                              "[ set b.u 3 ]",
                              "[ { set: { a.uu: 3 } } ]",
                              "[ set a.u much ]",
                              "[ force rt.late 3 ]",
                              "[ release c.u ]",
                              "[ { release: { a: b } } ]",
                              "[ fault stuck ]",
                              "[ stimulus s ]",
                              "[ end s ]",
                              "[ record on on ]",
                              "[ record one ]",
                              "[ { record: { one: perhaps } } ]",
                              "[ pause now ]",
                              "[ checkpoint ../x ]",
                              "[ enable a.stp ]",
                              "[ ratio 0 ]",
                              "[ ratio 2000 ]",
                              "[ ratio ]",
                              "[ on_event a.step ]",
                              "[ on_event a.stp ]"};
  for (const char* const actions : rows) texts.add(problems_of(event(actions)), actions);
  texts.add(problems_of(event("[ checkpoint ]") + "checkpoint: { enabled: no }\n"), "none can be taken");
  texts.add(problems_of(event("flight recorder") + "flight_recorder: { enabled: no }\n"), "there is none");
}

TEST(ActionParser, WhatAFrameDoesIsBounded) {
  std::string many;
  for (int i = 0; i < 65; ++i) many += "log x, ";
  tactus::test::Snapshot().add(problems_of(event("[ " + many + "log y ]")));
  const LoadedRig rig(
      kRig +
      "events: { e: { when: a.y > 1 V, do: [ log x, log y ] }, f: { when: a.y > 2 V } }\n"
      "sequence: [{ step: s, do: log a, for: 1 s }, { step: t, do: [ log a, log b, log c ] }]\n"
      "commands: [{ at: 1 s, do: [ log a ] }, { at: 1 s, do: [ log b ] }, { at: 2 s, do: [ log c ] }]\n");
  EXPECT_EQ(plan_of(rig).most_in_a_frame(), 2U + 3U + 2U);
}

}  // namespace
}  // namespace tactus::executive::action_parser_test
