// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/frame_record.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "executive/driver/record_formats.hpp"
#include "executive/model/with_type.hpp"
#include "executive/plan/executive_variables.hpp"
#include "rtsync/evidence/cause.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::frame_record_test {
namespace {

constexpr std::int32_t number(rtsync::Cause cause) { return static_cast<std::int32_t>(cause); }

/// The first ones of rt.* as frames.csv has them: files of years are read by these names, types and places.
TEST(FrameRecord, IsTheSameRowOfFramesCsvForEver) {
  tactus::test::Snapshot texts;
  ExecutiveVariables variables;
  RealtimeVariables& rt = variables.realtime();
  rt.frame = 1300;
  rt.late = 16;
  rt.work = 3'504'128;
  rt.slack = -2'504'150;
  rt.overruns = 5;
  rt.late_wakes = 6;
  rt.late_by_housekeeping = 7;
  rt.lost = 8;
  rt.cause = number(rtsync::Cause::preempted);
  rt.overrun = static_cast<std::int32_t>(rtsync::OverrunCause::late_wake);
  rt.beside = number(rtsync::Cause::computed);
  rt.beside_time = 930'000;
  rt.behind = 4'100;
  RecordingHead head{"frames", {}, 0};
  std::vector<std::byte> record(sizeof(std::int64_t));
  const std::int64_t time = 1'300'500'000;
  std::memcpy(record.data(), &time, sizeof time);
  ASSERT_EQ(variables.of_one_frame(), 13U);
  for (std::size_t i = 0; i < variables.of_one_frame(); ++i) {
    const Variable& one = (*variables.find("rt"))[i];
    head.columns.push_back(
        {one.name, one.unit_text, one.type, record.size(), one.labels, one.recorded_as_word, one.about});
    const auto* const bytes = static_cast<const std::byte*>(one.data);
    record.insert(record.end(), bytes, bytes + size_of(one.type));
  }
  const tactus::test::TempDir dir;
  const RecordFormat csv("csv");
  config::Problems problems;
  const auto sink = csv.driver->make(config::Node::map({}), "frames", problems);
  sink->open(dir / "frames.csv", head);
  sink->write(record.data());
  sink->close();
  texts.add(tactus::test::read_file(dir / "frames.csv"));
}

TEST(FrameRecord, KeepsItsTypesAndTheNumbersOfItsNames) {
  tactus::test::Snapshot texts;
  ExecutiveVariables variables;
  const std::deque<Variable>& rt = *variables.find("rt");
  std::string types;
  for (const Variable& one : rt) types += std::string(name_of(one.type)) + " ";
  texts.add(types);
  std::string words;
  for (const VariableLabel& label : rt[9].labels) words += label.name + " ";
  texts.add(words);
  EXPECT_EQ(rt[8].labels.size(), rtsync::kCauses);
  EXPECT_EQ(rt[13].name, "rt.last_cause");
  EXPECT_EQ(rt[14].name, "rt.last_late_frame");
}

}  // namespace
}  // namespace tactus::executive::frame_record_test
