// SPDX-License-Identifier: Apache-2.0
// What a runner does between two cases, what it gives back, and what becomes of the cases of one that was killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "config/json.hpp"
#include "executive/campaign/page/figures.hpp"
#include "executive/campaign/page/results.hpp"
#include "executive/campaign/run/begin.hpp"
#include "executive/campaign/run/case_process.hpp"
#include "executive/campaign/run/ended_children.hpp"
#include "executive/campaign/run/holder_lock.hpp"
#include "tests/executive/campaign/made_campaign.hpp"

namespace tactus::campaign::runner_ends_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// The cases whose process was started and has not been taken in.
std::int64_t started(const MadeCampaign& made) {
  std::int64_t count = 0;
  for (const auto& each : fs::directory_iterator(made.choices.folder / "cases/0"))
    count += each.path().extension() == ".running" && fs::exists(each.path() / "output.txt") ? 1 : 0;
  return count;
}

TEST(RunnerBetweenCases, StartsTheNextBeforeItWritesDownTheLast) {
  MadeCampaign made;
  made.choices.jobs = 1;
  std::vector<std::int64_t> beside;
  made.heard.on_end = [&](std::size_t) { beside.push_back(started(made)); };
  (void)made.run(MadeCases({"pass"}, 4));
  EXPECT_EQ(beside, (std::vector<std::int64_t>{1, 1, 1, 0})) << "one at a time, and none to wait for";
}

/// The script may not be run any more once the first case has ended; the second runs by then.
TEST(RunnerBetweenCases, TakesInWhatHasEndedWhereItsSuccessorCannotStart) {
  MadeCampaign made;
  made.choices.jobs = 1;
  made.heard.on_end = [&](std::size_t) { (void)::chmod((made.dir / "tactus").c_str(), 0644); };
  const MadeCases cases({"pass"}, 4);
  try {
    (void)made.run(cases);
    FAIL() << "the third cannot be started";
  } catch (const CampaignError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot start "));
  }
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases WHERE state = 'done'"), 2);
  (void)::chmod((made.dir / "tactus").c_str(), 0755);
  made.heard.on_end = nullptr;
  EXPECT_EQ(made.run(cases).progress.counts.pass, 4);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE state = 'done'"), 4);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE number < 2"), 2) << "neither ran twice";
}

/// The next case is claimed, and has started, before it is seen that the file has changed.
TEST(RunnerBetweenCases, MarksEachCaseWithTheVersionOfItsFiles) {
  for (const int jobs : {1, 2}) {
    MadeCampaign made;
    made.choices.jobs = jobs;
    made.choices.accept_changes = true;
    (void)made.run(MadeCases({"pass", "pass", "pass", "other", "other", "pass", "other"}));
    for (std::int64_t number = 0; number < 7; ++number)
      for (const std::string table : {"cases", "attempts"})
        EXPECT_EQ(made.text_of("SELECT s.sha256 FROM " + table +
                               " c JOIN sources s USING (version) WHERE s.kind = 'rig' AND c.number = " +
                               std::to_string(number)),
                  number == 3 || number == 4 || number == 6 ? "b" : "a")
            << table << " " << number;
    EXPECT_EQ(made.number_of("SELECT count(*) FROM versions"), 2);
  }
}

TEST(RunnerBetweenCases, WritesDownTheLastFirstInRealTime) {
  MadeCampaign made;
  made.work.realtime = true;
  made.choices.bench = "test-" + std::to_string(::getpid());
  std::int64_t beside = 0;
  made.heard.on_end = [&](std::size_t) { beside += started(made); };
  (void)made.run(MadeCases({"pass"}, 4));
  EXPECT_EQ(beside, 0) << "the next case has the machine for itself";
  fs::remove(HolderLock::of_bench(made.choices.bench));
}

TEST(RunnerBetweenCases, GivesBackWhatItHasNotStarted) {
  MadeCampaign made;
  made.choices.jobs = 1;
  const MadeCases cases({"fail"}, 9);
  const auto end_at = [&](std::size_t which) {
    made.heard.on_end = [which](std::size_t ended) {
      if (ended == which) (void)::raise(SIGTERM);
    };
  };
  end_at(3);
  const RunSummary summary = made.run(cases);
  EXPECT_GT(summary.left, 3);
  const std::int64_t done = 9 - summary.left;
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases"), done);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts"), done);
  EXPECT_EQ(made.number_of("SELECT count(DISTINCT number) FROM drawn"), done);
  made.heard.on_end = nullptr;
  (void)made.run(cases);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts"), 9) << "none is lost";

  made.choices.retry_failed = true;
  end_at(2);
  (void)made.run(cases);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases"), 9);
  for (std::int64_t number = 0; number < 9; ++number) {
    const std::string row = "FROM cases WHERE number = " + std::to_string(number);
    EXPECT_TRUE(fs::exists(made.choices.folder / made.text_of("SELECT folder " + row) / "end.json"))
        << number << ": " << made.text_of("SELECT folder " + row);
    EXPECT_EQ(made.number_of("SELECT attempt " + row),
              made.number_of("SELECT max(attempt) FROM attempts WHERE number = " + std::to_string(number)));
  }
}

