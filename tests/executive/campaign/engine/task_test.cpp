// SPDX-License-Identifier: Apache-2.0
// The task of an array, with cases that are shell scripts.
#include "executive/campaign/engine/task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "executive/campaign/engine/engine.hpp"
#include "executive/campaign/engine/task_files.hpp"
#include "executive/campaign/run/attempt_folder.hpp"
#include "tests/executive/campaign/made_campaign.hpp"

namespace tactus::campaign::task_test {
namespace {

namespace fs = std::filesystem;

struct MadeTask : MadeCampaign {
  explicit MadeTask(const std::vector<std::string>& rigs) {
    array = array_folder(choices.folder, 1);
    fs::create_directories(array);
    TaskWork work_of_it{0.5, 0.05, false, {}};
    for (std::size_t i = 0; i < rigs.size(); ++i)
      work_of_it.cases.push_back({static_cast<std::int64_t>(i),
                                  1,
                                  "tactus run " + rigs[i],
                                  {"run", rigs[i], "--set", "gain=" + std::to_string(i)}});
    write_task(array, 4, work_of_it);
  }
  /// Runs an instance as a process of its own, and returns its status.
  int run_instance(const std::string& instance, const std::function<void(pid_t)>& meanwhile = {},
                   std::chrono::milliseconds same_signal = std::chrono::milliseconds(200)) {
    const pid_t process = ::fork();
    if (process == 0)
      ::_exit(run_task({choices.folder, 1, 4, instance, "node7", choices.program, same_signal}));
    if (meanwhile) meanwhile(process);
    int status = 0;
    (void)::waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  bool has(const std::string& name) const { return fs::exists(choices.folder / "cases/0" / name); }
  std::size_t ends() {
    std::size_t number = 0;
    for (const CaseReport& each : reports.read(array)) number += each.end ? 1U : 0U;
    return number;
  }
  fs::path array;
  TaskReports reports;
};

TEST(CampaignTask, RunsItsCasesAndReportsEach) {
  MadeTask made({"pass", "fail", "crash", "hang"});
  EXPECT_EQ(made.run_instance("1-0"), 0);
  const std::vector<CaseReport> all = made.reports.read(made.array);
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all[0].task, 4);
  EXPECT_EQ(all[0].node, "node7");
  EXPECT_FALSE(all[0].end);
  ASSERT_TRUE(all[3].end);
  EXPECT_EQ(all[3].place, 1U);
  EXPECT_EQ(all[3].end->status, 4);
  EXPECT_EQ(all[5].end->signal, SIGSEGV);
  EXPECT_TRUE(all[7].end->timed_out);
  EXPECT_TRUE(made.reports.read(made.array).empty()) << "each line once";
  EXPECT_TRUE(fs::exists(made.choices.folder / "cases/0/1-1/run/verdict.json"));
}

TEST(CampaignTask, AnInstanceThatIsStartedAgainRunsNothingTwice) {
  MadeTask made({"pass", "hang", "pass"});
  EXPECT_EQ(made.run_instance("1-0",
                              [&](pid_t process) {
                                while (!made.has("1-1.1-0.running"))
                                  std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                (void)::kill(process, SIGKILL);
                              }),
            128 + SIGKILL);
  const auto before = fs::last_write_time(made.choices.folder / "cases/0/0-1");
  EXPECT_EQ(made.run_instance("1-1"), 0);
  EXPECT_EQ(fs::last_write_time(made.choices.folder / "cases/0/0-1"), before);
  EXPECT_TRUE(made.has("1-1") && made.has("2-1"));
  EXPECT_EQ(made.ends(), 4U) << "case 0 is reported again, since its report may be lost";
}

TEST(CampaignTask, ACaseThatItsEngineEndsHasNoResult) {
  MadeTask made({"pass", "hang"});
  EXPECT_EQ(made.run_instance("1-0",
                              [&](pid_t process) {
                                while (!made.has("1-1.1-0.running"))
                                  std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                (void)::kill(process, SIGTERM);
                              }),
            0);
  EXPECT_EQ(made.ends(), 1U);
  EXPECT_FALSE(made.has("1-1") || made.has("1-1.1-0.running"));
}

TEST(CampaignTask, ACaseThatItsEngineEndedBeforeItHasNoResult) {
  MadeTask made({"killed"});
  EXPECT_EQ(made.run_instance(
                "1-0",
                [&](pid_t process) {
                  const fs::path file = made.choices.folder / "cases/0/0-1.1-0.running/leader";
                  pid_t leader = 0;
                  while (!(std::ifstream(file) >> leader)) std::this_thread::yield();
                  while (::kill(leader, 0) == 0) std::this_thread::yield();
                  // Meanwhile the task hears of the end of an orphan, too.
                  std::this_thread::sleep_for(std::chrono::milliseconds(20));
                  (void)::kill(process, SIGTERM);
                },
                std::chrono::minutes(10)),
            0);
  EXPECT_EQ(made.ends(), 0U);
}

TEST(CampaignTask, EndsAfterItsCaseWhenItIsAsked) {
  MadeTask made({"hang", "pass"});
  EXPECT_EQ(made.run_instance("1-0",
                              [&](pid_t process) {
                                while (!made.has("0-1.1-0.running"))
                                  std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                (void)::kill(process, SIGUSR1);
                              }),
            0);
  EXPECT_EQ(made.ends(), 1U);
  EXPECT_FALSE(made.has("1-1"));
}

TEST(CampaignTask, OfTwoThatRunACaseTheFirstThatEndsHasIt) {
  MadeTask made({});
  const AttemptFolder first(made.choices.folder, 3, 1, "1-0"), second(made.choices.folder, 3, 1, "1-1");
  first.make("a");
  second.make("b");
  ProcessEnd end;
  end.begun = "second";
  EXPECT_TRUE(second.finish(end));
  EXPECT_FALSE(first.finish(ProcessEnd{}));
  EXPECT_EQ(first.end().begun, "second");
  EXPECT_FALSE(made.has("3-1.1-0.running"));
}

TEST(CampaignTask, SaysThatItCannotWrite) {
  MadeTask made({"pass"});
  fs::remove_all(made.choices.folder / "cases");
  made.dir.write("c/cases", "a file where its folder should be");
  EXPECT_EQ(made.run_instance("1-0"), kTaskNoWrite);
}

TEST(TaskReports, ATornLineIsNoneAndComesLater) {
  MadeTask made({});
  made.dir.write("c/engine/1/4.1-0.cases", "\n{\"begins\":0,\"node\":\"n\"}\n\n{\"ends\":0,\"no");
  EXPECT_EQ(made.reports.read(made.array).size(), 1U);
  made.dir.write("c/engine/1/4.1-0.cases",
                 "\n{\"begins\":0,\"node\":\"n\"}\n\n{\"ends\":0,\"node\":\"n\",\"end\":{\"status\":5}}\n\n{"
                 "\"ends\":1,\"e\n"
                 "\n{\"ends\":2,\"end\":{}}\n");
  const auto all = made.reports.read(made.array);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].end->status, 5);
}

}  // namespace
}  // namespace tactus::campaign::task_test
