// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/replies.hpp"

#include <utility>

#include "config/date.hpp"
#include "executive/capability/live/live_value.hpp"

namespace tactus::drivers::live_http {
namespace {

std::string one_or_many(const std::vector<std::string>& problems) {
  if (problems.size() == 1) return problems.front();
  return (is_full(problems) ? "more than " + std::to_string(kMostProblems)
                            : std::to_string(problems.size())) +
         " problems";
}

}  // namespace

Reply good(Json body) { return Reply{.body = std::move(body)}; }

Reply wrong(const std::vector<std::string>& problems) {
  return refusal(400, one_or_many(problems), problems);
}

Reply not_done(int status, const std::vector<std::string>& problems) {
  return failed(status, problems, problems.size() == 1 ? "" : "; nothing was done");
}

Reply failed(int status, const std::vector<std::string>& problems, const std::string& then) {
  std::vector<std::string> listed;  // the rig may find more
  for (const std::string& problem : problems) note(listed, problem);
  return refusal(status, one_or_many(problems) + then, listed);
}

Reply over() { return refusal(503, "the run is over: no frame ends any more"); }

std::string state_text(executive::State state) { return std::string(name_of(state)); }

std::string date_of(const executive::LiveFacts& facts, std::int64_t sim_time_ns) {
  std::int64_t ns = 0;
  if (__builtin_add_overflow(facts.epoch_ns, sim_time_ns, &ns)) ns = INT64_MAX;
  return config::print_date(ns);
}

void put_frame(Json& body, std::int64_t frame) {
  if (frame >= 0) body["frame"] = frame;
}

Json frame_json(const executive::LiveRig& rig, const executive::LiveSnapshot& snapshot) {
  Json body = Json::object();
  put_frame(body, snapshot.frame);
  body["sim_time_ns"] = snapshot.sim_time_ns;
  body["date"] = date_of(rig.facts(), snapshot.sim_time_ns);
  body["state"] = state_text(snapshot.rig.state);
  return body;
}

Json value_json(const executive::LiveRig& rig, const executive::LiveRef& ref, const std::byte* data) {
  const executive::Variable& variable = *rig.variables()[ref.variable].variable;
  return executive::to_json(variable, data, ref.elements, !ref.indexed && variable.count > 0);
}

Json outputs_json(const executive::LiveRig& rig, const executive::LiveSnapshot* snapshot) {
  Json all = Json::array();
  for (const executive::LiveOutput& output : rig.outputs()) {
    const executive::LiveVariable& live = rig.variables()[output.variable];
    Json value, sources = Json::array();
    executive::LiveRef whole{output.variable, 0, static_cast<std::uint32_t>(live.variable->elements()),
                             false};
    if (snapshot != nullptr) value = value_json(rig, whole, snapshot->bytes.data() + live.offset);
    for (const executive::LiveRef& source : output.sources) {
      const executive::Variable& from = *rig.variables()[source.variable].variable;
      sources.push_back(from.name + (source.indexed ? executive::index_text(from, source.first) : ""));
    }
    all.push_back({{"name", output.name},
                   {"driver", output.driver},
                   {"model", output.model},
                   {"variable", live.variable->name},
                   {"sources", std::move(sources)},
                   {"value", std::move(value)},
                   {"safe", output.safe}});
  }
  return all;
}

}  // namespace tactus::drivers::live_http
