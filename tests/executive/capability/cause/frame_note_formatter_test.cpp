// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/frame_note_formatter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "config/text.hpp"
#include "rtsync/time/duration_text.hpp"
#include "tests/rtsync/support/fake_root.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::executive::frame_note_formatter_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Nanoseconds;
using rtsync::OverrunCause;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

FrameNote overrun(std::int64_t frame, Nanoseconds by, OverrunCause cause) {
  FrameNote note;
  note.timing.frame = frame;
  note.timing.paced = true;
  note.timing.slack = -by;
  note.timing.work = 1ms + by;
  note.timing.overrun = cause;
  note.timing.late_wake = cause == OverrunCause::late_wake;
  note.slack_before = {1'000, 2'000, -3'000, 4'500, 999};
  note.frames_before = 5;
  return note;
}

FrameNote late_wake(std::int64_t frame, Nanoseconds late) {
  FrameNote note;
  note.timing.frame = frame;
  note.timing.paced = true;
  note.timing.late = late;
  note.timing.work = 20us;
  note.timing.slack = 800us;
  note.timing.late_wake = true;
  return note;
}

struct Notes {
  Plan plan;
  FrameNoteFormatter formatter{plan};
  Notes() {
    plan.jobs.resize(2);
    plan.jobs[1].name = "motor.step";
  }
};

void add(tactus::test::Snapshot& texts, const std::vector<LateLine>& lines) {
  for (const LateLine& line : lines) {
    texts.add(line.brief, "terminal");
    texts.add(line.text, "log");
  }
}

/// A line after the slack of the frames before.
std::string causes_of(const std::string& line) {
  const std::string slack = "999 ns; ";
  const std::size_t at = line.find(slack);
  return at == std::string::npos ? line : line.substr(at + slack.size());
}

TEST(FrameNoteFormatter, IsSilentWhenThereIsNothingToTell) {
  Notes notes;
  EXPECT_THAT(notes.formatter.take_log_lines(0), IsEmpty());
}

TEST(FrameNoteFormatter, TellsOneOverrunInFull) {
  tactus::test::Snapshot texts;
  Notes notes;
  FrameNote note = overrun(81533, 3us, OverrunCause::work);
  note.longest_job = 1;
  note.longest_job_ns = 950'000;
  notes.formatter.take(note);
  const auto lines = notes.formatter.take_log_lines(0);
  add(texts, lines);
  EXPECT_THAT(notes.formatter.take_log_lines(0), IsEmpty()) << "told once";
}

TEST(FrameNoteFormatter, TellsTheSlackOfTheFramesThatThereWere) {
  const struct {
    std::uint32_t frames;
    const char* end;
  } rows[] = {{0, ", work 3.00 ms"},
              {1, "; slack of the frame before: 999 ns"},
              {2, "; slack of the 2 frames before: 4.50 us 999 ns"}};
  for (const auto& row : rows) {
    Notes notes;
    FrameNote note = overrun(5000, 2ms, OverrunCause::work);  // the first ones after a checkpoint was loaded
    note.frames_before = row.frames;
    notes.formatter.take(note);
    const std::vector<LateLine> lines = notes.formatter.take_log_lines(0);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_THAT(lines[0].text, EndsWith(row.end));
  }
}

TEST(FrameNoteFormatter, TellsBothCausesOfTheWorstFrame) {
  tactus::test::Snapshot texts;
  Notes notes;
  FrameNote note = overrun(7, 10ms, OverrunCause::late_wake);
  note.overrun.cause = note.late.cause = rtsync::Cause::clock;
  note.overrun.facts.edge_late = 9ms;
  note.beside.cause = rtsync::Cause::computed;
  note.beside.job = 1;
  note.beside.facts.took = 2ms;
  note.beside_share = 1ms;
  notes.formatter.take(note);
  add(texts, notes.formatter.take_log_lines(0));
}

