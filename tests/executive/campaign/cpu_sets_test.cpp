// SPDX-License-Identifier: Apache-2.0
// Real-time cases, one for each set of CPUs.
#include "executive/campaign/file/cpu_sets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "executive/campaign/file/campaign_file.hpp"
#include "executive/campaign/run/case_process.hpp"
#include "executive/campaign/run/holder_lock.hpp"
#include "rtsync/thread/cpu_claims.hpp"
#include "tests/executive/campaign/made_campaign.hpp"
#include "tests/support/death_test_style.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::campaign::cpu_sets_test {
namespace {

namespace fs = std::filesystem;
using rtsync::CpuSet;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

class CpuSets : public ::testing::Test {
 protected:
  CampaignFile load(const std::string& more, const std::string& of_rig = "") {
    folder_.write("r.yaml", "rig: r\nframe: { period: 1 ms }\nuntil: 20 ms\nframe_log: no\n" + of_rig +
                                "models:\n  a: { model: gain, library: " TEST_LIBRARIES "/libmodels.so }\n");
    return CampaignFile::load(folder_.write("c.campaign.yaml", "campaign: c\nrig: r.yaml\n" + more).string());
  }
  std::string mistakes(const std::string& more, const std::string& of_rig = "") {
    return refusal([&] { (void)load(more, of_rig); });
  }

  const test::TempDir folder_;
};

TEST_F(CpuSets, AreReadFromTheFile) {
  const CampaignFile file = load("realtime: yes\ncpus: [[2, 3], 4-5, '7,6']\n");
  ASSERT_EQ(file.cpus.sets.size(), 3U);
  EXPECT_EQ(file.cpus.sets[0], (CpuSet{2, 3}));
  EXPECT_EQ(file.cpus.sets[1], (CpuSet{4, 5}));
  EXPECT_EQ(file.cpus.sets[2], (CpuSet{6, 7}));
  EXPECT_TRUE(load("realtime: yes\ncpus: auto\n").cpus.automatic);
}

TEST_F(CpuSets, AreRefusedWithPlaceReasonAndHelp) {
  EXPECT_THAT(mistakes("cpus: [[0]]\n"),
              AllOf(HasSubstr("c.campaign.yaml:3:7: cpus: "), HasSubstr("realtime: yes")));
  EXPECT_THAT(mistakes("realtime: yes\ncpus: 2\n"),
              AllOf(HasSubstr("c.campaign.yaml:4:7: cpus: '2'"), HasSubstr("[[2, 3], [4, 5]]")));
  EXPECT_THAT(
      mistakes("realtime: yes\ncpus: [2, 3]\n"),
      AllOf(HasSubstr(":4:8: cpus[0]: '2' is a CPU"), HasSubstr(":4:11: cpus[1]"), HasSubstr("[[2, 3]]")));
  EXPECT_THAT(mistakes("realtime: yes\ncpus: [[2, 3], [3, 4]]\n"),
              HasSubstr("cpus[1]: CPU 3 is in cpus[0], too"));
  EXPECT_THAT(mistakes("realtime: yes\ncpus: [[2, x]]\n"), HasSubstr("cpus[0]: "));
  EXPECT_THAT(mistakes("realtime: yes\ncpus: [[]]\n"), HasSubstr("cpus[0]: expected sets of CPUs"));
  EXPECT_THAT(mistakes("realtime: yes\ncpus: [[2000]]\n"), HasSubstr("0 .. 1023"));
}

TEST_F(CpuSets, DoNotFitARigThatNamesOthers) {
  const std::string rig = "threads: { main: { cpus: [3] } }\n";
  EXPECT_EQ(mistakes("realtime: yes\ncpus: [[2, 3]]\n", rig), "");
  EXPECT_THAT(mistakes("realtime: yes\ncpus: [[2, 4]]\n", rig), HasSubstr("names CPUs 3 for its threads"));
  EXPECT_THAT(mistakes("realtime: yes\ncpus: [[2, 3], [4, 5]]\n", rig),
              HasSubstr("take threads.*.cpus out of it"));
  EXPECT_THAT(mistakes("realtime: yes\ncpus: [[2, 3]]\nvary: { threads.main.cpus: [2, 3] }\n"),
              HasSubstr("varies the CPUs of a thread"));
}

TEST_F(CpuSets, AreMadeOfFreeIsolatedCpus) {
  const MachineCpus machine{CpuSet::parse("0-9"), CpuSet::parse("2-9"), CpuSet::parse("4")};
  const std::vector<CpuPlace> all = cut_into_places(machine, 3);
  ASSERT_EQ(all.size(), 2U) << "2-3,5 and 6-8; 9 is left over";
  EXPECT_EQ(all[0].own.text(), "2-3,5");
  EXPECT_EQ(all[0].cpus.text(), "0-3,5") << "helpers run on those that are not isolated";
  EXPECT_EQ(all[1].own.text(), "6-8");
  EXPECT_TRUE(cut_into_places(machine, 8).empty());
  std::string why;
  const CampaignFile file = load("realtime: yes\ncpus: auto\n");
  EXPECT_TRUE(places_of(file, {CpuSet{0, 1}, {}, {}}, why).empty());
  EXPECT_THAT(why, HasSubstr("0 free isolated CPUs, and a case needs 1"));
  EXPECT_EQ(places_of(file, machine, why).size(), 7U);
}

TEST_F(CpuSets, AreMadeOfTheCpusThatTheKernelSaysAreIsolated) {
  const CpuSet allowed = rtsync::allowed_cpus();
  const test::TempDir root;
  const fs::path isolated = root / "sys/devices/system/cpu/isolated";
  fs::create_directories(isolated.parent_path());
  const auto machine = [&](const std::string& text) {
    root.write("sys/devices/system/cpu/isolated", text + "\n");
    return machine_cpus(root.path());
  };
  const CampaignFile file = load("realtime: yes\ncpus: auto\n");
  std::string why;
  EXPECT_TRUE(places_of(file, machine(""), why).empty());
  EXPECT_THAT(why, HasSubstr("0 free isolated CPUs"));
  EXPECT_TRUE(places_of(file, machine("1000-1001"), why).empty()) << "this process may not use these";
  const MachineCpus last = machine(std::to_string(allowed.last()));
  if (last.taken.contains(CpuSet{allowed.last()})) GTEST_SKIP() << "another rig has that CPU";
  const std::vector<CpuPlace> places = places_of(file, last, why);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].own, CpuSet{allowed.last()});
  EXPECT_EQ(places[0].cpus, allowed) << "with those for its helpers";
  const CampaignFile wide =
      load("realtime: yes\ncpus: auto\nset: { models.a.thread: w }\n",
           "threads: { workers: { w: { kind: scheduled, policy: fifo, priority: 10 } } }\n");
  EXPECT_TRUE(places_of(wide, last, why).empty());
  EXPECT_THAT(why, HasSubstr("finds 1 free isolated CPUs, and a case needs 2"));
}

