#include "drivers/live/http/api.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "config/date.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/live/http/json_text.hpp"
#include "drivers/live/http/openapi.hpp"
#include "executive/live/live_value.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::drivers::live_http {

using executive::LiveRef;
using executive::LiveSnapshot;
using executive::LiveSnapshotPtr;
using executive::LiveVariable;
using executive::LiveWrite;
using executive::State;

namespace {

constexpr std::chrono::milliseconds kStatePatience{250};
constexpr std::int64_t kMostListed = 10'000;
constexpr std::chrono::milliseconds kUsualWatch{100};
constexpr std::chrono::minutes kLongestWatch{1};

std::string state_text(State state) { return std::string(name_of(state)); }

std::string date_of(const executive::LiveFacts& facts, std::int64_t sim_time_ns) {
  std::int64_t ns = 0;
  if (__builtin_add_overflow(facts.epoch_ns, sim_time_ns, &ns)) ns = INT64_MAX;
  return config::print_date(ns);
}

Json state_json(const executive::LiveRig& rig, State state, std::int64_t frame, std::int64_t frames,
                std::int64_t sim_time_ns) {
  return {{"state", state_text(state)},
          {"frame", frame},
          {"frames", frames},
          {"sim_time_ns", sim_time_ns},
          {"date", date_of(rig.facts(), sim_time_ns)},
          {"paused", state == State::pause},
          {"forced", rig.forced()}};
}

Json statistics_json(const executive::LiveFacts& facts, const LiveSnapshot& snapshot) {
  const executive::Snapshot& at = snapshot.rig;
  const rtsync::RealtimeTotals& totals = at.totals;
  return {{"frame", snapshot.frame},
          {"sim_time_ns", snapshot.sim_time_ns},
          {"date", date_of(facts, snapshot.sim_time_ns)},
          {"state", state_text(at.state)},
          {"frames", at.frames},
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
            {"paced", at.timing.paced}}}};
}

/// Whether `name` is one of the names of `pattern`: * any characters, ? one.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] != '*' && pattern[p] == name[n]))) {
      ++p, ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Appends without looking whether the key is there: keys are known to differ, and there may be many.
void append(Json& object, const std::string& key, Json value) {
  object.get_ref<Json::object_t&>().emplace_back(key, std::move(value));
}

Json value_json(const executive::LiveRig& rig, const LiveRef& ref, const std::byte* data) {
  const executive::Variable& variable = *rig.variables()[ref.variable].variable;
  return executive::to_json(variable, data, ref.elements, !ref.indexed && variable.count > 0);
}

std::string one_or_many(const std::vector<std::string>& problems) {
  if (problems.size() == 1) return problems.front();
  return (is_full(problems) ? "more than " + std::to_string(kMostProblems)
                            : std::to_string(problems.size())) +
         " problems";
}

/// At most as many as are listed: the rig may find more.
std::vector<std::string> cut(const std::vector<std::string>& problems) {
  std::vector<std::string> listed;
  for (const std::string& problem : problems) note(listed, problem);
  return listed;
}

/// A read that is wrong.
Reply wrong(const std::vector<std::string>& problems) {
  return refusal(400, one_or_many(problems), problems);
}

/// Something that was to be done, and was not.
Reply not_done(int status, const std::vector<std::string>& problems) {
  return refusal(status, one_or_many(problems) + (problems.size() == 1 ? "" : "; nothing was done"),
                 cut(problems));
}

Reply good(Json body) {
  Reply reply;
  reply.body = std::move(body);
  return reply;
}

Reply over() { return refusal(503, "the run is over: no frame ends any more"); }

/// What is wrong with a value of the query.
void check_value(const Parameter& parameter, const std::string& text, std::vector<std::string>& problems) {
  if (parameter.schema.kind != Schema::Kind::integer) return;
  const auto number = config::parse_integer(text);
  if (!number) {
    note(problems, parameter.name + ": " + config::show(text) + " is no whole number of 64 bits");
  } else {
    check(parameter.schema, *number.value, parameter.name, problems);
  }
}

/// As it is written in a query.
std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

