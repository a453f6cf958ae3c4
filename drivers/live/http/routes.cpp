// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/routes.hpp"

#include <utility>

namespace tactus::drivers::live_http {
namespace schema {
namespace {

constexpr const char* kTime = "simulated time of that frame in ns";

}  // namespace

Schema state_name() {
  return text(
      "Connect, Start, StepBegin, StepSimulator, StepController, StepEnd, Pause, Resume, Stop, Reset, Abort "
      "or Disconnect");
}

Schema value(const char* about) {
  return any(
      std::string(about) +
      ": a number, true or false, or a list of them; what is not a number is \"nan\", \"inf\" or \"-inf\"");
}

Schema value_in(const char* about) {
  return any(std::string(about) +
             ": a number, true or false, text (a quantity with its unit, or a label), or a list of them");
}

std::vector<Property> of_frame(std::vector<Property> more) {
  more.insert(more.begin(), {may("frame", integer(kFrame)), must("sim_time_ns", integer(kTime)),
                             must("date", text(kDate)), must("state", state_name())});
  return more;
}

}  // namespace schema

using namespace schema;

const std::string* Call::value(const std::string& name) const {
  for (const auto& [key, text] : values)
    if (key == name) return &text;
  return nullptr;
}

Route get(std::string path, std::string id, std::string about, Schema answer, Handle handle,
          std::vector<Parameter> parameters, std::vector<int> more) {
  return Route{.method = "GET",
               .path = std::move(path),
               .id = std::move(id),
               .about = std::move(about),
               .parameters = std::move(parameters),
               .answer = std::move(answer),
               .more = std::move(more),
               .handle = handle};
}

Route post(std::string path, std::string id, std::string about, Schema body, std::string example,
           Schema answer, Handle handle, std::vector<int> more) {
  Route route =
      get(std::move(path), std::move(id), std::move(about), std::move(answer), handle, {}, std::move(more));
  route.method = "POST";
  route.body = std::move(body);
  route.example = std::move(example);
  return route;
}

const std::vector<Route>& routes() {
  static const std::vector<Route> table = [] {
    std::vector<Route> all;
    for (const auto rows :
         {&rig_routes, &variable_routes, &value_routes, &command_routes, &episode_routes, &list_routes,
          &frame_routes, &report_routes, &panel_routes, &switch_routes, &expression_routes})
      for (Route& row : rows()) all.push_back(std::move(row));
    return all;
  }();
  return table;
}

const Schema& error_schema() {
  static const Schema schema = object(
      "Why not.", {must("error", text("one sentence")), must("problems", list("all of them", text("")))});
  return schema;
}

const Schema& outputs_schema() {
  static const Schema schema =
      list("what the rig drives outside",
           object("", {must("name", text("")), must("driver", text("")), must("model", text("")),
                       must("variable", text("the model's input")),
                       must("sources", list("what is wired to it", text("model.variable"))),
                       must("value", value("of the variable; null: not known yet")),
                       must("safe", value("driven when the rig ends; null: not known here"))}));
  return schema;
}

const Schema& state_schema() {
  static const Schema forced_one =
      object("", {must("variable", text("model.variable")), must("value", value("of the force")),
                  must("who", text("the client")), must("frame", integer("since this one"))});
  static const Schema schema = object(
      "What the rig is doing.",
      {must("state", state_name()), may("frame", integer(kFrame)),
       must("frames", integer("frames up to this one; a reset or a loaded checkpoint sets it back")),
       must("sim_time_ns", integer(kTime)), must("date", text(kDate)),
       must("paused", boolean("it is in state Pause")), must("forced", list("what is forced", forced_one)),
       must("allowed", map("by command: why it would be refused now; empty: it would be taken", text(""))),
       must("outputs", outputs_schema())});
  return schema;
}

const Schema& beat_schema() {
  static const Schema schema =
      object("The server is there.", {must("state", state_name()), may("frame", integer(kFrame)),
                                      must("age_ms", integer("since it was first heard of"))});
  return schema;
}

const Schema& end_schema() {
  static const Schema schema =
      object("The end of a stream.", {must("state", state_name()), must("reason", text(""))});
  return schema;
}

}  // namespace tactus::drivers::live_http
