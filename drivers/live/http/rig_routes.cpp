// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "config/date.hpp"
#include "config/number.hpp"
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"

// The rig as a whole: what it is, what it does, how punctual it is.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;
using executive::LiveSnapshot;
using executive::LiveSnapshotPtr;
using executive::State;

constexpr std::chrono::milliseconds kStateTimeout{250};

Schema facts_schema() {
  return object(
      "Facts that do not change while the rig runs, and its state.",
      {must("rig", text("Name of the rig")),
       must("file", text("Name of the rig file; empty if there is none")),
       must("run", text("Identifier of the run; it differs in every run")),
       must("version", text("Version of tactus")), must("folder", text("Path of the run folder")),
       must("period", object("Period of a frame: num_ns / den nanoseconds",
                             {must("num_ns", integer("Numerator in ns")), must("den", integer("Denominator")),
                              must("text", text("Period as text, such as 1 ms or 16.7 ms (60 Hz)"))})),
       must("epoch", text("Date of simulated time 0")),
       must("realtime", boolean("True if the rig runs in real time")),
       must("linked", boolean("True if the rig is linked to other participants")),
       must("planned_frames",
            or_null(integer("Number of frames of the whole run; null if it has no planned end"))),
       must("state", state_name())});
}

/// Gives each count of /v1/statistics to `take`: key, value, meaning.
template <class Take>
void each_count(const executive::RigFigures& at, Take take) {
  const rtsync::RealtimeTotals& totals = at.totals;
  take("frames", at.frames, "Number of frames up to this one; a reset or a loaded checkpoint sets it back");
  take("frames_run", at.frames_run,
       "Number of frames since the start, never set back; overruns are counted in these frames");
  take("heartbeats", at.heartbeats, "Number of frames and freeze frames");
  take("overruns", totals.overruns, "Number of frames that ended after the next slot");
  take("overruns_by_work", totals.overruns_by_work, "Number of overruns caused by the work of the frame");
  take("overruns_by_late_wake", totals.overruns_by_late_wake, "Number of overruns caused by a late wake");
  take("overruns_by_housekeeping", totals.overruns_by_housekeeping,
       "Number of overruns of frames that began late because of housekeeping");
  take("overruns_catching_up", totals.overruns_catching_up,
       "Number of overruns that followed from an earlier overrun");
  take("consecutive_overruns", totals.consecutive_overruns,
       "Number of overruns in a row, up to the last frame");
  take("max_consecutive_overruns", totals.max_consecutive_overruns, "Largest number of overruns in a row");
  take("longest_overrun_ns", totals.longest_overrun.count(), "Longest overrun in ns");
  take("late_wakes", totals.late_wakes, "Number of wakes later than the late limit");
  take("late_by_housekeeping", totals.late_by_housekeeping,
       "Number of frames that began later than the late limit because housekeeping ran past the slot");
  take("lost", totals.lost, "Number of slots in which no frame ran");
  take("models_lost", at.models_lost, "Number of isolated models whose processes have ended");
  take("reanchored", totals.reanchored, "Number of times that the slots were given a new anchor");
  take("grace_overruns", totals.grace_overruns,
       "Number of overruns in the grace period at the start, not counted in overruns");
  take("grace_late_wakes", totals.grace_late_wakes,
       "Number of late wakes in the grace period at the start, not counted in late_wakes");
  take("grace_late_by_housekeeping", totals.grace_late_by_housekeeping,
       "Number of frames late by housekeeping in the grace period at the start, not counted in "
       "late_by_housekeeping");
}

Schema statistics_schema() {
  std::vector<Property> properties;
  each_count({}, [&](const char* key, std::int64_t, const char* about) {
    properties.push_back(must(key, integer(about)));
  });
  properties.push_back(
      must("last", object("Times of the last frame",
                          {must("late_ns", integer("Lateness: wake minus slot")),
                           must("work_ns", integer("Execution time: end minus wake")),
                           must("slack_ns", integer("Slack: next slot minus end; negative for an overrun")),
                           must("lost", integer("Number of slots lost because of this frame")),
                           must("paced", boolean("True if the frame ran in real time; otherwise only work_ns "
                                                 "has a meaning"))})));
  return object("Counts and times of the frames since the start of the run.",
                of_frame(std::move(properties)));
}

Json statistics_json(const executive::LiveRig& rig, const LiveSnapshot& snapshot) {
  const executive::RigFigures& at = snapshot.rig;
  Json statistics = frame_json(rig, snapshot);
  each_count(at, [&](const char* key, std::int64_t value, const char*) { statistics[key] = value; });
  statistics["last"] = {{"late_ns", at.timing.late.count()},
                        {"work_ns", at.timing.work.count()},
                        {"slack_ns", at.timing.slack.count()},
                        {"lost", at.timing.lost},
                        {"paced", at.timing.paced}};
  return statistics;
}

Waits description(Api& /*api*/, const Call& /*call*/, const Respond& respond) {
  return reply_now(respond, good(openapi()));
}

Waits facts(Api& api, const Call& /*call*/, const Respond& respond) {
  const executive::LiveFacts& facts = api.rig().facts();
  return reply_now(respond, good({{"rig", facts.rig},
                                  {"file", facts.file.filename().string()},
                                  {"run", facts.run},
                                  {"version", TACTUS_VERSION},
                                  {"folder", facts.folder.string()},
                                  {"period",
                                   {{"num_ns", facts.frame.num()},
                                    {"den", facts.frame.den()},
                                    {"text", config::show_period(facts.frame)}}},
                                  {"epoch", config::print_date(facts.epoch_ns)},
                                  {"realtime", facts.realtime},
                                  {"linked", facts.linked},
                                  {"planned_frames", facts.frames != INT64_MAX ? Json(facts.frames) : Json()},
                                  {"state", state_text(api.rig().state())}}));
}

Waits state(Api& api, const Call& /*call*/, const Respond& respond) {
  executive::LiveRig& rig = api.rig();
  const State now = rig.state();
  if (now == State::connect || now == State::start)  // no frame ends yet
    return reply_now(respond, good(api.state_now()));
  rig.next_snapshot([last = api.last_frame(), &rig, respond](const LiveSnapshotPtr& snapshot) {
    if (snapshot != nullptr) last->update(snapshot);
    respond.later([last, &rig, snapshot] {
      return good(snapshot == nullptr ? last->state(rig) : LastFrame::state(rig, *snapshot));
    });
  });
  return ReplyTimeout{std::min<std::chrono::nanoseconds>(kStateTimeout, api.settings().timeout),
                      [&api] { return good(api.state_now()); }};
}

Waits statistics(Api& api, const Call& /*call*/, const Respond& respond) {
  return api.with_next_frame(
      respond, [&rig = api.rig()](const LiveSnapshot& snapshot) { return statistics_json(rig, snapshot); });
}

}  // namespace

std::vector<Route> rig_routes() {
  return {get("/v1/openapi.json", "description", "Returns this description.", any("OpenAPI 3.0 document"),
              &description),
          get("/v1", "facts", "Returns the facts of this rig.", facts_schema(), &facts),
          get("/v1/state", "state", "Returns the state of the rig, also before the first frame.",
              state_schema(), &state),
          get("/v1/statistics", "statistics", "Returns how punctual the frames are.", statistics_schema(),
              &statistics, {}, {503})};
}

}  // namespace tactus::drivers::live_http