std::optional<Pairs> match_path(const Route& route, const std::vector<std::string>& path) {
  Pairs values;
  std::string_view rest = std::string_view(route.path).substr(1);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const std::size_t end = rest.find('/');
    const std::string_view segment = rest.substr(0, end);
    if (segment.starts_with('{')) {
      if (path[i].empty()) return std::nullopt;
      values.emplace_back(segment.substr(1, segment.size() - 2), path[i]);
    } else if (segment != path[i]) {
      return std::nullopt;
    }
    if (end == std::string_view::npos) return i + 1 == path.size() ? std::optional(values) : std::nullopt;
    rest.remove_prefix(end + 1);
  }
  return std::nullopt;
}

void read_query(const Route& route, const Pairs& query, Pairs& values, std::vector<std::string>& problems) {
  std::vector<std::string> known;
  for (const Parameter& parameter : route.parameters)
    if (!parameter.in_path) known.push_back(parameter.name);
  for (const auto& [key, text] : query) {
    const auto parameter =
        std::find_if(route.parameters.begin(), route.parameters.end(),
                     [&, &name = key](const Parameter& p) { return !p.in_path && p.name == name; });
    if (is_full(problems)) return;
    if (parameter == route.parameters.end()) {
      note(problems, config::show(key) + ": " + route.path + " has no such parameter" +
                         executive::did_you_mean(key, known, [](const auto& name) { return name; }));
    } else if (std::any_of(values.begin(), values.end(),
                           [&, &name = key](const auto& v) { return v.first == name; })) {
      note(problems, key + ": is there twice");
    } else {
      check_value(*parameter, text, problems);
      values.emplace_back(key, text);
    }
  }
  for (const Parameter& parameter : route.parameters)
    if (parameter.required &&
        !std::any_of(values.begin(), values.end(), [&](const auto& v) { return v.first == parameter.name; }))
      note(problems, "the parameter '" + parameter.name + "' is missing: " + parameter.schema.about);
}

bool is_json(const std::string& content_type) {
  std::string type(config::trimmed(std::string_view(content_type).substr(0, content_type.find(';'))));
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return type == "application/json";
}

/// How many changes a batch asks for.
std::size_t changes_of(const Json& body) {
  std::size_t count = 0;
  for (const char* const part : {"set", "force", "release"})
    if (body.contains(part)) count += body[part].is_string() ? 1 : body[part].size();
  return count;
}

/// What is wrong with the names and values of one part of a batch; else its writes.
void read_changes(const executive::LiveRig& rig, const Json& body, LiveWrite::Kind kind,
                  std::unordered_set<std::string>& seen, std::vector<LiveWrite>& writes,
                  std::vector<std::string>& problems) {
  const std::string part(name_of(kind));
  if (!body.contains(part)) return;
  const auto take = [&](const std::string& name, const Json* value) {
    if (is_full(problems)) return;
    std::string problem;
    const auto ref = rig.find(name, problem);
    if (ref && !seen.insert(name).second) problem = "is there twice";
    LiveWrite write;
    write.kind = kind;
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
      note(problems, part + "." + config::one_line(name) + ": " + problem);
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

template <class Item>
void read_item(const Json& json, Item& item) {
  item.entity = json["entity"].get<std::string>();
  item.descriptor = json["descriptor"].get<std::string>();
  if (json.contains("date")) item.date = json["date"].get<std::string>();
}

/// Why an episode was not run, or not to its end.
Reply episode_failure(const executive::EpisodeEnd& end) {
  const int status = end.conflict || !end.date.empty() ? 409 : 400;  // with a date, frames have run
  if (end.problems.empty()) return refusal(status, "the rig is not in the state for an episode");
  if (end.date.empty()) return not_done(status, end.problems);
  return refusal(status,
                 one_or_many(end.problems) + "; the episode ended with frame " + std::to_string(end.frame) +
                     " (" + end.date + ")",
                 cut(end.problems));
}

Json episode_json(const executive::LiveRig& rig, const std::vector<executive::EpisodeItem>& asked,
                  const executive::EpisodeEnd& end) {
  Json body = {{"frame", end.frame},     {"date", end.date},     {"ended", end.ended},
               {"outcome", end.outcome}, {"reason", end.reason}, {"out", Json::array()}};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    Json value;
    if (i < end.out.size() && !end.out[i].bytes.empty())
      value = value_json(rig, end.out[i].ref, end.out[i].bytes.data());
    body["out"].push_back({{"entity", asked[i].entity},
                           {"descriptor", asked[i].descriptor},
                           {"date", asked[i].date.value_or(end.date)},
                           {"value", std::move(value)}});
  }
  return body;
}

/// The value of a command; nothing, and a problem, when it does not fit.
std::optional<std::int64_t> command_value(const Json& body, const std::string& command,
                                          std::string& problem) {
  const auto only_for = [&](const char* key, const char* of) {
    if (body.contains(key) && command != of)
      problem = std::string(key) + ": belongs to '" + of + "', not to '" + command + "'";
  };
  only_for("frames", "step");
  only_for("until_ns", "run_until");
  only_for("until", "run_until");
  if (body.contains("file") && command != "load" && command != "checkpoint")
    problem = "file: belongs to 'load' and 'checkpoint', not to '" + command + "'";
  if (command == "load" && !body.contains("file"))
    problem = "load needs 'file': the name of a checkpoint in the run's folder for checkpoints";
  if (!problem.empty()) return std::nullopt;
  if (command == "step") return body.value("frames", std::int64_t{1});
  if (command != "run_until") return 0;
  if (body.contains("until_ns") == body.contains("until")) {
    problem = "run_until needs one of 'until_ns' (simulated time in ns) and 'until' (as \"2.5 s\")";
    return std::nullopt;
  }
  if (body.contains("until_ns")) return body["until_ns"].get<std::int64_t>();
  const auto until = config::parse_duration(body["until"].get_ref<const std::string&>());
  if (until && until.value->count() < 0) {
    problem = "until: " + config::show(body["until"].get_ref<const std::string&>()) + " is below 0";
    return std::nullopt;
  }
  if (until) return until.value->count();
  problem = "until: " + until.problem;
  return std::nullopt;
}

}  // namespace

