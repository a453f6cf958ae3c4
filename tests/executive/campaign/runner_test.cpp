// SPDX-License-Identifier: Apache-2.0
// The runner of a campaign, with cases that are shell scripts.
#include "executive/campaign/run/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include "executive/campaign/run/attempt_folder.hpp"
#include "executive/campaign/run/case_ledger.hpp"
#include "executive/campaign/run/case_process.hpp"
#include "executive/campaign/run/holder_lock.hpp"
#include "executive/campaign/run/side_by_side.hpp"
#include "executive/campaign/store/case_states.hpp"
#include "tests/executive/campaign/made_campaign.hpp"
#include "tests/support/full_disk.hpp"

namespace tactus::campaign::runner_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string refusal(MadeCampaign& made, const CaseSource& cases) {
  try {
    (void)made.run(cases);
    return "";
  } catch (const CampaignError& error) {
    return error.what();
  }
}

TEST(CampaignRunner, StoresWhatBecameOfEachCase) {
  MadeCampaign made;
  const MadeCases cases({"pass", "fail", "untested", "crash"});
  const RunSummary summary = made.run(cases);
  EXPECT_EQ(summary.left, 0);
  EXPECT_EQ(summary.progress.counts.pass, 1);
  EXPECT_EQ(summary.progress.counts.fail, 1);
  EXPECT_EQ(summary.progress.counts.untested, 1);
  EXPECT_EQ(summary.progress.counts.error, 1);
  EXPECT_EQ(made.text_of("SELECT line FROM cases WHERE number = 1"), "tactus run fail --set gain=1");
  EXPECT_EQ(made.number_of("SELECT count(*) FROM verdicts WHERE margin = -0.5 AND unit = 'V'"), 1);
  EXPECT_EQ(made.number_of("SELECT value FROM measured WHERE number = 2 AND quantity = 'peak'"), 2);
  EXPECT_EQ(made.text_of("SELECT text FROM drawn WHERE number = 3"), "3 V");
  EXPECT_EQ(made.number_of("SELECT signal FROM attempts WHERE number = 3"), SIGSEGV);
  EXPECT_EQ(made.text_of("SELECT says FROM cases WHERE number = 3"), "signal 11 ended the run");
  EXPECT_TRUE(fs::exists(made.choices.folder / made.text_of("SELECT folder FROM cases WHERE number = 0") /
                         "run/verdict.json"));
}

TEST(CampaignRunner, ACaseThatWasStoppedFromOutsideHasNotPassed) {
  MadeCampaign made;
  const MadeCases cases({"stopped", "planned"});
  const RunSummary summary = made.run(cases);
  EXPECT_EQ(summary.progress.counts.inconclusive, 1);
  EXPECT_EQ(summary.progress.counts.pass, 1);
  EXPECT_EQ(made.text_of("SELECT verdict FROM cases WHERE number = 0"), "inconclusive");
  EXPECT_EQ(made.text_of("SELECT says FROM cases WHERE number = 0"),
            "it ended before its time: stopped by SIGTERM");
}

TEST(CampaignRunner, DoesNothingTwice) {
  MadeCampaign made;
  const MadeCases cases({"fail", "pass"}, 6);
  made.choices.stop_after = 4;
  EXPECT_EQ(made.run(cases).left, 2);
  made.choices.stop_after = 0;
  EXPECT_EQ(made.run(cases).left, 0);
  EXPECT_EQ(made.heard.all.size(), 2U);
  EXPECT_EQ(made.run(cases).progress.counts.all(), 6);
  EXPECT_TRUE(made.heard.all.empty());
  made.choices.retry_failed = true;
  (void)made.run(cases);
  ASSERT_EQ(made.heard.all.size(), 1U);
  EXPECT_EQ(made.heard.all[0].attempt, 2);
}

TEST(CampaignRunner, LooksAheadBeforeItsTimeBegins) {
  using Clock = std::chrono::steady_clock;
  MadeCampaign made;
  MadeCases cases({"pass"}, 4);
  int looked_at = 0;
  Clock::time_point looked;
  cases.excluded = [&](std::int64_t number) {
    if (++looked_at <= 4) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      looked = Clock::now();
    }
    return number > 0;
  };
  const RunSummary summary = made.run(cases);
  EXPECT_GE(looked_at, 5);
  EXPECT_LE(summary.progress.seconds, std::chrono::duration<double>(Clock::now() - looked).count());
}

