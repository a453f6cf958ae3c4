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

Schema times_schema(const char* about) {
  return object(about,
                {number_of("count", "Number of values"), number_of("min_ns", "Least value"),
                 number_of("p50_ns", "Median"), number_of("p99_ns", "99th percentile"),
                 number_of("p99_9_ns", "99.9th percentile"), number_of("max_ns", "Greatest value"),
                 must("buckets",
                      list("Buckets that are not empty",
                           list("Lower end, upper end (exclusive) and count of a bucket", integer("")), 0))});
}

Schema timing_schema() {
  return object("Times of all frames since the start of the run.",
                {may("frame", integer(kFrame)), number_of("period_ns", "Period of a frame in real time"),
                 must("paced", boolean("True if the last frame ran in real time")),
                 must("late", times_schema("Lateness: wake minus slot")),
                 must("work", times_schema("Execution time: end minus wake")),
                 must("slack", times_schema("Slack: next slot minus end")),
                 must("behind", times_schema("Time of housekeeping between the end of a frame and its wait")),
                 must("totals", map("Counts by name, as in /v1/statistics", integer(""))),
                 must("causes", any("Causes of overruns, as in summary.json")),
                 must("promises_broken", any("Broken promises, as in summary.json"))});
}

Schema jobs_schema() {
  return object(
      "The jobs that run in frames.",
      {may("frame", integer(kFrame)), must("measured", boolean("True if job_times is on")),
       must("jobs",
            objects(
                "Jobs in the order of the rig file",
                {must("name", text("Name of the job: model.job")), must("class", text("Class of the job")),
                 must("thread", text("Thread that runs it")),
                 must("cycle_ns", or_null(integer("Cycle of the job; null if it has none"))),
                 must("optional", or_null(integer("Number from the rig file; jobs with lower numbers are "
                                                  "left out first; null if the job is never left out"))),
                 must("calls", or_null(integer("Number of calls; null if job_times is off"))),
                 must("time_ns",
                      or_null(object(
                          "Time of a call; null if job_times is off",
                          {number_of("p50", "Median"), number_of("p99", "99th percentile"),
                           number_of("p99_99", "99.99th percentile"), number_of("max", "Greatest value")}))),
                 must("budget_ns", or_null(integer("Budget of a call; null if it has none"))),
                 must("over_budget",
                      or_null(integer("Number of calls over the budget; null if they are not counted"))),
                 must("worst_over_ns",
                      or_null(
                          integer("Most by which a call exceeded the budget; null if it is not measured"))),
                 must("hard_budget_ns", or_null(integer("Hard budget of a call; null if it has none")))}))});
}

Schema clock_schema() {
  return object(
      "The clock that paces the frames.",
      {must("driver", text("Driver from the clock section of the rig file")),
       must("source", text("Source of the edges")), must("clock", text("Clock that is read")),
       must("sleeper", text("Method of waiting for a slot")),
       must("realtime", boolean("True if the rig runs in real time")),
       must("ratio", number("Simulated seconds per second of real time")),
       must("external", any("External clock, as `clock` in summary.json; null if the clock is internal"))});
}

