// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/culprit.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <thread>

#include "executive/run_base/runner_text.hpp"
#include "rtsync/thread/cpu_claims.hpp"
#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::executive::culprit_test {
namespace {

using rtsync::Cause;
using rtsync::FakeRoot;

Finding preempted_by(std::int32_t thread, const char* name, int fifo) {
  Finding finding;
  finding.cause = Cause::preempted;
  rtsync::OtherThreads& others = finding.evidence.others.emplace();
  others.thread = thread;
  others.stronger.thread = thread;
  others.stronger.priority = static_cast<std::int16_t>(99 - fifo);
  std::strncpy(others.stronger.name.data(), name, others.stronger.name.size() - 1);
  return finding;
}

void put_process(FakeRoot& proc, std::int32_t thread, std::int32_t process, const std::string& cgroup) {
  const std::string folder = "/" + std::to_string(thread);
  proc.write(folder + "/status", "Name:\tx\nTgid:\t" + std::to_string(process) + "\nPid:\t1\n");
  proc.write(folder + "/cgroup", cgroup);
}

TEST(UnitIn, IsTheInnermostUnitOrContainer) {
  const std::string number = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  const struct {
    std::string cgroup;
    std::string unit;
  } rows[] = {
      {"0::/system.slice/stress.service\n", "stress.service"},
      {"0::/user.slice/user-0.slice/user@0.service/app.slice/burst.service\n", "burst.service"},
      {"12:cpu:/system.slice/a.service/inner\n0::/\n", "a.service"},
      {"0::/user.slice/user-0.slice/session-3.scope\n", "session-3.scope"},
      {"0::/system.slice/docker-0123abcd.scope\n", "docker-0123abcd.scope"},
      {"0::/lxc.payload.box\n", "lxc.payload.box"},
      {"12:freezer:/lxc/box\n", "container box"},
      {"12:cpu:/docker/" + number + "\n0::/\n", "container 0123456789ab"},
      {"0::/kubepods/burstable/pod01-23/" + number + "\n", "container 0123456789ab"},
      {"0::/system.slice/containerd.service/kubepods-pod7.slice:cri-containerd:" + number + "\n",
       "container 0123456789ab"},
      {"0::/machine.slice/libpod-" + number + "/container\n", "container 0123456789ab"},
      {"0::/docker/" + number + "/system.slice/in.service\n", "in.service"},
      {"0::/a" + number + "\n", ""},
      {"11:cpu:/lxc\n0::/\n", ""},
      {"11:cpu:/lxc\n0::/system.slice/a.service\n", "a.service"},
      {"12:pids:/docker/" + number + "\n1:name=systemd:/docker/" + number +
           "\n0::/system.slice/containerd.service\n",
       "container 0123456789ab"},
      {"12:pids:/lxc/box\n0::/system.slice/lxc.service\n", "container box"},
      {"1:name=systemd:/machine.slice/libpod-" + number + ".scope\n0::/system.slice/podman.service\n",
       "libpod-" + number + ".scope"},
      {"12:pids:/docker/" + number + "/system.slice/in.service\n0::/system.slice/containerd.service\n",
       "in.service"},
      {"0::/\n", ""},
      {"", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(unit_in(row.cgroup), row.unit) << row.cgroup;
}

TEST(Culprits, AThreadHasItsNameItsPolicyAndItsUnit) {
  const Plan plan;
  FakeRoot proc;
  constexpr std::int32_t kThread = 2'000'000'012;  // greater than the kernel's
  put_process(proc, kThread, kThread - 1, "0::/system.slice/stress.service\n");
  Culprits culprits(plan, proc.path());
  const Culprit culprit = culprits.of(preempted_by(kThread, "stress", 90));
  EXPECT_EQ(culprit.name, "'stress'");
  EXPECT_TRUE(culprit.policy.ends_with(" 90")) << culprit.policy;
  EXPECT_EQ(culprit.of, "stress.service");
}

TEST(Culprits, AThreadOfThisProcessIsOfThisRig) {
  const Plan plan;
  FakeRoot proc;
  put_process(proc, 2'000'000'013, ::getpid(), "0::/system.slice/tactus.service\n");
  EXPECT_EQ(Culprits(plan, proc.path()).of(preempted_by(2'000'000'013, "worker", 50)).of, "this rig");
}

TEST(Culprits, AThreadOfAnotherRigIsOfThatRig) {
  const struct {
    std::string command;
    const char* of;
  } rows[] = {
      {std::string("/usr/bin/tactus\0run\0--out\0x\0rigs/other.yaml\0", 44), "rig other"},
      {std::string("tactus\0watch\0speed\0", 19), "a.service"},
      {std::string("/bin/vi\0rigs/other.yaml\0", 24), "a.service"},
  };
  for (const auto& row : rows) {
    const Plan plan;
    FakeRoot proc;
    put_process(proc, 2'000'000'015, 2'000'000'016, "0::/system.slice/a.service\n");
    proc.write("/2000000016/cmdline", row.command);
    EXPECT_EQ(Culprits(plan, proc.path()).of(preempted_by(2'000'000'015, "main", 80)).of, row.of);
  }
}

TEST(Culprits, AThreadOfAnotherRigNamesItEvenIfItHasEnded) {
  const Plan plan;
  FakeRoot proc;
  const Finding finding = preempted_by(2'000'000'017, "main@servo", 80);
  const Culprit culprit = Culprits(plan, proc.path()).of(finding);
  EXPECT_EQ(culprit.name, "'main'");
  EXPECT_EQ(culprit.of, "rig servo");
  EXPECT_TRUE(
      runner_text(finding.evidence.others->stronger).starts_with("'main' of rig servo (tid 2000000017"))
      << runner_text(finding.evidence.others->stronger);
}

TEST(Culprits, OfARigWithALongNameTheKernelKeepsTheBeginning) {
  const Finding finding = preempted_by(2'000'000'018, "main@servo-benc", 80);
  EXPECT_TRUE(
      runner_text(finding.evidence.others->stronger).starts_with("'main' of rig servo-benc (tid 2000000018"))
      << "nothing claims a CPU for it any more";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t other = ::fork();  // another process: this one is no other rig
  if (other == 0) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    rtsync::CpuClaims claims("servo-bench-2");
    claims.take({0});
    (void)!::write(ready[1], "r", 1);
    while (true) (void)::pause();
  }
  ASSERT_GT(other, 0);
  (void)::close(ready[1]);
  char one = 0;
  EXPECT_EQ(::read(ready[0], &one, 1), 1);
  const std::string text = runner_text(preempted_by(other, "main@servo-benc", 80).evidence.others->stronger);
  (void)::close(ready[0]);
  (void)::kill(other, SIGKILL);
  (void)::waitpid(other, nullptr, 0);
  EXPECT_TRUE(text.starts_with("'main' of rig servo-bench-2 (tid ")) << text;
}

TEST(Culprits, AThreadOfItsOwnProcessIsNoOtherRigs) {
  std::string text;
  std::thread plugin([&] {  // without a role: this thread may have one of another test
    text = runner_text(preempted_by(::gettid(), "can-send@servo", 80).evidence.others->stronger);
  });
  plugin.join();
  EXPECT_TRUE(text.starts_with("'can-send' (tid ")) << text;
}

TEST(Culprits, AThreadThatHasEndedKeepsTheNameOfItsRecord) {
  const Plan plan;
  FakeRoot proc;
  const Culprit culprit = Culprits(plan, proc.path()).of(preempted_by(2'000'000'014, "burst", 97));
  EXPECT_EQ(culprit.name, "'burst'");
  EXPECT_EQ(culprit.of, "");
}

TEST(Culprits, AStopBySignalIsApartFromOneOfTheMachine) {
  const Plan plan;
  Finding finding;
  finding.cause = Cause::machine_stopped;
  EXPECT_EQ(Culprits(plan).of(finding).name, "the machine");
  finding.evidence.went_on = true;
  EXPECT_EQ(Culprits(plan).of(finding).name, "SIGSTOP");
}

TEST(Culprits, AJobIsAVictimAndNoCulprit) {
  const Plan plan;
  Finding finding;
  finding.cause = Cause::computed;
  EXPECT_EQ(Culprits(plan).of(finding), Culprit{});
}

}  // namespace
}  // namespace tactus::executive::culprit_test