TEST(FrameNoteFormatter, SumsUpManyAndNamesTheWorst) {
  tactus::test::Snapshot texts;
  Notes notes;
  notes.formatter.take(overrun(10, 5us, OverrunCause::work));
  FrameNote worst = overrun(11, 2ms, OverrunCause::catching_up);
  worst.timing.lost = 2;
  notes.formatter.take(worst);
  FrameNote grace = overrun(14, 1us, OverrunCause::catching_up);
  grace.timing.grace = true;
  grace.timing.lost = 1;
  notes.formatter.take(grace);
  const auto lines = notes.formatter.take_log_lines(0);
  ASSERT_EQ(lines.size(), 1U);
  add(texts, lines);
  notes.formatter.take(overrun(20, 1us, OverrunCause::work));
  add(texts, notes.formatter.take_log_lines(0));  // the sums begin anew
}

TEST(FrameNoteFormatter, TellsLateWakesApartFromOverruns) {
  tactus::test::Snapshot texts;
  Notes notes;
  notes.formatter.take(late_wake(3, 150us));
  notes.formatter.take(late_wake(4, 450us));
  notes.formatter.take(late_wake(9, 120us));
  add(texts, notes.formatter.take_log_lines(0));
  notes.formatter.take(late_wake(12, 150us));
  notes.formatter.take(late_wake(12, 120us));
  add(texts, notes.formatter.take_log_lines(0));
}

TEST(FrameNoteFormatter, AnOverrunByALateWakeIsBoth) {
  tactus::test::Snapshot texts;
  Notes notes;
  notes.formatter.take(overrun(7, 5us, OverrunCause::late_wake));
  const auto lines = notes.formatter.take_log_lines(0);
  ASSERT_EQ(lines.size(), 2U);
  add(texts, lines);
}

