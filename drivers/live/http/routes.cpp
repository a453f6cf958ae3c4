#include "drivers/live/http/routes.hpp"

#include "drivers/live/http/api.hpp"

namespace tactus::drivers::live_http {
namespace {

using namespace schema;

constexpr const char* kDate = "date of that frame: ISO 8601 with zone";
constexpr const char* kFrame = "the last frame that was run; -1 before the first";
constexpr const char* kTime = "simulated time of that frame in ns";

Schema state_name() {
  return text(
      "Connect, Start, StepBegin, StepSimulator, StepController, StepEnd, Pause, Resume, Stop, Reset, Abort "
      "or "
      "Disconnect");
}

Schema value(const char* about) {
  return any(
      std::string(about) +
      ": a number, true or false, or a list of them; what is no number is \"nan\", \"inf\" or \"-inf\"");
}

Schema value_in(const char* about) {
  return any(std::string(about) +
             ": a number, true or false, text (a quantity with its unit, or a label), or a list of them");
}

std::vector<Property> group() {
  return {
      must("frame", integer(kFrame)), must("sim_time_ns", integer(kTime)), must("date", text(kDate)),
      must("state", state_name()),
      must("values", map("by the names that were asked for", value("the value at the end of that frame")))};
}

Schema values_schema() { return object("Values of one and the same frame.", group()); }

Schema watched_schema() {
  std::vector<Property> all = group();
  all.push_back(
      must("skipped", integer("values that were due since the event before and were not sent, because "
                              "the client had not read")));
  return object("Values of one and the same frame.", std::move(all));
}

Schema facts_schema() {
  return object(
      "What does not change while the rig runs, and its state.",
      {must("rig", text("its name")), must("version", text("of tactus")), must("folder", text("of the run")),
       must("period", object("of a frame: num_ns / den nanoseconds",
                             {must("num_ns", integer("")), must("den", integer(""))})),
       must("epoch", text("date of simulated time 0")), must("realtime", boolean("it runs in real time")),
       must("linked", boolean("it is linked with other participants")),
       must("planned_frames", or_null(integer("frames of the whole run; null: it has no end"))),
       must("state", state_name())});
}

Schema statistics_schema() {
  const auto total = [](const char* key, const char* about) { return must(key, integer(about)); };
  return object(
      "Frames and times since the start.",
      {must("frame", integer(kFrame)),
       must("sim_time_ns", integer(kTime)),
       must("date", text(kDate)),
       must("state", state_name()),
       total("frames", "frames up to this one; a reset or a loaded checkpoint sets it back"),
       total("frames_run", "frames run in all; what overruns are counted in"),
       total("heartbeats", "frames and freeze frames"),
       total("overruns", "frames that ended after the next slot"),
       total("overruns_by_work", "of them: because of their work"),
       total("overruns_by_late_wake", "of them: because they were woken late"),
       total("overruns_by_housekeeping", "of them: because housekeeping made them begin late"),
       total("overruns_catching_up", "of them: behind an earlier overrun"),
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
       must(
           "last",
           object("the last frame",
                  {must("late_ns", integer("wake minus slot")), must("work_ns", integer("end minus wake")),
                   must("slack_ns", integer("next slot minus end; negative: an overrun")),
                   must("lost", integer("slots given up because of it")),
                   must("paced", boolean("it was in real time: otherwise only work_ns means something"))}))});
}

Schema variable_schema() {
  return object(
      "A variable.",
      {must("name", text("model.variable")),
       must("type", word("", {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                              "uint64", "float", "double"})),
       must("count", integer("elements of an array; 0: a scalar")),
       must("columns", integer("of an array of two dimensions; 0: of another")), must("unit", text("")),
       must("role", text("parameter, input, output or state")), must("about", text("")),
       must("labels", map("names of some of its values", integer(""))),
       must("range",
            object("outside of it nothing is taken in", {may("low", number("")), may("high", number(""))})),
       must("rights",
            word("what may be done: full: set, force, release; force_only: somebody writes it in every frame",
                 {"full", "force_only", "read_only"})),
       must("reason", text("why the rights are not full"))});
}

Schema changes_schema() {
  const auto changes = [](const char* about) { return map(about, value_in("the value"), kMostItems); };
  return object("Changes that take effect together at the StepBegin of one frame, or not at all.",
                {may("frame", integer_from(0, "at its StepBegin; without: of the next frame that begins")),
                 may("set", changes("written once")),
                 may("force", changes("written, and again after whoever else writes it, until released")),
                 may("release", either("ends forces", {list("these", text("name of a variable"), kMostItems),
                                                       word("all of them", {"all"})}))});
}

Schema applied_schema() {
  return object("What became of the changes.",
                {must("applied", boolean("false: accepted, but the frame has not begun yet")),
                 must("frame", or_null(integer("at whose StepBegin; null: the next one that begins")))});
}

Schema order_schema() {
  return object("A command, taken at the end of the frame.",
                {must("command", word("what to do", {"pause", "resume", "step", "run_until", "reset", "stop",
                                                     "checkpoint", "load"})),
                 may("file", text("of load: a checkpoint of this run; of checkpoint: its name; without: the "
                                  "frame's")),
                 may("frames", integer_from(1, "of step: how many; without: 1")),
                 may("until_ns", integer_from(0, "of run_until: simulated time in ns")),
                 may("until", text("of run_until: simulated time, as \"2.5 s\""))});
}

std::vector<Property> item() {
  return {must("entity", text("model")), must("descriptor", text("variable of the model, or one element")),
          may("date", text("date of a frame: ISO 8601 with zone"))};
}

Schema episode_schema() {
  std::vector<Property> input = item();
  input.push_back(must("value", value_in("the value")));
  return object(
      "An episode: the rig, which is in Pause, runs up to the stop date and is in Pause again.",
      {may("stop", text("the last date whose frame is run; without: to the end of the run")),
       may("in", list("applied before any job of the frame of their date; without a date: of the next frame",
                      object("", std::move(input)), kMostItems)),
       may("out", list("taken after all jobs of the frame of their date; without a date: of the stop date",
                       object("", item()), kMostItems))});
}

Schema episode_end_schema() {
  return object(
      "How an episode ended.",
      {must("frame", integer(kFrame)), must("date", text(kDate)), must("ended", boolean("the run is over")),
       must("outcome", text("then: how; else empty")), must("reason", text("and why")),
       must("out", list("one for each of the request's",
                        object("", {must("entity", text("")), must("descriptor", text("")),
                                    must("date", text("when it was taken")),
                                    must("value", value("null: the run ended before it"))})))});
}

Schema variables_schema() {
  return object("Variables in the order of the rig file.",
                {must("variables", list("", variable_schema())), must("total", integer("how many match")),
                 must("next", or_null(integer("`first` of the rest; null: this is all")))});
}

Schema order_answer() {
  return object("The command was given.", {must("command", text("")), must("accepted", boolean(""))});
}

Parameter names_parameter() {
  return {"names", false, true,
          text("names of variables, or of elements (axis.force[2]), separated by commas")};
}

std::vector<Route> make_routes() {
  return {
      {"GET",
       "/v1/openapi.json",
       "description",
       "This description.",
       {},
       {},
       any("OpenAPI 3.0"),
       false,
       {},
       &Api::description},
      {"GET", "/v1", "facts", "What this rig is.", {}, {}, facts_schema(), false, {}, &Api::facts},
      {"GET",
       "/v1/state",
       "state",
       "What it is doing; also before the first frame.",
       {},
       {},
       state_schema(),
       false,
       {},
       &Api::state},
      {"GET",
       "/v1/statistics",
       "statistics",
       "How punctual its frames are.",
       {},
       {},
       statistics_schema(),
       false,
       {503},
       &Api::statistics},
      {"GET",
       "/v1/variables",
       "variables",
       "Which variables there are.",
       {{"match", false, false, text("a pattern for whole names: * stands for any characters, ? for one")},
        {"first", false, false, integer_from(0, "begin with this one of those that match")},
        {"count", false, false, integer_from(1, "at most so many; without: 10000")}},
       {},
       variables_schema(),
       false,
       {},
       &Api::variables},
      {"GET",
       "/v1/variables/{name}",
       "variable",
       "One variable.",
       {{"name", true, true, text("name of a variable")}},
       {},
       variable_schema(),
       false,
       {},
       &Api::variable},
      {"GET",
       "/v1/values",
       "values",
       "Values as they stood at the end of one frame.",
       {names_parameter()},
       {},
       values_schema(),
       false,
       {503},
       &Api::values},
      {"POST",
       "/v1/values",
       "change",
       "Sets, forces and releases variables.",
       {},
       changes_schema(),
       applied_schema(),
       false,
       {202, 409},
       &Api::change,
       R"({"set": {"model.variable": 2.5}})"},
      {"GET",
       "/v1/watch",
       "watch",
       "A stream (text/event-stream): event `values` at a rate, `state` when the state changes, `end` when "
       "the run is "
       "over.",
       {names_parameter(),
        {"every", false, false, text("time between two events, as 100ms; without: 100 ms")}},
       {},
       watched_schema(),
       true,
       {},
       &Api::watch},
      {"POST",
       "/v1/commands",
       "command",
       "Gives a command.",
       {},
       order_schema(),
       order_answer(),
       false,
       {409},
       &Api::command,
       R"({"command": "pause"})"},
      {"POST",
       "/v1/episodes",
       "episode",
       "Runs an episode, and replies when it is over.",
       {},
       episode_schema(),
       episode_end_schema(),
       false,
       {409},
       &Api::episode,
       R"({"out": [{"entity": "model", "descriptor": "variable"}]})"},
  };
}

}  // namespace

const std::string* Call::value(const std::string& name) const {
  for (const auto& [key, text] : values)
    if (key == name) return &text;
  return nullptr;
}

const std::vector<Route>& routes() {
  static const std::vector<Route> table = make_routes();
  return table;
}

const Schema& error_schema() {
  static const Schema schema = object(
      "Why not.", {must("error", text("one sentence")), must("problems", list("all of them", text("")))});
  return schema;
}

const Schema& state_schema() {
  static const Schema schema =
      object("What the rig is doing.",
             {must("state", state_name()), must("frame", integer(kFrame)),
              must("frames", integer("frames up to this one; a reset or a loaded checkpoint sets it back")),
              must("sim_time_ns", integer(kTime)), must("date", text(kDate)),
              must("paused", boolean("it is in state Pause")),
              must("forced", list("what is forced", text("model.variable")))});
  return schema;
}

const Schema& end_schema() {
  static const Schema schema =
      object("The end of a stream.", {must("state", state_name()), must("reason", text(""))});
  return schema;
}

}  // namespace tactus::drivers::live_http
