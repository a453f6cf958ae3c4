// SPDX-License-Identifier: Apache-2.0
/// Rigs whose run folder is on a disk that runs full: a tmpfs of their own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "rig_command.hpp"

namespace tactus::test::full_disk_test {
namespace {

/// The script in a mount namespace of its own, in which the folder "disk" is a disk of this size.
Command with_disk(const TempDir& dir, const std::string& size, const std::string& script) {
  Command command;
  command.argv = {"unshare", ::geteuid() == 0 ? "-m" : "-Urm", "sh", "-c",
                  "mkdir -p disk && mount -t tmpfs -o size=" + size + " none disk && { " + script + "; }"};
  command.cwd = dir.path();
  return command;
}

bool can_mount(const TempDir& dir) { return run(with_disk(dir, "400k", "true")).status == 0; }

std::string line_of(const Command& command) {
  std::string line;
  for (const auto& [name, value] : command.env) line += name + "='" + value + "' ";
  for (const std::string& word : command.argv) line += "'" + word + "' ";
  return line;
}

TEST(FullDiskRig, WhatWasLostIsSaidEverywhere) {
  const TempDir dir;
  if (!can_mount(dir)) GTEST_SKIP() << "no disk can be mounted here (unshare, mount)";
  const Finished done =
      run(with_disk(dir, "400k",
                    line_of(run_rig("servo", {"--out", "disk/o", "--no-realtime"}, dir.path())) +
                        "; echo run=$?; cat disk/o/summary.json disk/o/log.txt; " +
                        line_of(tactus({"recover", "disk/o"}, dir.path())) + "; echo recover=$?; " +
                        line_of(tactus({"report", "disk/o", "--to", "-", "--text"}, dir.path()))));
  EXPECT_NE(done.out.find("run=1\n"), std::string::npos) << done;
  EXPECT_NE(done.out.find("recover=1\n"), std::string::npos) << done;
  EXPECT_NE(done.out.find("\"outcome\": \"completed\""), std::string::npos) << done;
  EXPECT_EQ(done.out.find("may be missing"), std::string::npos) << done;
  EXPECT_EQ(done.out.find("illed"), std::string::npos) << "none was killed: " << done;
  std::size_t said = 0;
  for (std::size_t at = done.out.find(" of 10000 records lost: no space"); at != std::string::npos;
       at = done.out.find(" of 10000 records lost: no space", at + 1))
    ++said;
  EXPECT_GE(said, 5U) << "summary, log (twice), recover, report: " << done;
}

TEST(FullDiskRig, Hdf5EndsInOrder) {
  const TempDir dir;
  if (!can_mount(dir)) GTEST_SKIP() << "no disk can be mounted here (unshare, mount)";
  const Finished done = run(with_disk(
      dir, "32k",
      line_of(run_rig("servo", {"--out", "disk/o", "--no-realtime", "--set", "record.motion.driver=hdf5"},
                      dir.path())) +
          "; echo run=$?; cat disk/o/summary.json"));
  if (done.err.find("driver") != std::string::npos) GTEST_SKIP() << "without the driver: " << done;
  EXPECT_NE(done.out.find("run=1\n"), std::string::npos) << done;
  EXPECT_NE(done.out.find("\"outcome\": \"completed\""), std::string::npos) << done;
  EXPECT_EQ(done.err.find("HDF5-DIAG"), std::string::npos) << done;
}

}  // namespace
}  // namespace tactus::test::full_disk_test
