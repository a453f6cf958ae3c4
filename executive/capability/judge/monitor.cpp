// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/monitor.hpp"

#include <algorithm>

#include "rtsync/word_of.hpp"

namespace tactus::executive {
namespace {

constexpr double kNoMargin = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kShortestFrame = 10'000;  // ns: that many duties at most wait in a delay of the clock
constexpr std::int64_t kMostDelayed = std::int64_t{1} << 20;

}  // namespace

const char* name_of(TestVerdict verdict) {
  using enum TestVerdict;
  static constexpr rtsync::Worded<TestVerdict> kWords[] = {{pass, "pass"},
                                                           {untested, "untested"},
                                                           {inconclusive, "inconclusive"},
                                                           {fail, "fail"},
                                                           {error, "error"}};
  return rtsync::word_of(kWords, verdict);
}

Monitor::Monitor(const Choices& choices) : choices_(choices) {
  if (choices.delay == 0) return;
  const std::int64_t duties = choices.by_stamps ? choices.delay / kShortestFrame : choices.delay;
  delayed_.resize(static_cast<std::size_t>(std::min(duties, kMostDelayed) + 2));
}

void Monitor::near(double margin) TACTUS_RT {
  if (margin != margin || failed_) return;
  if (choices_.kind == Kind::never) margin = -margin;
  if (margin_ != margin_ || margin < margin_) margin_ = margin;
}

void Monitor::fail(std::int64_t k, const Sample& sample) TACTUS_RT {
  tested_ = true;
  if (failed_) return;
  failed_ = true;
  frame_ = k;
  no_value_ = sample.holds != sample.holds;
  margin_ = choices_.kind == Kind::never ? -sample.margin : sample.margin;
}

/// A condition that ought to hold in frame k.
void Monitor::judge(std::int64_t k, const Sample& sample) TACTUS_RT {
  const bool none = sample.holds != sample.holds;
  if (none && choices_.ignore_nan) return;
  tested_ = true;
  const double wanted = choices_.kind == Kind::never ? 0 : 1;
  if (sample.holds == wanted)
    near(sample.margin);
  else
    fail(k, sample);
}

/// Ends what is open without a verdict.
void Monitor::cut(Cut why) TACTUS_RT {
  if ((open_ || waiting()) && cut_ == Cut::none) cut_ = why;
  open_ = false;
  waits_ = 0;
}

void Monitor::open(std::int64_t k, std::int64_t now) TACTUS_RT {
  if (!open_ || choices_.kind == Kind::settles) opened_in_ = k;
  if (!open_) best_ = kNoMargin;
  due_ = false;
  // The first of several duties of `within` is over first, and what fulfils it fulfils all.
  if (!open_ || choices_.kind != Kind::within) until_ = now + choices_.ticks;
  open_ = true;
}

/// A duty whose condition is looked at later.
void Monitor::open_after_delay(std::int64_t now, bool opens) TACTUS_RT {
  const std::size_t room = delayed_.size();
  if (opens) {
    if (waits_ == room) {
      cut(Cut::late);
      return;
    }
    delayed_[(first_wait_ + waits_++) % room] = now + choices_.delay;
  }
  while (waits_ > 0 && delayed_[first_wait_] <= now) {
    open_ = true;
    until_ = delayed_[first_wait_] + choices_.ticks;
    first_wait_ = (first_wait_ + 1) % room;
    --waits_;
  }
}

void Monitor::take_within(std::int64_t now, const Sample& sample) TACTUS_RT {
  if (now <= until_ && (best_ != best_ || sample.margin > best_)) best_ = sample.margin;
  if (sample.holds == 1 && now <= until_) {
    tested_ = true;
    near(sample.margin);  // the greatest: before it held, none was above 0
    open_ = false;
  } else if (now >= until_) {
    Sample nearest = sample;
    nearest.margin = best_;
    fail(opened_in_, nearest);
    open_ = false;
  }
}

void Monitor::take_before(std::int64_t k, const Sample& sample) TACTUS_RT {
  if (sample.closes && !decided_) {
    decided_ = tested_ = true;
    if (!came_) fail(k, sample);
  }
  came_ = came_ || sample.opens;
}

void Monitor::take(std::int64_t k, const Sample& sample) TACTUS_RT {
  const Kind kind = choices_.kind;
  if (choices_.by_stamps && sample.stamp == kNoStamp) return cut(Cut::unpaced);
  const std::int64_t now = choices_.by_stamps ? sample.stamp : k;
  if (kind == Kind::always || kind == Kind::never) return judge(k, sample);
  if (kind == Kind::before) return take_before(k, sample);
  if (kind == Kind::finally) {
    if (sample.holds != sample.holds && choices_.ignore_nan) return;
    tested_ = true;
    last_ = sample.holds;
    frame_ = k;
    margin_ = sample.margin;
    return;
  }
  if (kind == Kind::between && sample.closes) open_ = false;
  if (choices_.delay > 0)
    open_after_delay(now, sample.opens);
  else if (sample.opens && !(kind == Kind::between && sample.closes))
    open(k, now);
  if (!open_ && !waiting()) return;
  const bool counts = kind == Kind::between ? choices_.must_close : kind != Kind::settles || now <= until_;
  if (sample.late && counts && !choices_.by_stamps) {
    if (late_frames_++ == 0) late_frame_ = k;
    return cut(Cut::late);  // simulated time is not that of the unit under test here
  }
  if (!open_) return;
  if (kind == Kind::within) return take_within(now, sample);
  if (kind == Kind::lasting && now > until_) {
    open_ = false;
    return;
  }
  if (kind == Kind::settles && now < until_) return;
  due_ = true;
  judge(k, sample);
  // A duty that is broken is over: what comes later in its time changes nothing of it.
  const bool broken = sample.holds != 1 && !(sample.holds != sample.holds && choices_.ignore_nan);
  if (kind == Kind::lasting) open_ = now < until_ && !broken;
  if (kind == Kind::between && sample.ends) open_ = false;  // also where the run ends with this frame
}

void Monitor::begin_anew() TACTUS_RT {
  cut(Cut::reset);
  came_ = decided_ = false;
  if (choices_.kind == Kind::finally) tested_ = false;
}

void Monitor::pause() TACTUS_RT {
  const Kind kind = choices_.kind;
  if (choices_.by_stamps && kind != Kind::between) cut(Cut::paused);
}

TestVerdict Monitor::verdict() const TACTUS_RT {
  const Kind kind = choices_.kind;
  if (failed_) return TestVerdict::fail;
  const bool to_the_end = kind == Kind::always || kind == Kind::never || kind == Kind::finally ||
                          (kind == Kind::before && !tested_);
  if (ended_early_ != nullptr && (to_the_end || open_ || waiting())) return TestVerdict::inconclusive;
  if (kind == Kind::finally)
    return !tested_ ? TestVerdict::untested : last_ == 1 ? TestVerdict::pass : TestVerdict::fail;
  // A settled value had to stay until here. It was judged once its time was over.
  const bool may_be_open = (kind == Kind::between && !choices_.must_close) || (kind == Kind::settles && due_);
  if (cut_ != Cut::none || waiting() || (open_ && !may_be_open)) return TestVerdict::inconclusive;
  return tested_ ? TestVerdict::pass : TestVerdict::untested;
}

const char* Monitor::why() const {
  if (verdict() != TestVerdict::inconclusive) return "";
  static constexpr rtsync::Worded<Cut> kWords[] = {{Cut::late, "rig late"},
                                                   {Cut::reset, "reset"},
                                                   {Cut::paused, "paused"},
                                                   {Cut::unpaced, "not in real time"}};
  if (cut_ != Cut::none) return rtsync::word_of(kWords, cut_);
  return ended_early_ != nullptr ? ended_early_ : kNotOver;
}

}  // namespace tactus::executive
