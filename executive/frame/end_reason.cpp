// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/end_reason.hpp"

#include <optional>
#include <string>

#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

using rtsync::Verdict;

namespace {

std::string overrun_text(const rtsync::RealtimeSync& sync) {
  const rtsync::RealtimeTotals& totals = sync.totals();
  if (sync.reached() == rtsync::Maximum::single_overrun)
    return "an overrun of " + rtsync::duration_text(totals.longest_overrun.count()) + " reached max_overrun";
  return std::to_string(totals.consecutive_overruns) +
         " overruns in a row (or not paid back) reached max_consecutive_overruns";
}

/// The same where room is scarce.
std::string overrun_brief(const rtsync::RealtimeSync& sync) {
  return sync.reached() == rtsync::Maximum::single_overrun ? overrun_text(sync)
                                                           : "max_consecutive_overruns reached";
}

}  // namespace

RunEnd end_of(const EndCauses& causes, Verdict verdict, std::int64_t k) {
  const std::string frame = "frame " + std::to_string(k) + ": ";
  if (const std::string failure = causes.jobs.take_failure_text(); !failure.empty())
    return {Outcome::failed, frame + failure};
  if (const std::optional<std::size_t> stuck = causes.stuck.thread())
    return {Outcome::aborted, frame + causes.stuck.text(*stuck)};
  if (!causes.restart.reason.empty()) return causes.restart;
  if (verdict == Verdict::source_lost)
    return {Outcome::aborted,
            std::string("the sleeper '") + causes.sleeper.name() + "' cannot wait any more"};
  if (verdict == Verdict::clock_terminate) return {Outcome::clock_lost, causes.sleeper.failure()};
  if (causes.part.what == PartVerdict::terminate)
    return {causes.part.outcome,
            "frame " + std::to_string(causes.part.frame.value_or(k)) + ": " + causes.part.reason};
  if (const char* const aborted = causes.commands.abort_reason()) return {Outcome::aborted, aborted};
  if (verdict == Verdict::terminate)
    return {Outcome::overrun, "frame " + std::to_string(k - 1) + ": " + overrun_text(causes.sync), 0,
            "frame " + std::to_string(k - 1) + ": " + overrun_brief(causes.sync)};
  if (const char* const stopped = causes.commands.stop_reason())
    return {.outcome = Outcome::stopped, .reason = stopped, .planned = causes.commands.stop_planned()};
  return {};
}

}  // namespace tactus::executive
