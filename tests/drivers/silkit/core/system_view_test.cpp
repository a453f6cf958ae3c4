// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/system_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::system_view_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

constexpr int kStates[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};

Status status_of(const std::string& name, int state) {
  Status status;
  status.participant = name;
  status.state = static_cast<ParticipantState>(state);
  return status;
}

bool take(SystemView& view, const std::string& name, int state) { return view.take(status_of(name, state)); }

int state_of(const SystemView& view) { return static_cast<int>(view.state()); }

// The table of the protocol, row by row: somebody has come to `x`, everybody is in `all`.
struct Row {
  int x;
  std::set<int> all;
  int result;
};
const std::vector<Row> kTable = {
    {10, {10, 20, 30, 40, 50}, 10},
    {20, {20, 30, 40, 50}, 20},
    {30, {30, 40, 50}, 30},
    {40, {40, 50}, 40},
    {50, {50}, 50},
    {50, {50, 70}, 70},
    {50, {50, 80}, 80},
    {50, {50, 80, 100}, 100},
    {50, {50, 80, 100, 110}, 110},
    {60, {50, 60}, 60},
    {60, {50, 60, 70}, 70},
    {60, {50, 60, 80}, 80},
    {60, {50, 60, 80, 100}, 100},
    {60, {50, 60, 80, 100, 110}, 110},
    {70, {50, 60, 70, 80, 100, 110}, 70},
    {80, {80, 100, 110}, 80},
    {100, {80, 100, 110, 90, 10, 40}, 100},
    {110, {110}, 110},
};

// A second, slower opinion.
struct Model {
  std::vector<std::string> required;
  std::map<std::string, int> states;
  int state = 0;

  int after(int x) const {
    if (x == 90 || x == 120) return x;
    for (const Row& row : kTable) {
      const bool all = std::all_of(required.begin(), required.end(), [&](const std::string& name) {
        const auto found = states.find(name);
        return found != states.end() && row.all.contains(found->second);
      });
      if (row.x == x && all) return row.result;
    }
    return state;
  }
  bool is_required(const std::string& name) const {
    return std::find(required.begin(), required.end(), name) != required.end();
  }
  void take(const std::string& name, int x) {
    const int before = states[name];
    if (before == 110) return;
    states[name] = x;
    if (before != x && is_required(name)) state = after(x);
  }
  /// What looking at any one member may come to.
  std::vector<int> any_member() const {
    if (states.empty()) return {state == 90 || state == 110 ? state : state == 100 ? 110 : 0};
    std::vector<int> possible;
    for (const std::string& name : required)
      possible.push_back(states.contains(name) ? after(states.at(name)) : state);
    if (possible.empty()) possible.push_back(state);
    return possible;
  }
};

TEST(SystemView, IsInvalidWhileNobodyHasSaidWhoIsRequired) {
  SystemView view;
  EXPECT_FALSE(view.has_required());
  for (const int state : {10, 20, 30, 40, 50}) take(view, "A", state);
  EXPECT_EQ(state_of(view), 0);
}

TEST(SystemView, FollowsWhenTheLastRequiredOneHasCome) {
  SystemView view;
  view.set_required({"A", "B"});
  EXPECT_TRUE(view.has_required());
  for (const int state : {10, 20, 30, 40, 50}) {
    const int before = state_of(view);
    take(view, "A", state);
    EXPECT_EQ(state_of(view), before) << state;
    take(view, "B", state);
    EXPECT_EQ(state_of(view), state);
  }
}

TEST(SystemView, EveryRowOfTheTableHoldsForTheStatesItNames) {
  for (const Row& row : kTable) {
    for (const int other : row.all) {
      SystemView view;
      Model model;
      model.required = {"A", "B"};
      view.set_required(model.required);
      take(view, "B", other);
      model.take("B", other);
      take(view, "A", row.x);
      model.take("A", row.x);
      EXPECT_EQ(state_of(view), model.state) << "A in " << row.x << ", B in " << other;
    }
  }
}

TEST(SystemView, EveryPairOfChangesOfThreeParticipantsAgreesWithTheTable) {
  for (const int first : kStates)
    for (const int second : kStates)
      for (const int third : kStates) {
        SystemView view;
        Model model;
        model.required = {"A", "B", "C"};
        view.set_required(model.required);
        const std::pair<const char*, int> changes[] = {{"A", 10},    {"B", 10},     {"C", 10},
                                                       {"A", first}, {"B", second}, {"C", third}};
        for (const auto& [name, state] : changes) {
          take(view, name, state);
          model.take(name, state);
          ASSERT_EQ(state_of(view), model.state) << first << ' ' << second << ' ' << third << " at " << name;
        }
      }
}