TEST(FrameNoteFormatter, BlamesHousekeepingAndNotTheMachine) {
  tactus::test::Snapshot texts;
  Notes notes;
  FrameNote note = overrun(501, 4'900us, OverrunCause::housekeeping);
  note.timing.late = 9'900us;
  note.timing.late_by_housekeeping = true;
  note.timing.housekeeping = 14'895us;
  notes.formatter.take(note);
  const auto lines = notes.formatter.take_log_lines(0);
  ASSERT_EQ(lines.size(), 2U);
  add(texts, lines);
}

TEST(FrameNoteFormatter, NamesThePartOfTheRigThatHadMostOfHousekeeping) {
  tactus::test::Snapshot texts;
  Notes notes;
  FrameNote note = overrun(501, 4'900us, OverrunCause::work);
  note.overrun.cause = rtsync::Cause::housekeeping;
  note.overrun.facts.part = rtsync::LatePart::between_jobs;
  note.overrun.facts.took = 4ms;
  note.overrun.part = "the link";
  note.overrun.part_took = 3'900us;
  notes.formatter.take(note);
  const auto lines = notes.formatter.take_log_lines(0);
  ASSERT_EQ(lines.size(), 1U);
  add(texts, lines);
}

TEST(FrameNoteFormatter, ALineBeginsWithTheCauseAndWhoHadIt) {
  tactus::test::Snapshot texts;
  for (const rtsync::Cause cause : {rtsync::Cause::computed, rtsync::Cause::blocked, rtsync::Cause::preempted,
                                    rtsync::Cause::throttled, rtsync::Cause::unknown}) {
    Notes notes;
    FrameNote note = overrun(7, 2ms, OverrunCause::work);
    note.overrun.cause = cause;
    note.overrun.job = 1;
    note.overrun.evidence.others = rtsync::OtherThreads{0x3fffffff, 1ms, 1ms, 0ms};
    notes.formatter.take(note);
    add(texts, notes.formatter.take_log_lines(0));
  }
}

TEST(FrameNoteFormatter, AFrameThatCatchesUpNamesWhatBeganIt) {
  tactus::test::Snapshot texts;
  Notes notes;
  FrameNote began = overrun(6, 2ms, OverrunCause::work);
  began.overrun.cause = rtsync::Cause::computed;
  began.overrun.job = 1;
  notes.formatter.take(began);
  (void)notes.formatter.take_log_lines(0);
  FrameNote follows = overrun(7, 1ms, OverrunCause::catching_up);
  follows.overrun.cause = rtsync::Cause::catching_up;
  follows.overrun.frame = 6;
  notes.formatter.take(follows);
  texts.add(notes.formatter.take_log_lines(0).at(0).brief, "a second later, too");
  FrameNote later = overrun(9, 500us, OverrunCause::work);
  later.overrun.cause = rtsync::Cause::blocked;
  for (const FrameNote& note : {began, follows, later}) notes.formatter.take(note);
  texts.add(notes.formatter.take_log_lines(0).at(0).brief);
  follows.timing.slack = -3ms;
  for (const FrameNote& note : {began, follows, later}) notes.formatter.take(note);
  texts.add(notes.formatter.take_log_lines(0).at(0).brief, "whatever came after it");
  follows.timing.slack = -1ms;
  follows.overrun.frame = 5;
  notes.formatter.take(follows);
  texts.add(notes.formatter.take_log_lines(0).at(0).brief, "of another one nothing is known");
}

TEST(FrameNoteFormatter, ATerminalNeverGetsMoreThanFits) {
  for (std::size_t length = 1; length < 400; ++length) {
    Notes notes;
    for (std::size_t i = 0; i < length; ++i) notes.plan.jobs[1].name += i % 7 == 0 ? "\u00e4" : "x";
    for (std::int64_t frame : {4'000'000'000, 4'000'000'001}) {
      FrameNote note = overrun(frame, 2ms, OverrunCause::housekeeping);
      note.timing.late_by_housekeeping = note.timing.late_wake = true;
      note.overrun.cause = note.late.cause = rtsync::Cause::computed;
      note.overrun.job = note.late.job = 1;
      notes.formatter.take(note);
    }
    const auto lines = notes.formatter.take_log_lines(0);
    ASSERT_EQ(lines.size(), 3U);
    for (const LateLine& line : lines) {
      EXPECT_LE(line.brief.size(), LateLine::kMostBrief);
      EXPECT_THAT(line.brief, AllOf(StartsWith("computed: motor.step"), EndsWith("; details in log.txt"),
                                    HasSubstr("frame 4000000000")));
      EXPECT_EQ(config::one_line(line.brief), line.brief) << "no character is cut in two";
      EXPECT_THAT(line.text, HasSubstr(notes.plan.jobs[1].name)) << "the log has all of it";
    }
  }
}

TEST(FrameNoteFormatter, NamesTheCauseWithItsEvidence) {
  tactus::test::Snapshot texts;
  for (const rtsync::Cause cause :
       {rtsync::Cause::computed, rtsync::Cause::blocked, rtsync::Cause::faulted, rtsync::Cause::heap,
        rtsync::Cause::preempted, rtsync::Cause::machine_stopped, rtsync::Cause::catching_up,
        rtsync::Cause::unknown}) {
    Notes notes;
    notes.plan.jobs[1].budget = 2ms;
    FrameNote note = overrun(7, 2ms, OverrunCause::work);
    note.overrun.cause = cause;
    note.overrun.job = 1;
    note.overrun.frame = 6;
    note.overrun.facts = {rtsync::LatePart::job, 3'100us, 100us};
    note.overrun.facts.usual_p99 = 1'200us;
    note.overrun.evidence.switches = rtsync::SwitchTimes{3ms, 1, 1ms, 1};
    note.overrun.evidence.faults = rtsync::FaultTimes{4096, 0, 2'500us};
    note.overrun.evidence.heap = rtsync::HeapTimes{7, 2ms};
    note.overrun.evidence.others = rtsync::OtherThreads{0x3fffffff, 1ms, 1ms, 0ms};
    notes.formatter.take(note);
    texts.add(causes_of(notes.formatter.take_log_lines(0).at(0).text));
  }
}

TEST(FrameNoteFormatter, SaysWhatKeptTheCallOfAnIsolatedModelOrTheWakeBehindItsAnswer) {
  tactus::test::Snapshot texts;
  const struct {
    rtsync::LatePart part;
    rtsync::Cause cause;
  } rows[] = {
      {rtsync::LatePart::call, rtsync::Cause::preempted},
      {rtsync::LatePart::answer, rtsync::Cause::preempted},
      {rtsync::LatePart::answer, rtsync::Cause::timer_late},
  };
  for (const auto& row : rows) {
    Notes notes;
    FrameNote note = overrun(7, 2ms, OverrunCause::work);
    note.overrun.cause = row.cause;
    note.overrun.job = 1;
    note.overrun.facts = {row.part, 3'100us};
    note.overrun.evidence.others = rtsync::OtherThreads{0x3fffffff, 3ms, 3ms, 0ns};
    notes.formatter.take(note);
    texts.add(causes_of(notes.formatter.take_log_lines(0).at(0).text));
  }
}

TEST(FrameNoteFormatter, SaysHowAShortExcessOfAJobCanHaveAName) {
  tactus::test::Snapshot texts;
  for (const Nanoseconds took : {1'200us, 3'100us}) {
    Notes notes;
    FrameNote note = overrun(7, 200us, OverrunCause::work);
    note.overrun.cause = rtsync::Cause::unknown;
    note.overrun.job = 1;
    note.overrun.facts = {rtsync::LatePart::job, took, 1ms};
    note.overrun.evidence.switches = rtsync::SwitchTimes{};
    note.overrun.evidence.silence = rtsync::Silence{0ns, true, 500us, 0ns};
    notes.formatter.take(note);
    texts.add(causes_of(notes.formatter.take_log_lines(0).at(0).text), took == 1'200us ? "short" : "long");
  }
}

TEST(FrameNoteFormatter, SaysHowMuchOfALongJobTheRecordsHadRoomFor) {
  tactus::test::Snapshot texts;
  Notes notes;
  FrameNote note = overrun(7, 4s, OverrunCause::work);
  note.overrun.cause = rtsync::Cause::computed;
  note.overrun.job = 1;
  note.overrun.facts = {rtsync::LatePart::job, 4s, 1ms};
  note.overrun.evidence.switches = rtsync::SwitchTimes{};
  note.overrun.evidence.silence = rtsync::Silence{.anywhere = true, .blind = 500us, .known = 835ms};
  notes.formatter.take(note);
  texts.add(causes_of(notes.formatter.take_log_lines(0).at(0).text));
}

TEST(FrameNoteFormatter, SaysHowOftenALimitStoppedTheControlGroupOfAnOrdinaryThread) {
  rtsync::FakeRoot root;
  root.write("/proc/self/cgroup", "0::/rig\n");
  root.write("/sys/fs/cgroup/rig/cpu.stat", "nr_throttled 3\nthrottled_usec 150000\n");
  rtsync::CpuWatch cpus;
  cpus.watch(rtsync::CpuSet{0}, root.path());
  root.write("/sys/fs/cgroup/rig/cpu.stat", "nr_throttled 5\nthrottled_usec 250000\n");
  cpus.look();
  tactus::test::Snapshot texts;
  const Notes notes;
  for (const bool realtime : {false, true}) {
    for (const rtsync::Cause cause : {rtsync::Cause::preempted, rtsync::Cause::throttled,
                                      rtsync::Cause::unknown, rtsync::Cause::computed}) {
      FrameNoteFormatter formatter(notes.plan, &cpus);
      FrameNote note = overrun(7, 2ms, OverrunCause::work);
      note.overrun.cause = cause;
      note.overrun.job = 1;
      note.overrun.evidence.realtime = realtime;
      formatter.take(note);
      const std::string line = formatter.take_log_lines(0).at(0).text;
      EXPECT_EQ(line.ends_with("(nr_throttled)"), !realtime && cause != rtsync::Cause::computed) << line;
      texts.add(causes_of(line), realtime ? "real-time" : "ordinary");
    }
  }
}

TEST(FrameNoteFormatter, SaysWhatAJobMapped) {
  tactus::test::Snapshot texts;
  struct Row {
    rtsync::MapTimes maps;
    rtsync::FaultTimes faults;
  };
  const Row rows[] = {
      {{1, 16 << 20, 4096, 6'200us, 0ns}, {}},
      {{2, 4096, 0, 30us, 0ns}, {1024, 0, 2ms}},
      {{1, 0, 0, 3ms, 0ns}, {}},
  };
  for (const Row& row : rows) {
    Notes notes;
    FrameNote note = overrun(7, 2ms, OverrunCause::work);
    note.overrun.cause = rtsync::Cause::faulted;
    note.overrun.job = 1;
    note.overrun.evidence.faults = row.faults;
    note.overrun.evidence.maps = row.maps;
    notes.formatter.take(note);
    texts.add(causes_of(notes.formatter.take_log_lines(0).at(0).text));
  }
}

TEST(FrameNoteFormatter, CountsTheCausesOfMany) {
  Notes notes;
  for (const rtsync::Cause cause :
       {rtsync::Cause::blocked, rtsync::Cause::computed, rtsync::Cause::blocked}) {
    FrameNote note = overrun(7, 2ms, OverrunCause::work);
    note.overrun.cause = cause;
    note.overrun.job = 1;
    notes.formatter.take(note);
  }
  tactus::test::Snapshot().add(causes_of(notes.formatter.take_log_lines(0).at(0).text));
}

TEST(FrameNoteFormatter, AdmitsWhatWasLostOnce) {
  tactus::test::Snapshot texts;
  Notes notes;
  add(texts, notes.formatter.take_log_lines(12));
  EXPECT_THAT(notes.formatter.take_log_lines(12), IsEmpty());
  add(texts, notes.formatter.take_log_lines(15));
}

TEST(DurationText, HasThreeDigitsAndTheUnitThatFits) {
  struct Row {
    std::int64_t ns;
    const char* text;
  };
  const Row rows[] = {
      {0, "0 ns"},
      {1, "1 ns"},
      {999, "999 ns"},
      {1'000, "1.00 us"},
      {1'234, "1.23 us"},
      {9'994, "9.99 us"},
      {9'996, "10.0 us"},
      {12'340, "12.3 us"},
      {99'940, "99.9 us"},
      {99'960, "100 us"},
      {123'456, "123 us"},
      {999'499, "999 us"},
      {999'501, "1.00 ms"},
      {1'200'000, "1.20 ms"},
      {999'600'000, "1.00 s"},
      {1'000'000'000, "1.00 s"},
      {3'600'000'000'000, "3600 s"},
      {-3'000'000'000, "-3.00 s"},
      {-450, "-450 ns"},
      {-999'501, "-1.00 ms"},
      {INT64_MAX, "9223372037 s"},
      {INT64_MIN, "-9223372037 s"},
  };
  for (const Row& row : rows) EXPECT_EQ(rtsync::duration_text(row.ns), row.text) << row.ns;
}

TEST(SimTimeText, IsInSecondsWithMilliseconds) {
  EXPECT_EQ(rtsync::sim_time_text(0), "0.000 s");
  EXPECT_EQ(rtsync::sim_time_text(12'345'000'000), "12.345 s");
  EXPECT_EQ(rtsync::sim_time_text(1'180'000'000'000), "1180.000 s");
}

}  // namespace
}  // namespace tactus::executive::frame_note_formatter_test
