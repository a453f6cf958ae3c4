// SPDX-License-Identifier: Apache-2.0
// A file that takes long to write ends the run later than its last frame, and the run says so.
#include <gtest/gtest.h>

#include <string>

#include "rig_command.hpp"

namespace tactus::test::slow_recording_test {
namespace {

/// Runs a rig in a folder that records in the slow format: 100 ms a record.
Finished run_with(const TempDir& dir, const std::string& until, const std::string& recordings) {
  dir.write("rig.yaml", "rig: slow\nframe: { period: 1 ms }\nrealtime: { enabled: no }\nuntil: " + until +
                            "\nmemory: { lock: no, heap: 0 B }\nrecord:\n" + recordings);
  Command command = tactus({"run", "rig.yaml", "--out", "out"}, dir.path());
  command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  return run(command);
}

void expect_all_written(const TempDir& dir) {
  const Json summary = summary_of(dir / "out");
  for (const Json& recording : summary["recordings"]) {
    EXPECT_EQ(recording["lost"], 0) << recording;
    EXPECT_EQ(recording["written"], recording["sampled"]) << recording;
  }
}

TEST(SlowRecording, ManyCallsThatReturnAreSaidToBeStillWriting) {
  const TempDir dir;
  std::string recordings;
  for (int i = 0; i < 12; ++i)
    recordings += "  r" + std::to_string(i) + ": { driver: slow, variables: [rt.frame], every: 1 ms }\n";
  const Finished done = run_with(dir, "4 ms", recordings);
  EXPECT_EQ(done.status, 0) << done;
  const std::string begin = "the frames are over, and recording r";
  const std::string end = " is still being written to its file; the run ends after that";
  for (const std::string& text : {done.out + done.err, read_file(dir / "out/log.txt")}) {
    const std::size_t at = text.find(begin);
    ASSERT_NE(at, std::string::npos) << done;
    EXPECT_NE(text.find(end, at), std::string::npos) << done;
  }
  expect_all_written(dir);
}

TEST(SlowRecording, OneCallThatDoesNotReturnForASecondIsNamed) {
  const TempDir dir;
  const Finished done =
      run_with(dir, "50 ms", "  many: { driver: slow, variables: [rt.frame], every: 1 ms }\n");
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_NE((done.out + done.err)
                .find("the rig waits for a call that was made while the file of recording many was closed"),
            std::string::npos)
      << done;
  expect_all_written(dir);
}

}  // namespace
}  // namespace tactus::test::slow_recording_test
