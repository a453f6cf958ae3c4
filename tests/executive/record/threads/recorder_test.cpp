// SPDX-License-Identifier: Apache-2.0
#include "executive/record/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include "config/document.hpp"
#include "executive/capability/record/recordings_part.hpp"
#include "executive/driver/driver_library.hpp"
#include "tests/executive/support/plan_fixture.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::recorder_test {
namespace {

using namespace std::chrono_literals;
using tactus::test::FullDisk;
using tactus::test::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Variable variable(std::string name, tactus_type type, void* data, std::uint32_t count = 0,
                  std::string unit = "") {
  Variable made;
  made.name = std::move(name);
  made.role = TACTUS_OUTPUT;
  made.type = type;
  made.count = count;
  made.data = data;
  made.unit_text = std::move(unit);
  return made;
}
VariableRef whole(const Variable& v) {
  return {&v, 0, static_cast<std::uint32_t>(v.elements()), false, nullptr};
}

void sample(Recording& recording, std::int64_t time_ns) {
  const tactus_call call{time_ns, 0, 0};
  EXPECT_EQ(Recording::sample(&recording, &call), 0);
}

/// Keeps what it is given; fails where it is told to.
class FakeSink final : public RecordSink {
 public:
  struct Log {
    std::vector<RecordColumn> columns;
    std::vector<std::int64_t> times;
    int opened = 0, closed = 0;
    std::atomic<int> flushed{0};
    std::uint64_t lost_by_flush = 0;  // fail_flush: so many of those that were taken
    std::int64_t fail_write_at = -1;  // number of the record
    bool fail_open = false, fail_flush = false, fail_close = false;
    std::atomic<bool> stall{false};
  };
  explicit FakeSink(Log& log) : log_(log) {}
  std::string file_name(const std::string& recording) const override { return recording; }
  void open(const std::filesystem::path&, const RecordingHead& head) override {
    ++log_.opened;
    if (log_.fail_open) throw std::runtime_error("no such folder");
    log_.columns = head.columns;
  }
  void write(const std::byte* record) override {
    while (log_.stall.load()) std::this_thread::sleep_for(1ms);
    if (log_.fail_write_at == static_cast<std::int64_t>(log_.times.size()))
      throw std::runtime_error("No space left on device");
    std::int64_t time = 0;
    std::memcpy(&time, record, sizeof time);
    log_.times.push_back(time);
  }
  void flush() override {
    ++log_.flushed;
    if (log_.fail_flush) throw RecordsLost("cannot flush", log_.lost_by_flush);
  }
  void close() override {
    ++log_.closed;
    if (log_.fail_close) throw std::runtime_error("cannot close");
  }

