// SPDX-License-Identifier: Apache-2.0
// The runner of a cluster against one that is simulated.
#include "executive/campaign/engine/cluster_runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>

#include "tests/executive/campaign/engine/simulated_engine.hpp"
#include "tests/executive/campaign/made_campaign.hpp"

namespace tactus::campaign::cluster_runner_test {
namespace {

using ::testing::HasSubstr;

struct SimulatedCampaign : MadeCampaign {
  explicit SimulatedCampaign(const SimulatedCluster& made = {}) : engine(made) { cluster.poll_s = 2; }
  RunSummary run_on(const CaseSource& cases) {
    heard.clear();
    return run_on_engine(work, cases, choices, cluster, engine, heard);
  }
  /// Runs until it is done, however often the runner is killed or has to be started again.
  void run_to_the_end(const CaseSource& cases) {
    for (int tries = 0; tries < 10'000; ++tries) try {
        if (run_on(cases).left == 0) return;
      } catch (const KilledRunner&) {
        engine.restart();
      }
    FAIL() << "it does not come to its end";
  }
  void expect_each_once(std::int64_t count) {
    EXPECT_EQ(number_of("SELECT count(*) FROM cases WHERE state = 'done'"), count);
    EXPECT_EQ(
        number_of("SELECT count(*) FROM (SELECT number FROM attempts WHERE state = 'done' GROUP BY number "
                  "HAVING count(*) > 1)"),
        0);
    EXPECT_EQ(number_of("SELECT count(*) FROM attempts WHERE state = 'running'"), 0);
    EXPECT_EQ(number_of("SELECT count(*) FROM arrays WHERE state <> 'ended'"), 0);
  }