class Api::Known {
 public:
  void update(const LiveSnapshot& snapshot) {
    const std::lock_guard lock(mutex_);
    if (snapshot.sequence < sequence_) return;
    sequence_ = snapshot.sequence;
    frame_ = snapshot.frame;
    frames_ = snapshot.rig.frames;
    sim_time_ns_ = snapshot.sim_time_ns;
  }
  Json state(const executive::LiveRig& rig) const {
    const State now = rig.state();
    const std::lock_guard lock(mutex_);
    return state_json(rig, now, frame_, frames_, sim_time_ns_);
  }

 private:
  mutable std::mutex mutex_;
  std::int64_t sequence_ = 0;
  std::int64_t frame_ = -1;
  std::int64_t frames_ = 0;
  std::int64_t sim_time_ns_ = 0;
};

Json values_of(const executive::LiveRig& rig, const LiveSnapshot& snapshot, const std::vector<Named>& names) {
  Json values = Json::object();
  for (const Named& one : names) {
    const LiveVariable& live = rig.variables()[one.ref.variable];
    const std::size_t at = live.offset + one.ref.first * executive::size_of(live.variable->type);
    append(values, one.name, value_json(rig, one.ref, snapshot.bytes.data() + at));
  }
  return {{"frame", snapshot.frame},
          {"sim_time_ns", snapshot.sim_time_ns},
          {"date", date_of(rig.facts(), snapshot.sim_time_ns)},
          {"state", state_text(snapshot.rig.state)},
          {"values", std::move(values)}};
}

Api::Api(executive::LiveRig& rig, ApiSettings settings)
    : rig_(rig), settings_(settings), known_(std::make_shared<Known>()) {}

std::optional<ReplyTimeout> Api::handle(const Request& request, const Respond& respond) {
  try {
    return dispatch(request, respond);
  } catch (const std::exception& fault) {
    respond(refusal(500, std::string("a fault of the control port: ") + fault.what()));
  }
  return std::nullopt;
}

