// SPDX-License-Identifier: Apache-2.0
// What is written for Slurm, and what it answered: recorded from Slurm 22.05.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "executive/campaign/engine/array_plan.hpp"
#include "executive/campaign/engine/sbatch_script.hpp"
#include "executive/campaign/engine/slurm_engine.hpp"
#include "executive/campaign/engine/slurm_text.hpp"
#include "executive/campaign/engine/task_loss.hpp"
#include "executive/campaign/run/runner.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::campaign::slurm_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* kDone =
    "JobId=6 UserId=root(0) GroupId=root(0) Name=tactus-x-1 JobState=FAILED Partition=all "
    "TimeLimit=UNLIMITED "
    "StartTime=2026-11-28T08:25:58 EndTime=2026-11-28T08:26:01 NodeList=vm NodeCnt=1 ProcCnt=1 "
    "WorkDir=/tmp/w "
    "ReservationName= Tres=cpu=1,mem=1M,node=1,billing=1 Account= QOS= WcKey= Cluster=unknown "
    "SubmitTime=2026-11-28T08:25:52 EligibleTime=2026-11-28T08:25:52 ArrayJobId=1 ArrayTaskId=1 "
    "DerivedExitCode=0:0 ExitCode=1:0 \n";
constexpr const char* kConfig =
    "Configuration data as of 2026-11-28T08:25:52\nAccountingStorageBackupHost = (null)\n"
    "GresTypes               = bench\nJobCompLoc              = /none/jobcomp.txt\n"
    "JobCompType             = jobcomp/filetxt\nMaxArraySize            = 1001\nMaxJobCount             = "
    "10000\n"
    "\nSlurmctld(primary) at vm is UP\n";
constexpr const char* kPartitions =
    "PartitionName=all AllowGroups=ALL Default=YES QoS=N/A MaxNodes=UNLIMITED MaxTime=UNLIMITED State=UP "
    "TotalCPUs=8\n"
    "PartitionName=short AllowGroups=ALL Default=NO MaxTime=02:00:00 State=UP TotalCPUs=8\n"
    "PartitionName=old AllowGroups=ALL Default=NO MaxTime=02:00:00 State=DOWN TotalCPUs=8\n";

TEST(SlurmText, ListsOfTasksAreRead) {
  EXPECT_THAT(slurm::tasks_of("1-7%2"), ElementsAre(Pair(1, 7)));
  EXPECT_THAT(slurm::tasks_of("0"), ElementsAre(Pair(0, 0)));
  EXPECT_THAT(slurm::tasks_of("1-3,7,10-14:2%4"),
              ElementsAre(Pair(1, 3), Pair(7, 7), Pair(10, 10), Pair(12, 12), Pair(14, 14)));
  for (const char* const none : {"N/A", "", "3-1", "1-...", "1-5:0"})
    EXPECT_TRUE(slurm::tasks_of(none).empty()) << none;
}

TEST(SlurmText, TimesAreReadAndWritten) {
  EXPECT_EQ(slurm::seconds_of("UNLIMITED"), 0);
  EXPECT_EQ(slurm::seconds_of("02:00:00"), 7200);
  EXPECT_EQ(slurm::seconds_of("1-02:03:04"), 93784);
  EXPECT_EQ(slurm::seconds_of("5"), 300);
  EXPECT_EQ(slurm::seconds_of("5:30"), 330);
  EXPECT_EQ(slurm::seconds_of("2-5"), 190800);
  EXPECT_EQ(slurm::seconds_of("2-5:30"), 192600);
  EXPECT_EQ(slurm::time_text(1), "0-00:01:00");
  EXPECT_EQ(slurm::time_text(93784), "1-02:04:00");
}

TEST(SlurmText, TheQueueIsRead) {
  const auto all = slurm::queue_of(
      "1|1-7%2|PENDING|Resources||tactus-x\n4|N/"
      "A|PENDING|PartitionConfig||a.sh\n1|0|RUNNING|None|vm|tactus-x\n");
  ASSERT_EQ(all.size(), 2U) << "a job that is no array is none of ours";
  EXPECT_EQ(all[0].first, 1);
  EXPECT_EQ(all[0].last, 7);
  EXPECT_FALSE(all[0].running);
  EXPECT_TRUE(all[1].running);
  EXPECT_EQ(all[1].node, "vm");
}