  ClusterWork cluster;
  SimulatedEngine engine;
};

TEST(ClusterRunner, StoresWhatALocalRunnerStores) {
  SimulatedCampaign made;
  const MadeCases cases({"a"}, 500);
  const RunSummary summary = made.run_on(cases);
  EXPECT_EQ(summary.left, 0);
  EXPECT_EQ(summary.progress.counts.fail, 6) << "0, 97, ..";
  made.expect_each_once(500);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM verdicts"), 500);
  EXPECT_EQ(made.text_of("SELECT text FROM drawn WHERE number = 3"), "3 V");
  EXPECT_EQ(made.text_of("SELECT folder FROM cases WHERE number = 3"), "cases/0/3-1");
  EXPECT_THAT(made.text_of("SELECT machine FROM attempts WHERE number = 3"), HasSubstr("node"));
  EXPECT_GT(made.engine.most_words, 5U) << "once the time is known, several cases go into a task";
  EXPECT_EQ(made.run_on(cases).progress.ended, 0) << "nothing is done twice";
  EXPECT_EQ(made.engine.executed, 500);
}

TEST(ClusterRunner, KeepsToTheLimitsOfTheCluster) {
  SimulatedCluster small;
  small.limits = {7, 40, 10, 0};
  SimulatedCampaign made(small);
  made.cluster.settings.cases_a_task = 3;
  (void)made.run_on(MadeCases({"a"}, 400));
  made.expect_each_once(400);
  EXPECT_LE(made.engine.most_tasks, 7) << "an index is below MaxArraySize";
  EXPECT_LE(made.engine.most_waiting, 20);
  EXPECT_EQ(made.engine.most_words, 3U);
}

TEST(ClusterRunner, LosesNothingWhenItIsKilledAnywhere) {
  SimulatedCluster often;
  often.busy_share = 0.05;
  SimulatedCampaign made(often);
  made.cluster.settings.cases_a_task = 4;
  std::mt19937 random(3);
  int kills = 0;
  made.engine.kill_in = 2;
  made.engine.on_wait = [&] {
    if (made.engine.kill_in < 0 && kills++ < 40)
      made.engine.kill_in = std::uniform_int_distribution<>(0, 12)(random);
  };
  made.heard.on_end = [&](std::size_t) {
    if (kills++ < 60 && random() % 20 == 0) throw KilledRunner{};
  };
  made.run_to_the_end(MadeCases({"a"}, 300));
  made.expect_each_once(300);
  EXPECT_GT(kills, 10);
  EXPECT_EQ(made.engine.executed, 300) << "a job that was submitted is found again, and no case runs twice";
}

TEST(ClusterRunner, AFailedNodeCostsNoCase) {
  for (const bool requeue : {true, false}) {
    SimulatedCluster bad;
    bad.node_fails_every_s = 400;
    bad.node_back_s = 60;
    bad.requeue = requeue;
    bad.straggler_share = 0.02;
    SimulatedCampaign made(bad);
    made.cluster.settings.cases_a_task = 10;
    (void)made.run_on(MadeCases({"a"}, 600));
    made.expect_each_once(600);
    EXPECT_GT(made.engine.failures, 5);
    EXPECT_GT(made.number_of("SELECT count(*) FROM placed WHERE says LIKE 'NODE_FAIL on node%'"), 3);
    EXPECT_EQ(made.number_of("SELECT count(*) FROM cases WHERE verdict = 'error'"), 0);
    if (!requeue)
      EXPECT_GT(
          made.number_of("SELECT count(*) FROM attempts WHERE state = 'spoiled' AND spoiled = 'NODE_FAIL'"),
          3);
  }
}

TEST(ClusterRunner, ACaseThatTakesTooMuchMemoryIsAnErrorWithTheWordOfTheEngine) {
  SimulatedCluster made_cluster;
  made_cluster.memory_share = 0.05;
  made_cluster.tells_ends = false;  // as without a file of completed jobs
  SimulatedCampaign made(made_cluster);
  made.cluster.settings.cases_a_task = 5;
  (void)made.run_on(MadeCases({"a"}, 200));
  made.expect_each_once(200);
  EXPECT_GT(made.number_of(
                "SELECT count(*) FROM cases WHERE verdict = 'error' AND says LIKE 'OUT_OF_MEMORY on node%'"),
            2);
}

TEST(ClusterRunner, ATaskThatComesToItsTimeLimitLosesNoOtherCase) {
  SimulatedCluster tight;
  tight.task_limit_s = 45;
  tight.spread = 0.5;
  SimulatedCampaign made(tight);
  made.cluster.settings.cases_a_task = 5;
  (void)made.run_on(MadeCases({"a"}, 100));
  made.expect_each_once(100);
  EXPECT_GT(made.number_of("SELECT count(*) FROM attempts WHERE spoiled = 'TIMEOUT'"), 3);
}

TEST(ClusterRunner, AFullDiskEndsItAndItGoesOnOnceThereIsRoom) {
  SimulatedCluster full;
  full.disk_has = 60;
  SimulatedCampaign made(full);
  made.cluster.settings.cases_a_task = 5;
  const MadeCases cases({"a"}, 200);
  try {
    (void)made.run_on(cases);
    FAIL() << "the disk is full";
  } catch (const CampaignError& error) {
    EXPECT_EQ(error.kind(), CampaignError::Kind::broken_off);
    EXPECT_THAT(error.what(), HasSubstr("the disk is full"));
    EXPECT_THAT(error.what(), HasSubstr(made.choices.folder.string()));
  }
  EXPECT_GT(made.number_of("SELECT count(*) FROM cases WHERE state = 'done'"), 40)
      << "what had ended is kept";
  made.engine.cluster.disk_has = INT64_MAX;
  made.engine.restart();
  (void)made.run_on(cases);
  made.expect_each_once(200);
  EXPECT_EQ(made.engine.executed, 200);
}

TEST(ClusterRunner, ASignalCancelsWhatIsOurs) {
  for (const int signals : {1, 2}) {
    SimulatedCampaign made;
    made.cluster.settings.cases_a_task = 10;
    int waits = 0;
    made.engine.on_wait = [&] {
      ++waits;
      if (waits == 20 || (signals == 2 && waits == 21)) (void)::raise(SIGTERM);
    };
    // The runner takes its signals while it waits; the simulated wait takes none.
    const MadeCases cases({"a"}, 400);
    made.engine.take_signals = true;
    const RunSummary summary = made.run_on(cases);
    EXPECT_TRUE(summary.asked_to_end);
    EXPECT_GT(summary.left, 100);
    EXPECT_EQ(made.number_of("SELECT count(*) FROM arrays WHERE state <> 'ended'"), 0);
    EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE state = 'running'"), 0);
    made.engine.on_wait = nullptr;
    EXPECT_EQ(made.run_on(cases).left, 0);
    made.expect_each_once(400);
  }
}

TEST(ClusterRunner, ACaseThatItsOwnMachineHasIsNotRunBesides) {
  SimulatedCampaign made;
  made.engine.kill_in = 3;
  const MadeCases cases({"pass"}, 20);
  EXPECT_THROW((void)made.run_on(cases), KilledRunner);
  try {
    (void)made.run(cases);
    FAIL() << "the cluster has them";
  } catch (const CampaignError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--on slurm"));
  }
}

TEST(ClusterRunner, ChangedFilesCancelWhatRunsWithTheOldOnes) {
  SimulatedCampaign made;
  made.engine.kill_in = 6;
  MadeCases cases({"a"}, 30);
  EXPECT_THROW((void)made.run_on(cases), KilledRunner);
  made.engine.restart();
  made.work.sources[1].sha256 = "b";
  cases.more = "0";
  EXPECT_THROW((void)made.run_on(cases), CampaignError);
  made.choices.accept_changes = true;
  (void)made.run_on(cases);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE state = 'running'"), 0);
  EXPECT_EQ(
      made.number_of("SELECT count(*) FROM cases WHERE state = 'done' AND version = 2 AND line LIKE '%0'"),
      30);
}

TEST(ClusterRunner, TakesMemoryForWhatIsPlacedAndNotForEachCase) {
  const auto greatest = [](std::int64_t count) {
    SimulatedCampaign made;
    made.heard.keeps = false;
    made.cluster.settings.cases_a_task = 5;
    made.cluster.settings.queued = 40;
    std::size_t most = 0;
    const std::size_t before = ::mallinfo2().uordblks;
    made.engine.on_wait = [&] { most = std::max(most, ::mallinfo2().uordblks); };
    (void)made.run_on(MadeCases({"a"}, count));
    EXPECT_EQ(made.heard.count, static_cast<std::size_t>(count));
    return most - before;
  };
  // SQLite keeps up to 2 MiB of pages, which some thousand cases fill.
  const std::size_t few = greatest(10'000), many = greatest(20'000);
  EXPECT_LT(many, few + 300'000) << "30 bytes for each further case";
}

TEST(ClusterRunner, PlacesNoFurtherCaseOnceThePassRateIsSure) {
  SimulatedCampaign made;
  made.cluster.settings.cases_a_task = 2;
  made.cluster.settings.queued = 20;
  SureDraws sure(0.8, 0.1, "", 1);
  made.choices.sure = &sure;
  const MadeCases cases({"a"}, 1000);
  const RunSummary summary = made.run_on(cases);
  EXPECT_TRUE(sure.enough());
  EXPECT_LE(sure.counted().of, sure.rule().most_cases());
  EXPECT_LE(sure.counted().left_out, 40) << "those that were placed already";
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases"), sure.counted().of + sure.counted().left_out);
  EXPECT_EQ(summary.left, 1000 - sure.counted().of - sure.counted().left_out);
  SureDraws again(0.8, 0.1, "", 1);
  made.choices.sure = &again;
  EXPECT_EQ(made.run_on(cases).progress.ended, 0) << "it was sure";
  EXPECT_EQ(again.counted().passed, sure.counted().passed);
  EXPECT_EQ(again.counted().of, sure.counted().of);
}

/// Each runner begins with nothing counted, and takes from the database what those before have closed.
TEST(ClusterRunner, CountsADrawOnceHoweverOftenItsRunnerIsKilled) {
  const MadeCases cases({"a"}, 1000);
  UntilSure rule(0.8, 0.1);
  std::int64_t of = 0, passed = 0;
  while (!rule.enough(passed, of)) passed += of++ % 97 == 0 ? 0 : 1;  // one at a time
  for (const unsigned seed : {1U, 2U, 3U}) {
    SimulatedCluster bad;
    bad.busy_share = 0.05;
    bad.node_fails_every_s = 200;
    bad.node_back_s = 60;
    bad.seed = seed;
    SimulatedCampaign made(bad);
    made.cluster.settings.cases_a_task = 3;
    made.cluster.settings.queued = 12;
    std::mt19937 random(seed);
    int kills = 0;
    made.heard.on_end = [&](std::size_t) {
      if (kills < 12 && random() % 4 == 0) {
        ++kills;
        throw KilledRunner{};
      }
    };
    for (int tries = 0;; ++tries) {
      ASSERT_LT(tries, 1000);
      SureDraws sure(0.8, 0.1, "", 1);
      made.choices.sure = &sure;
      try {
        (void)made.run_on(cases);
      } catch (const KilledRunner&) {
        made.engine.restart();
        continue;
      }
      ASSERT_TRUE(sure.enough());
      EXPECT_EQ(sure.counted().of, of);
      EXPECT_EQ(sure.counted().passed, passed);
      EXPECT_EQ(made.number_of("SELECT count(*) FROM cases WHERE state = 'done'"),
                of + sure.counted().left_out);
      break;
    }
    EXPECT_GE(kills, 5);
  }
}

/// What limits it: a million cases on a thousand nodes.
TEST(ClusterScaleNightly, AMillionCasesOnAThousandNodes) {
  const char* const given = std::getenv("TACTUS_SCALE_CASES");
  const std::int64_t count = given != nullptr ? std::atoll(given) : 1'000'000;
  SimulatedCluster large;
  large.nodes = 1000;
  large.node_fails_every_s = 200'000;
  large.straggler_share = 0.001;
  large.memory_share = 1e-5;
  large.busy_share = 0.01;
  SimulatedCampaign made(large);
  made.cluster.poll_s = 5;
  made.heard.keeps = false;
  const auto cpu = [] {
    rusage used{};
    (void)::getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  };
  const double before = cpu();
  const auto begun = std::chrono::steady_clock::now();
  made.run_to_the_end(MadeCases({"a"}, count));
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  rusage used{};
  (void)::getrusage(RUSAGE_SELF, &used);
  made.expect_each_once(count);
  const double ideal = 10 * std::exp(0.3 * 0.3 / 2) * (1 + 0.001 * 19) * static_cast<double>(count) / 1000;
  std::printf(
      "%lld cases, 1000 nodes: %.0f s of the cluster's time (%.0f s if no slot were ever empty), %lld "
      "arrays, %lld node "
      "failures, %lld questions; the runner: %.0f s, %.0f s CPU, %.0f cases a second, %ld MB at most\n",
      static_cast<long long>(count), made.engine.now(), ideal, static_cast<long long>(made.engine.submitted),
      static_cast<long long>(made.engine.failures), static_cast<long long>(made.engine.polls), took,
      cpu() - before, static_cast<double>(count) / took, used.ru_maxrss / 1024);
}

}  // namespace
}  // namespace tactus::campaign::cluster_runner_test
