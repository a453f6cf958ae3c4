// SPDX-License-Identifier: Apache-2.0
// Faults of one connection in whole runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::connection_fault_test {
namespace {

using namespace tactus::test;
using ::testing::HasSubstr;

std::string rig_of(const std::string& fault) {
  return "rig: r\nframe: { period: 1 ms }\nuntil: 20 ms\nframe_log: no\nrealtime: { enabled: no }\n"
         "models:\n  a: { model: pulse, library: test_load }\n  b: { model: pulse, library: test_load }\n"
         "  c: { model: pulse, library: test_load }\n"
         "connect: [ { from: a.seen, to: b.in, scale: 1 }, { from: a.seen, to: c.in, scale: 1 } ]\n"
         "commands: [ { at: 3 ms, do: on_event a.kick }, { at: 11 ms, do: [ { on_event: [ b.kick, c.kick ] } "
         "] } ]\n"
         "record: { all: { variables: [ a.seen, b.in, c.in, b.read, c.read ] } }\n"
         "faults: { wire: { " +
         fault + ", frame: 10, for: 3 ms } }\n";
}

TEST(ConnectionFault, ChangesWhatItsInputGetsAndNoOtherReader) {
  const TempDir dir;
  dir.write("rig.yaml", rig_of("on: connection a.seen -> b.in, offset: 5"));
  const Finished done = run(tactus({"run", "rig.yaml", "--no-realtime", "--out", "out"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const Table table = read_table(dir / "out/all.csv");
  ASSERT_EQ(table.rows.size(), 20U);
  for (std::size_t k = 5; k < 20; ++k) {
    EXPECT_EQ(table.integers("b.in")[k], k >= 10 && k < 13 ? 6 : 1) << k;
    EXPECT_EQ(table.integers("c.in")[k], 1) << k;
    EXPECT_EQ(table.integers("a.seen")[k], 1) << k;
  }
  EXPECT_EQ(table.integers("b.read").back(), 6) << "what its job reads";
  EXPECT_EQ(table.integers("c.read").back(), 1);
  EXPECT_EQ(summary_of(dir / "out")["faults"][0]["on"], "connection a.seen -> b.in");
}

TEST(ConnectionFault, ThereHasToBeSuchAConnection) {
  const TempDir dir;
  const auto check = [&](const std::string& fault) {
    dir.write("rig.yaml", rig_of(fault));
    const Finished done = run(tactus({"check", "rig.yaml"}, dir.path()));
    EXPECT_EQ(done.status, 2) << done;
    return done.out + done.err;
  };
  EXPECT_THAT(check("on: connection a.seen -> b.im, offset: 5"),
              HasSubstr("there is no connection 'a.seen -> b.im'; did you mean 'a.seen -> b.in'?"));
  EXPECT_THAT(check("on: connection a.seen, offset: 5"), HasSubstr("write 'connection OUTPUT -> INPUT'"));
}

}  // namespace
}  // namespace tactus::rig_test::connection_fault_test
