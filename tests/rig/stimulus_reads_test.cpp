// SPDX-License-Identifier: Apache-2.0
// What stimuli read: shown values of the frame before, and words of a recording.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::stimulus_reads_test {
namespace {

using namespace tactus::test;
using ::testing::HasSubstr;

const std::string kHead =
    "rig: r\nframe: { period: 1 ms }\nuntil: 25 ms\nframe_log: no\nrealtime: { enabled: no }\nmodels:\n";

TEST(StimulusReads, AnExpressionReadsWhatOthersSawAtTheEndOfTheFrameBefore) {
  const TempDir dir;
  dir.write(
      "rig.yaml",
      kHead +
          "  a: { model: pulse, library: test_load }\n  b: { model: pulse, library: test_load }\n"
          "stimuli:\n"
          "  a.in: [ { hold: 1, for: 5 ms }, { hold: 2 } ]\n"
          "  b.in: { expression: a.in * 10 }\n"
          "faults: { off: { on: a.in, offset: 100, frame: 10, for: 3 ms } }\n"
          "commands:\n  - { at: 15 ms, do: [ force a.in 7 ] }\n  - { at: 18 ms, do: [ release a.in ] }\n"
          "record: { all: { variables: [ a.in, b.in ] } }\n");
  for (const char* const out : {"first", "second"}) {
    const Finished done = run(tactus({"run", "rig.yaml", "--no-realtime", "--out", out}, dir.path()));
    ASSERT_EQ(done.status, 0) << done;
  }
  EXPECT_EQ(read_file(dir / "first/all.csv"), read_file(dir / "second/all.csv"));
  const Table table = read_table(dir / "first/all.csv");
  ASSERT_EQ(table.rows.size(), 25U);
  const auto a = table.integers("a.in");
  const auto b = table.integers("b.in");
  EXPECT_EQ(a[4], 1) << "the stimulus";
  EXPECT_EQ(a[6], 2);
  EXPECT_EQ(a[11], 102) << "the fault";
  EXPECT_EQ(a[16], 7) << "the force";
  EXPECT_EQ(a[20], 2) << "the stimulus again";
  for (std::size_t k = 1; k < 25; ++k) EXPECT_EQ(b[k], 10 * a[k - 1]) << k;
}

TEST(StimulusReads, WordsOfARecordingAreValuesOfAnEnumeration) {
  const TempDir dir;
  const std::string models = kHead + "  w: { model: misbehave, library: test_load }\n";
  dir.write("words.csv", "sys.exec.out.time {s},w.what {--}\n0,none\n0.005,clock\n0.01,none\n");
  dir.write("rig.yaml", models +
                            "stimuli: { w.what: { recording: { file: words.csv, column: w.what } } }\n"
                            "record: { all: { variables: [ w.what ] } }\n");
  const Finished done = run(tactus({"run", "rig.yaml", "--no-realtime", "--out", "out"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const auto what = read_table(dir / "out/all.csv").integers("w.what");
  ASSERT_EQ(what.size(), 25U);
  EXPECT_EQ(what[2], 0);
  EXPECT_EQ(what[7], 5) << "clock";
  EXPECT_EQ(what[12], 0);

  dir.write("words.csv", "sys.exec.out.time {s},w.what {--}\n0,none\n0.005,clok\n");
  const Finished refused = run(tactus({"check", "rig.yaml"}, dir.path()));
  EXPECT_EQ(refused.status, 2) << refused;
  EXPECT_THAT(refused.out + refused.err, HasSubstr("clok"));
}

}  // namespace
}  // namespace tactus::rig_test::stimulus_reads_test
