// SPDX-License-Identifier: Apache-2.0
// Whole federations under thousands of seeded interleavings: what must hold in each of them is checked by the
// observer of the network, see support/sim_network.hpp.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>

#include "tests/drivers/silkit/core/support/sim_network.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::silkit::federation_test {
namespace {

using test::Federation;
using test::Habits;
using test::SimNetwork;

constexpr auto kAutonomous = OperationMode::autonomous;
constexpr unsigned kAtLeast = 20;  // seeds, however slow the machine

Habits participant(const std::string& name) {
  Habits habits;
  habits.name = name;
  return habits;
}

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  std::size_t pick(std::size_t below) { return random_() % below; }
  int between(int least, int most) {
    return least + static_cast<int>(pick(static_cast<std::size_t>(most - least + 1)));
  }
  bool chance(unsigned percent) { return pick(100) < percent; }

 private:
  std::mt19937 random_;
};

/// 2 to 6 coordinated participants, mixed, all of them required, the first of which stops.
Federation coordinated(Dice& dice, int most = 6) {
  static constexpr std::int64_t kSteps[] = {1, 1, 2, 3, 5, 10};
  Federation federation;
  const int count = dice.between(2, most);
  for (int i = 0; i < count; ++i) {
    Habits habits = participant(std::string(1, static_cast<char>('A' + i)));
    habits.time_sync = i == 0 || dice.chance(80);
    habits.step_ns = kSteps[dice.pick(std::size(kSteps))];
    habits.asynchronous_step = dice.chance(40);
    habits.asynchronous_ready = dice.chance(30);
    habits.publishes = dice.chance(80);
    habits.subscribes = dice.chance(80);
    federation.required.push_back(habits.name);
    federation.participants.push_back(habits);
  }
  federation.participants[0].stops_after = dice.between(1, 12);
  return federation;
}

/// One seed: TACTUS_SEED=4711 --gtest_filter=Federation.Name
void try_many(unsigned count, std::chrono::milliseconds most, const std::function<Federation(Dice&)>& make,
              const std::function<void(const Federation&, const SimNetwork&)>& then = {}) {
  unsigned first = 0;
  if (const char* const only = std::getenv("TACTUS_SEED")) {  // NOLINT(concurrency-mt-unsafe): one thread
    first = static_cast<unsigned>(std::strtoul(only, nullptr, 10));
    count = 1;
  }
  const auto until = std::chrono::steady_clock::now() + most;  // bounds the time it takes
  unsigned tried = 0;
  for (unsigned seed = first; seed < first + count; ++seed, ++tried) {
    if (tried >= kAtLeast && std::chrono::steady_clock::now() > until) break;
    Dice dice(seed);
    const Federation federation = make(dice);
    SimNetwork network(federation, seed);
    network.run();
    if (then) then(federation, network);
    for (const std::string& complaint : network.complaints()) ADD_FAILURE() << complaint;
    if (testing::Test::HasFailure()) {
      FAIL() << "with seed " << seed << "; what happened last:" << network.last_events();
    }
  }
  testing::Test::RecordProperty("seeds", static_cast<int>(tried));
}

const std::chrono::milliseconds kEach{::tactus::test::by_night() ? 1300 : 400};

void nobody_was_stuck(const Federation&, const SimNetwork& network) {
  EXPECT_FALSE(network.was_stuck()) << "somebody had to abort";
}

TEST(Federation, TwoCoordinatedStepInTurnAndEndTogether) {
  try_many(
      1500, kEach,
      [](Dice& dice) {
        Federation federation;
        federation.participants = {participant("A"), participant("B")};
        federation.required = {"A", "B"};
        federation.participants[dice.pick(2)].stops_after = 8;
        return federation;
      },
      [](const Federation&, const SimNetwork& network) {
        EXPECT_FALSE(network.was_stuck());
        EXPECT_GE(network.step_times("A").size() + network.step_times("B").size(), 14U);
      });
}

TEST(Federation, CoordinatedOnesOfAnyKindKeepAllPromises) {
  try_many(
      1500, 3 * kEach, [](Dice& dice) { return coordinated(dice); }, nobody_was_stuck);
}

TEST(Federation, EightCoordinatedOnesKeepAllPromises) {
  try_many(
      100, kEach, [](Dice& dice) { return coordinated(dice, 8); }, nobody_was_stuck);
}

TEST(Federation, DynamicStepsNeverPassAnybody) {
  try_many(
      800, kEach,
      [](Dice& dice) {
        Federation federation = coordinated(dice, 4);
        for (Habits& habits : federation.participants) {
          const auto choice = dice.pick(3);
          if (choice != 0) habits.dynamic_step = choice == 1;
        }
        return federation;
      },
      nobody_was_stuck);
}

