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
using ::testing::ElementsAre;
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

std::vector<std::string> texts(const std::vector<LateLine>& lines) {
  std::vector<std::string> all;
  for (const LateLine& line : lines) all.push_back(line.text);
  return all;
}
std::vector<std::string> briefs(const std::vector<LateLine>& lines) {
  std::vector<std::string> all;
  for (const LateLine& line : lines) all.push_back(line.brief);
  return all;
}

TEST(FrameNoteFormatter, IsSilentWhenThereIsNothingToTell) {
  Notes notes;
  EXPECT_THAT(notes.formatter.take_log_lines(0), IsEmpty());
}

TEST(FrameNoteFormatter, TellsOneOverrunInFull) {
  Notes notes;
  FrameNote note = overrun(81533, 3us, OverrunCause::work);
  note.longest_job = 1;
  note.longest_job_ns = 950'000;
  notes.formatter.take(note);
  const auto lines = notes.formatter.take_log_lines(0);
  EXPECT_THAT(briefs(lines), ElementsAre("frame 81533 overran by 3.00 us; details in log.txt"));
  EXPECT_THAT(texts(lines),
              ElementsAre("frame 81533 overran by 3.00 us (by work); woken 0 ns late, work 1.00 ms, longest "
                          "job motor.step 950 us; slack of the 5 frames before: 1.00 us 2.00 us -3.00 us "
                          "4.50 us 999 ns"));
  EXPECT_THAT(notes.formatter.take_log_lines(0), IsEmpty()) << "told once";
}

TEST(FrameNoteFormatter, TellsBothCausesOfTheWorstFrame) {
  Notes notes;
  FrameNote note = overrun(7, 10ms, OverrunCause::late_wake);
  note.overrun.cause = note.late.cause = rtsync::Cause::clock;
  note.overrun.facts.edge_late = 9ms;
  note.beside.cause = rtsync::Cause::computed;
  note.beside.job = 1;
  note.beside.facts.took = 2ms;
  note.beside_share = 1ms;
  notes.formatter.take(note);
  EXPECT_TRUE(notes.formatter.take_log_lines(0).at(0).text.ends_with(
      "; clock: the external clock's edge came 9.00 ms late (90 % of the lateness); beside it, 10 %: "
      "computed: job motor.step computed for 2.00 ms"));
}

TEST(FrameNoteFormatter, SumsUpManyAndNamesTheWorst) {
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
  EXPECT_THAT(
      lines[0].text,
      StartsWith("frame 11 overran by 2.00 ms, the worst of 3 overruns in frames 10 to 14 (1 by work, 2 "
                 "catching up; 1 in the start-up grace; 3 slots lost); woken "));
  EXPECT_EQ(lines[0].brief, "frame 11 overran by 2.00 ms, the worst of 3 overruns; details in log.txt");
  notes.formatter.take(overrun(20, 1us, OverrunCause::work));
  EXPECT_THAT(notes.formatter.take_log_lines(0).at(0).text,
              StartsWith("frame 20 overran by 1.00 us (by work); "))
      << "the sums begin anew";
}

TEST(FrameNoteFormatter, TellsLateWakesApartFromOverruns) {
  Notes notes;
  notes.formatter.take(late_wake(3, 150us));
  notes.formatter.take(late_wake(4, 450us));
  notes.formatter.take(late_wake(9, 120us));
  EXPECT_THAT(
      texts(notes.formatter.take_log_lines(0)),
      ElementsAre("frame 4 was woken 450 us late, the worst of 3 late wakes in frames 3 to 9; its work "
                  "took 20.0 us"));
}

TEST(FrameNoteFormatter, AnOverrunByALateWakeIsBoth) {
  Notes notes;
  notes.formatter.take(overrun(7, 5us, OverrunCause::late_wake));
  const auto lines = notes.formatter.take_log_lines(0);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0].text, StartsWith("frame 7 overran by 5.00 us (by a late wake); "));
  EXPECT_THAT(lines[1].text, StartsWith("frame 7 was woken "));
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
  EXPECT_THAT(lines[0].text, StartsWith("frame 501 overran by 4.90 ms (by housekeeping); "));
  texts.add(lines[1].brief);
  texts.add(lines[1].text);
}

TEST(FrameNoteFormatter, NamesThePartOfTheRigThatHadMostOfHousekeeping) {
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
  EXPECT_EQ(lines[0].brief, "housekeeping: the link; frame 501 overran by 4.90 ms; details in log.txt");
  EXPECT_TRUE(lines[0].text.ends_with(
      "; housekeeping: the work between jobs took 4.00 ms, of which the link had 3.90 ms"))
      << lines[0].text;
}