Schema link_schema() {
  const Schema peer = object(
      "", {must("name", text("Name of the peer")),
           must("state", or_null(text("State as SIL Kit names it; null if none was published"))),
           must("reason", text("Reason for that state, in the words of the peer")),
           must("entered", or_null(text("Date at which it entered that state, by its own clock: ISO 8601"))),
           must("connected", boolean("True while the peer is connected; false if it left in that state"))});
  const Schema grants = object(
      "Grants of simulation steps; null in mode free",
      {number_of("step_ns", "Virtual time of a step"), number_of("granted", "Number of steps granted so far"),
       number_of("done", "Number of steps that the rig has run"),
       number_of("behind", "Number of steps that were run before they were granted"),
       must("age_ns", or_null(integer("Time since the last grant; null if none has come"))),
       number_of("late", "Number of late grants"),
       number_of("worst_lateness_ns", "Greatest lateness of a grant")});
  return object(
      "The link to other participants; the variables link.* have its figures of every frame.",
      {must("linked", boolean("True if the rig is linked")), may("driver", text("Driver of the link")),
       may("mode", word("Mode of the link", {"paced", "follow", "free"})),
       may("status", text("State of the link, in one line")),
       may("about", list("Description of the link", text("One line"))),
       may("participant", text("Name of the rig in the federation")),
       may("library", text("File and version of the library")),
       may("registry", text("Address of the registry")), may("state", text("State of this participant")),
       may("federation", word("State of the federation", {"assembling", "running", "left"})),
       may("error", text("Last refusal of the library; empty if there is none")),
       may("peers", list("Connected peers by name, followed by those that have left", peer)),
       may("grants", or_null(grants)), may("messages", map("Counts of messages by kind", integer(""))),
       may("commands", map("Counts of commands from peers", integer("")))});
}

Schema drivers_schema() {
  return object(
      "The drivers of this rig.",
      {must("drivers",
            objects("Drivers", {must("kind", text("Kind of driver: clock, model, record, link or live")),
                                must("name", text("Name of the driver")),
                                must("for", text("Entry of the rig file that uses the driver")),
                                must("about", list("Description", text("One line")))}))});
}

Schema threads_schema() {
  const Schema refusal =
      object("", {must("what", text("What the rig requested")), must("got", text("What it got")),
                  must("cause", text("Cause of the refusal")),
                  must("fix", text("Command that removes the problem"))});
  return object(
      "The threads of the rig's process, and the requests that the machine refused.",
      {must(
           "threads",
           objects(
               "Threads",
               {must("name", text("Name of the thread")), must("tid", integer("Thread number of the kernel")),
                must("policy", text("Scheduling policy")), must("priority", integer("Priority")),
                must("cpus", text("Allowed CPUs, such as 1,3-5")),
                must("role", word("Role of the thread", {"main", "worker", "helper"})),
                must("kind", or_null(text("Kind of a worker; null for other threads"))),
                must("skipped",
                     or_null(integer(
                         "Number of releases at which a worker was still busy; null for other threads"))),
                must("cpu_ns", or_null(integer("CPU time so far; null if it is not known")))})),
       must("refused", list("Refused requests", refusal))});
}

Schema doctor_schema() {
  return object(
      "The problems that keep this machine from hard real time, as `tactus doctor` reports them.",
      {must("facts", objects("Facts of the machine",
                             {must("name", text("Name of the fact")),
                              must("grade", word("Grade of the fact", {"ok", "warn", "fail"})),
                              must("found", text("What was found")), must("needed", text("What is needed")),
                              must("why", text("Consequence if it is not met")),
                              must("fix", text("Command that removes the problem"))})),
       must("counts", map("Number of facts by grade", integer(""))),
       must("age_ms", integer("Time in ms since the machine was examined"))});
}

Schema checkpoints_schema() {
  return object("The checkpoints that the command load can load.",
                {must("folder", text("Folder of the checkpoints")),
                 must("checkpoints", objects("Checkpoints, the newest first, at most 200",
                                             {must("name", text("Name for the key `file` of load")),
                                              number_of("bytes", "Size of the file"),
                                              must("written", text("Time of writing: ISO 8601"))})),
                 number_of("left_out", "Number of older checkpoints that are not listed")});
}

Schema verdicts_schema() {
  return object("The verdicts of the test so far.",
                {must("test", or_null(text("Name of the test; null if the rig has none"))),
                 may("rig", text("Name of the rig")),
                 may("verdict", word("Worst verdict that counts", verdict_words())),
                 may("frame", or_null(integer("Last frame that was judged; null if there is none"))),
                 may("frames", integer("Number of frames that were judged")),
                 may("simulated_s", number("Simulated time that was judged, in seconds")),
                 may("ended", boolean("True if no frame follows")),
                 must("expectations", list("Expectations in the order of the file", verdict_schema()))});
}