TEST(SystemView, AMissingParticipantHoldsTheStateBack) {
  for (const int state : kStates) {
    SystemView view;
    view.set_required({"A", "never there"});
    take(view, "A", state);
    EXPECT_EQ(state_of(view), state == 90 || state == 120 ? state : 0) << state;
  }
}

TEST(SystemView, SomebodyWhoIsNotRequiredChangesNothing) {
  SystemView view;
  view.set_required({"A"});
  take(view, "A", 50);
  for (const int state : kStates) {
    take(view, "stranger", state);
    EXPECT_EQ(state_of(view), 50) << state;
  }
}

TEST(SystemView, TheSameStateAgainIsNotLookedAtAgain) {
  SystemView view;
  view.set_required({"A", "B"});
  take(view, "A", 90);
  take(view, "B", 100);
  take(view, "A", 100);
  ASSERT_EQ(state_of(view), 100);
  take(view, "A", 100);
  EXPECT_EQ(state_of(view), 100);
}

TEST(SystemView, ErrorAndAbortOfOneAreThoseOfAll) {
  for (const int state : {90, 120}) {
    SystemView view;
    view.set_required({"A", "B", "C"});
    take(view, "B", 50);
    take(view, "A", state);
    EXPECT_EQ(state_of(view), state);
  }
}

TEST(SystemView, AfterShutdownNothingCountsUntilTheParticipantLeaves) {
  SystemView view;
  view.set_required({"A"});
  take(view, "A", 50);
  take(view, "A", 110);
  EXPECT_EQ(state_of(view), 110);
  EXPECT_FALSE(take(view, "A", 90));
  EXPECT_EQ(state_of(view), 110);
  view.remove("A");
  EXPECT_EQ(state_of(view), 110);
  EXPECT_TRUE(take(view, "A", 10));
  EXPECT_EQ(state_of(view), 10);
}

TEST(SystemView, WhoIsRequiredMayBeSaidAfterTheStatuses) {
  SystemView view;
  take(view, "A", 50);
  take(view, "B", 40);
  EXPECT_EQ(state_of(view), 0);
  view.set_required({"A", "B"});
  EXPECT_EQ(state_of(view), 40);
}

TEST(SystemView, ALaterListReplacesTheFormer) {
  SystemView view;
  view.set_required({"A", "B"});
  take(view, "A", 50);
  take(view, "B", 40);
  view.set_required({"A"});
  EXPECT_EQ(state_of(view), 50);
  EXPECT_FALSE(view.requires_participant("B"));
  take(view, "B", 90);
  EXPECT_EQ(state_of(view), 50);
}

TEST(SystemView, WhenEverybodyHasGoneOnlyAnEndIsKept) {
  const struct {
    std::vector<int> states;
    int left;
  } rows[] = {{{10, 20, 30, 40, 50}, 0},
              {{50, 60}, 0},
              {{50, 70}, 0},
              {{50, 70, 80}, 0},
              {{50, 80, 100}, 110},
              {{110}, 110},
              {{90}, 90},
              {{50, 90, 100}, 110},
              {{120}, 0}};
  for (const auto& row : rows) {
    SystemView view;
    view.set_required({"A"});
    for (const int state : row.states) take(view, "A", state);
    EXPECT_EQ(state_of(view), row.states.back());
    view.remove("A");
    EXPECT_EQ(state_of(view), row.left) << "after " << row.states.back();
    EXPECT_EQ(view.status_of("A"), nullptr);
  }
}

TEST(SystemView, ParticipantsThatLeaveAfterTheirEndDoNotChangeIt) {
  SystemView view;
  view.set_required({"A", "B"});
  for (const int state : {50, 70, 80, 100, 110}) {
    take(view, "A", state);
    take(view, "B", state);
  }
  ASSERT_EQ(state_of(view), 110);
  view.remove("A");
  EXPECT_EQ(state_of(view), 110);
  view.remove("B");
  EXPECT_EQ(state_of(view), 110);
}

