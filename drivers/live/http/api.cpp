// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/api.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/live/http/json_text.hpp"
#include "drivers/live/http/page.hpp"
#include "drivers/live/http/replies.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::drivers::live_http {
namespace {

/// Reports a mistake in a value of the query.
void check_value(const Parameter& parameter, const std::string& text, std::vector<std::string>& problems) {
  if (parameter.schema.kind != Schema::Kind::integer) return;
  const auto number = config::parse_integer(text);
  if (!number) {
    note(problems, parameter.name + ": " + config::show(text) + " is not a whole number of 64 bits");
  } else {
    check(parameter.schema, *number.value, parameter.name, problems);
  }
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
    const auto parameter = std::ranges::find_if(
        route.parameters, [&, &name = key](const Parameter& p) { return !p.in_path && p.name == name; });
    if (is_full(problems)) return;
    if (parameter == route.parameters.end()) {
      note(problems, config::show(key) + ": " + route.path + " has no such parameter" +
                         executive::did_you_mean(key, known, [](const auto& name) { return name; }));
    } else if (std::ranges::any_of(values, [&, &name = key](const auto& v) { return v.first == name; })) {
      note(problems, key + ": is there twice");
    } else {
      check_value(*parameter, text, problems);
      values.emplace_back(key, text);
    }
  }
  for (const Parameter& parameter : route.parameters)
    if (parameter.required &&
        !std::ranges::any_of(values, [&](const auto& v) { return v.first == parameter.name; }))
      note(problems, "the parameter '" + parameter.name + "' is missing: " + parameter.schema.phrase());
}

bool is_json(const std::string& content_type) {
  const auto type = config::trimmed(std::string_view(content_type).substr(0, content_type.find(';')));
  return lower(std::string(type)) == "application/json";
}

}  // namespace

Waits Api::handle(const Request& request, const Respond& respond) {
  try {
    return dispatch(request, respond);
  } catch (const std::exception& fault) {
    respond(refusal(500, std::string("a fault of the control port: ") + fault.what()));
  }
  return std::nullopt;
}

Waits Api::dispatch(const Request& request, const Respond& respond) {
  const auto refuse = [&](Reply reply) { return reply_now(respond, std::move(reply)); };
  if (auto reply = page_reply(request)) return refuse(std::move(*reply));
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
    Reply reply = refusal(405, config::show(request.method) + " is not allowed for " +
                                   config::show(request.target) + "; allowed: " + allow);
    reply.headers.emplace_back("Allow", allow);
    return refuse(std::move(reply));
  }
  if (found == nullptr) {
    std::string all = "GET / (the page)";
    for (const Route& route : routes()) all += ", " + route.method + " " + route.path;
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
      return refuse(refusal(415, (type == nullptr ? std::string("the body has no content type")
                                                  : "the body has the content type " + config::show(*type)) +
                                     "; send it with 'Content-Type: application/json'"));
    auto body = parse_json(request.body, problem);
    if (!body) return refuse(refusal(400, problem));
    check(*found->body, *body, "", problems);
    call.body = std::move(*body);
  } else if (!request.body.empty()) {
    note(problems, "a " + request.method + " of " + found->path + " has no body");
  }
  if (!problems.empty()) return refuse(found->body ? not_done(400, problems) : wrong(problems));
  call.who = request.who;
  if (const std::string* const tag = request.header("If-Match")) call.if_match = *tag;
  if (const std::string* const tag = request.header("If-None-Match")) call.if_none_match = *tag;
  return found->handle(*this, call, respond);
}

Json Api::end_of_stream(const std::string& reason) const {
  return {{"state", state_text(rig_.state())}, {"reason", reason}};
}

ReplyTimeout Api::with_next_frame(const Respond& respond,
                                  std::function<Json(const executive::LiveSnapshot&)> make) const {
  rig_.next_snapshot([respond, make = std::move(make)](const executive::LiveSnapshotPtr& snapshot) {
    respond.later([make, snapshot] { return snapshot == nullptr ? over() : good(make(*snapshot)); });
  });
  return {settings_.timeout, [this] {
            return refusal(503,
                           "no frame has ended within " + config::print_duration(settings_.timeout) +
                               ", or none had the slack for a copy of all variables; the rig is in state " +
                               state_text(rig_.state()));
          }};
}

std::unique_ptr<executive::LiveFrames> Api::follow(const std::vector<executive::LiveRef>& refs,
                                                   std::string& problem) {
  auto frames = rig_.follow(refs, problem);
  if (frames == nullptr && held_streams_.drop_unread()) frames = rig_.follow(refs, problem);
  return frames;
}

}  // namespace tactus::drivers::live_http
