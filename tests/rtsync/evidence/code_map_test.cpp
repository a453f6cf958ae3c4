// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/code_map.hpp"

#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::code_map_test {
namespace {

constexpr const char* kOwn =
    "5500000000-5500001000 r-xp 00000000 fe:00 11 /usr/bin/rig\n"
    "7f0000000000-7f0000026000 r--p 00000000 fe:00 42 /usr/lib/libc.so.6\n"
    "7f0000026000-7f0000180000 r-xp 00026000 fe:00 42 /usr/lib/libc.so.6\n";

std::string other(const std::string& inode) {
  return "7e1100000000-7e1100026000 r--p 00000000 fe:00 " + inode + " /usr/lib/libc.so.6\n" +
         "7e1100026000-7e1100180000 r-xp 00026000 fe:00 " + inode + " /usr/lib/libc.so.6\n" +
         "7ffff0000000-7ffff0001000 r-xp 00000000 00:00 0 [vdso]\n";
}

TEST(CodeMap, OfThisProcessChangesNothing) { EXPECT_EQ(CodeMap().here(0x1234), 0x1234U); }

TEST(CodeMap, FindsThePlaceInTheSameLibrary) {
  FakeRoot root;
  root.write("/proc/self/maps", kOwn);
  root.write("/proc/7/maps", other("42"));
  const CodeMap map = CodeMap::of_process(7, root.path());
  EXPECT_EQ(map.here(0x7e1100026000), 0x7f0000026000U);
  EXPECT_EQ(map.here(0x7e110017ffff), 0x7f000017ffffU);
  for (const std::uint64_t elsewhere :
       {0x7e1100025fffUL, 0x7e1100180000UL, 0x7f0000026000UL, 0x7ffff0000010UL, 0UL})
    EXPECT_EQ(map.here(elsewhere), 0U) << elsewhere;
}

TEST(CodeMap, MapsNothingThatCannotBeCompared) {
  for (const std::string& maps : {other("43"), std::string(), std::string("x r-xp 0 0 0 /libc.so.6\n"),
                                  std::string("7e11-zz r-xp 00026000 fe:00 42 /usr/lib/libc.so.6\n")}) {
    FakeRoot root;
    root.write("/proc/self/maps", kOwn);
    root.write("/proc/7/maps", maps);
    EXPECT_EQ(CodeMap::of_process(7, root.path()).here(0x7e1100026000), 0U) << maps;
  }
  const FakeRoot none;
  EXPECT_EQ(CodeMap::of_process(7, none.path()).here(1), 0U);
}

TEST(CodeMap, IsReadFromTheKernel) {
  const auto code = reinterpret_cast<std::uint64_t>(&::clock_nanosleep);
  EXPECT_EQ(CodeMap::of_process(::getpid()).here(code), code);
}

}  // namespace
}  // namespace tactus::rtsync::code_map_test
