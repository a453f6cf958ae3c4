// SPDX-License-Identifier: Apache-2.0

#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"

// What the run tells of itself: its times, its jobs, what it stands on.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;
using executive::LiveReport;
using executive::LiveTrace;

constexpr std::int64_t kMostFrames = 1000;  // before and behind the frame of a trace

Property number_of(const char* key, const char* about) { return must(key, integer(about)); }
Schema maybe(Schema schema) { return or_null(std::move(schema)); }

Schema times_schema(const char* about) {
  return object(
      about,
      {number_of("count", ""), number_of("min_ns", ""), number_of("p50_ns", ""), number_of("p99_ns", ""),
       number_of("p99_9_ns", ""), number_of("max_ns", ""),
       must("buckets", list("those that have any: from, to (exclusive), count", list("", integer("")), 0))});
}

Schema timing_schema() {
  return object(
      "Times of all frames since the start.",
      {may("frame", integer(kFrame)), number_of("period_ns", "of a frame, in real time"),
       must("paced", boolean("the last frame was in real time")),
       must("late", times_schema("wake minus slot")), must("work", times_schema("end minus wake")),
       must("slack", times_schema("next slot minus end")),
       must("behind", times_schema("housekeeping between the end of a frame and its wait")),
       must("totals", map("as in /v1/statistics", integer(""))), must("causes", any("as in summary.json")),
       must("promises_broken", any("as in summary.json"))});
}

Schema jobs_schema() {
  return object(
      "The jobs of frames.",
      {may("frame", integer(kFrame)), must("measured", boolean("job_times is on")),
       must("jobs",
            list("in the order of the rig file",
                 object("",
                        {must("name", text("model.job")), must("class", text("")), must("thread", text("")),
                         must("cycle_ns", maybe(integer("null: it has none"))),
                         must("optional", maybe(integer("it can be left out; lower ones first"))),
                         must("calls", maybe(integer(""))),
                         must("time_ns", maybe(object("", {number_of("p50", ""), number_of("p99", ""),
                                                           number_of("p99_99", ""), number_of("max", "")}))),
                         must("budget_ns", maybe(integer("of a call"))),
                         must("over_budget", maybe(integer("calls that took more"))),
                         must("worst_over_ns", maybe(integer(""))),
                         must("hard_budget_ns", maybe(integer("")))})))});
}

Schema clock_schema() {
  return object("What paces the frames.",
                {must("driver", text("of the rig file's clock section")),
                 must("source", text("of its edges")), must("clock", text("")), must("sleeper", text("")),
                 must("realtime", boolean("")), must("ratio", number("simulated seconds per real one")),
                 must("external", any("as `clock` of summary.json; null: it is internal"))});
}

Schema link_schema() {
  const Schema peer = object("", {must("name", text("")),
                                  must("state", maybe(text("as SIL Kit names it; null: none was published"))),
                                  must("reason", text("of that state, in its own words")),
                                  must("entered", maybe(text("when, by its own clock: ISO 8601"))),
                                  must("connected", boolean("false: it has gone, in that state"))});
  const Schema grants =
      object("of simulation steps; null: the link is free",
             {number_of("step_ns", "virtual time of a step"), number_of("granted", "steps so far"),
              number_of("done", "steps that the rig has run"),
              number_of("behind", "steps that were run before they were granted"),
              must("age_ns", maybe(integer("since the last grant; null: none has come"))),
              number_of("late", ""), number_of("worst_lateness_ns", "")});
  return object(
      "The link to other participants; its figures of every frame are the variables link.*.",
      {must("linked", boolean("there is one")), may("driver", text("")),
       may("mode", word("", {"paced", "follow", "free"})), may("status", text("one line")),
       may("about", list("a line each", text(""))), may("participant", text("what the rig is called there")),
       may("library", text("file and version")), may("registry", text("its address")),
       may("state", text("of this participant")),
       may("federation", word("", {"assembling", "running", "left"})),
       may("error", text("the library's last refusal; empty: none")),
       may("peers", list("by name; then those that have gone", peer)), may("grants", maybe(grants)),
       may("messages", map("counts", integer(""))), may("commands", map("of peers: counts", integer("")))});
}