TEST_F(CpuSets, OfCasesWithoutRealTimeAreOneCpuEachWhereThereIsACaseForEach) {
  const CpuSet machine{2, 3, 7};
  const auto pins = [&](const std::string& more, const std::string& of_rig, int jobs) {
    std::string text;
    for (const CpuSet& each : pins_of(load(more, of_rig), machine, jobs)) text += each.text() + " ";
    return text;
  };
  EXPECT_EQ(pins("", "", 3), "2 3 7 ");
  EXPECT_EQ(pins("", "", 4), "2 3 7 ");
  EXPECT_EQ(pins("", "", 2), "") << "a case may use two";
  EXPECT_EQ(pins("realtime: yes\n", "", 3), "");
  EXPECT_EQ(pins("", "threads: { main: { cpus: [3] } }\n", 3), "") << "the rig says where";
  EXPECT_EQ(pins("set: { models.a.thread: w }\n", "threads: { workers: { w: { kind: scheduled } } }\n", 3),
            "")
      << "two threads at the same time";
  EXPECT_EQ(pins("vary: { threads.main.cpus: [2, 3] }\n", "", 3), "");
  EXPECT_TRUE(pins_of(load(""), CpuSet{2}, 3).empty());
}

TEST_F(CpuSets, OfCasesWithoutRealTimeLeaveOutWhatARealTimeRigRunsOn) {
  const std::string domain = "cpu-sets-test-" + std::to_string(::getpid());
  ASSERT_EQ(::setenv("TACTUS_CPU_CLAIMS", domain.c_str(), 1), 0);
  const CpuSet all = rtsync::affinity_of(0).value_or(CpuSet{});
  EXPECT_EQ(free_cpus(), all);
  {
    rtsync::CpuClaims rig("servo-bench", domain);
    rig.take(CpuSet{all.last()});
    EXPECT_EQ(free_cpus(), all - CpuSet{all.last()});
  }
  EXPECT_EQ(free_cpus(), all) << "its run is over";
  ASSERT_EQ(::unsetenv("TACTUS_CPU_CLAIMS"), 0);
}

