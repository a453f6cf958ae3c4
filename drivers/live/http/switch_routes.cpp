// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"

// What is switched by name: faults, stimuli.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;

Schema switch_schema() {
  return object(
      "Switches a thing of the rig on or off.",
      {must("kind", text("fault or stimulus")), must("name", text("its name in the rig file or test")),
       must("on", boolean("on: it begins, also anew; off: it ends"))});
}

Schema switches_schema() {
  return object("What can be switched by name.",
                {must("switches", list("each of them", switch_row_schema()))});
}

Waits list_switches(Api& api, const Call&, const Respond& respond) {
  Json all = Json::array();
  for (const executive::LiveSwitch& each : api.rig().switches()) all.push_back(json_of(each));
  respond(good({{"switches", std::move(all)}}));
  return std::nullopt;
}

Waits turn_switch(Api& api, const Call& call, const Respond& respond) {
  const auto& kind = call.body["kind"].get_ref<const std::string&>();
  const auto& name = call.body["name"].get_ref<const std::string&>();
  const bool on = call.body["on"].get<bool>();
  if (std::string none = api.rig().switch_problem(kind, name); !none.empty())
    return reply_now(respond, refusal(404, none));
  const std::string problem = api.rig().turn(kind, name, on, call.who);
  respond(problem.empty() ? good({{"kind", kind}, {"name", name}, {"on", on}}) : refusal(409, problem));
  return std::nullopt;
}

}  // namespace

Schema switch_row_schema() {
  return object(
      "A thing that is switched by name.",
      {may("n", integer("of an event: counts up with every change of any of them")),
       must("kind", text("fault, stimulus, record")), must("name", text("its name in the rig file or test")),
       must("target", text("variable or job that it acts on")),
       must("state", word("waiting: it begins by itself, at its time; unknown: the rig does not say",
                          {"off", "on", "waiting", "unknown"})),
       must("on", or_null(boolean("its state is on; null: unknown"))),
       must("since", or_null(integer("frame from which it has been so; null: from the beginning")))});
}

std::vector<Route> switch_routes() {
  return {get("/v1/switches", "switches", "What can be switched by name.", switches_schema(), &list_switches),
          post("/v1/switches", "switch", "Switches a fault or a stimulus from the next frame on.",
               switch_schema(), R"({"kind": "fault", "name": "encoder_stuck", "on": true})", switch_schema(),
               &turn_switch, {404, 409})};
}

}  // namespace tactus::drivers::live_http