TEST(CampaignRunner, RunsOnlyWhatIsAskedForAndNotWhatIsExcluded) {
  MadeCampaign made;
  MadeCases cases({"pass"}, 10);
  cases.excluded = [](std::int64_t number) { return number % 2 == 1; };
  made.choices.only = [](const Case& one) { return one.number >= 6; };
  (void)made.run(cases);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases"), 2);
  EXPECT_EQ(made.heard.most, 2) << "from the first word on";
  made.choices.only = nullptr;
  const RunSummary all = made.run(cases);
  EXPECT_EQ(all.progress.cases, 5);
  EXPECT_EQ(made.heard.most, 5);
  EXPECT_EQ(all.progress.counts.pass, 5);
}

/// Cases of which every third draw fails; a draw has two cases, and every fifth one is excluded.
TEST(CampaignRunner, EndsOnceThePassRateIsSureAsOneAtATimeWould) {
  struct Thirds final : CaseSource {
    std::int64_t count() const override { return 400; }
    Case at(std::int64_t number) const override {
      Case one = MadeCases({"pass"}, 400).at(number);
      if (number / 2 % 3 == 2 && number % 2 == 1) one.rig = "fail";
      if (number / 2 == 4) one.rig = "untested";
      one.excluded = number / 2 % 5 == 1 || number == 6;
      return one;
    }
  } const cases;
  SureEnd alone;
  for (const int jobs : {1, 2}) {
    MadeCampaign made;
    made.choices.jobs = jobs;
    made.choices.stop_after = jobs == 1 ? 0 : 9;  // and goes on
    SureDraws first(0.6, 0.2, "holds", 2), sure(0.6, 0.2, "holds", 2);
    made.choices.sure = &first;
    (void)made.run(cases);
    made.choices.stop_after = 0;
    made.choices.sure = &sure;
    (void)made.run(cases);
    ASSERT_TRUE(sure.enough());
    EXPECT_GT(sure.counted().of, 5);
    EXPECT_LE(made.number_of("SELECT max(number) FROM cases"), sure.counted().of * 3 + 8);
    if (jobs == 1) {
      alone = sure.counted();
      EXPECT_EQ(alone.left_out, 0);
      EXPECT_EQ(made.heard.count, 0U) << "it was sure by the first run";
    }
    EXPECT_EQ(sure.counted().of, alone.of);
    EXPECT_EQ(sure.counted().passed, alone.passed);
    EXPECT_LE(sure.counted().left_out, 2);
  }
}

