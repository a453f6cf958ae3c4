// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/routes.hpp"

#include <utility>

#include "config/number.hpp"

namespace tactus::drivers::live_http {
namespace schema {
namespace {

constexpr const char* kTime = "Simulated time of that frame in ns";

}  // namespace

Schema state_name() {
  return text(
      "State of the rig: Connect, Start, StepBegin, StepSimulator, StepController, StepEnd, Pause, Resume, "
      "Stop, Reset, Abort or Disconnect");
}

Schema value(const char* about) {
  return any(std::string(about) +
             ": a number, true or false, or a list of them; a number that is not finite is \"nan\", \"inf\" "
             "or \"-inf\"");
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

std::int64_t Call::number(const std::string& name, std::int64_t otherwise) const {
  const std::string* const text = value(name);
  return text == nullptr ? otherwise : *config::parse_integer(*text).value;
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
  static const Schema schema =
      object("Reason of a refusal.", {must("error", text("Reason, in one sentence")),
                                      must("problems", list("Every problem that was found", text("")))});
  return schema;
}

const Schema& outputs_schema() {
  static const Schema schema = objects(
      "Real outputs that the rig drives",
      {must("name", text("Name of the output")), must("driver", text("Driver of its model")),
       must("model", text("Model that drives it")),
       must("variable", text("Input of the model, which is driven")),
       must("sources",
            list("Variables that are connected to it", text("Name of a variable: model.variable"))),
       must("value", value("Value of the variable in that frame; null if it is not known yet")),
       must("safe", value("Value that is driven when the rig ends; null if the rig does not know it"))});
  return schema;
}

const Schema& state_schema() {
  static const Schema forced_one =
      object("", {must("variable", text("Name of a variable: model.variable")),
                  must("value", value("Forced value")), must("who", text("Client that forced it")),
                  must("frame", integer("First frame in which it is forced"))});
  static const Schema schema = object(
      "The state of the rig.",
      {must("state", state_name()), may("frame", integer(kFrame)),
       must("frames",
            integer("Number of frames up to this one; a reset or a loaded checkpoint sets it back")),
       must("sim_time_ns", integer(kTime)), must("date", text(kDate)),
       must("paused", boolean("True if the rig is in state Pause")),
       must("forced", list("Forced variables", forced_one)),
       must("allowed",
            map("For each command the reason why it would be refused now; empty if it would be accepted",
                text(""))),
       must("outputs", outputs_schema())});
  return schema;
}

const Schema& beat_schema() {
  static const Schema schema =
      object("A sign that the server still answers.",
             {must("state", state_name()), may("frame", integer(kFrame)),
              must("age_ms", integer("Time in ms since the port first saw that frame"))});
  return schema;
}

const Schema& end_schema() {
  static const Schema schema =
      object("The end of a stream.",
             {must("state", state_name()), must("reason", text("Reason for the end of the run"))});
  return schema;
}

}  // namespace tactus::drivers::live_http
