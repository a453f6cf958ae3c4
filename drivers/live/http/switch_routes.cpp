// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"

// What is switched by name: faults, stimuli.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;

Schema switch_schema() {
  return object("A switch of the rig, and its wanted state.",
                {must("kind", text("Kind of switch: fault, stimulus or record")),
                 must("name", text("Name in the rig file or test")),
                 must("on", boolean("True to begin it, or to begin it anew; false to end it"))});
}

Schema switches_schema() {
  return object("The switches of the rig.", {must("switches", list("All switches", switch_row_schema()))});
}

Waits list_switches(Api& api, const Call&, const Respond& respond) {
  Json all = Json::array();
  for (const executive::LiveSwitch& each : api.rig().switches()) all.push_back(json_of(each));
  return reply_now(respond, good({{"switches", std::move(all)}}));
}

Waits turn_switch(Api& api, const Call& call, const Respond& respond) {
  const auto& kind = call.body["kind"].get_ref<const std::string&>();
  const auto& name = call.body["name"].get_ref<const std::string&>();
  const bool on = call.body["on"].get<bool>();
  if (std::string none = api.rig().switch_problem(kind, name); !none.empty())
    return reply_now(respond, refusal(404, none));
  const std::string problem = api.rig().turn(kind, name, on, call.who);
  return reply_now(
      respond, problem.empty() ? good({{"kind", kind}, {"name", name}, {"on", on}}) : refusal(409, problem));
}

}  // namespace

Schema switch_row_schema() {
  return object(
      "A fault, a stimulus or a recording that is switched by name.",
      {may("n", integer("Number of the event; it counts up with every change of any switch. Only in events")),
       must("kind", text("Kind of switch: fault, stimulus or record")),
       must("name", text("Name in the rig file or test")),
       must("target", text("Variable or job on which it acts")),
       must("state", word("State of the switch; waiting: it begins by itself at its time; unknown: the rig "
                          "does not know its state",
                          {"off", "on", "waiting", "unknown"})),
       must("on", or_null(boolean("True if the state is on; null if the state is unknown"))),
       must("since",
            or_null(integer("First frame of this state; null if it has been so from the beginning")))});
}

std::vector<Route> switch_routes() {
  return {
      get("/v1/switches", "switches", "Lists what can be switched by name.", switches_schema(),
          &list_switches),
      post("/v1/switches", "switch", "Switches a fault, a stimulus or a recording, from the next frame on.",
           switch_schema(), R"({"kind": "fault", "name": "encoder_stuck", "on": true})", switch_schema(),
           &turn_switch, {404, 409})};
}

}  // namespace tactus::drivers::live_http
