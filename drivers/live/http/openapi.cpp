// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "drivers/live/http/routes.hpp"

namespace tactus::drivers::live_http {
namespace {

const std::map<int, const char*>& meanings() {
  static const std::map<int, const char*> table = {
      {202, "Accepted: takes effect when its frame begins."},
      {304, "Nothing has changed since the version in If-None-Match."},
      {400, "The request is invalid; nothing was done, and `problems` lists everything that is wrong."},
      {401, "The token is missing or wrong."},
      {403, "The request comes from a page of another origin, or names another host."},
      {404, "The path, or what the request names, does not exist."},
      {405, "The path does not accept this method; see the header Allow."},
      {409, "The rig is not in the state for this request, or an accepted change could no longer be made."},
      {411, "The header Content-Length is missing."},
      {412, "Another client has changed the resource since it was read."},
      {413, "The body is longer than live.http.max_body."},
      {414, "The request target is too long."},
      {415, "The body must have the type application/json."},
      {428, "The header If-Match is missing."},
      {429, "The client has sent more requests than live.http.max_rate; see the header Retry-After."},
      {431, "The headers are too long."},
      {500, "A fault of the server."},
      {503, "No frame ended in time, the run is over, or too many clients are connected."},
  };
  return table;
}

Json content(const std::string& type, const Schema& schema) {
  Json made;
  made[type]["schema"] = to_openapi(schema);
  return made;
}

Json parameter(const Parameter& from) {
  Schema bare = from.schema;
  bare.about.clear();
  Json made;
  made["name"] = from.name;
  made["in"] = from.in_path ? "path" : "query";
  made["required"] = from.required;
  made["description"] = from.schema.about;
  made["schema"] = to_openapi(bare);
  return made;
}

Json operation(const Route& route) {
  Json made;
  made["operationId"] = route.id;
  made["summary"] = route.about;
  if (!route.parameters.empty()) {
    made["parameters"] = Json::array();
    for (const Parameter& one : route.parameters) made["parameters"].push_back(parameter(one));
  }
  std::vector<int> refusals = {400, 401, 403, 404, 414, 429, 431, 500, 503};
  if (route.body) {
    made["requestBody"]["required"] = true;
    made["requestBody"]["content"] = content("application/json", *route.body);
    refusals.insert(refusals.end(), {411, 413, 415});
  }
  refusals.insert(refusals.end(), route.more.begin(), route.more.end());
  std::ranges::sort(refusals);
  Json responses;  // apart: a reference into an ordered object does not survive its growth
  responses["200"]["description"] = route.answer.about.empty() ? route.about : route.answer.about;
  responses["200"]["content"] =
      route.stream
          ? content(
                "text/event-stream",
                schema::text("Server-sent events; x-event-data has the schema of the `data` of each event"))
          : content("application/json", route.answer);
  if (route.bytes) {
    Json binary;
    binary["type"] = "string";
    binary["format"] = "binary";
    responses["200"]["content"]["application/octet-stream"]["schema"] = std::move(binary);
    if (route.answer.kind == Schema::Kind::text) responses["200"]["content"].erase("application/json");
  }
  if (route.stream) {
    made["x-event-data"]["values"] = to_openapi(route.answer);
    made["x-event-data"]["state"] = to_openapi(state_schema());
    made["x-event-data"]["beat"] = to_openapi(beat_schema());
    made["x-event-data"]["end"] = to_openapi(end_schema());
    for (const auto list :
         {executive::LiveList::overruns, executive::LiveList::journal, executive::LiveList::log,
          executive::LiveList::verdicts, executive::LiveList::switches})
      made["x-event-data"][std::string(event_name(list))] = to_openapi(entry_schema(list));
  }
  for (const int status : refusals) {
    Json& response = responses[std::to_string(status)];
    response["description"] = meanings().at(status);
    if (status < 300)
      response["content"] = content("application/json", route.answer);
    else if (status != 304)
      response["content"]["application/json"]["schema"]["$ref"] = "#/components/schemas/Error";
  }
  made["responses"] = std::move(responses);
  return made;
}

}  // namespace

Json openapi() {
  Json made;
  made["openapi"] = "3.0.3";
  made["info"] = {
      {"title", "tactus control port"},
      {"version", TACTUS_VERSION},
      {"description",
       "A read returns a copy that was made at the end of a frame. A change takes effect at the StepBegin of "
       "the next frame that begins after the change was accepted, or of the frame that the request names."}};
  Json paths;
  for (const Route& route : routes()) paths[route.path][lower(route.method)] = operation(route);
  made["paths"] = std::move(paths);
  made["components"]["schemas"]["Error"] = to_openapi(error_schema());
  made["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  // Nobody is asked for a token unless the rig file names one.
  made["security"] = Json::array({Json::object(), Json{{"token", Json::array()}}});
  return made;
}

}  // namespace tactus::drivers::live_http