 private:
  Log& log_;
};

struct Tape {
  double x = 0;
  Variable v = variable("m.x", TACTUS_DOUBLE, &x, 0, "V");
  FakeSink::Log log;
  Recording recording{"tape", {whole(v)}, std::make_unique<FakeSink>(log)};
};

std::size_t drain_all(Recording& recording) {
  std::size_t all = 0;
  while (const std::size_t taken = recording.drain()) all += taken;
  return all;
}

TEST(Recording, GivesTheSinkEveryRecordInOrder) {
  Tape tape;
  tape.recording.open("/nowhere");
  for (std::int64_t i = 0; i < 3000; ++i) sample(tape.recording, i);
  EXPECT_EQ(drain_all(tape.recording), 3000U);
  ASSERT_EQ(tape.log.times.size(), 3000U);
  for (std::int64_t i = 0; i < 3000; ++i) ASSERT_EQ(tape.log.times[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(tape.recording.written(), 3000U);
  EXPECT_EQ(tape.recording.lost(), 0U);
  EXPECT_EQ(tape.recording.error(), "");
  EXPECT_FALSE(tape.recording.ended());
  tape.recording.close();
  EXPECT_EQ(tape.log.closed, 1);
  EXPECT_EQ(tape.log.flushed, 1);
  EXPECT_TRUE(tape.recording.ended());
}

TEST(Recording, DescribesItsColumns) {
  std::int16_t a[3] = {};
  bool b = false;
  double c = 0;
  const Variable va = variable("m.a", TACTUS_INT16, a, 3, "counts");
  const Variable vb = variable("m.b", TACTUS_BOOL, &b);
  const Variable vc = variable("m.c", TACTUS_DOUBLE, &c, 0, "rad/s");
  FakeSink::Log log;
  Recording recording("tape", {whole(va), whole(vb), {&va, 2, 1, true, nullptr}, whole(vc)},
                      std::make_unique<FakeSink>(log));
  recording.open("/nowhere");
  std::vector<std::string> names;
  std::vector<std::size_t> offsets;
  for (const RecordColumn& column : log.columns) {
    names.push_back(column.name + " " + column.unit);
    offsets.push_back(column.offset);
  }
  EXPECT_THAT(names, ElementsAre("m.a[0] counts", "m.a[1] counts", "m.a[2] counts", "m.b ", "m.a[2] counts",
                                 "m.c rad/s"));
  EXPECT_THAT(offsets, ElementsAre(8, 10, 12, 14, 15, 17));
}

TEST(Recording, NamesElementsOfTwoDimensionsByRowAndColumn) {
  double r[2][2] = {};
  Variable table = variable("m.r", TACTUS_DOUBLE, r, 4);
  table.columns = 2;
  FakeSink::Log log;
  Recording recording("tape", {whole(table), {&table, 2, 1, true, nullptr}}, std::make_unique<FakeSink>(log));
  recording.open("/nowhere");
  std::vector<std::string> names;
  for (const RecordColumn& column : log.columns) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("m.r[0][0]", "m.r[0][1]", "m.r[1][0]", "m.r[1][1]", "m.r[1][0]"));
}

TEST(Recording, AFullRingLosesTheNewRecordAndCountsIt) {
  Tape tape;
  tape.recording.open("/nowhere");
  constexpr std::int64_t kSlots = 65536;  // small records: as many as a ring has at most
  for (std::int64_t i = 0; i < kSlots + 100; ++i) sample(tape.recording, i);
  EXPECT_EQ(tape.recording.lost(), 100U);
  EXPECT_EQ(drain_all(tape.recording), static_cast<std::size_t>(kSlots));
  sample(tape.recording, 777);
  EXPECT_EQ(drain_all(tape.recording), 1U);
  EXPECT_EQ(tape.log.times[kSlots - 1], kSlots - 1) << "the old ones are kept";
  EXPECT_EQ(tape.log.times[kSlots], 777);
  EXPECT_EQ(tape.recording.written(), static_cast<std::uint64_t>(kSlots + 1));
  EXPECT_EQ(tape.recording.lost(), 100U);
}

/// Writes its file anew when it is closed, under the same name.
class RenewingSink final : public RecordSink {
 public:
  std::string file_name(const std::string& recording) const override { return recording + ".x"; }
  void open(const std::filesystem::path& file, const RecordingHead&) override {
    file_ = file;
    std::ofstream(file) << "long";
  }
  void write(const std::byte*) override {}
  void flush() override {}
  void close() override {
    std::ofstream(file_.string() + ".new") << "short";
    std::filesystem::rename(file_.string() + ".new", file_);
  }

 private:
  std::filesystem::path file_;
};

TEST(Recording, ASinkMayWriteItsFileAnewWhenItIsClosed) {
  Tape tape;
  const tactus::test::TempDir folder;
  for (const bool removed : {false, true}) {
    Recording recording(removed ? "gone" : "tape", {whole(tape.v)}, std::make_unique<RenewingSink>());
    recording.open(folder.path());
    sample(recording, 1);
    (void)drain_all(recording);
    if (removed) std::filesystem::remove(folder / "gone.x");
    recording.close();
    EXPECT_EQ(recording.lost(), removed ? 1U : 0U);
    EXPECT_EQ(recording.ended(), !removed);
  }
}

TEST(Recording, ARingHasRoomFor16SecondsAndNoMore) {
  using namespace std::chrono_literals;
  Tape tape;  // its variable
  for (const auto& [every, slots] : {std::pair<rtsync::Nanoseconds, std::int64_t>{1ms, 16384},
                                     {100ms, 4096},
                                     {50us, 65536},
                                     {0ns, 65536}}) {
    FakeSink::Log log;
    Recording recording("tape", {whole(tape.v)}, std::make_unique<FakeSink>(log), {.every = every});
    recording.open("/nowhere");
    for (std::int64_t i = 0; i < slots; ++i) sample(recording, i);
    EXPECT_EQ(recording.lost(), 0U) << every.count();
    sample(recording, slots);
    EXPECT_EQ(recording.lost(), 1U) << every.count();
  }
}

TEST(Recording, ARingOfLargeRecordsTakesNoMoreThan64MiBForMoreThan16Seconds) {
  std::vector<double> values(std::size_t{1} << 14);
  const auto count = static_cast<std::uint32_t>(values.size());
  const Variable large = variable("m.large", TACTUS_DOUBLE, values.data(), count);
  FakeSink::Log log;
  Recording recording("tape", {whole(large)}, std::make_unique<FakeSink>(log), {.every = 1s});
  recording.open("/nowhere");
  constexpr std::int64_t kSlots = 512;  // of 128 KiB
  for (std::int64_t i = 0; i < kSlots; ++i) sample(recording, i);
  EXPECT_EQ(recording.lost(), 0U);
  sample(recording, kSlots);
  EXPECT_EQ(recording.lost(), 1U);
}

TEST(Recording, APatientOneWaitsForRoom) {
  Tape tape;
  tape.recording.open("/nowhere");
  tape.recording.wait_for_room(true);
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done.load()) {
      if (tape.recording.drain() == 0) std::this_thread::yield();
    }
    (void)drain_all(tape.recording);
  });
  for (std::int64_t i = 0; i < 200'000; ++i) sample(tape.recording, i);
  done.store(true);
  reader.join();
  EXPECT_EQ(tape.recording.lost(), 0U);
  EXPECT_EQ(tape.recording.written(), 200'000U);
  EXPECT_EQ(tape.log.times.back(), 199'999);
}

TEST(Recording, ASinkThatFailsLosesTheRestAndSaysWhy) {
  Tape tape;
  tape.recording.open("/nowhere");
  tape.log.fail_write_at = 10;
  for (std::int64_t i = 0; i < 50; ++i) sample(tape.recording, i);
  (void)drain_all(tape.recording);
  tape.log.fail_write_at = -1;  // it is not asked again
  for (std::int64_t i = 0; i < 5; ++i) sample(tape.recording, i);
  (void)drain_all(tape.recording);
  EXPECT_EQ(tape.recording.written(), 10U);
  EXPECT_EQ(tape.recording.lost(), 45U);
  EXPECT_EQ(tape.recording.error(), "No space left on device");
  tape.log.fail_close = true;
  tape.recording.close();
  EXPECT_EQ(tape.log.closed, 1);
  EXPECT_EQ(tape.recording.error(), "No space left on device") << "the first reason stays";
}

TEST(Recording, APatientOneDoesNotWaitForASinkThatHasFailed) {
  Tape tape;
  tape.recording.open("/nowhere");
  tape.recording.wait_for_room(true);
  tape.log.fail_write_at = 0;
  sample(tape.recording, 0);
  (void)drain_all(tape.recording);
  for (std::int64_t i = 0; i < 70'000; ++i) sample(tape.recording, i);  // more than the ring holds
  EXPECT_EQ(tape.recording.lost(), 1U + 70'000 - 65'536);
  (void)drain_all(tape.recording);
  EXPECT_EQ(tape.recording.lost(), 70'001U);
}

TEST(Recording, WhatAFailedFlushLostIsCountedAsLost) {
  Tape tape;
  tape.recording.open("/nowhere");
  for (std::int64_t i = 0; i < 10; ++i) sample(tape.recording, i);
  (void)drain_all(tape.recording);
  tape.log.fail_flush = true;
  tape.log.lost_by_flush = 4;
  tape.recording.flush();
  EXPECT_EQ(tape.recording.written(), 6U);
  EXPECT_EQ(tape.recording.lost(), 4U);
  tape.recording.close();
  EXPECT_FALSE(tape.recording.ended()) << "it did not end in order";
}

TEST(Recording, FailuresOfFlushAndCloseAreSaid) {
  Tape flush;
  flush.log.fail_flush = true;
  flush.recording.open("/nowhere");
  flush.recording.flush();
  EXPECT_EQ(flush.recording.error(), "cannot flush");
  Tape close;
  close.log.fail_close = true;
  close.recording.open("/nowhere");
  close.recording.close();
  EXPECT_EQ(close.recording.error(), "cannot close");
}

rtsync::ThreadSettings helper() { return {"recorder", {}, rtsync::SchedPolicy::other, 0, 0, false}; }

TEST(Recorder, WritesEverythingThatWasSampledBeforeStop) {
  Tape one;
  Tape two;
  Recorder recorder("/nowhere");
  recorder.add(one.recording);
  recorder.add(two.recording);
  recorder.start(helper());
  EXPECT_FALSE(recorder.provisions().empty());
  for (std::int64_t i = 0; i < 5000; ++i) {
    sample(one.recording, i);
    if (i % 2 == 0) sample(two.recording, i);
  }
  recorder.stop();
  EXPECT_EQ(one.recording.written(), 5000U);
  EXPECT_EQ(two.recording.written(), 2500U);
  EXPECT_EQ(one.log.closed, 1);
  EXPECT_EQ(two.log.closed, 1);
  recorder.stop();  // again: nothing
  EXPECT_EQ(one.log.closed, 1);
}

TEST(Recorder, FlushesAsOftenAsItIsTold) {
  Tape often;
  Recorder recorder("/nowhere", 1ms);
  recorder.add(often.recording);
  recorder.start(helper());
  const auto until = std::chrono::steady_clock::now() + 120s;
  while (often.log.flushed.load() < 3 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(1ms);
  EXPECT_GE(often.log.flushed.load(), 3);
  recorder.stop();

  Tape seldom;
  Recorder patient("/nowhere", 1h);
  patient.add(seldom.recording);
  patient.start(helper());
  for (std::int64_t i = 0; i < 1000; ++i) sample(seldom.recording, i);
  patient.stop();
  EXPECT_EQ(seldom.log.flushed.load(), 1) << "once, when it was closed";
}

TEST(Recorder, ASlowSinkDoesNotHoldUpTheFrames) {
  Tape tape;
  tape.log.stall.store(true);
  Recorder recorder("/nowhere");
  recorder.add(tape.recording);
  recorder.start(helper());
  for (std::int64_t i = 0; i < 70'000; ++i) sample(tape.recording, i);  // would never return if it waited
  EXPECT_GT(tape.recording.lost(), 4000U);
  tape.log.stall.store(false);
  recorder.stop();
  EXPECT_EQ(tape.recording.lost() + tape.recording.written(), 70'000U);
}

TEST(Recorder, ASinkThatNeverReturnsIsGivenUpWithWhatItLost) {
  // Its thread may end at any time after the test.
  static Tape& tape = *new Tape;
  static Recorder& recorder = *new Recorder("/nowhere", 1ms);
  recorder.add(tape.recording);
  recorder.start(helper());
  for (std::int64_t i = 0; i < 10; ++i) sample(tape.recording, i);
  while (tape.recording.written() < 10 || tape.log.flushed.load() == 0) std::this_thread::sleep_for(1ms);
  const int flushed = tape.log.flushed.load();
  while (tape.log.flushed.load() < flushed + 2) std::this_thread::sleep_for(1ms);  // all ten of them
  tape.log.stall.store(true);
  for (std::int64_t i = 10; i < 15; ++i) sample(tape.recording, i);
  EXPECT_FALSE(recorder.stop([](std::chrono::nanoseconds hangs) {
    std::this_thread::sleep_for(1ms);
    return hangs < 50ms;
  }));
  EXPECT_EQ(tape.recording.error(), "a call on its file did not return");
  EXPECT_EQ(tape.recording.written(), 10U);
  EXPECT_EQ(tape.recording.lost(), 5U);
  EXPECT_FALSE(tape.recording.ended());
  EXPECT_THAT(tape.recording.losses(), HasSubstr("5 of 15 records lost"));
  tape.log.stall.store(false);
}

bool becomes(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + 120s;
  while (!holds() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  return holds();
}

TEST(Recorder, ACallThatDoesNotReturnKeepsNoOtherRecordingFromItsFile) {
  Tape stuck;
  Tape first;
  Tape last;
  Recorder recorder("/nowhere", 1ms);
  recorder.add(first.recording);
  recorder.add(stuck.recording);
  recorder.add(last.recording);
  stuck.log.stall.store(true);
  recorder.start(helper());
  sample(stuck.recording, 0);
  EXPECT_TRUE(becomes([&] { return !recorder.hanging().empty(); }));
  EXPECT_THAT(recorder.hanging(), ElementsAre(&stuck.recording));
  recorder.take_over();
  for (std::int64_t i = 0; i < 3000; ++i) {
    sample(first.recording, i);
    sample(last.recording, i);
  }
  EXPECT_TRUE(becomes([&] { return first.recording.written() == 3000 && last.recording.written() == 3000; }));
  EXPECT_EQ(stuck.recording.written(), 0U);
  // The file returns; at the end each is closed once.
  stuck.log.stall.store(false);
  EXPECT_TRUE(becomes([&] { return recorder.hanging().empty(); }));
  EXPECT_TRUE(recorder.stop());
  for (const Tape* tape : {&first, &stuck, &last}) EXPECT_EQ(tape->log.closed, 1);
  EXPECT_EQ(stuck.recording.written(), 1U);
}

TEST(Recorder, AFileThatHangsAtTheEndIsGivenUpAlone) {
  // Its thread may end at any time after the test.
  static Tape& stuck = *new Tape;
  static Tape& whole = *new Tape;
  static Recorder& recorder = *new Recorder("/nowhere", 1ms);
  recorder.add(stuck.recording);
  recorder.add(whole.recording);
  stuck.log.stall.store(true);
  recorder.start(helper());
  sample(stuck.recording, 0);
  for (std::int64_t i = 0; i < 100; ++i) sample(whole.recording, i);
  EXPECT_FALSE(recorder.stop([](std::chrono::nanoseconds) {
    std::this_thread::sleep_for(1ms);
    return !whole.recording.ended();
  }));
  EXPECT_EQ(whole.recording.written(), 100U);
  EXPECT_EQ(whole.recording.error(), "");
  EXPECT_EQ(stuck.recording.error(), "a call on its file did not return");
  EXPECT_EQ(stuck.recording.lost(), 1U);
  stuck.log.stall.store(false);
}

TEST(Recorder, ASampleThatWaitsForRoomIsLetGoWhenTheFileIsGivenUp) {
  Tape tape;
  tape.recording.wait_for_room(true);
  std::thread frames([&] {
    for (std::int64_t i = 0; i < 70'000; ++i) sample(tape.recording, i);  // nobody drains
  });
  tape.recording.give_up("a call on its file did not return");
  frames.join();
  EXPECT_GT(tape.recording.lost(), 4000U);
}

TEST(Recorder, NamesTheRecordingThatCannotBeOpened) {
  Tape tape;
  tape.log.fail_open = true;
  Recorder recorder("/nowhere");
  recorder.add(tape.recording);
  try {
    recorder.start(helper());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "recording 'tape': no such folder");
  }
  recorder.stop();
  EXPECT_EQ(tape.log.closed, 0);
}

TEST(Recorder, WithoutRecordingsHasNoThread) {
  Recorder recorder("/nowhere");
  recorder.start(helper());
  EXPECT_TRUE(recorder.provisions().empty());
  recorder.stop();
}

// ---- in an executive

TEST(ExecutiveRecording, IsPatientExactlyWhileTheRigIsNotInRealTime) {
  test::PlanFixture bench;
  Tape tape;
  PlannedJob& job = bench.job("record.tape", TACTUS_DATA_RECORD, {});
  job.run = &Recording::sample;
  job.self = &tape.recording;
  // Enabled at frame 9, so frames 10 and later are in real time and may lose; nobody empties the ring.
  bench.job("switch", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    if (call.frame == 9) bench.sync->enable();
    return 0;
  });
  bench.make();
  RecordingsPart part({&tape.recording});
  bench.executive->add(part);
  EXPECT_EQ(bench.run(70'000).outcome, Outcome::completed);  // would hang if it waited
  EXPECT_EQ(tape.recording.lost(), 70'000U - 65'536);
}

TEST(ExecutiveRecording, LosesNothingOutsideOfRealTime) {
  test::PlanFixture bench;
  Tape tape;
  Recorder recorder("/nowhere");
  recorder.add(tape.recording);
  std::atomic<std::int64_t> frame{0};
  bench.job("count", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    frame.store(call.frame);
    return 0;
  });
  PlannedJob& job = bench.job("record.tape", TACTUS_DATA_RECORD, {});
  job.run = &Recording::sample;
  job.self = &tape.recording;
  bench.make();
  RecordingsPart part({&tape.recording});
  bench.executive->add(part);
  tape.log.stall.store(true);
  recorder.start(helper());
  std::thread disk([&] {  // comes back when the ring is full and the frames have had time to run on
    while (frame.load() < 65'500) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(50ms);
    tape.log.stall.store(false);
  });
  EXPECT_EQ(bench.run(100'000).outcome, Outcome::completed);
  disk.join();
  recorder.stop();
  EXPECT_EQ(tape.recording.written(), 100'000U);
  EXPECT_EQ(tape.recording.lost(), 0U);
  EXPECT_EQ(tape.log.times.back(), 99'999'000'000);
}

TEST(ExecutiveRecording, TheFrameLogHasEveryPacedFrame) {
  test::PlanFixture bench;
  Tape tape;
  bench.job("switch", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    if (call.frame == 3) bench.sync->enable();
    return 0;
  });
  bench.make();
  FrameLogPart part(tape.recording);
  bench.executive->add(part);
  (void)bench.run(8);
  (void)drain_all(tape.recording);
  EXPECT_THAT(tape.log.times, ElementsAre(4'000'000, 5'000'000, 6'000'000, 7'000'000));
}

// ---- the CSV driver

std::vector<std::vector<std::string>> rows_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

std::unique_ptr<RecordSink> csv(std::shared_ptr<DriverLibrary>& library, const std::string& keys = "{}") {
  library = std::make_shared<DriverLibrary>("record", "csv");
  config::Problems problems;
  auto sink = library->make<RecordDriver>()->make(config::Document::from_text("rig.yaml", keys).root(),
                                                  "record.main", problems);
  if (!problems.empty()) throw config::ConfigError(problems);
  return sink;
}

TEST(Csv, IsExact) {
  std::int8_t i8 = -128;
  std::uint8_t u8 = 255;
  std::int64_t i64 = INT64_MIN;
  std::uint64_t u64 = UINT64_MAX;
  bool b = true;
  float f = 0.1F;
  double d[2] = {0.1, -0.0};
  const Variable v[] = {
      variable("m.i8", TACTUS_INT8, &i8),           variable("m.u8", TACTUS_UINT8, &u8, 0, "counts"),
      variable("m.i64", TACTUS_INT64, &i64),        variable("m.u64", TACTUS_UINT64, &u64),
      variable("m.b", TACTUS_BOOL, &b, 0, "1"),     variable("m.f", TACTUS_FLOAT, &f, 0, "N m"),
      variable("m.d", TACTUS_DOUBLE, d, 2, "rad/s")};
  std::vector<VariableRef> refs;
  for (const Variable& each : v) refs.push_back(whole(each));
  const TempDir folder;
  std::shared_ptr<DriverLibrary> library;
  {
    Recording recording("main", refs, csv(library));
    recording.open(folder.path());
    for (const std::int64_t time :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{1'000'000}, std::int64_t{333'333},
          std::int64_t{10'000'000'000}, std::int64_t{1'000'000'100}, INT64_MAX})
      sample(recording, time);
    b = false;
    d[0] = std::numeric_limits<double>::infinity();
    sample(recording, 5);
    (void)drain_all(recording);
    recording.close();
    EXPECT_EQ(recording.error(), "");
  }
  const std::string same = ",-128,255,-9223372036854775808,18446744073709551615,1,0.1,0.1,-0\n";
  EXPECT_EQ(
      tactus::test::read_file(folder / "main.csv"),
      "sys.exec.out.time {s},m.i8 {--},m.u8 {counts},m.i64 {--},m.u64 {--},m.b {--},m.f {N m},m.d[0] {rad/s},"
      "m.d[1] {rad/s}\n"
      "0" +
          same + "0.000000001" + same + "0.001" + same + "0.000333333" + same + "10" + same + "1.0000001" +
          same + "9223372036.854775807" + same +
          "0.000000005,-128,255,-9223372036854775808,18446744073709551615,0,0.1,inf,-0\n");
}

TEST(Csv, TheSeparatorIsAChoice) {
  double x = 0.5;
  const Variable v = variable("m.x", TACTUS_DOUBLE, &x, 0, "m");
  const TempDir folder;
  const std::pair<std::string, std::string> rows[] = {{"comma", ","}, {"tab", "\t"}};
  for (const auto& [word, separator] : rows) {
    std::shared_ptr<DriverLibrary> library;
    Recording recording(word, {whole(v)}, csv(library, "separator: " + word));
    recording.open(folder.path());
    sample(recording, 1'000'000'000);
    (void)drain_all(recording);
    recording.close();
    EXPECT_EQ(tactus::test::read_file(folder / (word + ".csv")),
              "sys.exec.out.time {s}" + separator + "m.x {m}\n1" + separator + "0.5\n");
  }
  std::shared_ptr<DriverLibrary> library;
  try {
    (void)csv(library, "separator: '|'");
    FAIL();
  } catch (const config::ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rig.yaml:1:12: record.main.separator: "));
    EXPECT_THAT(error.what(), HasSubstr("semicolon"));
  }
}

TEST(Csv, SemicolonsComeWithADecimalComma) {
  double x = 0.5, e = -1.25e-300, w = 3, none = std::numeric_limits<double>::infinity();
  float f = -0.1F;
  std::int64_t i = -7;
  const Variable all[] = {variable("m.x", TACTUS_DOUBLE, &x, 0, "m"), variable("m.e", TACTUS_DOUBLE, &e),
                          variable("m.w", TACTUS_DOUBLE, &w),         variable("m.n", TACTUS_DOUBLE, &none),
                          variable("m.f", TACTUS_FLOAT, &f),          variable("m.i", TACTUS_INT64, &i)};
  std::vector<VariableRef> elements;
  elements.reserve(std::size(all));
  for (const Variable& each : all) elements.push_back(whole(each));
  const TempDir folder;
  std::shared_ptr<DriverLibrary> library;
  Recording recording("main", std::move(elements), csv(library, "separator: semicolon"));
  recording.open(folder.path());
  for (const std::int64_t time : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2'500'000'000}})
    sample(recording, time);
  (void)drain_all(recording);
  recording.close();
  const std::string same = ";0,5;-1,25e-300;3;inf;-0,1;-7\n";
  EXPECT_EQ(tactus::test::read_file(folder / "main.csv"),
            "sys.exec.out.time {s};m.x {m};m.e {--};m.w {--};m.n {--};m.f {--};m.i {--}\n0" + same +
                "0,000000001" + same + "2,5" + same);
}

TEST(Csv, DoublesAndFloatsReadBackToTheSameBits) {
  double d = 0;
  float f = 0;
  const Variable vd = variable("m.d", TACTUS_DOUBLE, &d);
  const Variable vf = variable("m.f", TACTUS_FLOAT, &f);
  const TempDir folder;
  std::vector<double> doubles = {0.0,
                                 -0.0,
                                 std::numeric_limits<double>::denorm_min(),
                                 std::numeric_limits<double>::max(),
                                 std::numeric_limits<double>::lowest(),
                                 std::numeric_limits<double>::epsilon(),
                                 -std::numeric_limits<double>::infinity(),
                                 1e22,
                                 123456789012345680.0};
  std::vector<float> floats = {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min(),
                               16777216.F};
  std::mt19937_64 engine(20);
  while (doubles.size() < 5000) {
    const auto value = std::bit_cast<double>(engine());
    if (!std::isnan(value)) doubles.push_back(value);
  }
  while (floats.size() < doubles.size()) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
    if (!std::isnan(value)) floats.push_back(value);
  }
  std::shared_ptr<DriverLibrary> library;
  {
    Recording recording("bits", {whole(vd), whole(vf)}, csv(library));
    recording.open(folder.path());
    for (std::size_t i = 0; i < doubles.size(); ++i) {
      d = doubles[i];
      f = floats[i];
      sample(recording, static_cast<std::int64_t>(i));
      (void)recording.drain();
    }
    recording.close();
  }
  const auto rows = rows_of(tactus::test::read_file(folder / "bits.csv"));
  ASSERT_EQ(rows.size(), doubles.size() + 1);
  for (std::size_t i = 0; i < doubles.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(rows[i + 1][1].c_str(), nullptr)),
              std::bit_cast<std::uint64_t>(doubles[i]))
        << rows[i + 1][1];
    EXPECT_EQ(std::bit_cast<std::uint32_t>(std::strtof(rows[i + 1][2].c_str(), nullptr)),
              std::bit_cast<std::uint32_t>(floats[i]))
        << rows[i + 1][2];
  }
}

TEST(Csv, NeverOverwritesAFile) {
  double x = 0;
  const Variable v = variable("m.x", TACTUS_DOUBLE, &x);
  const TempDir folder;
  folder.write("old.csv", "precious\n");
  std::shared_ptr<DriverLibrary> library;
  {
    Recording recording("old", {whole(v)}, csv(library));
    try {
      recording.open(folder.path());
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("old.csv: File exists"));
    }
  }
  EXPECT_EQ(tactus::test::read_file(folder / "old.csv"), "precious\n");
}

TEST(Csv, AFullDiskIsSaidAndTheRestCounted) {
  double x = 0.5;
  const Variable v = variable("m.x", TACTUS_DOUBLE, &x);
  const TempDir folder;
  std::shared_ptr<DriverLibrary> library;
  Recording recording("full", {whole(v)}, csv(library));
  recording.open(folder.path());
  {
    const FullDisk disk(16'384);
    for (std::int64_t i = 0; i < 10'000; ++i) {
      sample(recording, i);
      (void)recording.drain();
    }
    recording.close();
  }
  EXPECT_THAT(recording.error(), HasSubstr("full.csv: File too large"));
  EXPECT_GT(recording.lost(), 5000U);
  EXPECT_EQ(recording.lost() + recording.written(), 10'000U);
  EXPECT_FALSE(recording.ended());
  const std::string kept = tactus::test::read_file(folder / "full.csv");
  EXPECT_EQ(kept.back(), '\n') << "the row that did not fit is not there in part";
  EXPECT_EQ(rows_of(kept).size(), recording.written() + 1);
}

TEST(Csv, HoldsWholeRowsAtAnyTime) {
  double x = 0.1;
  const Variable v = variable("m.x", TACTUS_DOUBLE, &x);
  const TempDir folder;
  std::shared_ptr<DriverLibrary> library;
  Recording recording("rows", {whole(v)}, csv(library));
  recording.open(folder.path());
  const std::string header = "sys.exec.out.time {s},m.x {--}\n";
  EXPECT_EQ(tactus::test::read_file(folder / "rows.csv"), header) << "there from the first moment on";
  std::size_t sizes = 0;
  std::size_t before = header.size();
  for (std::int64_t i = 0; i < 60'000; ++i) {
    x = static_cast<double>(i) / 7;
    sample(recording, i);
    if (i % 100 != 0) continue;
    (void)drain_all(recording);
    std::ifstream file(folder / "rows.csv", std::ios::binary);
    file.seekg(-1, std::ios::end);
    const auto last = static_cast<std::size_t>(file.tellg());
    ASSERT_EQ(file.get(), '\n') << i;
    if (last + 1 > before) ++sizes;
    before = last + 1;
  }
  EXPECT_GT(sizes, 10U) << "it was written to in between, although nobody flushed it";
  (void)drain_all(recording);
  recording.flush();
  EXPECT_EQ(rows_of(tactus::test::read_file(folder / "rows.csv")).size(), 60'001U);
}

TEST(Csv, KnowsHowFarAFileIsWhole) {
  struct Row {
    std::string text;
    std::uint64_t whole, records;
    std::optional<std::int64_t> last_ns;
    const char* damage;
    const char* why;
  };
  const std::string header = "sys.exec.out.time {s};m.x {--};m.y {m}\n";
  const Row rows[] = {
      {"", 0, 0, std::nullopt, "", "nothing was written"},
      {header, header.size(), 0, std::nullopt, "", "no record yet"},
      {header + "0;1;2\n1.5;3;4\n", header.size() + 14, 2, 1'500'000'000, "", "all of it"},
      {header + "0;1;2\n1.5;3;", header.size() + 6, 1, 0, "", "a torn row"},
      {header + "0;1;2\n1.5;3\n", header.size() + 6, 1, 0, "", "too few columns at the end"},
      {header + std::string("0;1;2\n\0\0\0\n", 10), header.size() + 6, 1, 0, "", "zero bytes"},
      {header + "0;1\n1;2\n2;1;2\n", header.size() + 14, 1, 2'000'000'000,
       "line 2 is not a whole row, nor are 1 more", "damage in the middle"},
      {"sys.exec.out.t", 0, 0, std::nullopt, "it does not begin with the header of a recording",
       "torn at once"},
      {"a;b\n1;2\n", 0, 0, std::nullopt, "it does not begin with the header of a recording", "another file"},
  };
  const TempDir folder;
  const DriverLibrary library("record", "csv");
  const auto format = library.make<RecordDriver>();
  EXPECT_EQ(format->file_name("tape"), "tape.csv");
  EXPECT_THROW((void)format->examine(folder / "tape.csv"), std::runtime_error) << "it is not there";
  for (const Row& row : rows) {
    folder.write("tape.csv", row.text);
    const RecordedFile file = format->examine(folder / "tape.csv");
    EXPECT_EQ(file.path, folder / "tape.csv");
    EXPECT_EQ(file.bytes, row.text.size()) << row.why;
    EXPECT_EQ(file.whole, row.whole) << row.why;
    EXPECT_EQ(file.records, row.records) << row.why;
    EXPECT_EQ(file.last_ns, row.last_ns) << row.why;
    EXPECT_EQ(file.damage, row.damage) << row.why;
  }
}

TEST(FormatValue, IsShortAndExact) {
  const auto text = [](tactus_type type, auto value) { return format_value(type, &value); };
  EXPECT_EQ(text(TACTUS_BOOL, std::uint8_t{2}), "1");
  EXPECT_EQ(text(TACTUS_BOOL, std::uint8_t{0}), "0");
  EXPECT_EQ(text(TACTUS_INT8, std::int8_t{65}), "65") << "a number, not a letter";
  EXPECT_EQ(text(TACTUS_UINT8, std::uint8_t{200}), "200");
  EXPECT_EQ(text(TACTUS_INT16, std::int16_t{-32768}), "-32768");
  EXPECT_EQ(text(TACTUS_UINT16, std::uint16_t{65535}), "65535");
  EXPECT_EQ(text(TACTUS_INT32, INT32_MIN), "-2147483648");
  EXPECT_EQ(text(TACTUS_UINT32, UINT32_MAX), "4294967295");
  EXPECT_EQ(text(TACTUS_FLOAT, 0.1F), "0.1");
  EXPECT_EQ(text(TACTUS_DOUBLE, 1e300), "1e+300");
}

}  // namespace
}  // namespace tactus::executive::recorder_test