TEST(RunnerBetweenCases, DoesNotCountAsLostWhatAKilledOneHasNotStarted) {
  MadeCampaign made;
  made.choices.jobs = 1;
  const MadeCases cases({"pass", "hang", "pass"}, 5);
  const pid_t runner = made.start(cases);
  const fs::path next = made.choices.folder / "cases/0/2-1.running/command.txt";
  while (!fs::exists(next) || started(made) != 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  while (made.number_of("SELECT count(*) FROM cases WHERE number = 0") != 1)  // committed with the claims
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  (void)::kill(runner, SIGKILL);
  ASSERT_EQ(::waitpid(runner, nullptr, 0), runner);
  made.work.timeout_s = 3;  // for the others much, on a busy machine too
  (void)made.run(cases);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases WHERE verdict = 'pass'"), 4);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE state = 'lost'"), 1);
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE state = 'lost' AND number = 1"), 1)
      << "it hung";
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE number = 2"), 1);
}

/// No case of the second campaign lives long enough to be judged.
TEST(ComparedCampaigns, SayThatCasesCrashWhichPassedBefore) {
  MadeCampaign before, after;
  (void)before.run(MadeCases({"pass"}, 3));
  after.dir.write("tactus", "#!/bin/sh\nkill -SEGV $$\n");
  (void)after.run(MadeCases({"pass"}, 3));
  const config::Json worse = comparison(before.choices.folder, after.choices.folder);
  EXPECT_EQ(worse["worse"], 3);
  EXPECT_EQ(worse["only_before"], 0);
  EXPECT_EQ(worse["changes"][0]["kind"], "now fails");
  EXPECT_EQ(worse["changes"][0]["expectation"], "holds");
  EXPECT_EQ(worse["changes"][0]["after"], "error");
  EXPECT_EQ(comparison(after.choices.folder, before.choices.folder)["better"], 3);
  const config::Json same = comparison(after.choices.folder, after.choices.folder);
  EXPECT_EQ(same["same"], 3) << "a case without any expectation is compared by its own verdict";
  EXPECT_EQ(same["worse"], 0);
  EXPECT_THAT(comparison_text(worse), HasSubstr("worse verdicts: 3, "));
}