TEST(CampaignStates, TakeRoomForCasesThatRunAlone) {
  CaseStates states(10'000);
  EXPECT_EQ(states.at(9'999), CaseState::open);
  std::size_t most = 0;
  for (std::int64_t number = 0; number < 10'000; ++number) {
    states.set(number, CaseState::running);
    if (number >= 3) states.set(number - 3, CaseState::done);
    most = std::max(most, states.mixed());
  }
  EXPECT_LE(most, 2U);
  EXPECT_EQ(states.at(9'996), CaseState::done);
  EXPECT_EQ(states.at(9'999), CaseState::running);
  for (std::int64_t number = 9'997; number < 10'000; ++number) states.set(number, CaseState::done);
  EXPECT_EQ(states.mixed(), 0U);
  states.set(5'000, CaseState::open);
  EXPECT_EQ(states.at(5'000), CaseState::open);
  EXPECT_EQ(states.at(5'001), CaseState::done);
  states.set(5'000, CaseState::done);
  EXPECT_EQ(states.mixed(), 0U);
}

TEST(CampaignRunner, EndsACaseThatHangs) {
  MadeCampaign made;
  made.work.timeout_s = 3;  // for the other much, on a busy machine too
  (void)made.run(MadeCases({"hang", "pass"}));
  EXPECT_EQ(made.text_of("SELECT verdict FROM cases WHERE number = 0"), "error");
  EXPECT_EQ(made.text_of("SELECT says FROM cases WHERE number = 0"), "it was ended at its time limit");
  EXPECT_EQ(made.number_of("SELECT timed_out FROM attempts WHERE number = 0"), 1);
  EXPECT_EQ(made.text_of("SELECT verdict FROM cases WHERE number = 1"), "pass");
}

/// Also one that has left its process group and its parent.
TEST(CampaignRunner, LeavesNoProcessThatACaseForked) {
  MadeCampaign made;
  const pid_t runner = made.start(MadeCases({"fork"}, 3));
  int status = 0;
  ASSERT_EQ(::waitpid(runner, &status, 0), runner);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(kill_marked(made.choices.folder.string() + "#"), 0);
}

TEST(CampaignRunner, RepeatsWhatTheMachineSpoiled) {
  MadeCampaign made;
  made.work.retries = 2;
  (void)made.run(MadeCases({"spoil", "own"}));
  EXPECT_EQ(made.text_of("SELECT verdict FROM cases WHERE number = 0"), "pass");
  EXPECT_EQ(made.text_of("SELECT spoiled FROM attempts WHERE number = 0 AND attempt = 1"),
            "preempted by burst");
  EXPECT_EQ(made.text_of("SELECT state FROM attempts WHERE number = 0 AND attempt = 1"), "spoiled");
  EXPECT_EQ(made.text_of("SELECT verdict FROM cases WHERE number = 1"), "inconclusive");
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE number = 1"), 1) << "the rig's own lateness";
}

TEST(CampaignRunner, RepeatsNoMoreOftenThanItsRetries) {
  MadeCampaign made;
  made.work.retries = 2;
  (void)made.run(MadeCases({"ruin"}));
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE number = 0"), 3);
  EXPECT_EQ(made.text_of("SELECT verdict FROM cases WHERE number = 0"), "inconclusive");
}

TEST(CampaignRunner, RefusesChangedFilesUnlessTheyAreAccepted) {
  MadeCampaign made;
  MadeCases cases({"pass"}, 4);
  made.choices.stop_after = 2;
  (void)made.run(cases);
  made.choices.stop_after = 0;
  made.work.sources[0].sha256 = "2";
  EXPECT_THAT(refusal(made, cases), HasSubstr("campaign made.campaign.yaml has changed"));
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases"), 2) << "nothing was run";
  made.choices.accept_changes = true;
  (void)made.run(cases);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases WHERE version = 1"), 2);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases WHERE version = 2"), 2);
  EXPECT_THAT(made.heard.said, HasSubstr("; 2 results of the files before count as they are"));

  cases.more = "0";  // other values: other cases
  made.work.sources[0].sha256 = "3";
  (void)made.run(cases);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases WHERE version = 3 AND attempt = 2"), 4);
}

TEST(CampaignRunner, NoticesAFileThatChangesWhileItRuns) {
  MadeCampaign made;
  made.choices.jobs = 1;
  const MadeCases cases({"pass", "other", "pass"});
  EXPECT_THAT(refusal(made, cases), HasSubstr("rig rig.yaml has changed while the campaign runs"));
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases WHERE state = 'done'"), 1);
}

TEST(CampaignRunner, RefusesASecondRunnerAndNamesTheFirst) {
  MadeCampaign made;
  fs::create_directories(made.choices.folder);
  const pid_t first = made.start(MadeCases({"hang"}));
  while (!fs::exists(made.choices.folder / "cases/0/0-1.running/output.txt")) std::this_thread::yield();
  const std::string said = refusal(made, MadeCases({"pass"}));
  ::kill(first, SIGKILL);
  (void)::waitpid(first, nullptr, 0);
  EXPECT_THAT(said, HasSubstr("is used by process " + std::to_string(first) + " (campaign made in "));
  EXPECT_EQ(refusal(made, MadeCases({"pass"})), "")
      << "the lock ends with its holder, and what it left is ended";
  EXPECT_EQ(made.text_of("SELECT state FROM attempts WHERE number = 0 AND attempt = 1"), "lost");
}

TEST(CampaignRunner, EndsInOrderWhenItIsAsked) {
  MadeCampaign made;
  made.heard.on_end = [](std::size_t ended) {
    if (ended == 1) ::raise(SIGTERM);
  };
  const RunSummary summary = made.run(MadeCases({"pass"}, 50));
  EXPECT_TRUE(summary.asked_to_end);
  EXPECT_LE(made.heard.all.size(), 4U) << "those that ran";
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE state <> 'done'"), 0);
  EXPECT_EQ(summary.left, 50 - static_cast<std::int64_t>(made.heard.all.size()));
}

TEST(CampaignRunner, EndsAtOnceWhenItIsAskedTwice) {
  MadeCampaign made;
  const MadeCases cases({"pass", "hang", "hang"});
  made.heard.on_end = [](std::size_t) {
    ::raise(SIGTERM);
    std::thread([] {
      for (;;) {  // until it ends: signals that come close to each other are one
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        ::kill(::getpid(), SIGTERM);
      }
    }).detach();
  };
  const pid_t runner = made.start(cases);
  int status = -1;
  ASSERT_EQ(::waitpid(runner, &status, 0), runner);
  EXPECT_TRUE(status == 0 || WTERMSIG(status) == SIGTERM)
      << status << ": by a signal that came when the run was over";
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases WHERE state = 'done'"), 1);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE state = 'running'"), 0);
}

/// Checks that no case is lost, none counts twice, and the database is whole.
void expect_whole(const MadeCampaign& made, std::int64_t cases) {
  EXPECT_EQ(made.text_of("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases WHERE state = 'done' AND verdict = 'pass'"), cases);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE state = 'done'"), cases);
  EXPECT_EQ(made.number_of("SELECT count(DISTINCT number) FROM attempts WHERE state = 'done'"), cases);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE state NOT IN ('done', 'lost')"), 0);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM verdicts"), cases);
  std::int64_t folders = 0;
  for (const auto& group : fs::directory_iterator(made.choices.folder / "cases"))
    for (const auto& each : fs::directory_iterator(group)) {
      ++folders;
      EXPECT_NE(each.path().extension(), ".running") << each.path();
    }
  EXPECT_EQ(folders, cases) << "a folder for each result, and none beside";
}

/// Kills a runner again and again, at any place, until it has done all.
void kill_and_resume(MadeCampaign& made, std::int64_t cases, int kills, unsigned seed) {
  std::mt19937 random(seed);
  const MadeCases all({"pass"}, cases);
  for (int i = 0; i < kills; ++i) {
    const pid_t runner = made.start(all);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    ::kill(runner, SIGKILL);
    (void)::waitpid(runner, nullptr, 0);
  }
  int status = -1;
  const pid_t last = made.start(all);
  ASSERT_EQ(::waitpid(last, &status, 0), last);
  ASSERT_EQ(status, 0);
  expect_whole(made, cases);
}

TEST(CampaignRunner, LosesNothingWhenItIsKilled) {
  MadeCampaign made;
  kill_and_resume(made, 60, 10, 2026);
}

TEST(CampaignRunnerNightly, LosesNothingWhenItIsKilledTwoHundredTimes) {
  MadeCampaign made;
  kill_and_resume(made, 3000, 200, std::random_device{}());
}

/// Several are always about to end, so the runner never waits.
TEST(CampaignRunnerNightly, RunsTenThousandShortCases) {
  MadeCampaign made;
  made.choices.jobs = 8;
  made.heard.keeps = false;
  (void)made.run(MadeCases({"pass"}, 10'000));
  EXPECT_EQ(made.heard.count, 10'000U);
  expect_whole(made, 10'000);
}

TEST(CampaignRunner, TakesInWhatTheDatabaseLost) {
  MadeCampaign made;
  const MadeCases cases({"pass"}, 5);
  (void)made.run(cases);
  fs::remove(made.choices.folder / Store::kFile);
  EXPECT_EQ(made.run(cases).progress.counts.pass, 5);
  EXPECT_EQ(made.heard.last.ended, 0) << "no case ran again";
  expect_whole(made, 5);
}

TEST(CampaignRunner, SaysThatTheDiskIsFullAndGoesOnLater) {
  MadeCampaign made;
  const MadeCases cases({"pass"}, 120);
  std::string said;
  {
    const test::FullDisk full(150'000);
    said = refusal(made, cases);
  }
  EXPECT_THAT(said, HasSubstr("campaign.sqlite"));
  EXPECT_EQ(made.run(cases).progress.counts.pass, 120);
  expect_whole(made, 120);
}

/// Root may write into every folder, so a process of another user tries.
TEST(CampaignRunner, SaysThatItsFolderCannotBeWritten) {
  MadeCampaign made;
  fs::create_directories(made.choices.folder);
  fs::permissions(made.dir.path(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(made.choices.folder, fs::perms::owner_read | fs::perms::owner_exec |
                                           fs::perms::others_read | fs::perms::others_exec);
  const pid_t process = ::fork();
  if (process == 0) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(77);
    ::_exit(refusal(made, MadeCases({"pass"})).find("write access") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  fs::permissions(made.choices.folder, fs::perms::owner_all);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "root has no other user here";
  EXPECT_EQ(status, 0);
}

TEST(CampaignRunner, NeverRunsTwoCasesOnOneBench) {
  MadeCampaign made;
  made.work.realtime = true;
  made.choices.bench = "test-" + std::to_string(::getpid());
  const HolderLock other(HolderLock::of_bench(made.choices.bench), "another");
  ASSERT_TRUE(other.taken());
  EXPECT_THAT(refusal(made, MadeCases({"pass"})),
              HasSubstr("is used by process " + std::to_string(::getpid()) + " (another)"));
  fs::remove(HolderLock::of_bench(made.choices.bench));
}

pid_t start_sleep() {
  const pid_t process = ::fork();
  if (process != 0) return process;
  (void)::execlp("sleep", "sleep", "1000", nullptr);
  ::_exit(1);
}

TEST(SideBySide, EndsWhatRunsWhenOneCannotBeStarted) {
  pid_t first = 0;
  const auto start = [&](std::size_t place) {
    if (place == 1) throw std::system_error(EAGAIN, std::generic_category(), "cannot start a case");
    return first = start_sleep();
  };
  EXPECT_THROW((void)run_side_by_side(3, 2, start), std::system_error);
  EXPECT_EQ(::kill(first, 0), -1) << "it has ended, and was waited for";
}

TEST(SideBySide, EndsWhatHearsNoSignal) {
  pid_t first = 0;
  const auto start = [&](std::size_t place) {
    if (place == 1) throw std::system_error(EAGAIN, std::generic_category(), "cannot start a case");
    (void)::signal(SIGTERM, SIG_IGN);  // its child is born with that
    first = start_sleep();
    (void)::signal(SIGTERM, SIG_DFL);
    return first;
  };
  EXPECT_THROW((void)run_side_by_side(3, 2, start, 0.05), std::system_error);
  EXPECT_EQ(::kill(first, 0), -1);
}

TEST(SideBySide, ReturnsTheStatusOfEach) {
  const auto start = [](std::size_t place) {
    const pid_t process = ::fork();
    if (process != 0) return process;
    if (place == 3) (void)::raise(SIGKILL);
    ::_exit(static_cast<int>(place));
  };
  EXPECT_EQ(run_side_by_side(4, 2, start), (std::vector<int>{0, 1, 2, 128 + SIGKILL}));
  EXPECT_TRUE(run_side_by_side(0, 2, start).empty());
}

TEST(CampaignOrder, IsEachNumberOnceAndTheSameForASeed) {
  for (const std::int64_t count : {1, 2, 3, 100, 1000}) {
    const Order order(count, 7), same(count, 7), other(count, 8);
    std::set<std::int64_t> seen;
    bool differs = false;
    for (std::int64_t n = 0; n < count; ++n) {
      seen.insert(order.at(n));
      EXPECT_EQ(order.at(n), same.at(n));
      differs = differs || order.at(n) != other.at(n);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), count - 1);
    if (count >= 100) EXPECT_TRUE(differs);
  }
}

}  // namespace
}  // namespace tactus::campaign::runner_test
