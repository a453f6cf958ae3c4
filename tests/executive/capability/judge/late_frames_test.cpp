// SPDX-License-Identifier: Apache-2.0
// What becomes of an expectation where simulated time lags behind: timings of frames in, verdicts out.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "executive/capability/judge/judge_part.hpp"
#include "tests/rtsync/support/sim_clock.hpp"

namespace tactus::executive::late_frames_test {
namespace {

using namespace std::chrono_literals;
using Kind = Monitor::Kind;

/// A frame of 1 ms in real time, on time.
rtsync::FrameTiming on_time() {
  rtsync::FrameTiming timing;
  timing.paced = true;
  timing.work = 100us;
  return timing;
}
rtsync::FrameTiming late_by(rtsync::Nanoseconds late) {
  rtsync::FrameTiming timing = on_time();
  timing.late = late;
  return timing;
}
rtsync::FrameTiming with_lost_slot() {
  rtsync::FrameTiming timing = on_time();
  timing.lost = 1;
  return timing;
}
rtsync::FrameTiming catching_up() {
  rtsync::FrameTiming timing = on_time();
  timing.back_to_back = true;
  return timing;
}

/// An expectation on the condition `flag`, which opens in the first frame.
class Judged {
 public:
  Judged(const Monitor::Choices& choices, rtsync::Nanoseconds limit) : test_(made(choices, limit, flag_)) {}

  void take(std::int64_t k, bool holds, rtsync::FrameTiming timing) {
    holds_ = holds;
    timing.frame = k;
    timing.slot = rtsync::TimePoint<rtsync::RigTime>(std::chrono::milliseconds(10 + k));
    RigFigures figures;
    figures.timing = timing;
    slack_.open_unlimited();
    part_.in_slack({k, figures, slack_});
  }
  /// "pass", or "inconclusive (rig late in frame 2)".
  std::string says() const {
    const Monitor& monitor = part_.monitors()[0];
    const std::string verdict = name_of(monitor.verdict());
    if (*monitor.why() == 0) return verdict;
    return verdict + " (" + monitor.why() + " in frame " + std::to_string(monitor.late_frame()) + ")";
  }

 private:
  static CompiledTest made(const Monitor::Choices& choices, rtsync::Nanoseconds limit, Variable& flag) {
    CompiledTest test;
    test.program.cells.push_back({.real = 0});
    test.program.inputs.push_back({0, 0});
    TestInput input;
    input.variable.variable = &flag;
    test.inputs.push_back(input);
    CompiledExpectation each;
    each.monitor = choices;
    each.limit = limit;
    each.opens_first = true;
    test.expectations.push_back(each);
    return test;
  }
  static Variable variable(bool& holds) {
    Variable made;
    made.name = "m.flag";
    made.type = TACTUS_BOOL;
    made.data = &holds;
    return made;
  }

  bool holds_ = false;
  Variable flag_ = variable(holds_);
  CompiledTest test_;
  rtsync::SimClock clock_;
  Slack slack_{clock_};
  JudgePart part_{test_, 0, nullptr};
};

struct Row {
  const char* what;
  rtsync::FrameTiming timing;
  bool late;
};

std::vector<Row> rows() {
  rtsync::FrameTiming unpaced = with_lost_slot();
  unpaced.paced = false;
  return {{"on time", on_time(), false},           {"a tenth of its limit", late_by(500us), false},
          {"above a tenth", late_by(501us), true}, {"a lost slot", with_lost_slot(), true},
          {"a catch-up", catching_up(), true},     {"not in real time", unpaced, false}};
}

TEST(LateFrames, WhatHasATimeHasNoVerdictIfOneIsInIt) {
  for (const Kind kind : {Kind::within, Kind::lasting, Kind::settles})
    for (const Row& row : rows())
      for (const std::int64_t when : {0, 2, 5}) {
        Judged judged({.kind = kind, .ticks = 5}, 5ms);
        for (std::int64_t k = 0; k <= 7; ++k)
          judged.take(k, kind != Kind::within || k >= 5, k == when ? row.timing : on_time());
        EXPECT_EQ(judged.says(),
                  row.late ? "inconclusive (rig late in frame " + std::to_string(when) + ")" : "pass")
            << row.what << ", frame " << when << ", kind " << static_cast<int>(kind);
      }
}

TEST(LateFrames, AfterItsTimeOrWithoutOneTheyChangeNothing) {
  for (const Kind kind : {Kind::within, Kind::lasting, Kind::settles, Kind::always})
    for (const Row& row : rows()) {
      Judged judged({.kind = kind, .ticks = kind == Kind::always ? 0 : 5}, kind == Kind::always ? 0ms : 5ms);
      for (std::int64_t k = 0; k <= 7; ++k)
        judged.take(k, kind != Kind::within || k >= 5,
                    k == 6 || kind == Kind::always ? row.timing : on_time());
      EXPECT_EQ(judged.says(), "pass") << row.what << ", kind " << static_cast<int>(kind);
    }
}

TEST(LateFrames, WhatFailedBeforeStaysFailed) {
  Judged judged({.kind = Kind::lasting, .ticks = 5}, 5ms);
  judged.take(0, true, on_time());
  judged.take(1, false, on_time());
  judged.take(2, true, with_lost_slot());
  EXPECT_EQ(judged.says(), "fail");
}

TEST(LateFrames, TermsOfTheClockAreJudgedByTheEndsOfFrames) {
  for (const rtsync::Nanoseconds late : {200us, 201us}) {  // frame 5 ends 5.2 ms after frame 0, or more
    Judged judged({.kind = Kind::within, .ticks = 5'200'000, .by_stamps = true}, 5ms);
    for (std::int64_t k = 0; k <= 7; ++k) judged.take(k, k == 5, k == 5 ? late_by(late) : on_time());
    EXPECT_EQ(judged.says(), late == 200us ? "pass" : "fail");
  }
  Judged lost({.kind = Kind::within, .ticks = 5'200'000, .by_stamps = true}, 5ms);
  for (std::int64_t k = 0; k <= 7; ++k) lost.take(k, k == 5, k == 2 ? with_lost_slot() : on_time());
  EXPECT_EQ(lost.says(), "pass") << "lateness is part of what is measured";
}

}  // namespace
}  // namespace tactus::executive::late_frames_test
