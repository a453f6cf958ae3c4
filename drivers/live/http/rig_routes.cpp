// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "config/date.hpp"
#include "config/number.hpp"
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/openapi.hpp"
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
      "What does not change while the rig runs, and its state.",
      {must("rig", text("its name")), must("file", text("name of the rig file; empty: there is none")),
       must("run", text("another in every run")), must("version", text("of tactus")),
       must("folder", text("of the run")),
       must("period", object("of a frame: num_ns / den nanoseconds",
                             {must("num_ns", integer("")), must("den", integer("")),
                              must("text", text("1 ms, 16.7 ms (60 Hz)"))})),
       must("epoch", text("date of simulated time 0")), must("realtime", boolean("it runs in real time")),
       must("linked", boolean("it is linked with other participants")),
       must("planned_frames", or_null(integer("frames of the whole run; null: it has no end"))),
       must("state", state_name())});
}

Schema statistics_schema() {
  const auto total = [](const char* key, const char* about) { return must(key, integer(about)); };
  return object(
      "Frames and times since the start.",
      of_frame(
          {total("frames", "frames up to this one; a reset or a loaded checkpoint sets it back"),
           total("frames_run", "frames run in all; what overruns are counted in"),
           total("heartbeats", "frames and freeze frames"),
           total("overruns", "frames that ended after the next slot"),
           total("overruns_by_work", "of them: because of their work"),
           total("overruns_by_late_wake", "of them: because they were woken late"),
           total("overruns_by_housekeeping", "of them: because housekeeping made them begin late"),
           total("overruns_catching_up", "of them: after an earlier overrun"),
           total("consecutive_overruns", "in a row, up to now"),
           total("max_consecutive_overruns", "the longest row"),
           total("longest_overrun_ns", "the longest overrun"),
           total("late_wakes", "wakes later than the late limit"),
           total("late_by_housekeeping",
                 "frames begun later than the late limit after housekeeping ran past the slot"),
           total("lost", "slots in which no frame ran"),
           total("models_lost", "isolated models whose processes have ended"),
           total("reanchored", "times the grid was begun anew"),
           total("grace_overruns", "overruns in the start-up grace, not counted above"),
           total("grace_late_wakes", "late wakes in the start-up grace, not counted above"),
           total("grace_late_by_housekeeping", "frames late by housekeeping in the start-up grace, likewise"),
           must("last",
                object(
                    "the last frame",
                    {must("late_ns", integer("wake minus slot")), must("work_ns", integer("end minus wake")),
                     must("slack_ns", integer("next slot minus end; negative: an overrun")),
                     must("lost", integer("slots given up because of it")),
                     must("paced",
                          boolean("it was in real time: otherwise only work_ns means something"))}))}));
}

Json statistics_json(const executive::LiveRig& rig, const LiveSnapshot& snapshot) {
  const executive::RigFigures& at = snapshot.rig;
  const rtsync::RealtimeTotals& totals = at.totals;
  Json statistics = frame_json(rig, snapshot);
  statistics.update({{"frames", at.frames},
                     {"frames_run", at.frames_run},
                     {"heartbeats", at.heartbeats},
                     {"overruns", totals.overruns},
                     {"overruns_by_work", totals.overruns_by_work},
                     {"overruns_by_late_wake", totals.overruns_by_late_wake},
                     {"overruns_by_housekeeping", totals.overruns_by_housekeeping},
                     {"overruns_catching_up", totals.overruns_catching_up},
                     {"consecutive_overruns", totals.consecutive_overruns},
                     {"max_consecutive_overruns", totals.max_consecutive_overruns},
                     {"longest_overrun_ns", totals.longest_overrun.count()},
                     {"late_wakes", totals.late_wakes},
                     {"late_by_housekeeping", totals.late_by_housekeeping},
                     {"lost", totals.lost},
                     {"models_lost", at.models_lost},
                     {"reanchored", totals.reanchored},
                     {"grace_overruns", totals.grace_overruns},
                     {"grace_late_wakes", totals.grace_late_wakes},
                     {"grace_late_by_housekeeping", totals.grace_late_by_housekeeping},
                     {"last",
                      {{"late_ns", at.timing.late.count()},
                       {"work_ns", at.timing.work.count()},
                       {"slack_ns", at.timing.slack.count()},
                       {"lost", at.timing.lost},
                       {"paced", at.timing.paced}}}});
  return statistics;
}

Waits description(Api& /*api*/, const Call& /*call*/, const Respond& respond) {
  return reply_now(respond, good(openapi()));
}

Waits facts(Api& api, const Call& /*call*/, const Respond& respond) {
  const executive::LiveFacts& facts = api.rig().facts();
  Json planned;
  if (facts.frames != INT64_MAX) planned = facts.frames;
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
                                  {"planned_frames", std::move(planned)},
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
  return {get("/v1/openapi.json", "description", "This description.", any("OpenAPI 3.0"), &description),
          get("/v1", "facts", "What this rig is.", facts_schema(), &facts),
          get("/v1/state", "state", "What it is doing; also before the first frame.", state_schema(), &state),
          get("/v1/statistics", "statistics", "How punctual its frames are.", statistics_schema(),
              &statistics, {}, {503})};
}

}  // namespace tactus::drivers::live_http