TEST(SlurmText, TheFileOfCompletedJobsIsRead) {
  const auto end = slurm::end_of_task(kDone);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->job, "1") << "not 6: the last task to start has the number of the array itself";
  EXPECT_EQ(end->task, 1);
  EXPECT_EQ(end->state, "FAILED");
  EXPECT_EQ(end->status, 1);
  EXPECT_EQ(end->signal, 0);
  EXPECT_EQ(end->node, "vm");
  EXPECT_FALSE(slurm::end_of_task("JobId=2 Name=a.sh JobState=FAILED NodeList=(null) ExitCode=0:1 "));
  EXPECT_FALSE(slurm::end_of_task(""));
  EXPECT_EQ(
      slurm::end_of_task("JobState=FAILED ArrayJobId=1 ArrayTaskId=2 NodeList=(null) ExitCode=0:11 ")->signal,
      11);
}

TEST(SlurmText, IdsAndResourcesAreRead) {
  EXPECT_EQ(slurm::job_of("12\n"), "12");
  EXPECT_EQ(slurm::job_of("sbatch: warning: something\n12;tactus\n"), "12");
  EXPECT_EQ(slurm::job_of("sbatch: error: no\n"), "");
  EXPECT_EQ(slurm::gres_of("bench:1", "bench"), 1);
  EXPECT_EQ(slurm::gres_of("gpu:a100:4(S:0-1),bench:2(S:0)", "bench"), 2);
  EXPECT_EQ(slurm::gres_of("(null)", "bench"), 0);
}

ArrayJob array_of(std::int64_t tasks) {
  return {3, "tactus-abc-3", "/shared/a b/engine/3", tasks, {2, 512, 3600, true}};
}

TEST(SbatchScript, HasAllThatTheFileSays) {
  SlurmSettings settings;
  settings.partition.value = "short";
  settings.account.value = "hil";
  settings.qos.value = "low";
  settings.at_most = 20;
  settings.options = {{"--constraint=fast", {}, {}}};
  EXPECT_THAT(
      slurm::sbatch_options(settings, array_of(100)),
      ElementsAre("--job-name=tactus-abc-3", "--array=0-99%20", "--nodes=1", "--ntasks=1",
                  "--cpus-per-task=2", "--output=/dev/null", "--requeue", "--mem=512M", "--time=0-01:00:00",
                  "--partition=short", "--account=hil", "--qos=low", "--gres=bench:1", "--constraint=fast"));
  const std::string script =
      slurm::sbatch_script(settings, array_of(100), {"/shared/a b", "/shared/work", "/shared/bin/tactus"});
  EXPECT_TRUE(script.starts_with("#!/bin/sh\n#SBATCH --job-name=tactus-abc-3\n#SBATCH --array=0-99%20\n"));
  EXPECT_THAT(script, HasSubstr("cd /shared/work || exit 72\n"));
  EXPECT_THAT(script, HasSubstr("[ -x /shared/bin/tactus ] || exit 73\n"));
  EXPECT_TRUE(script.ends_with("exec /shared/bin/tactus campaign task '/shared/a b' 3\n")) << script;
}

TEST(SbatchScript, LeavesOutWhatIsLeftToSlurm) {
  SlurmSettings settings;
  settings.requeue = false;
  EXPECT_THAT(slurm::sbatch_options(settings, {1, "tactus-abc-1", "/c/engine/1", 1, {}}),
              ElementsAre("--job-name=tactus-abc-1", "--array=0-0", "--nodes=1", "--ntasks=1",
                          "--cpus-per-task=1", "--output=/dev/null", "--no-requeue"));
}