TEST(Federation, PausesHoldEverybodyUpAndNobodyBack) {
  try_many(
      800, kEach,
      [](Dice& dice) {
        Federation federation = coordinated(dice, 4);
        for (Habits& habits : federation.participants) habits.pauses = dice.chance(60);
        return federation;
      },
      nobody_was_stuck);
}

TEST(Federation, AutonomousOnesComeLateHopOnAndLeave) {
  std::size_t hop_ons = 0;
  try_many(
      800, 2 * kEach,
      [](Dice& dice) {
        Federation federation = coordinated(dice, 3);
        federation.participants[0].stops_after = dice.between(10, 30);
        const int late = dice.between(1, 3);
        for (int i = 0; i < late; ++i) {
          Habits habits = participant(std::string(1, static_cast<char>('X' + i)));
          habits.mode = kAutonomous;
          habits.late = true;
          habits.time_sync = dice.chance(80);
          habits.step_ns = dice.between(1, 6);
          habits.asynchronous_step = dice.chance(40);
          habits.stops_after = dice.between(1, 8);
          federation.participants.push_back(habits);
        }
        return federation;
      },
      [&](const Federation&, const SimNetwork& network) {
        EXPECT_FALSE(network.was_stuck());
        hop_ons += network.hop_ons();
      });
  const bool all = std::getenv("TACTUS_SEED") == nullptr;  // NOLINT(concurrency-mt-unsafe): one thread
  EXPECT_TRUE(!all || hop_ons > 5U) << "or nothing was shown: " << hop_ons;
}

TEST(Federation, LateOnesWithPausesOfTheOthersAreNotLockedOut) {
  try_many(
      600, kEach,
      [](Dice& dice) {
        Federation federation = coordinated(dice, 3);
        federation.participants[0].stops_after = dice.between(10, 20);
        for (Habits& habits : federation.participants) habits.pauses = dice.chance(70);
        Habits habits = participant("X");
        habits.mode = kAutonomous;
        habits.late = true;
        habits.step_ns = dice.between(1, 6);
        habits.stops_after = dice.between(1, 8);
        federation.participants.push_back(habits);
        return federation;
      },
      nobody_was_stuck);
}

TEST(Federation, ThoseWithoutALifecycleDisturbNobody) {
  try_many(
      600, kEach,
      [](Dice& dice) {
        Federation federation = coordinated(dice, 3);
        for (int i = dice.between(1, 2); i > 0; --i) {
          Habits habits = participant("X" + std::to_string(i));
          habits.lifecycle = false;
          federation.participants.push_back(habits);
        }
        return federation;
      },
      nobody_was_stuck);
}

TEST(Federation, AnAbortEndsEverybodyWhereverTheyAre) {
  try_many(800, kEach, [](Dice& dice) {
    Federation federation = coordinated(dice, 5);
    federation.participants[0].stops_after.reset();
    federation.participants[0].aborts_after = dice.between(0, 4);
    return federation;
  });  // an abort that comes before somebody has joined is not heard there
}

TEST(Federation, AnErrorHoldsCoordinatedOnesUntilSomebodyAborts) {
  try_many(500, kEach, [](Dice& dice) {
    Federation federation = coordinated(dice, 4);
    federation.participants[0].stops_after.reset();
    federation.participants.back().reports_error_after = dice.between(1, 5);
    return federation;
  });
}

/// The last one is killed.
Federation with_a_lost_one(Dice& dice) {
  Federation federation = coordinated(dice, 5);
  federation.participants.back().killed_after = dice.between(0, 6);
  if (dice.chance(50)) federation.participants[0].stops_after.reset();
  return federation;
}

TEST(Federation, TheLostOnesAreSurvivedByThoseWhoAreLeft) { try_many(800, kEach, with_a_lost_one); }

TEST(Federation, ALostAutonomousOneHoldsNobodyUp) {
  try_many(
      500, kEach,
      [](Dice& dice) {
        Federation federation = coordinated(dice, 3);
        federation.participants[0].stops_after = dice.between(10, 20);
        Habits habits = participant("X");
        habits.mode = kAutonomous;
        habits.late = true;
        habits.step_ns = dice.between(1, 6);
        habits.killed_after = dice.between(0, 5);
        federation.participants.push_back(habits);
        return federation;
      },
      nobody_was_stuck);
}

/// All step, call B, send on CAN and Ethernet, and answer B, the master of a LIN bus; the first stops late enough for
/// calls to be lost.
Federation with_services(Dice& dice) {
  Federation federation = coordinated(dice, 4);
  for (Habits& habits : federation.participants) {
    habits.time_sync = habits.uses_services = true;
    habits.step_ns = dice.between(1, 3);
  }
  federation.participants[1].serves = true;
  federation.participants[0].stops_after = 25;
  return federation;
}