struct Left {
  explicit Left(const std::string& script) {
    dir.write("case", "#!/bin/sh\n" + script);
    (void)::chmod((dir / "case").c_str(), 0755);
    sigset_t none;
    (void)::sigemptyset(&none);
    process =
        start_process({dir / "case", {"case"}, dir.path() / "output", dir.path().string() + "#1-1", none});
    while (!fs::exists(dir.path() / "ready")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  int end() const {
    int status = 0;
    EXPECT_EQ(::waitpid(process, &status, 0), process);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  const test::TempDir dir;
  pid_t process;
};

TEST(RunnerSignals, ThatTimeoutSendsTwiceAreOne) {
  const pid_t runner = ::fork();  // without other threads, which would take the signal
  if (runner == 0) {
    for (int i = 0; i < 50; ++i) {  // a machine that stands still in between makes them two
      RunnerSignals signals;
      for (int sent = 0; sent < 2; ++sent) {
        (void)::kill(::getpid(), SIGTERM);
        signals.wait(std::chrono::seconds(10));
      }
      if (signals.asked() == 1) ::_exit(0);
    }
    ::_exit(1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(runner, &status, 0), runner);
  EXPECT_EQ(status, 0);
}

/// Each has had its SIGTERM, from the kernel or from its runner: a second one aborts a rig.
TEST(CasesThatAreLeft, EndInOrderWithinThePatience) {
  const Left left(
      "cd \"${0%/*}\"\n"
      "trap 'trap \"touch aborted\" TERM; touch heard; sleep 2 & until ! kill -0 $!; do wait; done; touch "
      "safe; exit 7' "
      "TERM\n"
      "touch ready; while :; do sleep 0.01; done\n");
  ASSERT_EQ(::kill(left.process, SIGTERM), 0);
  std::thread reaper([&] { EXPECT_EQ(left.end(), 7); });
  while (!fs::exists(left.dir.path() / "heard")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(kill_marked(left.dir.path().string() + "#", 6), 1);
  reaper.join();
  EXPECT_TRUE(fs::exists(left.dir.path() / "safe"));
  EXPECT_FALSE(fs::exists(left.dir.path() / "aborted"));
}

TEST(CasesThatAreLeft, AreKilledAfterThePatience) {
  for (const double patience_s : {0.0, 0.1}) {
    const Left left("cd \"${0%/*}\"; trap '' TERM; touch ready; while :; do sleep 0.01; done\n");
    std::thread reaper([&] { EXPECT_EQ(left.end(), 128 + SIGKILL); });
    EXPECT_GE(kill_marked(left.dir.path().string() + "#", patience_s), 1);
    reaper.join();
  }
}

/// As on NFS: all results are there, and a killed runner loses none of them.
TEST(ResultsOnANetwork, AreWrittenByARollbackJournalAndThatIsSaid) {
  MadeCampaign made;
  made.choices.file_system = [](const fs::path&) { return rtsync::file_system_of_type(0x6969); };
  const MadeCases cases({"pass"}, 30);
  for (int i = 0; i < 4; ++i) {
    const pid_t runner = made.start(cases);
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 25 * i));
    (void)::kill(runner, SIGKILL);
    (void)::waitpid(runner, nullptr, 0);
  }
  EXPECT_EQ(made.run(cases).progress.counts.pass, 30);
  EXPECT_THAT(made.heard.said, HasSubstr(made.choices.folder.string() + " is on NFS: "));
  EXPECT_THAT(made.heard.said, HasSubstr("--out"));
  EXPECT_EQ(made.text_of("PRAGMA journal_mode"), "delete") << "no log: a reader's own default";
  EXPECT_EQ(made.text_of("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE state = 'done'"), 30);
  EXPECT_FALSE(fs::exists(made.choices.folder / (std::string(Store::kFile) + "-shm")));
}

TEST(ResultsOnANetwork, OfADiskThatWasCopiedThereLoseTheirLog) {
  MadeCampaign made;
  (void)made.run(MadeCases({"pass"}, 2));
  EXPECT_EQ(made.text_of("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(made.heard.said, "") << "a disk needs no word";
  made.choices.file_system = [](const fs::path&) { return rtsync::file_system_of_type(0xFF534D42); };
  (void)made.run(MadeCases({"pass"}, 4));
  EXPECT_THAT(made.heard.said, HasSubstr("is on SMB (CIFS)"));
  EXPECT_EQ(made.text_of("PRAGMA journal_mode"), "delete");
  EXPECT_EQ(made.number_of("SELECT count(*) FROM cases"), 4);
}

/// As a table in a pager, whose reader waits for a key.
TEST(ResultsOnANetwork, AreWrittenBesideAReaderThatHoldsThem) {
  MadeCampaign made;
  made.choices.file_system = [](const fs::path&) { return rtsync::file_system_of_type(0x6969); };
  (void)made.run(MadeCases({"pass"}, 2));
  auto store = std::make_unique<Store>(made.choices.folder / Store::kFile, Database::Journal::rollback);
  store->database().run("PRAGMA busy_timeout=50");
  Results reader(made.choices.folder);
  ResultRow row;
  ASSERT_TRUE(reader.next(row));
  ASSERT_NO_THROW(store->claim(MadeCases({"pass"}, 3).at(2), "a line", 1, 1, "a folder"));
  ASSERT_NO_THROW(store->unclaim(2, 1));
  store.reset();
  EXPECT_EQ(made.run(MadeCases({"pass"}, 5)).progress.counts.pass, 5);
  EXPECT_TRUE(reader.next(row));
  EXPECT_FALSE(reader.next(row)) << "all as of the moment in which it was opened";
  EXPECT_EQ(reader.columns().size(), 3U);
}

TEST(ResultsOnANetwork, SayThatAnotherProgramHoldsThem) {
  MadeCampaign made;
  made.choices.file_system = [](const fs::path&) { return rtsync::file_system_of_type(0x6969); };
  (void)made.run(MadeCases({"pass"}, 2));
  Store store(made.choices.folder / Store::kFile, Database::Journal::rollback);
  store.database().run("PRAGMA busy_timeout=50");
  Database reader(made.choices.folder / Store::kFile, Database::Use::read);
  Statement rows(reader.get(), "SELECT number FROM cases");
  ASSERT_TRUE(rows.next());
  try {
    store.unclaim(1, 1);
    FAIL() << "the reader is in it";
  } catch (const DatabaseError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another program has locked it"));
  }
}

/// Lets another user read, who may not write into the folder.
void expect_second_look(MadeCampaign& made, Store& store) {
  for (const fs::path& each : {made.dir.path(), made.choices.folder})
    fs::permissions(each, fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  int go[2], done[2];
  ASSERT_EQ(::pipe(go), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t process = ::fork();
  if (process == 0) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(77);
    try {
      Database reader(made.choices.folder / Store::kFile, Database::Use::read);
      const auto count = [&] {
        Statement rows(reader.get(), "SELECT count(*) FROM cases");
        return rows.next() ? rows.integer(0) : -1;
      };
      char word = 0;
      const std::int64_t before = count();
      (void)!::write(done[1], "r", 1);
      (void)!::read(go[0], &word, 1);
      ::_exit(before == 2 && count() == 3 ? 0 : 1);
    } catch (const std::exception& error) {
      (void)std::fprintf(stderr, "%s\n", error.what());
      ::_exit(2);
    }
  }
  (void)::close(done[1]);
  char word = 0;
  if (::read(done[0], &word, 1) == 1) store.claim(MadeCases({"pass"}, 3).at(2), "a line", 1, 1, "a folder");
  (void)!::write(go[1], "g", 1);
  int status = -1;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  for (const int each : {go[0], go[1], done[0]}) (void)::close(each);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no other user here";
  EXPECT_EQ(status, 0) << "it sees what is written after its first look";
}

TEST(ResultsOfAnotherUser, AreNotTakenForStillBesideAJournal) {
  MadeCampaign made;
  made.choices.file_system = [](const fs::path&) { return rtsync::file_system_of_type(0x6969); };
  (void)made.run(MadeCases({"pass"}, 2));
  Store store(made.choices.folder / Store::kFile, Database::Journal::rollback);
  ASSERT_TRUE(fs::exists(made.choices.folder / (std::string(Store::kFile) + "-journal")));
  expect_second_look(made, store);
}

TEST(ResultsOfAnotherUser, AreNotTakenForStillWhileARunnerHasTheFolder) {
  MadeCampaign made;
  made.choices.file_system = [](const fs::path&) { return rtsync::file_system_of_type(0x6969); };
  (void)made.run(MadeCases({"pass"}, 2));
  Store store(made.choices.folder / Store::kFile, Database::Journal::rollback);
  fs::remove(made.choices.folder / (std::string(Store::kFile) + "-journal"));
  const HolderLock lock = lock_folder(made.work, made.choices);
  expect_second_look(made, store);
}

TEST(ResultsOnANetwork, NameTheMachineThatWritesThem) {
  MadeCampaign made;
  fs::create_directories(made.choices.folder);
  made.choices.file_system = [](const fs::path&) { return rtsync::file_system_of_type(0x6969); };
  const HolderLock first = lock_folder(made.work, made.choices);
  const HolderLock second(made.choices.folder / "campaign.lock", "another");
  EXPECT_FALSE(second.taken());
  const std::string machine = machine_text();
  EXPECT_THAT(second.holder(), HasSubstr(", on " + machine.substr(0, machine.find(',')) + ")"));
}

TEST(ResultsOnANetwork, AreRefusedWhereThereAreNoLocks) {
  const test::TempDir dir;
  try {
    const HolderLock lock(dir.path() / "campaign.lock", "this", [](int, int) {
      errno = ENOLCK;
      return -1;
    });
    FAIL() << "nobody knows who has it";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOLCK);
    EXPECT_THAT(error.what(), HasSubstr("campaign.lock"));
  }
}

/// NFS locks by a range of bytes, for which the file has to be open for writing.
TEST(ResultsOnANetwork, AreRefusedWhereAFileCannotBeLocked) {
  const test::TempDir dir;
  dir.write("campaign.lock", "process " + std::to_string(::getpid()) + " (another)\n");
  try {
    const HolderLock lock(dir.path() / "campaign.lock", "this", [](int, int) {
      errno = EBADF;
      return -1;
    });
    FAIL() << "it is not said to be used by " << lock.holder();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), EBADF);
    EXPECT_THAT(error.what(), HasSubstr("campaign.lock cannot be locked: "));
  }
}

TEST(HolderLocks, AreTakenAfterASignal) {
  const test::TempDir dir;
  static int calls;
  calls = 0;
  const HolderLock lock(dir.path() / "campaign.lock", "this", [](int, int) {
    errno = EINTR;
    return ++calls < 3 ? -1 : 0;
  });
  EXPECT_TRUE(lock.taken());
}

}  // namespace
}  // namespace tactus::campaign::runner_ends_test
