// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"
#include "drivers/live/http/watched_expression.hpp"
#include "executive/capability/live/live_value.hpp"

// Values of variables: reads, changes, streams.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;
using executive::LiveSnapshot;
using executive::LiveVariable;
using executive::LiveWrite;

constexpr std::chrono::milliseconds kUsualWatch{100};
constexpr std::chrono::minutes kLongestWatch{1};

constexpr const char* kGroup = "Values, all of the same frame.";

Property values_property() {
  return must("values", map("Values by the requested names", value("Value at the end of that frame")));
}

Schema watched_schema() {
  return object(kGroup,
                of_frame({values_property(),
                          must("skipped", integer("Number of events that were left out since the event "
                                                  "before, because the client had not read"))}));
}

Schema changes_schema() {
  const auto changes = [](const char* about) { return map(about, value_in("Value to write"), kMostItems); };
  return object(
      "Changes that take effect together at the StepBegin of one frame, or not at all.",
      {may("frame",
           integer_from(
               0, "Frame at whose StepBegin the changes take effect; default: the next frame that begins")),
       may("set", changes("Values that are written once")),
       may("force", changes("Values that are written, and written again after anything else writes them, "
                            "until they are released")),
       may("release",
           either("Forces to end",
                  {list("Names of forced variables", text("Name of a variable"), kMostItems),
                   word("All forces; changes that wait for their frame are dropped, too", {"all"})}))});
}

Schema applied_schema() {
  return object(
      "The result of the changes.",
      {must(
           "applied",
           boolean(
               "True if the changes are made; false if they are accepted and their frame has not begun yet")),
       must("frame",
            or_null(integer("Frame at whose StepBegin they take effect; null: the next frame that begins"))),
       may("notes",
           list("Values that will not last", text("Name of the variable, and the reason"), kMostItems))});
}

Parameter names_parameter() {
  return {"names", false, true,
          text("Names of variables, names of elements (axis.force[2]) and expressions, separated by commas")};
}

/// Appends without looking whether the key is there: keys are known to differ, and there may be many.
void append(Json& object, const std::string& key, Json value) {
  object.get_ref<Json::object_t&>().emplace_back(key, std::move(value));
}

/// Removes the blanks: a query has none.
std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// Number of changes in a batch.
std::size_t changes_of(const Json& body) {
  std::size_t count = 0;
  for (const char* const part : {"set", "force", "release"})
    if (body.contains(part)) count += body[part].is_string() ? 1 : body[part].size();
  return count;
}

/// Reads one part of a batch: its writes, or the mistakes in its names and values.
void read_changes(const executive::LiveRig& rig, const Json& body, LiveWrite::Kind kind,
                  std::unordered_map<std::string, LiveWrite::Kind>& seen, std::vector<LiveWrite>& writes,
                  std::vector<std::string>& problems) {
  const std::string part(name_of(kind));
  if (!body.contains(part)) return;
  const auto take = [&](const std::string& name, const Json* value) {
    if (is_full(problems)) return;
    std::string problem;
    const auto ref = rig.find(name, problem);
    const auto which = [&] { return part + "." + config::one_line(name) + ": "; };
    if (ref)
      if (const auto [other, is_new] = seen.emplace(name, kind); !is_new)
        note(problems,
             which() + (other->second == kind ? "is there twice; remove one of them"
                                              : "is also in '" + std::string(name_of(other->second)) +
                                                    "'; remove it from one of the two"));
    LiveWrite write{.kind = kind};
    if (problem.empty() && ref) {
      const executive::Variable& variable = *rig.variables()[ref->variable].variable;
      write.ref = *ref;
      if (value != nullptr) {
        auto bytes = executive::from_json(variable, ref->elements, !ref->indexed && variable.count > 0,
                                          *value, problem);
        if (bytes) write.bytes = std::move(*bytes);
      }
    }
    if (!problem.empty()) {
      note(problems, which() + problem);
    } else {
      writes.push_back(std::move(write));
    }
  };
  if (kind != LiveWrite::Kind::release) {
    for (const auto& [name, value] : body[part].items()) take(name, &value);
  } else if (body[part].is_array()) {
    for (const Json& name : body[part]) take(name.get_ref<const std::string&>(), nullptr);
  } else {
    writes.push_back({LiveWrite::Kind::release_all, {}, {}});
  }
}

Waits values(Api& api, const Call& call, const Respond& respond) {
  std::vector<std::string> problems;
  auto names = names_of(api.rig(), call, problems);
  for (const Named& one : names)
    if (one.expression && one.expression->past() > 0)
      note(problems, "names: " + config::show(one.name) +
                         " depends on earlier frames, and one frame has none; ask /v1/watch or /v1/stream");
  if (!problems.empty()) return reply_now(respond, wrong(problems));
  return api.with_next_frame(
      respond, [&rig = api.rig(), names = std::make_shared<const std::vector<Named>>(std::move(names))](
                   const LiveSnapshot& snapshot) { return values_of(rig, snapshot, *names); });
}

/// Describes the changes of a batch that the next frame may undo; empty: none.
Json notes_of(const executive::LiveRig& rig, const executive::LiveBatch& batch) {
  Json notes = Json::array();
  for (const LiveWrite& write : batch.writes) {
    if (write.kind != LiveWrite::Kind::set) continue;
    const executive::LiveVariable& live = rig.variables()[write.ref.variable];
    if (live.variable->role != TACTUS_OUTPUT || live.model == nullptr) continue;
    notes.push_back(live.variable->name +
                    " is an output: its model may write it again in the next frame; force "
                    "it if it is to last");
  }
  return notes;
}