TEST(Federation, CallsAreAnsweredOnceOrLostAndFramesComeInOrder) {
  std::size_t results = 0, lost = 0, frames = 0, responses = 0;
  try_many(600, 2 * kEach, with_services, [&](const Federation& federation, const SimNetwork& network) {
    nobody_was_stuck(federation, network);
    results += network.results();
    lost += network.lost_calls();
    frames += network.frames();
    responses += network.lin_responses();
  });
  EXPECT_GT(results, 100U);
  EXPECT_GT(lost, 2U);
  EXPECT_GT(frames, 1000U);
  EXPECT_GT(responses, 100U);
}

/// X comes late, serves, and is killed.
Federation with_a_lost_server(Dice& dice) {
  Federation federation = with_services(dice);
  federation.participants[1].serves = false;
  Habits server = participant("X");
  server.mode = kAutonomous;
  server.late = server.uses_services = server.serves = true;
  server.step_ns = dice.between(1, 3);
  server.killed_after = dice.between(2, 12);
  federation.participants.push_back(server);
  return federation;
}

TEST(Federation, ServicesSurviveThatTheServerIsKilled) {
  std::size_t results = 0, lost = 0;
  try_many(600, 2 * kEach, with_a_lost_server, [&](const Federation& federation, const SimNetwork& network) {
    nobody_was_stuck(federation, network);
    results += network.results();
    lost += network.lost_calls();
  });
  EXPECT_GT(results, 20U);
  EXPECT_GT(lost, 100U);
}

// ---- over a relay

/// Some of them cannot be reached but through it; one at least.
void hide_some(Federation& federation, Dice& dice) {
  for (Habits& habits : federation.participants) habits.hidden = dice.chance(40);
  federation.participants[dice.pick(federation.participants.size())].hidden = true;
}

TEST(Federation, KeepsAllPromisesOverARelay) {
  std::size_t relayed = 0, ends = 0;
  try_many(
      1500, 2 * kEach,
      [](Dice& dice) {
        Federation federation = coordinated(dice, 5);
        for (Habits& habits : federation.participants) habits.pauses = dice.chance(20);
        hide_some(federation, dice);
        return federation;
      },
      [&](const Federation& federation, const SimNetwork& network) {
        nobody_was_stuck(federation, network);
        relayed += network.relayed();
        ends += network.ends_told();
      });
  EXPECT_GT(relayed, 1000U);
  EXPECT_GT(ends, 10U);
}

TEST(Federation, LateOnesHopOnOverARelay) {
  try_many(
      600, kEach,
      [](Dice& dice) {
        Federation federation = coordinated(dice, 3);
        federation.participants[0].stops_after = dice.between(10, 30);
        for (int i = dice.between(1, 2); i > 0; --i) {
          Habits habits = participant("X" + std::to_string(i));
          habits.mode = kAutonomous;
          habits.late = true;
          habits.step_ns = dice.between(1, 6);
          habits.stops_after = dice.between(1, 8);
          federation.participants.push_back(habits);
        }
        hide_some(federation, dice);
        return federation;
      },
      nobody_was_stuck);
}

TEST(Federation, ThoseBehindARelayAreMissedWhenTheyAreKilled) {
  std::size_t ends = 0;
  try_many(
      800, kEach,
      [](Dice& dice) {
        Federation federation = with_a_lost_one(dice);
        hide_some(federation, dice);
        return federation;
      },
      [&](const Federation&, const SimNetwork& network) { ends += network.ends_told(); });
  EXPECT_GT(ends, 10U);
}

TEST(Federation, CallsAndFramesComeInOrderOverARelay) {
  std::size_t results = 0, frames = 0, responses = 0;
  try_many(
      600, 2 * kEach,
      [](Dice& dice) {
        Federation federation = with_services(dice);
        hide_some(federation, dice);
        return federation;
      },
      [&](const Federation& federation, const SimNetwork& network) {
        nobody_was_stuck(federation, network);
        results += network.results();
        frames += network.frames();
        responses += network.lin_responses();
      });
  EXPECT_GT(results, 100U);
  EXPECT_GT(frames, 1000U);
  EXPECT_GT(responses, 100U);
}

TEST(Federation, ServicesSurviveThatTheServerIsKilledBehindARelay) {
  std::size_t lost = 0;
  try_many(
      600, kEach,
      [](Dice& dice) {
        Federation federation = with_a_lost_server(dice);
        federation.participants.back().hidden = true;
        return federation;
      },
      [&](const Federation& federation, const SimNetwork& network) {
        nobody_was_stuck(federation, network);
        lost += network.lost_calls();
      });
  EXPECT_GT(lost, 20U);
}

}  // namespace
}  // namespace tactus::silkit::federation_test