TEST(FrameNoteFormatter, ALineBeginsWithTheCauseAndWhoHadIt) {
  struct Row {
    rtsync::Cause cause;
    const char* begin;
  };
  const Row rows[] = {
      {rtsync::Cause::computed, "computed: motor.step; frame 7 overran by 2.00 ms"},
      {rtsync::Cause::blocked, "blocked: motor.step; frame 7 overran by 2.00 ms"},
      {rtsync::Cause::preempted,
       "preempted: a thread that is gone (tid 1073741823); frame 7 overran by 2.00 ms"},
      {rtsync::Cause::throttled,
       "throttled: the kernel's limit for real-time threads; frame 7 overran by 2.00 ms"},
      {rtsync::Cause::unknown, "unknown cause; frame 7 overran by 2.00 ms"},
  };
  for (const Row& row : rows) {
    Notes notes;
    FrameNote note = overrun(7, 2ms, OverrunCause::work);
    note.overrun.cause = row.cause;
    note.overrun.job = 1;
    note.overrun.evidence.others = rtsync::OtherThreads{0x3fffffff, 1ms, 1ms, 0ms};
    notes.formatter.take(note);
    const LateLine line = notes.formatter.take_log_lines(0).at(0);
    EXPECT_EQ(line.brief, std::string(row.begin) + "; details in log.txt");
    EXPECT_THAT(line.text, StartsWith(std::string(row.begin) + " (by work); "));
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
  struct Row {
    rtsync::Cause cause;
    const char* end;
  };
  const Row rows[] = {
      {rtsync::Cause::computed,
       "; computed: job motor.step computed for 3.10 ms, usually 100 us (p99 1.20 ms), "
       "budget 2.00 ms"},
      {rtsync::Cause::blocked, "; blocked: job motor.step slept 1.10 ms (it gave up the CPU itself 1 time)"},
      {rtsync::Cause::faulted,
       "; faulted: job motor.step waited for memory about 2.50 ms (4096 minor page faults, 0 major ones)"},
      {rtsync::Cause::heap, "; heap: job motor.step used the heap: 7 calls, 1.90 ms, and 4096 page faults"},
      {rtsync::Cause::preempted,
       "; preempted: job motor.step was preempted 1.00 ms by a thread that is gone (tid 1073741823)"},
      {rtsync::Cause::machine_stopped,
       "; machine_stopped: the machine stood still in job motor.step, which took 3.10 ms, usually 100 us "
       "(p99 1.20 ms), budget 2.00 ms: the thread was on its CPU but made no progress"},
      {rtsync::Cause::catching_up, "; catching_up: still late from the overrun in frame 6"},
      {rtsync::Cause::unknown,
       "; unknown: job motor.step took 3.10 ms, usually 100 us (p99 1.20 ms), budget 2.00 ms; off its CPU by "
       "itself "
       "3.00 ms, pushed off it 1.00 ms, others had the CPU 1.00 ms, 4096 page faults, 7 heap calls, no signs "
       "of life"},
  };
  for (const Row& row : rows) {
    Notes notes;
    notes.plan.jobs[1].budget = 2ms;
    FrameNote note = overrun(7, 2ms, OverrunCause::work);
    note.overrun.cause = row.cause;
    note.overrun.job = 1;
    note.overrun.frame = 6;
    note.overrun.facts = {rtsync::LatePart::job, 3'100us, 100us};
    note.overrun.facts.usual_p99 = 1'200us;
    note.overrun.evidence.switches = rtsync::SwitchTimes{3ms, 1, 1ms, 1};
    note.overrun.evidence.faults = rtsync::FaultTimes{4096, 0, 2'500us};
    note.overrun.evidence.heap = rtsync::HeapTimes{7, 2ms};
    note.overrun.evidence.others = rtsync::OtherThreads{0x3fffffff, 1ms, 1ms, 0ms};
    notes.formatter.take(note);
    const std::string line = notes.formatter.take_log_lines(0).at(0).text;
    EXPECT_TRUE(line.ends_with(row.end)) << line;
  }
}

TEST(FrameNoteFormatter, SaysWhatKeptTheCallOfAnIsolatedModelOrTheWakeBehindItsAnswer) {
  const struct {
    rtsync::LatePart part;
    rtsync::Cause cause;
    std::string end;
  } rows[] = {
      {rtsync::LatePart::call, rtsync::Cause::preempted,
       "; preempted: the wake for job motor.step was preempted 3.00 ms by a thread that is gone (tid "
       "1073741823)"},
      {rtsync::LatePart::answer, rtsync::Cause::preempted,
       "; preempted: the wake after job motor.step, whose model had answered, was preempted 3.00 ms by a "
       "thread that is gone (tid 1073741823)"},
      {rtsync::LatePart::answer, rtsync::Cause::timer_late,
       "; timer_late: the wake after job motor.step, whose model had answered, came 3.10 ms late, and no "
       "other thread had the CPU"},
  };
  for (const auto& row : rows) {
    Notes notes;
    FrameNote note = overrun(7, 2ms, OverrunCause::work);
    note.overrun.cause = row.cause;
    note.overrun.job = 1;
    note.overrun.facts = {row.part, 3'100us};
    note.overrun.evidence.others = rtsync::OtherThreads{0x3fffffff, 3ms, 3ms, 0ns};
    notes.formatter.take(note);
    const std::string line = notes.formatter.take_log_lines(0).at(0).text;
    EXPECT_TRUE(line.ends_with(row.end)) << line;
  }
}

TEST(FrameNoteFormatter, SaysHowAShortExcessOfAJobCanHaveAName) {
  for (const Nanoseconds took : {1'200us, 3'100us}) {
    Notes notes;
    FrameNote note = overrun(7, 200us, OverrunCause::work);
    note.overrun.cause = rtsync::Cause::unknown;
    note.overrun.job = 1;
    note.overrun.facts = {rtsync::LatePart::job, took, 1ms};
    note.overrun.evidence.switches = rtsync::SwitchTimes{};
    note.overrun.evidence.silence = rtsync::Silence{0ns, true, 500us, 0ns};
    notes.formatter.take(note);
    const std::string line = notes.formatter.take_log_lines(0).at(0).text;
    EXPECT_EQ(
        line.ends_with("; a stop of the machine this short cannot be seen with signs of life every 250 us "
                       "('signs_of_life' in the rig file)"),
        took == 1'200us)
        << line;
  }
}

TEST(FrameNoteFormatter, SaysHowOftenALimitStoppedTheControlGroupOfAnOrdinaryThread) {
  rtsync::FakeRoot root;
  root.write("/proc/self/cgroup", "0::/rig\n");
  root.write("/sys/fs/cgroup/rig/cpu.stat", "nr_throttled 3\nthrottled_usec 150000\n");
  rtsync::CpuWatch cpus;
  cpus.watch(rtsync::CpuSet{0}, root.path());
  root.write("/sys/fs/cgroup/rig/cpu.stat", "nr_throttled 5\nthrottled_usec 250000\n");
  cpus.look();
  const std::string told =
      "; in that second the limit of its control group stopped it 2 times, 100 ms (nr_throttled)";
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
      EXPECT_EQ(line.ends_with(told), !realtime && cause != rtsync::Cause::computed) << line;
    }
  }
}

TEST(FrameNoteFormatter, SaysWhatAJobMapped) {
  struct Row {
    rtsync::MapTimes maps;
    rtsync::FaultTimes faults;
    const char* end;
  };
  const Row rows[] = {
      {{1, 16 << 20, 4096, 6'200us, 0ns},
       {},
       "about 6.20 ms (mapped 16.0 MiB in 1 call, 6.20 ms, 4096 page faults)"},
      {{2, 4096, 0, 30us, 0ns},
       {1024, 0, 2ms},
       "about 2.03 ms (mapped 4.0 KiB in 2 calls, 30.0 us; 1024 minor page faults, 0 major ones)"},
      {{1, 0, 0, 3ms, 0ns}, {}, "about 3.00 ms (mapped or unmapped memory in 1 call, 3.00 ms)"},
  };
  for (const Row& row : rows) {
    Notes notes;
    FrameNote note = overrun(7, 2ms, OverrunCause::work);
    note.overrun.cause = rtsync::Cause::faulted;
    note.overrun.job = 1;
    note.overrun.evidence.faults = row.faults;
    note.overrun.evidence.maps = row.maps;
    notes.formatter.take(note);
    const std::string line = notes.formatter.take_log_lines(0).at(0).text;
    EXPECT_TRUE(line.ends_with(std::string("; faulted: job motor.step waited for memory ") + row.end))
        << line;
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
  const std::string line = notes.formatter.take_log_lines(0).at(0).text;
  EXPECT_TRUE(line.ends_with("; causes: 1 computed 2 blocked")) << line;
}

TEST(FrameNoteFormatter, AdmitsWhatWasLostOnce) {
  Notes notes;
  EXPECT_THAT(briefs(notes.formatter.take_log_lines(12)),
              ElementsAre("12 notes of frames lost (the ring was full)"));
  EXPECT_THAT(notes.formatter.take_log_lines(12), IsEmpty());
  EXPECT_THAT(briefs(notes.formatter.take_log_lines(15)),
              ElementsAre("3 notes of frames lost (the ring was full)"));
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