Schema histograms_schema() {
  return object(
      "Histograms that models of drivers have measured.",
      {must("histograms",
            objects("Histograms that have a value",
                    {must("model", text("Name of the model")),
                     must("name", text("Name of the histogram, such as EngineData.late")),
                     must("about", text("Meaning of the values")),
                     must("unit", text("Unit of the values; empty if they have none")),
                     must("not_measured", or_null(text("Reason to doubt the values; null if there is none"))),
                     number_of("count", "Number of values"), must("p50", number("Median")),
                     must("p99", number("99th percentile")), must("p99_9", number("99.9th percentile")),
                     must("longest", number("Greatest value")),
                     must("limit", or_null(number("Limit of the values; null if no value is too large"))),
                     must("too_large", map("Number of values above the limit, by cause", integer(""))),
                     must("classes", list("Classes that are not empty",
                                          list("Largest value and count of a class", number("")), 0))}))});
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
  if (call.value("frame") != nullptr) asked.frame = call.number("frame", 0);
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
  return object("Frames of the flight recorder; times are in ns since the slot of the first frame.",
                {number_of("frame", "Requested frame"), number_of("first", "First frame of the trace"),
                 number_of("last", "Last frame of the trace"), must("rig", text("Name of the rig")),
                 number_of("period_ns", "Period of a frame"),
                 number_of("lost", "Number of records that were overwritten while they were read"),
                 must("frames", list("Frames", any("Slot, wake and end of a frame, its lateness, work and "
                                                   "slack, and the causes of lateness"))),
                 must("threads", list("Threads", any("Jobs and waits of a thread"))),
                 must("events", list("Events of the run", any(""))),
                 must("cpus", list("Threads that ran on each CPU; empty without kernel events", any(""))),
                 must("faults", list("Page faults", any("")))});
}

}  // namespace

std::vector<Route> report_routes() {
  const auto row = [](const char* name, const char* about, const Schema& answer, Handle handle) {
    return get(std::string("/v1/") + name, name, about, answer, handle, {}, {503});
  };
  Route traces =
      get("/v1/trace", "trace", "Returns frames of the flight recorder.", trace_schema(), &trace,
          {{"frame", false, false, integer_from(0, "Frame that the trace is about; default: the last one")},
           {"before", false, false, integer_from(0, "Number of frames before it, up to 1000; default 20")},
           {"after", false, false, integer_from(0, "Number of frames after it, up to 1000; default 20")},
           {"format", false, false, text("Format: json (default), or perfetto, a file for ui.perfetto.dev")}},
          {409});
  traces.bytes = true;
  return {
      row("timing", "Returns the lateness, execution time and slack of the frames.", timing_schema(),
          &report<LiveReport::timing>),
      row("jobs", "Returns the times and budgets of the jobs.", jobs_schema(), &report<LiveReport::jobs>),
      std::move(traces),
      row("clock", "Describes the clock that paces the frames.", clock_schema(), &report<LiveReport::clock>),
      row("link", "Describes the link to other participants.", link_schema(), &report<LiveReport::link>),
      row("drivers", "Lists the drivers of the rig.", drivers_schema(), &report<LiveReport::drivers>),
      row("threads", "Lists the threads of the rig's process.", threads_schema(),
          &report<LiveReport::threads>),
      row("doctor", "Lists the problems that keep this machine from hard real time.", doctor_schema(),
          &report<LiveReport::doctor>),
      row("verdicts", "Returns the verdicts of the test's expectations so far.", verdicts_schema(),
          &report<LiveReport::verdicts>),
      row("histograms", "Returns the histograms that models of drivers have measured.", histograms_schema(),
          &report<LiveReport::histograms>),
      row("checkpoints", "Lists the checkpoints that can be loaded.", checkpoints_schema(),
          &report<LiveReport::checkpoints>)};
}

}  // namespace tactus::drivers::live_http