Api::Waits Api::dispatch(const Request& request, const Respond& respond) {
  const auto refuse = [&](Reply reply) {
    respond(std::move(reply));
    return std::nullopt;
  };
  std::string problem;
  const auto target = parse_target(request.target, problem);
  if (!target) return refuse(refusal(400, problem));
  const Route* found = nullptr;
  Call call;
  std::string allow;
  for (const Route& route : routes()) {
    auto values = match_path(route, target->path);
    if (!values) continue;
    allow += (allow.empty() ? "" : ", ") + route.method;
    if (route.method != request.method) continue;
    found = &route;
    call.values = std::move(*values);
  }
  if (found == nullptr && !allow.empty()) {
    Reply reply = refusal(
        405, config::show(request.method) + " is not for " + config::show(request.target) + ": " + allow);
    reply.headers.emplace_back("Allow", allow);
    return refuse(std::move(reply));
  }
  if (found == nullptr) {
    std::string all;
    for (const Route& route : routes()) all += (all.empty() ? "" : ", ") + route.method + " " + route.path;
    return refuse(refusal(404, "there is no " + config::show(request.target) + "; there are: " + all));
  }
  std::vector<std::string> problems;
  read_query(*found, target->query, call.values, problems);
  if (found->body) {
    if (request.body.find_first_not_of(" \t\r\n") == std::string::npos)
      return refuse(
          refusal(400, "the body is empty; a JSON object is expected, for example " + found->example));
    const std::string* const type = request.header("Content-Type");
    if (type == nullptr || !is_json(*type))
      return refuse(refusal(415, "the body is " + (type == nullptr ? "of no type" : config::show(*type)) +
                                     "; send it with 'Content-Type: application/json'"));
    auto body = parse_json(request.body, {}, problem);
    if (!body) return refuse(refusal(400, problem));
    check(*found->body, *body, "", problems);
    call.body = std::move(*body);
  } else if (!request.body.empty()) {
    note(problems, "a " + request.method + " of " + found->path + " has no body");
  }
  if (!problems.empty()) return refuse(found->body ? not_done(400, problems) : wrong(problems));
  call.who = request.who;
  return found->handle(*this, call, respond);
}

void Api::remember(const LiveSnapshotPtr& snapshot) {
  if (snapshot != nullptr) known_->update(*snapshot);
}

Json Api::state_now() const { return known_->state(rig_); }

Json Api::end_of_stream(const std::string& reason) const {
  return {{"state", state_text(rig_.state())}, {"reason", reason}};
}

Api::Waits Api::description(const Call& /*call*/, const Respond& respond) {
  respond(good(openapi()));
  return std::nullopt;
}

Api::Waits Api::facts(const Call& /*call*/, const Respond& respond) {
  const executive::LiveFacts& facts = rig_.facts();
  Json planned;
  if (facts.frames != INT64_MAX) planned = facts.frames;
  respond(good({{"rig", facts.rig},
                {"version", TACTUS_VERSION},
                {"folder", facts.folder.string()},
                {"period", {{"num_ns", facts.frame.num()}, {"den", facts.frame.den()}}},
                {"epoch", config::print_date(facts.epoch_ns)},
                {"realtime", facts.realtime},
                {"linked", facts.linked},
                {"planned_frames", std::move(planned)},
                {"state", state_text(rig_.state())}}));
  return std::nullopt;
}

Api::Waits Api::state(const Call& /*call*/, const Respond& respond) {
  const State now = rig_.state();
  if (now == State::connect || now == State::start) {  // no frame ends yet
    respond(good(state_now()));
    return std::nullopt;
  }
  rig_.next_snapshot([known = known_, &rig = rig_, respond](const LiveSnapshotPtr& snapshot) {
    if (snapshot != nullptr) known->update(*snapshot);
    respond.later([known, &rig, snapshot] {
      return good(snapshot == nullptr ? known->state(rig)
                                      : state_json(rig, snapshot->rig.state, snapshot->frame,
                                                   snapshot->rig.frames, snapshot->sim_time_ns));
    });
  });
  return ReplyTimeout{std::min<std::chrono::nanoseconds>(kStatePatience, settings_.patience),
                      [this] { return good(state_now()); }};
}

ReplyTimeout Api::no_frame() const {
  return {settings_.patience, [this] {
            return refusal(503,
                           "no frame has ended within " + config::print_duration(settings_.patience) +
                               ", or none had the slack for a copy of all variables; the rig is in state " +
                               state_text(rig_.state()));
          }};
}

Api::Waits Api::statistics(const Call& /*call*/, const Respond& respond) {
  rig_.next_snapshot([&rig = rig_, respond](const LiveSnapshotPtr& snapshot) {
    respond.later([&rig, snapshot] {
      return snapshot == nullptr ? over() : good(statistics_json(rig.facts(), *snapshot));
    });
  });
  return no_frame();
}

