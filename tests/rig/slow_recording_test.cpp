// SPDX-License-Identifier: Apache-2.0
// A file that takes long to write ends the run later than its last frame, and the run says so.
#include <gtest/gtest.h>

#include <string>

#include "rig_command.hpp"

namespace tactus::test::slow_recording_test {
namespace {

TEST(SlowRecording, IsNamedWhileTheRunWaitsForItsFile) {
  const TempDir dir;
  dir.write("rig.yaml",
            "rig: slow\nframe: { period: 1 ms }\nrealtime: { enabled: no }\nuntil: 50 ms\n"
            "memory: { lock: no, heap: 0 B }\n"
            "record:\n  many: { driver: slow, signals: [rt.frame], every: 1 ms }\n");
  Command command = tactus({"run", "rig.yaml", "--out", "out"}, dir.path());
  command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  const Finished done = run(command);
  EXPECT_EQ(done.status, 0) << done;
  const std::string sentence =
      "the frames are over, and recording many is still being written to its file; the run ends after that";
  EXPECT_NE((done.out + done.err).find(sentence), std::string::npos) << done;
  EXPECT_NE(read_file(dir / "out/log.txt").find(sentence), std::string::npos);
  const Json recording = summary_of(dir / "out")["recordings"][0];
  EXPECT_EQ(recording["lost"], 0) << recording;
  EXPECT_EQ(recording["written"], recording["sampled"]) << "nothing of it is left out";
}

}  // namespace
}  // namespace tactus::test::slow_recording_test
