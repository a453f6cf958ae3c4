// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "config/text.hpp"
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"
#include "drivers/live/http/watched_expression.hpp"

// Names of variables and expressions that clients ask for.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;

/// Bounds the memory and the time that all expressions of a request take together.
void check_size(const std::vector<Named>& names, std::vector<std::string>& problems) {
  std::int64_t frames = 0;
  std::size_t instructions = 0;
  for (const Named& one : names) {
    if (!one.expression) continue;
    frames += one.expression->window_frames();
    instructions += one.expression->instructions();
  }
  if (frames > WatchedExpression::kMostFrames)
    note(problems, "names: the windows of its expressions have " + std::to_string(frames) +
                       " frames together; at most " + std::to_string(WatchedExpression::kMostFrames) +
                       " are kept for a client");
  if (instructions > WatchedExpression::kMostInstructions)
    note(problems, "names: its expressions have " + std::to_string(instructions) +
                       " operations together; at most " +
                       std::to_string(WatchedExpression::kMostInstructions) + " are evaluated for a client");
}

Waits expressions(Api& api, const Call& call, const Respond& respond) {
  std::vector<std::string> problems;
  const std::vector<Named> names = names_of(api.rig(), call, problems);
  if (!problems.empty()) return reply_now(respond, wrong(problems));
  Json rows = Json::array();
  for (const Named& one : names) {
    if (one.expression) {
      rows.push_back({{"name", one.name},
                      {"type", one.expression->type()},
                      {"unit", one.expression->unit()},
                      {"past", one.expression->past() > 0}});
      continue;
    }
    const executive::Variable& variable = *api.rig().variables()[one.ref.variable].variable;
    rows.push_back({{"name", one.name},
                    {"type", std::string(executive::name_of(variable.type))},
                    {"unit", variable.unit_text},
                    {"past", false}});
  }
  return reply_now(respond, good({{"expressions", std::move(rows)}}));
}

}  // namespace

std::vector<std::string> items_of(std::string_view list) {
  std::vector<std::string> items;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    if (at < list.size() && quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      depth = std::max(0, depth - 1);
    } else if (c == ',' && (depth == 0 || at == list.size())) {
      items.emplace_back(config::trimmed(list.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  return items;
}

std::vector<Named> names_of(const executive::LiveRig& rig, const Call& call,
                            std::vector<std::string>& problems) {
  std::vector<Named> names;
  std::unordered_set<std::string> seen;
  const std::vector<std::string> items = items_of(*call.value("names"));
  if (items.size() > kMostItems) {
    note(problems, "names: " + std::to_string(items.size()) + " are asked for; at most " +
                       std::to_string(kMostItems) + " are taken at once");
    return names;
  }
  for (const std::string& name : items) {
    if (is_full(problems)) break;
    std::vector<std::string> mistakes;
    Named one{name, {}, {}};
    std::string problem;
    if (name.empty()) {
      mistakes.emplace_back("has an empty name");
    } else if (const auto ref = rig.find(name, problem)) {
      one.ref = *ref;
    } else if (looks_like_expression(name)) {
      one.expression = WatchedExpression::make(rig, name, mistakes);
    } else {
      mistakes.push_back(problem);
    }
    if (mistakes.empty() && !seen.insert(name).second)
      mistakes.push_back(config::show(name) + " is there twice");
    for (const std::string& mistake : mistakes) note(problems, "names: " + mistake);
    if (mistakes.empty()) names.push_back(std::move(one));
  }
  check_size(names, problems);
  return names;
}

std::vector<Route> expression_routes() {
  return {get(
      "/v1/expressions", "expressions",
      "Checks expressions, and returns their types and units; an error names the character.",
      object(
          "Expressions and variables in the order of the names.",
          {must(
              "expressions",
              list("",
                   object("An expression, or a variable.",
                          {must("name", text("Text of the request")),
                           must("type", text("Type of the value. An expression has bool (a condition), int64 "
                                             "(a whole number) or double; a variable has its own type")),
                           must("unit", text("Unit of the value")),
                           must("past", boolean("True if the value also depends on earlier frames"))})))}),
      &expressions,
      {{"names", false, true,
        text("Expressions and names of variables, separated by commas; a comma within brackets does not "
             "separate")}})};
}

}  // namespace tactus::drivers::live_http
