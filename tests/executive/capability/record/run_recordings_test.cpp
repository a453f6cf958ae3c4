// SPDX-License-Identifier: Apache-2.0
/// The recordings of a run before their files are opened; with files: threads/run_recordings_test.cpp.
#include "executive/capability/record/run_recordings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/executive/support/recorded_voice.hpp"
#include "tests/executive/support/rig_files.hpp"

namespace tactus::executive::run_recordings_test {
namespace {

using config::Json;
using tactus::test::TempDir;
using test::kHead;
using test::LoadedRig;
using test::RecordedVoice;
using ::testing::IsEmpty;

const std::string kModel = "  a: { model: gain, library: ./libmodels.so }\n";
const std::string kTwo =
    kHead + kModel + "record:\n  fast: { variables: [a.y] }\n  slow: { every: 10 ms, variables: [a.u] }\n";

std::string names(const Json& all) {
  std::string text;
  for (const Json& each : all) text += each.at("name").get<std::string>() + " ";
  return text;
}

TEST(RunRecordings, AreThoseOfTheRigFileAndOfTheFrames) {
  const TempDir dir;
  LoadedRig rig("rig: r\nframe: { period: 1 ms }\nmodels:\n" + kModel +
                "record: { m: { variables: [a.y] } }\n");
  EXPECT_EQ(names(RunRecordings(rig, dir.path(), true).facts()), "m frames ");
  EXPECT_EQ(names(RunRecordings(rig, dir.path(), false).facts()), "m ") << "frames have no times";
  LoadedRig none(kHead + kModel);
  EXPECT_EQ(RunRecordings(none, dir.path(), true).facts(), Json::array());
}

TEST(RunRecordings, TheFactsOfAKilledRigSayThatNoneHasEnded) {
  const TempDir dir;
  LoadedRig rig(kTwo);
  const RunRecordings recordings(rig, dir.path(), false);
  EXPECT_EQ(recordings.facts(),
            Json::parse(R"([{"name": "fast", "ended": false}, {"name": "slow", "ended": false}])"));
}

TEST(RunRecordings, OneOrAllAreSwitched) {
  const TempDir dir;
  LoadedRig rig(kTwo);
  RunRecordings recordings(rig, dir.path(), false);
  for (Recording& recording : rig.recordings()) recording.open(dir.path());
  const auto sample = [&] {
    std::string taken;
    for (Recording& recording : rig.recordings()) {
      recording.take_sample(0);
      taken += std::to_string(recording.drain());
    }
    return taken;
  };
  EXPECT_EQ(sample(), "11");
  EXPECT_EQ(recordings.switch_to("slow", false), "");
  EXPECT_EQ(sample(), "10");
  EXPECT_EQ(recordings.switch_to("", false), "");
  EXPECT_EQ(sample(), "00");
  EXPECT_EQ(recordings.switch_to("fast", true), "");
  EXPECT_EQ(sample(), "10");
}

TEST(RunRecordings, ATriggerTakesANumberForOneWhateverTheModelIsCalled) {
  for (const std::string model : {"t", "my-t"}) {
    const std::string head = kHead + "  " + model + ": { model: types, library: ./libmodels.so }\nrecord:\n";
    for (const auto& [limit, expected] : {std::pair("7", 7), std::pair("minus", -5)}) {
      LoadedRig rig(head + "  r: { variables: [" + model + ".d], trigger: { when: '" + model +
                    ".signed == " + limit + "' } }\n");
      Recording& recording = rig.recordings().front();
      const TempDir folder;
      recording.open(folder.path());
      auto* const value = static_cast<std::int16_t*>(rig.models().front().find_variable("signed")->data);
      std::vector<int> written;
      for (const std::int16_t given : {std::int16_t{-5}, std::int16_t{7}, std::int16_t{11}}) {
        *value = given;
        const std::uint64_t before = recording.written();
        recording.take_sample(given * 1'000'000 + 10'000'000);
        recording.drain();
        if (recording.written() > before) written.push_back(given);
      }
      EXPECT_THAT(written, ::testing::ElementsAre(expected)) << model << " " << limit;
    }
  }
}

TEST(RunRecordings, ANameThatIsNoneIsToldWithThoseThereAre) {
  const TempDir dir;
  LoadedRig rig(kTwo);
  EXPECT_EQ(RunRecordings(rig, dir.path(), false).switch_to("quick", true),
            "there is no recording 'quick'; there are 'fast', 'slow'");
  LoadedRig none(kHead + kModel);
  EXPECT_EQ(RunRecordings(none, dir.path(), false).switch_to("", true),
            "the rig has no recordings; they stand in the rig file (`record:`)");
}

TEST(RunRecordings, WithoutALossThereIsNothingToTell) {
  const TempDir dir;
  LoadedRig rig(kTwo);
  RecordedVoice voice;
  const RunRecordings recordings(rig, dir.path(), false);
  recordings.tell_losses(voice.voice());
  EXPECT_THAT(voice.take(), IsEmpty());
  EXPECT_EQ(recordings.lost(), 0U);
}

}  // namespace
}  // namespace tactus::executive::run_recordings_test
