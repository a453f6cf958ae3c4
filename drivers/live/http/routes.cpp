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
      ": a number, true or false, or a list of them; what is no number is \"nan\", \"inf\" or \"-inf\"");
}

Schema value_in(const char* about) {
  return any(std::string(about) +
             ": a number, true or false, text (a quantity with its unit, or a label), or a list of them");
}

std::vector<Property> of_frame(std::vector<Property> more) {
  more.insert(more.begin(), {must("frame", integer(kFrame)), must("sim_time_ns", integer(kTime)),
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
  return {"GET", std::move(path), std::move(id), std::move(about), std::move(parameters),
          {},    answer,          false,         std::move(more),  handle,
          {}};
}

Route post(std::string path, std::string id, std::string about, Schema body, std::string example,
           Schema answer, Handle handle, std::vector<int> more) {
  return {"POST", std::move(path), std::move(id), std::move(about),  {}, body, answer,
          false,  std::move(more), handle,        std::move(example)};
}

const std::vector<Route>& routes() {
  static const std::vector<Route> table = [] {
    std::vector<Route> all;
    for (const auto rows : {&rig_routes, &variable_routes, &value_routes, &command_routes, &episode_routes})
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
