// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/cpu_set.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::cpu_set_test {
namespace {

TEST(CpuSetText, ReadsWhatItPrints) {
  struct Row {
    const char* text;
    CpuSet cpus;
    const char* printed;
  };
  const Row rows[] = {
      {"", {}, ""},
      {" \n", {}, ""},
      {"0", {0}, "0"},
      {"0-3,5\n", {0, 1, 2, 3, 5}, "0-3,5"},
      {"5,0,1", {0, 1, 5}, "0-1,5"},
      {"2-2", {2}, "2"},
      {"0-1,1-2", {0, 1, 2}, "0-2"},
      {"2047", {2047}, "2047"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(CpuSet::parse(row.text), row.cpus) << row.text;
    EXPECT_EQ(row.cpus.text(), row.printed);
  }
}

TEST(CpuSetText, SaysWhatIsWrong) {
  for (const char* const text :
       {"a", "1,", ",1", "3-1", "-1", "1-", "1 2", "65536", "0-99999999999", "0x3", "(null)"}) {
    EXPECT_FALSE(CpuSet::try_parse(text)) << text;
    EXPECT_THROW((void)CpuSet::parse(text), std::invalid_argument) << text;
  }
  try {
    (void)CpuSet::parse("3-1");
    FAIL();
  } catch (const std::invalid_argument& problem) {
    EXPECT_STREQ(problem.what(), "'3-1' is not a list of CPUs like 0-3,5: the range 3-1 runs backwards");
  }
}

TEST(CpuSetAlgebra, HoldsAlsoBeyond1024Cpus) {
  const CpuSet low = CpuSet::parse("0-3");
  const CpuSet high{3, 4000};
  EXPECT_EQ((low | high).text(), "0-3,4000");
  EXPECT_EQ((low & high), CpuSet{3});
  EXPECT_EQ((low - high).text(), "0-2");
  EXPECT_EQ((high - low), CpuSet{4000});
  EXPECT_TRUE(low.intersects(high));
  EXPECT_FALSE(low.intersects(CpuSet{4}));
  EXPECT_TRUE((low | high).contains(high));
  EXPECT_FALSE(low.contains(high));
  EXPECT_TRUE(low.contains(CpuSet{})) << "the empty set is part of every set";
  EXPECT_EQ(high.count(), 2);
  EXPECT_EQ(high.first(), 3);
  EXPECT_EQ(high.last(), 4000);
  EXPECT_EQ(CpuSet{}.first(), -1);
  EXPECT_EQ(CpuSet{}.last(), -1);
}

TEST(CpuSetAlgebra, EqualSetsAreEqualHoweverTheyWereMade) {
  CpuSet grown{1, 3000};
  grown.remove(3000);
  grown.remove(77);
  EXPECT_EQ(grown, CpuSet{1});
  grown.remove(1);
  EXPECT_TRUE(grown.empty());
  EXPECT_EQ(grown, CpuSet{});
}

TEST(CpuSetAlgebra, RefusesACpuThatCannotBe) {
  CpuSet cpus;
  EXPECT_THROW(cpus.add(-1), std::invalid_argument);
  EXPECT_THROW(cpus.add(CpuSet::kLimit), std::invalid_argument);
  EXPECT_FALSE(cpus.contains(-1));
}

TEST(Affinity, IsReadBackAsItWasSet) {
  std::thread([] {
    const auto before = affinity_of(0);
    ASSERT_TRUE(before);
    const CpuSet one{before->first()};
    ASSERT_EQ(set_affinity(0, one), 0);
    EXPECT_EQ(affinity_of(0), one);
    EXPECT_EQ(affinity_of(::gettid()), one);
    EXPECT_NE(set_affinity(0, CpuSet{}), 0);
  }).join();
}

TEST(Affinity, OfAThreadThatIsNotThereIsNothing) { EXPECT_EQ(affinity_of(0x3fffffff), std::nullopt); }

TEST(AllowedCpus, AreThoseOfTheProcessAndNotOfAPinnedThread) {
  std::thread([] {
    ASSERT_EQ(set_affinity(0, CpuSet{affinity_of(0)->last()}), 0);
    EXPECT_EQ(allowed_cpus(), affinity_of(::getpid()));
  }).join();
  EXPECT_GE(allowed_cpus().count(), 1);
}

TEST(HostCpus, AreUnknownWhenTheKernelSaysNothingUsable) {
  FakeRoot root;
  EXPECT_EQ(online_cpus(root.path()), std::nullopt);
  EXPECT_EQ(isolated_cpus(root.path()), std::nullopt);
  root.write("/sys/devices/system/cpu/online", "0-7\n").write("/sys/devices/system/cpu/isolated", "\n");
  EXPECT_EQ(online_cpus(root.path()), CpuSet::parse("0-7"));
  EXPECT_EQ(isolated_cpus(root.path()), CpuSet{}) << "an empty list is an answer";
  root.write("/sys/devices/system/cpu/online", "all of them");
  EXPECT_EQ(online_cpus(root.path()), std::nullopt);
}

}  // namespace
}  // namespace tactus::rtsync::cpu_set_test
