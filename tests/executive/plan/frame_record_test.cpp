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
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::frame_record_test {
namespace {

constexpr std::int32_t number(rtsync::Cause cause) { return static_cast<std::int32_t>(cause); }

/// The first ones of rt.* as frames.csv has them: files of years are read by these names, types and places.
TEST(FrameRecord, IsTheSameRowOfFramesCsvForEver) {
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
  EXPECT_EQ(tactus::test::read_file(dir / "frames.csv"),
            "sys.exec.out.time {s},rt.frame {--},rt.late {ns},rt.work {ns},rt.slack {ns},rt.overruns {--},"
            "rt.late_wakes {--},rt.late_by_housekeeping {--},rt.lost {--},rt.cause {--},rt.overrun {--},"
            "rt.beside {--},rt.beside_time {ns},rt.behind {ns}\n"
            "1.3005,1300,16,3504128,-2504150,5,6,7,8,preempted,late_wake,computed,930000,4100\n");
}

TEST(FrameRecord, KeepsItsTypesAndTheNumbersOfItsNames) {
  ExecutiveVariables variables;
  const std::deque<Variable>& rt = *variables.find("rt");
  std::string types;
  for (const Variable& one : rt) types += std::string(name_of(one.type)) + " ";
  EXPECT_EQ(types,
            "int64 int64 int64 int64 int64 int64 int64 int64 int32 int32 int32 int64 int64 int32 int64 ");
  std::string words;
  for (const VariableLabel& label : rt[9].labels) words += label.name + " ";
  EXPECT_EQ(words, "none work late_wake catching_up housekeeping ");
  EXPECT_EQ(rt[8].labels.size(), rtsync::kCauses);
  EXPECT_EQ(rt[13].name, "rt.last_cause");
  EXPECT_EQ(rt[14].name, "rt.last_late_frame");
}

}  // namespace
}  // namespace tactus::executive::frame_record_test
