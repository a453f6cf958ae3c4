// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/cpu_claims.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/snapshot.hpp"

namespace tactus::rtsync::cpu_claims_test {
namespace {

std::string domain_of_test() { return "claims-test-" + std::to_string(::getpid()); }

TEST(CpuClaims, AreSeenByOthersUntilTheyEnd) {
  const CpuClaims second("second", domain_of_test());
  {
    CpuClaims first("first", domain_of_test());
    first.take({1, 3});
    first.take({3});  // again: it has it
    EXPECT_EQ(second.others(), (CpuSet{1, 3}));
    EXPECT_TRUE(first.others().empty()) << "its own are none of others";
    ASSERT_TRUE(second.holder(3));
    EXPECT_EQ(second.holder(3)->rig, "first");
    EXPECT_EQ(second.holder(3)->process, ::getpid());
    EXPECT_FALSE(second.holder(2));
  }
  EXPECT_TRUE(second.others().empty());
}

TEST(CpuClaims, ACpuThatTwoShareIsTakenUntilBothHaveEnded) {
  auto first = std::make_unique<CpuClaims>("first", domain_of_test());
  auto second = std::make_unique<CpuClaims>("second", domain_of_test());
  first->take({1});
  second->take({1});
  const CpuClaims third("third", domain_of_test());
  first.reset();
  EXPECT_EQ(third.others(), CpuSet{1});
  ASSERT_TRUE(third.holder(1));
  EXPECT_EQ(third.holder(1)->rig, "second");
  second.reset();
  EXPECT_TRUE(third.others().empty());
}

TEST(CpuClaims, ARigWithALongNameIsNoOtherToItself) {
  CpuClaims claims(std::string(200, 'r'), domain_of_test() + std::string(40, 'd'));
  claims.take({0});
  EXPECT_TRUE(claims.others().empty());
}

TEST(CpuClaims, EndWithTheirProcessHoweverItEnds) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const std::string domain = domain_of_test();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    CpuClaims claims("killed", domain);
    claims.take({0});
    const Descriptor choosing = claims.begin_choice();
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const CpuClaims here("here", domain);
  EXPECT_EQ(here.others(), CpuSet{0});
  ASSERT_TRUE(here.holder(0));
  EXPECT_EQ(here.holder(0)->process, child);
  EXPECT_FALSE(here.begin_choice(std::chrono::milliseconds(1)).get() >= 0) << "the other one chooses";
  (void)::kill(child, SIGKILL);
  (void)::waitpid(child, nullptr, 0);
  EXPECT_TRUE(here.others().empty());
  EXPECT_GE(here.begin_choice().get(), 0);
  (void)::close(ready[0]);
  (void)::close(ready[1]);
}

/// Each of many rigs that start at once gets a CPU of its own.
TEST(CpuClaims, OnlyOneChoosesAtATime) {
  constexpr int kRigs = 16;
  const std::string domain = domain_of_test();
  std::vector<int> chosen(kRigs, -1);
  std::vector<std::unique_ptr<CpuClaims>> claims;
  for (int rig = 0; rig < kRigs; ++rig) claims.push_back(std::make_unique<CpuClaims>("rig", domain));
  std::vector<std::thread> threads;
  for (std::size_t rig = 0; rig < kRigs; ++rig)
    threads.emplace_back([&, rig] {
      const Descriptor choosing = claims[rig]->begin_choice(std::chrono::minutes(5));
      ASSERT_GE(choosing.get(), 0);
      const CpuSet others = claims[rig]->others();
      int cpu = 0;
      while (others.contains(cpu)) ++cpu;
      chosen[rig] = cpu;
      claims[rig]->take({cpu});
    });
  for (std::thread& each : threads) each.join();
  std::sort(chosen.begin(), chosen.end());
  for (int rig = 0; rig < kRigs; ++rig) EXPECT_EQ(chosen[static_cast<std::size_t>(rig)], rig);
}

TEST(CpuClaims, SayWhoHoldsACpu) {
  tactus::test::Snapshot texts;
  CpuHolder holder{12, "servo", "main", "SCHED_FIFO", 80};
  texts.add(holder.text());
  holder = {12, "servo", "main", "SCHED_OTHER", 0};
  texts.add(holder.text());
  holder = {12, "servo", "", "", 0};
  EXPECT_EQ(holder.text(), "rig 'servo' (process 12)") << "it has not made its threads yet";
  holder = {0, "servo", "", "", 0};
  texts.add(holder.text());
}

}  // namespace
}  // namespace tactus::rtsync::cpu_claims_test
