// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/monitor.hpp"

namespace tactus::executive {

const char* name_of(TestVerdict verdict) {
  switch (verdict) {
    case TestVerdict::pass:
      return "pass";
    case TestVerdict::untested:
      return "untested";
    case TestVerdict::inconclusive:
      return "inconclusive";
    case TestVerdict::fail:
      return "fail";
    case TestVerdict::error:
      break;
  }
  return "error";
}

void Monitor::near(const Sample& sample) TACTUS_RT {
  if (sample.margin != sample.margin) return;
  const double margin = kind_ == Kind::never ? -sample.margin : sample.margin;
  if (margin_ != margin_ || margin < margin_) margin_ = margin;
}

void Monitor::fail(std::int64_t k, const Sample& sample) TACTUS_RT {
  if (failed_) return;
  failed_ = true;
  frame_ = k;
  no_value_ = sample.holds != sample.holds;
  margin_ = kind_ == Kind::never ? -sample.margin : sample.margin;
}

/// A condition that ought to hold in frame k.
void Monitor::judge(std::int64_t k, const Sample& sample) TACTUS_RT {
  const bool none = sample.holds != sample.holds;
  if (none && ignore_nan_) return;
  tested_ = true;
  const double wanted = kind_ == Kind::never ? 0 : 1;
  if (sample.holds == wanted) {
    if (!failed_) near(sample);
    return;
  }
  fail(k, sample);
}

void Monitor::take(std::int64_t k, const Sample& sample) TACTUS_RT {
  if (kind_ == Kind::always || kind_ == Kind::never) return judge(k, sample);
  if (kind_ == Kind::finally) {
    if (sample.holds != sample.holds && ignore_nan_) return;
    tested_ = true;
    last_ = sample.holds;
    frame_ = k;
    margin_ = sample.margin;
    return;
  }
  if (kind_ == Kind::between && sample.closes) open_ = false;
  if (sample.opens && !(kind_ == Kind::between && sample.closes)) {
    if (!open_) since_ = k;
    until_ = k + ticks_;
    open_ = tested_ = true;
  }
  if (!open_) return;
  if (sample.late && kind_ != Kind::between) {  // simulated time is not that of the unit under test here
    late_ = true;
    open_ = false;
    return;
  }
  if (kind_ != Kind::within) {
    judge(k, sample);
    open_ = kind_ == Kind::between || k < until_;
    return;
  }
  if (sample.holds == 1) {
    open_ = false;
  } else if (k >= since_ + ticks_) {
    fail(since_, sample);
    open_ = false;
  }
}

void Monitor::begin_anew() TACTUS_RT {
  if (open_) reset_ = true;
  open_ = false;
  if (kind_ == Kind::finally) tested_ = false;
}

TestVerdict Monitor::verdict() const TACTUS_RT {
  if (failed_) return TestVerdict::fail;
  const bool to_the_end = kind_ == Kind::always || kind_ == Kind::never || kind_ == Kind::finally;
  if (ended_early_ != nullptr && (to_the_end || open_)) return TestVerdict::inconclusive;
  if (kind_ == Kind::finally)
    return !tested_ ? TestVerdict::untested : last_ == 1 ? TestVerdict::pass : TestVerdict::fail;
  if (reset_ || late_ || (open_ && kind_ != Kind::between)) return TestVerdict::inconclusive;
  return tested_ ? TestVerdict::pass : TestVerdict::untested;
}

const char* Monitor::why() const {
  if (verdict() != TestVerdict::inconclusive) return "";
  if (late_) return "rig late";
  if (ended_early_ != nullptr && !reset_) return ended_early_;
  return reset_ ? "reset" : "the end came before";
}

}  // namespace tactus::executive