TEST_F(CpuSets, MustBeThereOnThisMachine) {
  const CampaignFile file = load("realtime: yes\ncpus: [[0], [5]]\n");
  std::string why;
  EXPECT_THAT(refusal([&] {
                (void)places_of(file, {CpuSet{0, 1}, {}, {}}, why);
              }),
              HasSubstr("cpus[1]: CPU 5 is not one of those that this process may use here: 0-1"));
}

// A case takes the name of its CPUs as a folder, which it finds taken if another one is on them.
TEST(CpuPlaces, PinEachCaseToASetOfItsOwn) {
  const CpuSet allowed = rtsync::affinity_of(0).value();
  MadeCampaign made;
  made.work.realtime = true;
  made.choices.bench = "test-" + std::to_string(::getpid());
  for (const int cpu : allowed.cpus()) {
    const CpuSet one{cpu};
    // The lock of the CPU stays as it is: another test may run on this machine.
    if (made.choices.places.size() < 2) made.choices.places.push_back({one, {}});
  }
  const std::size_t places = made.choices.places.size();
  const RunSummary summary = made.run(MadeCases({"pinned"}, 12));
  EXPECT_EQ(summary.progress.counts.pass, 12);
  for (int number = 0; number < 12; ++number) {
    const std::string cpus =
        made.text_of("SELECT cpus FROM attempts WHERE number = " + std::to_string(number));
    const fs::path run = made.choices.folder / ("cases/0/" + std::to_string(number) + "-1") / "run";
    EXPECT_EQ(test::read_file(run / "allowed"), cpus + "\n") << "the kernel's answer";
    EXPECT_EQ(test::read_file(run / "named"), cpus + "\n") << "a rig asks for no other";
  }
  EXPECT_EQ(made.number_of("SELECT count(DISTINCT cpus) FROM attempts"), static_cast<std::int64_t>(places));
  fs::remove(HolderLock::of_bench(made.choices.bench));
  EXPECT_EQ(rtsync::affinity_of(0).value(), allowed) << "the runner itself is where it was";
}

TEST(CpuPlaces, OfCasesWithoutRealTimeAreThoseWithTheFewestOthers) {
  const std::vector<int> cpus = rtsync::affinity_of(0).value().cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "one CPU";
  MadeCampaign made;
  made.choices.jobs = 2;
  made.choices.pins = {CpuSet{cpus[0]}, CpuSet{cpus[1]}};
  // A case fails that finds another one of its CPU.
  EXPECT_EQ(made.run(MadeCases({"pinned"}, 12)).progress.counts.pass, 12);
  std::string seen;
  for (int number = 0; number < 12; ++number) {
    const std::string allowed = test::read_file(
        made.choices.folder / ("cases/0/" + std::to_string(number) + "-1") / "run" / "allowed");
    EXPECT_TRUE(allowed == made.choices.pins[0].text() + "\n" ||
                allowed == made.choices.pins[1].text() + "\n")
        << allowed;
    seen += allowed;
  }
  for (const CpuSet& pin : made.choices.pins) EXPECT_THAT(seen, HasSubstr(pin.text() + "\n"));
  EXPECT_EQ(made.number_of("SELECT count(*) FROM attempts WHERE cpus = ''"), 12) << "they own none";
}

TEST(CpuPlaces, AreRefusedToASecondCampaignOnAnotherBench) {
  MadeCampaign made;
  made.work.realtime = true;
  made.choices.bench = "test-" + std::to_string(::getpid());
  const int cpu = 1000;  // no machine of a test has it
  made.choices.places = {{CpuSet{cpu}, CpuSet{cpu}}};
  const HolderLock other(HolderLock::of_cpu(cpu), "another");
  ASSERT_TRUE(other.taken());
  EXPECT_THAT(refusal([&] { (void)made.run(MadeCases({"pass"})); }),
              AllOf(HasSubstr("CPU 1000 is used by process " + std::to_string(::getpid()) + " (another)"),
                    HasSubstr("cpus: of the campaign")));
  fs::remove(HolderLock::of_cpu(cpu));
  fs::remove(HolderLock::of_bench(made.choices.bench));
}

TEST(CpuPlacesDeathTest, KeepAProcessFromOtherCpus) {
  GTEST_FLAG_SET(death_test_style, test::kDeathTestStyle);
  const int last = rtsync::affinity_of(0).value().last();
  EXPECT_EXIT(
      {
        (void)::setenv(rtsync::kCpusVariable, std::to_string(last).c_str(), 1);
        ::_exit(rtsync::allowed_cpus() == CpuSet{last} ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tactus::campaign::cpu_sets_test