TEST(SystemView, AgreesWithTheTableInAnyOrderOfEvents) {
  constexpr int kWalks = 4000;
  const std::vector<std::string> names = {"A", "B", "C", "D"};
  for (unsigned seed = 0; seed < kWalks; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::size_t below) { return random() % below; };
    SystemView view;
    Model model;
    for (int turn = 0; turn < 40; ++turn) {
      const std::string& name = names[pick(names.size())];
      const auto what = pick(20);
      if (what == 0) {
        std::vector<std::string> required;
        for (const std::string& each : names)
          if (pick(2) == 0) required.push_back(each);
        view.set_required(required);
        model.required = required;
        const auto possible = model.any_member();
        ASSERT_THAT(possible, Contains(state_of(view))) << "seed " << seed << " turn " << turn;
        model.state = state_of(view);
      } else if (what == 1 && model.states.contains(name)) {
        view.remove(name);
        model.states.erase(name);
        const auto possible = model.any_member();
        ASSERT_THAT(possible, Contains(state_of(view))) << "seed " << seed << " turn " << turn;
        model.state = state_of(view);
      } else {
        const int state = kStates[pick(std::size(kStates))];
        take(view, name, state);
        model.take(name, state);
        ASSERT_EQ(state_of(view), model.state) << "seed " << seed << " turn " << turn;
      }
    }
  }
}

// ---- as a monitor sees it

TEST(SystemMonitor, HearsOfStatusesAndOfTheSystem) {
  test::Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  stage.engine().monitor().create();
  stage.engine().monitor().on_status(
      std::make_shared<const std::function<void(const Status&)>>([&](const Status& status) {
        stage.note(status.participant + " " + std::to_string(static_cast<int>(status.state)));
      }));
  stage.engine().monitor().on_system_state(std::make_shared<const std::function<void(ParticipantState)>>(
      [&](ParticipantState state) { stage.note("system " + std::to_string(static_cast<int>(state))); }));
  stage.required(q, {"Q"});
  stage.status(q, 10);
  stage.status(q, 20);
  EXPECT_THAT(stage.heard(), ElementsAre("Q 10", "system 10", "Q 20", "system 20"));
  ASSERT_NE(stage.engine().status_of("Q"), nullptr);
  EXPECT_EQ(stage.engine().status_of("Q")->reason, "scripted");
  EXPECT_EQ(stage.engine().status_of("R"), nullptr);
}

TEST(SystemMonitor, HearsNothingThroughAHandlerThatWasRemoved) {
  test::Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  stage.engine().monitor().create();
  const std::uint64_t first =
      stage.engine().monitor().on_system_state(std::make_shared<const std::function<void(ParticipantState)>>(
          [&](ParticipantState) { stage.note("first"); }));
  const std::uint64_t second =
      stage.engine().monitor().on_system_state(std::make_shared<const std::function<void(ParticipantState)>>(
          [&](ParticipantState) { stage.note("second"); }));
  EXPECT_EQ(first, 0U);
  EXPECT_EQ(second, 1U);
  stage.engine().monitor().remove_handler(Call::What::system_state, first);
  stage.required(q, {"Q"});
  stage.status(q, 10);
  EXPECT_THAT(stage.heard(), ElementsAre("second"));
}

TEST(SystemMonitor, HearsWhoComesAndGoes) {
  test::Stage stage;
  stage.join();
  stage.engine().monitor().create();
  const auto noting = [&](const std::string& what) {
    return std::make_shared<const std::function<void(const std::string&)>>(
        [&stage, what](const std::string& name) { stage.note(name + what); });
  };
  stage.engine().monitor().on_connected(noting(" came"));
  stage.engine().monitor().on_disconnected(noting(" went"));
  const PeerId q = stage.newcomer("Q");
  EXPECT_TRUE(stage.engine().is_connected("Q"));
  EXPECT_FALSE(stage.engine().is_connected("P")) << "oneself does not count";
  EXPECT_THAT(stage.engine().peers(), ElementsAre("Q"));
  stage.leaves(q);
  EXPECT_FALSE(stage.engine().is_connected("Q"));
  EXPECT_THAT(stage.heard(), ElementsAre("Q came", "Q went"));
}

TEST(SystemMonitor, KeepsCallsBackInOrderWhileTheirHandlerIsHeld) {
  test::Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  const auto noting = [&](const std::string& who) {
    return std::make_shared<const std::function<void(const Status&)>>([&stage, who](const Status& status) {
      stage.note(who + " " + std::to_string(static_cast<int>(status.state)));
    });
  };
  const std::uint64_t slow = stage.engine().monitor().on_status(noting("slow"));
  (void)stage.engine().monitor().on_status(noting("quick"));
  stage.engine().hold(Call::What::status, slow);
  stage.status(q, 10);
  stage.status(q, 20);
  EXPECT_THAT(stage.heard(), ElementsAre("quick 10", "quick 20"));
  stage.user([&](Engine& engine) { engine.release(Call::What::status, slow); });
  EXPECT_THAT(stage.heard(), ElementsAre("slow 10", "slow 20"));
  stage.status(q, 30);
  EXPECT_THAT(stage.heard(), ElementsAre("slow 30", "quick 30"));
}

