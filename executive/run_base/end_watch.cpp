// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/end_watch.hpp"

#include <algorithm>
#include <utility>

#include "executive/run_base/safe_end.hpp"
#include "rtsync/evidence/stopper.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;

constexpr auto kAbortTimeout = 1s;   // how long an abort waits for a job that does not return
constexpr auto kLongestEnd = 10min;  // how long a job after the frames may take
constexpr auto kLongestLook =
    250ms;  // what one look counts for: a machine that stood still gave the job no time

}  // namespace

void EndWatch::begin(Time now, bool ending, std::string what, bool starting) {
  aborted_ = waited_ = 0ns;
  ending_ = ending;
  starting_ = starting;
  what_ = std::move(what);
  noted_ = false;
  looked_ = beat_at_ = now;
  beats_ = -1;
}

bool EndWatch::overdue(Time now) {
  const auto passed = std::min<std::chrono::nanoseconds>(now - looked_, kLongestLook);
  looked_ = now;
  waited_ += passed;
  if (const std::int64_t so_far = executive_.latest().heartbeats; so_far != beats_) {
    beats_ = so_far;
    beat_at_ = now;
  }
  // A stop that a job does not let happen: the frames may go on later, the outputs do not.
  if (executive_.stop_requested() && !stopping_) stopping_ = now;
  if (stopping_ && now - *stopping_ > kAbortTimeout + frame_) end_outputs_safe_aside(executive_);
  if (executive_.abort_requested()) aborted_ += passed;
  const SafeOutput* const output = executive_.output_in_call();
  driving_ = output == nullptr || output != output_ ? 0ns : driving_ + passed;
  output_ = output;
  stuck_ = threads_.stuck();
  return drives_outputs() || aborted_ >= kAbortTimeout || (ending_ && waited_ >= kLongestEnd);
}

bool EndWatch::drives_outputs() const { return output_ != nullptr && driving_ >= kAbortTimeout; }

/// "job 'load.step'".
std::string EndWatch::awaited() const {
  const std::string job(executive_.jobs().running_job(executive_.jobs().working_thread()));
  if (!job.empty()) return "job '" + job + "'";
  return what_.empty() ? "a thread" : what_;
}

std::string EndWatch::take_note() {
  const bool stops = stopping_ && looked_ - *stopping_ > kAbortTimeout + frame_;
  if (noted_ || waited_ <= kAbortTimeout || (!ending_ && !starting_ && !stops)) return "";
  noted_ = true;
  const bool starts = starting_ && !stops;
  return (starts ? "the rig starts when " : "the rig ends when ") + awaited() + " returns; " +
         (starts ? "Ctrl-C stops it, a second one aborts it" : "a second signal (Ctrl-C) aborts it");
}

std::string EndWatch::reason() const {
  if (stuck_) {
    const std::string stopper = rtsync::stopper_of(threads_.tid(*stuck_));
    const bool frozen = stopper.ends_with("is frozen") || stopper.ends_with("is FROZEN now");
    return executive_.stuck_mark().text(*stuck_, frozen ? stopper : "");
  }
  if (drives_outputs())
    return (output_->code().empty() ? "the driver" : output_->code()) + " of model '" + output_->name() +
           "' did not return from drive_safe() within " +
           rtsync::duration_text(rtsync::Nanoseconds(kAbortTimeout).count());
  const rtsync::Nanoseconds limit = aborted_ >= kAbortTimeout ? kAbortTimeout : kLongestEnd;
  return "aborted; " + awaited() + " did not return within " + rtsync::duration_text(limit.count());
}

rtsync::RealtimeTotals EndWatch::totals(bool in_frame) const {
  rtsync::RealtimeTotals totals = executive_.latest().totals;
  if (!in_frame) return totals;
  ++totals.overruns;
  ++totals.overruns_by_work;
  totals.max_consecutive_overruns = std::max(totals.max_consecutive_overruns, ++totals.consecutive_overruns);
  totals.longest_overrun = std::max(totals.longest_overrun, overran());
  return totals;
}

}  // namespace tactus::executive