Json applied_json(bool applied, Json frame, const Json& notes) {
  Json answer = {{"applied", applied}, {"frame", std::move(frame)}};
  if (!notes.empty()) answer["notes"] = notes;
  return answer;
}

Waits change(Api& api, const Call& call, const Respond& respond) {
  executive::LiveBatch batch;
  std::vector<std::string> problems;
  if (const std::size_t count = changes_of(call.body); count == 0) {
    note(problems, "there is nothing to do: name variables in 'set', 'force' or 'release'");
  } else if (count > kMostItems) {
    note(problems, "there are " + std::to_string(count) + " changes; at most " + std::to_string(kMostItems) +
                       " are taken at once");
  } else {
    // A force may be released and the value be written in one go, but not be written twice.
    std::unordered_map<std::string, LiveWrite::Kind> written, released;
    for (const auto kind : {LiveWrite::Kind::set, LiveWrite::Kind::force, LiveWrite::Kind::release})
      read_changes(api.rig(), call.body, kind, kind == LiveWrite::Kind::release ? released : written,
                   batch.writes, problems);
  }
  if (call.body.contains("frame")) batch.frame = call.body["frame"].get<std::int64_t>();
  batch.who = call.who;
  const auto frame = batch.frame;
  Json notes = Json::array();
  if (problems.empty()) {
    notes = notes_of(api.rig(), batch);
    problems = api.rig().write(std::move(batch), [respond, notes](const executive::LiveDone& done) {
      respond(done.applied ? good(applied_json(true, done.frame, notes)) : refusal(409, done.problem));
    });
  }
  if (!problems.empty()) return reply_now(respond, not_done(400, problems));
  return ReplyTimeout{api.settings().timeout, [frame, notes] {
                        Reply reply = good(applied_json(false, frame ? Json(*frame) : Json(), notes));
                        reply.status = 202;
                        return reply;
                      }};
}

Waits watch(Api& api, const Call& call, const Respond& respond) {
  std::vector<std::string> problems;
  const auto usual = std::max<std::chrono::nanoseconds>(kUsualWatch, api.settings().shortest_watch);
  Watch watch{names_of(api.rig(), call, problems), usual};
  if (const std::string* const every = call.value("every")) {
    const auto period = config::parse_duration(*every);
    if (!period) {
      note(problems, "every: " + config::show(*every) +
                         " is not a time with a unit; write for example every=" +
                         without_blanks(config::print_duration(usual)));
    } else if (*period.value < api.settings().shortest_watch || *period.value > kLongestWatch) {
      note(problems, "every: " + config::print_duration(*period.value) + " is outside " +
                         config::print_duration(api.settings().shortest_watch) + " .. " +
                         config::print_duration(kLongestWatch) + " (live.http.max_watch_rate)");
    } else {
      watch.every = *period.value;
    }
  }
  if (!problems.empty()) return reply_now(respond, wrong(problems));
  if (const auto past = ExpressionTap::with_past(watch.names); !past.empty()) {
    std::string problem;
    auto frames = api.follow(layout_of(api.rig(), past).refs, problem);
    if (frames == nullptr) return reply_now(respond, refusal(409, problem));
    watch.tap = std::make_shared<ExpressionTap>(api.rig(), watch.names, std::move(frames));
  }
  Reply reply{.watch = std::move(watch)};
  return reply_now(respond, std::move(reply));
}

}  // namespace

Json values_of(const executive::LiveRig& rig, const LiveSnapshot& snapshot, const std::vector<Named>& names,
               const Json& past) {
  Json values = Json::object();
  for (const Named& one : names) {
    if (one.expression && one.expression->past() > 0) {
      append(values, one.name, past.contains(one.name) ? past[one.name] : Json());
      continue;
    }
    if (one.expression) {
      append(values, one.name, value_in(rig, *one.expression, snapshot));
      continue;
    }
    const LiveVariable& live = rig.variables()[one.ref.variable];
    const std::size_t at = live.offset + one.ref.first * executive::size_of(live.variable->type);
    append(values, one.name, value_json(rig, one.ref, snapshot.bytes.data() + at));
  }
  Json all = frame_json(rig, snapshot);
  append(all, "values", std::move(values));
  return all;
}

std::vector<Route> value_routes() {
  Route stream = get(
      "/v1/watch", "watch",
      "Streams server-sent events (text/event-stream): `values` at a rate, `state` when the state changes, "
      "`end` when the run is over.",
      watched_schema(), &watch,
      {names_parameter(),
       {"every", false, false, text("Time between two events with its unit, such as 100ms; default 100ms")}});
  stream.stream = true;
  stream.more.push_back(409);
  return {get("/v1/values", "values", "Returns values, all from the end of the same frame.",
              object(kGroup, of_frame({values_property()})), &values, {names_parameter()}, {503}),
          post("/v1/values", "change", "Sets, forces and releases variables.", changes_schema(),
               R"({"set": {"model.variable": 2.5}})", applied_schema(), &change, {202, 409}),
          std::move(stream)};
}

}  // namespace tactus::drivers::live_http
