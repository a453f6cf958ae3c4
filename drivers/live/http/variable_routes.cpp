// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"
#include "rtsync/text.hpp"

// Which variables there are.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;

constexpr std::int64_t kMostListed = 10'000;

Schema variable_schema() {
  return object(
      "A variable.",
      {must("name", text("Name of the variable: model.variable")),
       must("type", word("Type of a value", {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32",
                                             "int64", "uint64", "float", "double"})),
       must("count", integer("Number of elements of an array; 0 for a scalar")),
       must("columns",
            integer("Number of columns of an array with two dimensions; 0 for any other variable")),
       must("unit", text("Unit; empty if it has none")),
       must("role", text("Role: parameter, input, output or state")),
       must("about", text("Meaning of the variable")),
       must("labels", map("Labels of values", integer("Value with this label"))),
       must("range", object("Range of accepted values", {may("low", number("Least accepted value")),
                                                         may("high", number("Greatest accepted value"))})),
       must("rights", word("Rights of clients. full: set, force and release. force_only: no set, because "
                           "something writes the variable in every frame",
                           {"full", "force_only", "read_only"})),
       must("reason", text("Reason why the rights are not full")),
       must(
           "written_by",
           object("Source of the present value",
                  {must("what", word("Kind of source", {"force", "set", "connection", "link", "executive",
                                                        "parameter", "checkpoint", "model"})),
                   must("who", text("Name of the source: a client, a variable, a model ...")),
                   must("frame", or_null(integer("Frame of a force or a set; null for any other source")))})),
       must("drives", list("Real outputs that the variable drives, directly or through a connection",
                           text("Name of an output")))});
}

Schema variables_schema() {
  return object(
      "A list of variables in the order of the rig file, or of `names`.",
      {must("variables", list("Variables", variable_schema())),
       must("total", integer("Number of variables that match")),
       must("next", or_null(integer("Value of `first` for the rest of the list; null if this is the end")))});
}

Json drives_json(const executive::LiveRig& rig, std::size_t variable) {
  Json all = Json::array();
  for (const executive::LiveOutput& output : rig.outputs()) {
    const bool wired = std::ranges::any_of(
        output.sources, [&](const executive::LiveRef& from) { return from.variable == variable; });
    if (output.variable == variable || wired) all.push_back(output.name);
  }
  return all;
}

Json written_by_json(const executive::LiveWriter& writer) {
  return {{"what", std::string(name_of(writer.what))},
          {"who", writer.who},
          {"frame", writer.frame ? Json(*writer.frame) : Json()}};
}

Json variable_json(const executive::LiveRig& rig, std::size_t index) {
  const executive::LiveVariable& live = rig.variables()[index];
  const executive::Variable& variable = *live.variable;
  Json labels = Json::object();
  for (const executive::VariableLabel& label : variable.labels) labels[label.name] = label.value;
  Json range = Json::object();
  if (variable.low) range["low"] = *variable.low;
  if (variable.high) range["high"] = *variable.high;
  const char* const rights = live.rights == executive::LiveRights::full         ? "full"
                             : live.rights == executive::LiveRights::force_only ? "force_only"
                                                                                : "read_only";
  return {{"name", variable.name},
          {"type", std::string(executive::name_of(variable.type))},
          {"count", variable.count},
          {"columns", variable.columns},
          {"unit", variable.unit_text},
          {"role", std::string(executive::name_of(variable.role))},
          {"about", variable.about},
          {"labels", std::move(labels)},
          {"range", std::move(range)},
          {"rights", rights},
          {"reason", live.reason},
          {"written_by", written_by_json(rig.writer_of(index))},
          {"drives", drives_json(rig, index)}};
}

/// The variables of these names, in this order.
Reply named_variables(const executive::LiveRig& rig, const std::vector<std::string>& names) {
  Json listed = Json::array();
  for (const std::string& name : names) {
    std::string problem;
    const auto ref = rig.find(name, problem);
    if (!ref) return refusal(404, problem);
    listed.push_back(variable_json(rig, ref->variable));
  }
  return good({{"variables", std::move(listed)}, {"total", names.size()}, {"next", nullptr}});
}

Waits variables(Api& api, const Call& call, const Respond& respond) {
  if (const std::string* const names = call.value("names")) {
    for (const char* const other : {"match", "first", "count"})
      if (call.value(other) != nullptr)
        return reply_now(respond, wrong({std::string(other) + ": belongs to a list without 'names'"}));
    return reply_now(respond, named_variables(api.rig(), items_of(*names)));
  }
  const std::string* const pattern = call.value("match");
  const std::int64_t first = call.number("first", 0);
  const std::int64_t most = std::min(call.number("count", kMostListed), kMostListed);
  std::int64_t total = 0;
  Json listed = Json::array();
  const std::vector<executive::LiveVariable>& all = api.rig().variables();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (pattern != nullptr && !rtsync::fits_pattern(all[i].variable->name, *pattern)) continue;
    if (total >= first && total - first < most) listed.push_back(variable_json(api.rig(), i));
    ++total;
  }
  return reply_now(respond,
                   good({{"variables", std::move(listed)},
                         {"total", total},
                         {"next", first < total && total - first > most ? Json(first + most) : Json()}}));
}

Waits variable(Api& api, const Call& call, const Respond& respond) {
  std::string problem;
  const auto ref = api.rig().find(*call.value("name"), problem);
  return reply_now(respond, ref ? good(variable_json(api.rig(), ref->variable)) : refusal(404, problem));
}

}  // namespace

std::vector<Route> variable_routes() {
  return {
      get("/v1/variables", "variables", "Lists the variables of the rig.", variables_schema(), &variables,
          {{"match", false, false, text("Pattern for whole names: * matches any characters, ? matches one")},
           {"first", false, false,
            integer_from(0, "Index of the first variable to list among those that match; default 0")},
           {"count", false, false, integer_from(1, "Largest number of variables; default 10000")},
           {"names", false, false,
            text("Names of variables, separated by commas, instead of the other parameters; they are listed "
                 "in this order")}},
          {404}),
      get("/v1/variables/{name}", "variable", "Returns one variable.", variable_schema(), &variable,
          {{"name", true, true, text("Name of a variable")}})};
}

}  // namespace tactus::drivers::live_http
