// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"

// Episodes of the rig.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;

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
      {may("frame", integer(kFrame)), must("date", text(kDate)), must("ended", boolean("the run is over")),
       must("outcome", text("then: how; else empty")), must("reason", text("and why")),
       must("out", list("one for each of the request's",
                        object("", {must("entity", text("")), must("descriptor", text("")),
                                    must("date", text("when it was taken")),
                                    must("value", value("null: the run ended before it"))})))});
}

template <class Item>
void read_item(const Json& json, Item& item) {
  item.entity = json["entity"].get<std::string>();
  item.descriptor = json["descriptor"].get<std::string>();
  if (json.contains("date")) item.date = json["date"].get<std::string>();
}

/// Explains why an episode was not run, or not to its end.
Reply episode_failure(const executive::EpisodeEnd& end) {
  const int status = end.conflict || !end.date.empty() ? 409 : 400;  // with a date, frames have run
  if (end.problems.empty()) return refusal(status, "the rig is not in the state for an episode");
  if (end.date.empty()) return not_done(status, end.problems);
  return failed(status, end.problems,
                "; the episode ended with frame " + std::to_string(end.frame) + " (" + end.date + ")");
}

Json episode_json(const executive::LiveRig& rig, const std::vector<executive::EpisodeItem>& asked,
                  const executive::EpisodeEnd& end) {
  Json body = Json::object();
  put_frame(body, end.frame);
  body.update({{"date", end.date},
               {"ended", end.ended},
               {"outcome", end.outcome},
               {"reason", end.reason},
               {"out", Json::array()}});
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

Waits episode(Api& api, const Call& call, const Respond& respond) {
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
  api.rig().episode(std::move(request),
                    [&rig = api.rig(), asked = std::move(asked), respond](const executive::EpisodeEnd& end) {
                      respond.later([&rig, asked, end] {
                        return end.problems.empty() && !end.conflict ? good(episode_json(rig, asked, end))
                                                                     : episode_failure(end);
                      });
                    });
  return std::nullopt;
}

}  // namespace

std::vector<Route> episode_routes() {
  return {post("/v1/episodes", "episode", "Runs an episode, and replies when it is over.", episode_schema(),
               R"({"out": [{"entity": "model", "descriptor": "variable"}]})", episode_end_schema(), &episode,
               {409})};
}

}  // namespace tactus::drivers::live_http