TEST(SystemMonitor, MakesNoCallOfAHandlerThatWasRemovedWhileItWasHeld) {
  test::Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  const std::uint64_t id = stage.engine().monitor().on_status(
      std::make_shared<const std::function<void(const Status&)>>([&](const Status&) { stage.note("!"); }));
  stage.engine().hold(Call::What::status, id);
  stage.status(q, 10);
  EXPECT_TRUE(stage.engine().monitor().has_handler(Call::What::status, id));
  stage.user([&](Engine& engine) { engine.monitor().remove_handler(Call::What::status, id); });
  EXPECT_FALSE(stage.engine().monitor().has_handler(Call::What::status, id));
  stage.user([&](Engine& engine) { engine.release(Call::What::status, id); });
  EXPECT_THAT(stage.heard(), testing::IsEmpty());
}

TEST(SystemMonitor, LosesTheOldestCallsOfAHandlerThatIsHeldForTooLong) {
  test::Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  int calls = 0;
  int last = 0;
  const std::uint64_t id = stage.engine().monitor().on_status(
      std::make_shared<const std::function<void(const Status&)>>([&](const Status& status) {
        ++calls;
        last = static_cast<int>(status.state);
      }));
  stage.engine().hold(Call::What::status, id);
  for (int i = 0; i < 6000; ++i)
    for (const int state : {50, 60}) stage.status(q, state);
  stage.engine().release(Call::What::status, id);
  for (Call call; stage.engine().next_call(call);) stage.engine().call_ended(call, call.make());
  EXPECT_EQ(calls, 10'000);
  EXPECT_EQ(last, 60);
  EXPECT_EQ(std::count_if(stage.journal.begin(), stage.journal.end(),
                          [](const std::string& line) { return line.find("lost in part") != line.npos; }),
            1);
}

TEST(SystemMonitor, TellsANewConnectedHandlerNothingThatWasDueForTheOldOne) {
  test::Stage stage;
  stage.join();
  const auto noting = [&](const std::string& what) {
    return std::make_shared<const std::function<void(const std::string&)>>(
        [&stage, what](const std::string& name) { stage.note(name + what); });
  };
  const std::uint64_t old = stage.engine().monitor().on_connected(noting(" old"));
  stage.engine().hold(Call::What::connected, old);
  (void)stage.newcomer("Q");
  (void)stage.engine().monitor().on_connected(noting(" new"));  // replays Q itself
  stage.user([&](Engine& engine) { engine.release(Call::What::connected, old); });
  (void)stage.newcomer("R");
  EXPECT_THAT(stage.heard(), ElementsAre("R new"));
}

TEST(SystemMonitor, ANameMayComeBackAfterItsShutdown) {
  test::Stage stage;
  stage.join();
  PeerId q = stage.newcomer("Q");
  stage.required(q, {"Q"});
  stage.status(q, 50);
  stage.status(q, 110);
  stage.status(q, 90);
  EXPECT_EQ(stage.system_state(), 110);
  stage.leaves(q);
  q = stage.newcomer("Q");
  stage.status(q, 10);
  EXPECT_EQ(stage.system_state(), 10);
}

TEST(SystemMonitor, KnowsWhenAllStatesAreKnown) {
  test::Stage stage;
  stage.join();
  EXPECT_TRUE(stage.engine().all_states_known()) << "of nobody";
  const PeerId plain = stage.stranger("Plain");
  EXPECT_FALSE(stage.engine().all_states_known()) << "it has not told what it has";
  stage.created(plain, "SystemMonitor");
  EXPECT_TRUE(stage.engine().all_states_known()) << "it has no lifecycle, so no state";
  const PeerId lifecycle = stage.stranger("Lifecycle");
  stage.created(lifecycle, "LifecycleService");
  EXPECT_FALSE(stage.engine().all_states_known());
  stage.status(lifecycle, 50);
  EXPECT_TRUE(stage.engine().all_states_known());
}

}  // namespace
}  // namespace tactus::silkit::system_view_test