Json Api::variable_json(std::size_t index) const {
  const LiveVariable& live = rig_.variables()[index];
  const executive::Variable& variable = *live.variable;
  Json labels = Json::object();
  for (const executive::VariableLabel& label : variable.labels) labels[label.name] = label.value;
  Json range = Json::object();
  if (variable.low) range["low"] = *variable.low;
  if (variable.high) range["high"] = *variable.high;
  const char* const rights = live.rights == executive::LiveRights::full         ? "full"
                             : live.rights == executive::LiveRights::force_only ? "force_only"
                                                                                : "read_only";
  return {{"name", variable.name},      {"type", std::string(executive::name_of(variable.type))},
          {"count", variable.count},    {"columns", variable.columns},
          {"unit", variable.unit_text}, {"role", std::string(executive::name_of(variable.role))},
          {"about", variable.about},    {"labels", std::move(labels)},
          {"range", std::move(range)},  {"rights", rights},
          {"reason", live.reason}};
}

Api::Waits Api::variables(const Call& call, const Respond& respond) {
  const auto number = [&](const char* name, std::int64_t otherwise) {
    const std::string* const text = call.value(name);
    return text == nullptr ? otherwise : *config::parse_integer(*text).value;
  };
  const std::string* const pattern = call.value("match");
  const std::int64_t first = number("first", 0);
  const std::int64_t most = std::min(number("count", kMostListed), kMostListed);
  std::int64_t total = 0;
  Json listed = Json::array();
  for (std::size_t i = 0; i < rig_.variables().size(); ++i) {
    if (pattern != nullptr && !matches(*pattern, rig_.variables()[i].variable->name)) continue;
    if (total >= first && total - first < most) listed.push_back(variable_json(i));
    ++total;
  }
  Json next;
  if (first < total && total - first > most) next = first + most;
  respond(good({{"variables", std::move(listed)}, {"total", total}, {"next", std::move(next)}}));
  return std::nullopt;
}

Api::Waits Api::variable(const Call& call, const Respond& respond) {
  std::string problem;
  const auto ref = rig_.find(*call.value("name"), problem);
  respond(ref ? good(variable_json(ref->variable)) : refusal(404, problem));
  return std::nullopt;
}

std::vector<Named> Api::group(const Call& call, std::vector<std::string>& problems) const {
  std::vector<Named> names;
  std::unordered_set<std::string> seen;
  std::string_view rest = *call.value("names");
  const auto asked = static_cast<std::size_t>(std::count(rest.begin(), rest.end(), ',')) + 1;
  if (asked > kMostItems) {
    note(problems, "names: " + std::to_string(asked) + " are asked for; at most " +
                       std::to_string(kMostItems) + " are taken at once");
    return names;
  }
  for (bool more = true; more && !is_full(problems);) {
    const std::size_t comma = rest.find(',');
    const std::string name(config::trimmed(rest.substr(0, comma)));
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    std::string problem;
    const auto ref = name.empty() ? std::nullopt : rig_.find(name, problem);
    if (name.empty()) problem = "has an empty name";
    if (ref && !seen.insert(name).second) problem = config::show(name) + " is there twice";
    if (problem.empty() && ref) {
      names.push_back({name, *ref});
    } else {
      note(problems, "names: " + problem);
    }
  }
  return names;
}

Api::Waits Api::values(const Call& call, const Respond& respond) {
  std::vector<std::string> problems;
  auto names = group(call, problems);
  if (!problems.empty()) {
    respond(wrong(problems));
    return std::nullopt;
  }
  rig_.next_snapshot([&rig = rig_, names = std::make_shared<const std::vector<Named>>(std::move(names)),
                      respond](const LiveSnapshotPtr& snapshot) {
    respond.later([&rig, names, snapshot] {
      return snapshot == nullptr ? over() : good(values_of(rig, *snapshot, *names));
    });
  });
  return no_frame();
}