Schema drivers_schema() {
  return object(
      "The drivers of this rig.",
      {must("drivers", list("", object("", {must("kind", text("clock, model, record, link or live")),
                                            must("name", text("")), must("for", text("")),
                                            must("about", list("a line each", text("")))})))});
}

Schema threads_schema() {
  const Schema refusal = object(
      "", {must("what", text("")), must("got", text("")), must("cause", text("")), must("fix", text(""))});
  return object(
      "The threads of the rig's process, and what the machine refused them.",
      {must("threads",
            list("", object("", {must("name", text("")), must("tid", integer("")), must("policy", text("")),
                                 must("priority", integer("")), must("cpus", text("as 1,3-5")),
                                 must("role", word("", {"main", "worker", "helper"})),
                                 must("kind", or_null(text("of a worker"))),
                                 must("skipped", or_null(integer("releases of a worker that was not free"))),
                                 must("cpu_ns", or_null(integer("CPU time so far")))}))),
       must("refused", list("", refusal))});
}

Schema doctor_schema() {
  return object(
      "What keeps this machine from hard real time, as `tactus doctor` reports it.",
      {must("facts",
            list("", object("", {must("name", text("")), must("grade", word("", {"ok", "warn", "fail"})),
                                 must("found", text("")), must("needed", text("")),
                                 must("why", text("what goes wrong otherwise")),
                                 must("fix", text("the command that removes the problem"))}))),
       must("counts", map("by grade", integer(""))), must("age_ms", integer("since it was looked at"))});
}

Schema checkpoints_schema() {
  return object(
      "The checkpoints that the command load finds.",
      {must("folder", text("where they lie")),
       must("checkpoints", list("the newest first, at most 200",
                                object("", {must("name", text("for the key file of load")),
                                            number_of("bytes", ""), must("written", text("ISO 8601"))}))),
       number_of("left_out", "older ones")});
}

Schema verdicts_schema() {
  return object("What the test has come to so far.",
                {must("test", maybe(text("its name; null: the rig has none"))), may("rig", text("")),
                 may("verdict", word("the worst of those that count", verdict_words())),
                 may("frame", maybe(integer("the last one that was judged; null: none"))),
                 may("frames", integer("that were judged")), may("simulated_s", number("")),
                 may("ended", boolean("the frames are over")),
                 must("expectations", list("in the order of the file", verdict_schema()))});
}

Schema histograms_schema() {
  return object(
      "What models of drivers have measured.",
      {must("histograms",
            list("those with any value",
                 object("", {must("model", text("")),
                             must("name", text("of the distribution, as EngineData.late")),
                             must("about", text("")), must("unit", text("of its values; empty: none")),
                             must("not_measured", maybe(text("reason to doubt it"))),
                             number_of("count", "of values"), must("p50", number("")),
                             must("p99", number("")), must("p99_9", number("")), must("longest", number("")),
                             must("limit", maybe(number("null: no value is too large"))),
                             must("too_large", map("values above the limit, by cause", integer(""))),
                             must("classes", list("those that have any: largest value, count",
                                                  list("", number("")), 0))})))});
}

template <LiveReport kReport>
Waits report(Api& api, const Call& /*call*/, const Respond& respond) {
  api.rig().report(kReport, [respond](const Json& made) {
    respond.later([made] { return made.is_null() ? over() : good(made); });
  });
  return ReplyTimeout{api.settings().timeout,
                      [] { return refusal(503, "the rig's service thread has not answered in time"); }};
}

Reply trace_reply(LiveTrace made, bool perfetto) {
  switch (made.outcome) {
    case LiveTrace::Outcome::no_frame:
      return refusal(404, made.problem);
    case LiveTrace::Outcome::no_recorder:
      return refusal(409, made.problem);
    case LiveTrace::Outcome::failed:
      return refusal(503, made.problem);
    case LiveTrace::Outcome::done:
      break;
  }
  if (!perfetto) return good(std::move(made.json));
  Reply reply;
  reply.type = "application/octet-stream";
  reply.bytes = std::make_shared<const std::string>(std::move(made.bytes));
  reply.headers.emplace_back("Content-Disposition",
                             "attachment; filename=\"trace-" + std::to_string(made.frame) + ".pftrace\"");
  return reply;
}

