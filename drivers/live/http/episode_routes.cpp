// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"

// Episodes of the rig.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;

std::vector<Property> item() {
  return {must("entity", text("Name of the model")),
          must("descriptor", text("Variable of the model, or one element of an array")),
          may("date", text("Date of a frame: ISO 8601 with zone"))};
}

Schema episode_schema() {
  std::vector<Property> input = item();
  input.push_back(must("value", value_in("Value to write")));
  return object(
      "An episode: the rig, which must be in Pause, runs up to the stop date and is then in Pause again.",
      {may("stop", text("Date of the last frame that is run; default: the end of the run")),
       may("in",
           objects("Values that are written before the first job of the frame of their date; default: the "
                   "next frame",
                   std::move(input), kMostItems)),
       may("out", objects("Values that are read after the last job of the frame of their date; default: the "
                          "frame of the stop date",
                          item(), kMostItems))});
}

Schema episode_end_schema() {
  return object(
      "The result of an episode.",
      {may("frame", integer(kFrame)), must("date", text(kDate)),
       must("ended", boolean("True if the run is over")),
       must("outcome", text("Outcome of the run; empty if the run is not over")),
       must("reason", text("Reason for the end of the run; empty if the run is not over")),
       must("out", objects("One result for each item of `out` in the request",
                           {must("entity", text("Name of the model")),
                            must("descriptor", text("Variable of the model")),
                            must("date", text("Date of the frame from which the value is")),
                            must("value", value("Value; null if the run ended before this date"))}))});
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
    const bool has_value = i < end.out.size() && !end.out[i].bytes.empty();
    body["out"].push_back(
        {{"entity", asked[i].entity},
         {"descriptor", asked[i].descriptor},
         {"date", asked[i].date.value_or(end.date)},
         {"value", has_value ? value_json(rig, end.out[i].ref, end.out[i].bytes.data()) : Json()}});
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
  return {post("/v1/episodes", "episode", "Runs an episode, and replies when the episode is over.",
               episode_schema(), R"({"out": [{"entity": "model", "descriptor": "variable"}]})",
               episode_end_schema(), &episode, {409})};
}

}  // namespace tactus::drivers::live_http