TEST(ArrayPlan, PutsCasesTogetherByTheirTime) {
  SlurmSettings settings;
  const EngineLimits limits{1001, 10'000, 100, 0};
  EXPECT_EQ(next_array(settings, limits, {1'000'000, 0, 0, 0}).tasks, 100) << "single cases find the time";
  EXPECT_EQ(next_array(settings, limits, {1'000'000, 0, 0, 0}).cases_a_task, 1);
  EXPECT_EQ(next_array(settings, limits, {1'000'000, 30, 0, 0}).tasks, 0) << "and are waited for";
  const ArrayShape known = next_array(settings, limits, {1'000'000, 0, 100, 3});
  EXPECT_EQ(known.cases_a_task, 100) << "five minutes";
  EXPECT_EQ(known.tasks, 200) << "twice what can run";
  EXPECT_EQ(next_array(settings, limits, {1000, 0, 100, 3}).cases_a_task, 10)
      << "no node stays empty at the end";
  EXPECT_EQ(next_array(settings, limits, {1'000'000, 101, 100, 3}).tasks, 0)
      << "more than half is there still";
  EXPECT_EQ(next_array(settings, limits, {0, 0, 100, 3}).tasks, 0);
  settings.cases_a_task = 50;
  EXPECT_EQ(next_array(settings, limits, {1'000'000, 0, 0, 0}).cases_a_task, 50);
  EXPECT_EQ(next_array(settings, limits, {120, 0, 0, 0}).tasks, 3);
  settings.at_most = 4;
  EXPECT_EQ(most_queued(settings, limits), 16);
  settings.queued = 500;
  EXPECT_EQ(next_array(settings, {101, 10'000, 100, 0}, {1'000'000, 0, 0, 0}).tasks, 101) << "MaxArraySize";
  EXPECT_EQ(most_queued(settings, {1001, 300, 100, 0}), 299) << "MaxJobCount";
}

TEST(TaskLoss, SaysWhatTheEngineSays) {
  EXPECT_EQ(loss_of({"1", 0, "NODE_FAIL", 0, 0, "n3"}, true).says, "NODE_FAIL on n3: its node failed");
  EXPECT_TRUE(loss_of({"1", 0, "NODE_FAIL", 0, 0, "n3"}, true).spoiled);
  EXPECT_TRUE(loss_of({"1", 0, "PREEMPTED", 0, 0, ""}, true).spoiled);
  EXPECT_TRUE(loss_of({"1", 0, "CANCELLED", 0, 0, ""}, true).spoiled);
  EXPECT_FALSE(loss_of({"1", 0, "OUT_OF_MEMORY", 0, 0, ""}, true).spoiled);
  EXPECT_FALSE(loss_of({"1", 0, "TIMEOUT", 0, 0, ""}, true).spoiled);
  EXPECT_TRUE(loss_of({"1", 0, "TIMEOUT", 0, 0, ""}, false).spoiled) << "others took the time";
  EXPECT_EQ(loss_of({"1", 0, "FAILED", 0, 11, "n"}, true).says, "FAILED on n: signal 11 ended its task");
  EXPECT_THAT(mend_text({"1", 0, "FAILED", kTaskNoFolder, 0, "n3"}, "/home/c", "/t"),
              ::testing::AllOf(HasSubstr("/home/c"), HasSubstr("n3"), HasSubstr("--out")));
  EXPECT_THAT(mend_text({"1", 0, "FAILED", kTaskNoProgram, 0, "n3"}, "/home/c", "/t"),
              HasSubstr("/t is not there"));
  EXPECT_EQ(mend_text({"1", 0, "FAILED", 1, 0, "n3"}, "/home/c", "/t"), "");
}

/// Answers as they were recorded.
struct RecordedCommands final : slurm::Commands {
  slurm::Answer run(const std::vector<std::string>& words) override {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    asked.push_back(line);
    for (const auto& [begin, answer] : answers)
      if (line.starts_with(begin)) return answer;
    return {};
  }
  bool has(const std::string& name) override { return name != absent; }
  std::vector<std::pair<std::string, slurm::Answer>> answers{
      {"scontrol show config", {0, kConfig}},
      {"scontrol -o show partition", {0, kPartitions}},
      {"sinfo", {0, "n1|4|8000|bench:1\nn2|4|8000|(null)\n"}}};
  std::vector<std::string> asked;
  std::string absent;
};

struct SlurmOfRecords {
  std::string refusal(const ArrayNeeds& needs) {
    slurm::SlurmEngine engine(settings, {"/c", "/w", "/t"}, commands);
    try {
      limits = engine.limits(needs);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  SlurmSettings settings;
  RecordedCommands commands;
  EngineLimits limits;
};

TEST(SlurmEngine, KnowsTheLimitsOfTheCluster) {
  SlurmOfRecords one;
  EXPECT_EQ(one.refusal({2, 100, 0, false}), "");
  EXPECT_EQ(one.limits.array_size, 1001);
  EXPECT_EQ(one.limits.jobs, 10'000);
  EXPECT_EQ(one.limits.slots, 4) << "two of two CPUs on each node";
  EXPECT_EQ(one.limits.longest_s, 0);
  EXPECT_EQ(one.refusal({2, 100, 0, true}), "");
  EXPECT_EQ(one.limits.slots, 1) << "one bench";
  one.settings.partition.value = "short";
  EXPECT_EQ(one.refusal({1, 0, 0, false}), "");
  EXPECT_EQ(one.limits.longest_s, 7200);
}

TEST(SlurmEngine, SaysWhatTheClusterHasNot) {
  SlurmOfRecords one;
  one.settings.partition = {"fast", config::SourceLocation("a.campaign.yaml", 7, 3), "slurm.partition"};
  EXPECT_THAT(one.refusal({}), HasSubstr("a.campaign.yaml:7:3: slurm.partition: the cluster has no partition "
                                         "'fast'; it has all, short, old"));
  one.settings.partition.value = "old";
  EXPECT_THAT(one.refusal({}), HasSubstr("is DOWN"));
  one.settings.partition.value = "";
  one.settings.gres.value = "rig";
  EXPECT_THAT(one.refusal({1, 0, 0, true}), HasSubstr("no generic resource 'rig'; it has bench"));
  one.settings.gres.value = "bench";
  EXPECT_THAT(one.refusal({9, 0, 0, false}), HasSubstr("9 CPUs"));
  EXPECT_THAT(one.refusal({1, 9000, 0, false}), HasSubstr("9000 MB"));
  one.commands.answers[2].second.text = "n2|4|8000|(null)\n";
  EXPECT_THAT(one.refusal({1, 0, 0, true}), HasSubstr("no node of partition 'all' has a 'bench'"));
  one.commands.answers[0].second = {
      1, "slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)"};
  EXPECT_THAT(one.refusal({}), ::testing::AllOf(HasSubstr("Unable to contact"), HasSubstr("--on local")));
  one.commands.absent = "sbatch";
  EXPECT_THAT(one.refusal({}),
              ::testing::AllOf(HasSubstr("there is no sbatch in PATH"), HasSubstr("--on local")));
}

TEST(SlurmEngine, SubmitsAndTellsWhatIsForLaterFromWhatIsWrong) {
  const test::TempDir dir;
  SlurmOfRecords one;
  slurm::SlurmEngine engine(one.settings, {dir.path(), "/w", "/t"}, one.commands);
  const ArrayJob array{1, "tactus-x-1", dir.path(), 3, {}};
  one.commands.answers.push_back({"sbatch", {0, "12\n"}});
  EXPECT_EQ(engine.submit(array), "12");
  EXPECT_TRUE(fs::exists(dir.path() / "job.sh"));
  one.commands.answers.back().second = {1, "sbatch: error: Batch job submission failed: Invalid account"};
  EXPECT_THROW((void)engine.submit(array), CampaignError);
  for (const char* const later : {"Unable to contact slurm controller",
                                  "Socket timed out on send/recv operation", "Job count limit exceeded"}) {
    one.commands.answers.back().second = {1, std::string("sbatch: error: ") + later};
    EXPECT_THROW((void)engine.submit(array), EngineBusy) << later;
  }
}

TEST(SlurmEngine, ReadsCompletedJobsOnceEach) {
  const test::TempDir dir;
  SlurmOfRecords one;
  std::string config = kConfig;
  config.replace(config.find("/none/jobcomp.txt"), 17, (dir.path() / "jobs").string());
  one.commands.answers[0].second.text = config;
  dir.write("jobs", std::string(kDone) + "JobId=7 JobState=COMPLETED NodeList=vm ArrayJobId=1 ");
  slurm::SlurmEngine engine(one.settings, {"/c", "/w", "/t"}, one.commands);
  (void)engine.limits({});
  EXPECT_EQ(engine.ends().size(), 1U) << "the second line is not whole yet";
  EXPECT_TRUE(engine.ends().empty());
  dir.write("jobs", std::string(kDone) +
                        "JobId=7 JobState=COMPLETED NodeList=vm ArrayJobId=1 ArrayTaskId=2 ExitCode=0:0 \n");
  EXPECT_THAT(engine.find("tactus-x-1"), ElementsAre("1"));
  const auto more = engine.ends();
  ASSERT_EQ(more.size(), 1U);
  EXPECT_EQ(more[0].task, 2);
}

TEST(SlurmEngine, AsksForTasksWithoutCuttingTheirList) {
  SlurmOfRecords one;
  slurm::SlurmEngine engine(one.settings, {"/c", "/w", "/t"}, one.commands);
  one.commands.answers.push_back({"env SLURM_BITSTR_LEN=0 squeue", {0, "1|1-7%2|PENDING|Resources|\n"}});
  ASSERT_EQ(engine.queue({"a-1", "a-2"}).size(), 1U);
  EXPECT_THAT(one.commands.asked.back(), HasSubstr("--name=a-1,a-2"));
  one.commands.answers.back().second = {1, "slurm_load_jobs error: Unable to contact slurm controller"};
  EXPECT_THROW((void)engine.queue({"a-1"}), EngineBusy) << "an empty answer would mean that all have ended";
  engine.cancel("12", Engine::Cancel::waiting);
  EXPECT_THAT(one.commands.asked, ::testing::Contains("scancel --state=PENDING 12"));
  EXPECT_THAT(one.commands.asked, Not(::testing::Contains("scancel 12")));
}

}  // namespace
}  // namespace tactus::campaign::slurm_test