Api::Waits Api::change(const Call& call, const Respond& respond) {
  executive::LiveBatch batch;
  std::vector<std::string> problems;
  if (const std::size_t count = changes_of(call.body); count == 0) {
    note(problems, "there is nothing to do: name variables in 'set', 'force' or 'release'");
  } else if (count > kMostItems) {
    note(problems, "there are " + std::to_string(count) + " changes; at most " + std::to_string(kMostItems) +
                       " are taken at once");
  } else {
    // A force may be released and the value be written in one go, but not be written twice.
    std::unordered_set<std::string> written, released;
    for (const auto kind : {LiveWrite::Kind::set, LiveWrite::Kind::force, LiveWrite::Kind::release})
      read_changes(rig_, call.body, kind, kind == LiveWrite::Kind::release ? released : written, batch.writes,
                   problems);
  }
  if (call.body.contains("frame")) batch.frame = call.body["frame"].get<std::int64_t>();
  batch.who = call.who;
  const auto frame = batch.frame;
  if (problems.empty()) {
    problems = rig_.write(std::move(batch), [respond](const executive::LiveDone& done) {
      if (!done.applied) return respond(refusal(409, done.problem));
      respond(good({{"applied", true}, {"frame", done.frame}}));
    });
  }
  if (!problems.empty()) {
    respond(not_done(400, problems));
    return std::nullopt;
  }
  return ReplyTimeout{settings_.patience, [frame] {
                        Json at;
                        if (frame) at = *frame;
                        Reply reply = good({{"applied", false}, {"frame", std::move(at)}});
                        reply.status = 202;
                        return reply;
                      }};
}

Api::Waits Api::watch(const Call& call, const Respond& respond) {
  std::vector<std::string> problems;
  const auto usual = std::max<std::chrono::nanoseconds>(kUsualWatch, settings_.shortest_watch);
  Watch watch{group(call, problems), usual};
  if (const std::string* const every = call.value("every")) {
    const auto period = config::parse_duration(*every);
    if (!period) {
      note(problems, "every: " + config::show(*every) + " is no time with a unit; write for example every=" +
                         without_blanks(config::print_duration(usual)));
    } else if (*period.value < settings_.shortest_watch || *period.value > kLongestWatch) {
      note(problems, "every: " + config::print_duration(*period.value) + " is outside " +
                         config::print_duration(settings_.shortest_watch) + " .. " +
                         config::print_duration(kLongestWatch) + " (live.http.max_watch_rate)");
    } else {
      watch.every = *period.value;
    }
  }
  if (!problems.empty()) {
    respond(wrong(problems));
    return std::nullopt;
  }
  Reply reply;
  reply.watch = std::move(watch);
  respond(std::move(reply));
  return std::nullopt;
}

Api::Waits Api::command(const Call& call, const Respond& respond) {
  using executive::LiveCommand;
  const auto& word = call.body["command"].get_ref<const std::string&>();
  std::string problem;
  const auto value = command_value(call.body, word, problem);
  if (!value) {
    respond(refusal(400, problem));
    return std::nullopt;
  }
  for (const LiveCommand command :
       {LiveCommand::pause, LiveCommand::resume, LiveCommand::step, LiveCommand::run_until,
        LiveCommand::reset, LiveCommand::stop, LiveCommand::checkpoint, LiveCommand::load}) {
    if (name_of(command) != word) continue;
    const std::string file = call.body.contains("file") ? call.body["file"].get<std::string>() : "";
    problem = rig_.give({command, *value, file}, call.who);
    respond(problem.empty() ? good({{"command", word}, {"accepted", true}}) : refusal(409, problem));
  }
  return std::nullopt;
}

Api::Waits Api::episode(const Call& call, const Respond& respond) {
  executive::EpisodeRequest request;
  if (call.body.contains("stop")) request.stop = call.body["stop"].get<std::string>();
  if (call.body.contains("in"))
    for (const Json& json : call.body["in"]) {
      executive::EpisodeInput& item = request.in.emplace_back();
      read_item(json, item);
      item.value = json["value"];
    }
  if (call.body.contains("out"))
    for (const Json& json : call.body["out"]) read_item(json, request.out.emplace_back());
  request.who = call.who;
  auto asked = request.out;
  rig_.episode(std::move(request),
               [&rig = rig_, asked = std::move(asked), respond](const executive::EpisodeEnd& end) {
                 respond.later([&rig, asked, end] {
                   return end.problems.empty() && !end.conflict ? good(episode_json(rig, asked, end))
                                                                : episode_failure(end);
                 });
               });
  return std::nullopt;
}

}  // namespace tactus::drivers::live_http