Waits trace(Api& api, const Call& call, const Respond& respond) {
  std::vector<std::string> problems;
  executive::LiveTraceCall asked;
  const auto frames = [&](const char* name, std::int64_t& to) {
    const std::string* const text = call.value(name);
    if (text == nullptr) return;
    to = *config::parse_integer(*text).value;
    if (to > kMostFrames)
      note(problems, std::string(name) + ": " + *text + " is outside 0 .. " + std::to_string(kMostFrames));
  };
  frames("before", asked.before);
  frames("after", asked.after);
  if (const std::string* const text = call.value("frame")) asked.frame = *config::parse_integer(*text).value;
  if (const std::string* const format = call.value("format")) {
    asked.perfetto = *format == "perfetto";
    if (!asked.perfetto && *format != "json")
      note(problems, "format: " + config::show(*format) + " is neither json nor perfetto");
  }
  if (!problems.empty()) return reply_now(respond, wrong(problems));
  api.rig().trace(asked, [respond, perfetto = asked.perfetto](LiveTrace made) {
    auto kept = std::make_shared<LiveTrace>(std::move(made));
    respond.later([kept, perfetto] { return trace_reply(std::move(*kept), perfetto); });
  });
  return ReplyTimeout{api.settings().timeout,
                      [] { return refusal(503, "the flight recorder has not answered in time"); }};
}

Schema trace_schema() {
  return object(
      "Frames as the flight recorder has them; times are in ns since the slot of the first.",
      {number_of("frame", "that was asked for"), number_of("first", ""), number_of("last", ""),
       must("rig", text("")), number_of("period_ns", ""),
       number_of("lost", "records that were overwritten while they were read"),
       must("frames", list("", any("slot, wake and end, late, work and slack, and why it was late"))),
       must("threads", list("", any("jobs and waits of a thread"))), must("events", list("", any(""))),
       must("cpus", list("who had which CPU; empty without kernel events", any(""))),
       must("faults", list("page faults", any("")))});
}

}  // namespace

std::vector<Route> report_routes() {
  const auto row = [](const char* name, const char* about, const Schema& answer, Handle handle) {
    return get(std::string("/v1/") + name, name, about, answer, handle, {}, {503});
  };
  Route traces =
      get("/v1/trace", "trace", "Some frames, as the flight recorder has them.", trace_schema(), &trace,
          {{"frame", false, false, integer_from(0, "without: the last one")},
           {"before", false, false, integer_from(0, "frames before it, up to 1000; without: 20")},
           {"after", false, false, integer_from(0, "frames after it, up to 1000; default 20")},
           {"format", false, false, text("json, or perfetto: a file for ui.perfetto.dev")}},
          {409});
  traces.bytes = true;
  return {row("timing", "How late, how long and with how much slack frames ran.", timing_schema(),
              &report<LiveReport::timing>),
          row("jobs", "How long jobs take.", jobs_schema(), &report<LiveReport::jobs>),
          std::move(traces),
          row("clock", "What paces the frames.", clock_schema(), &report<LiveReport::clock>),
          row("link", "The link to other participants.", link_schema(), &report<LiveReport::link>),
          row("drivers", "Which drivers the rig has.", drivers_schema(), &report<LiveReport::drivers>),
          row("threads", "The threads of the rig's process.", threads_schema(), &report<LiveReport::threads>),
          row("doctor", "What keeps this machine from hard real time.", doctor_schema(),
              &report<LiveReport::doctor>),
          row("verdicts", "What the expectations of the test have come to.", verdicts_schema(),
              &report<LiveReport::verdicts>),
          row("histograms", "Histograms that models of drivers have measured.", histograms_schema(),
              &report<LiveReport::histograms>),
          row("checkpoints", "The checkpoints that can be loaded.", checkpoints_schema(),
              &report<LiveReport::checkpoints>)};
}

}  // namespace tactus::drivers::live_http
