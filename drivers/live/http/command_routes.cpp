// SPDX-License-Identifier: Apache-2.0
#include "config/number.hpp"
#include "config/text.hpp"
#include "drivers/live/http/api.hpp"
#include "drivers/live/http/replies.hpp"

// Commands to the rig.
namespace tactus::drivers::live_http {
namespace {

using namespace schema;
using executive::CommandRow;

std::vector<std::string> words() {
  std::vector<std::string> all;
  for (const CommandRow& row : executive::command_rows())
    if (is_given_from_outside(row)) all.emplace_back(row.word);
  return all;
}

Schema command_schema() {
  return object(
      "A command, which takes effect at the end of the frame.",
      {must("command", word("Command to give", words())),
       may("file",
           text("Name of the checkpoint to load or to write; default for checkpoint: frame-<frames run>")),
       may("frames", integer_from(1, "Number of frames to step; default 1")),
       may("until_ns", integer_from(0, "Simulated time in ns at which run_until pauses the rig")),
       may("until", text("Simulated time with a unit (\"2.5 s\") at which run_until pauses the rig"))});
}

Schema command_answer() {
  return object(
      "The command was given.",
      {must("command", text("Command that was given")),
       must("accepted", boolean("True if the rig has accepted the command")),
       may("done", boolean("True if reset or load is complete; missing for other commands, see /v1/state"))});
}

/// The value of a command; nothing, and a problem, when it does not fit.
std::optional<std::int64_t> command_value(const Json& body, const std::string& command,
                                          std::string& problem) {
  const auto only_for = [&](const char* key, const char* of) {
    if (body.contains(key) && command != of)
      problem = std::string(key) + ": belongs to '" + of + "', not to '" + command + "'";
  };
  only_for("frames", "step");
  only_for("until_ns", "run_until");
  only_for("until", "run_until");
  if (body.contains("file") && command != "load" && command != "checkpoint")
    problem = "file: belongs to 'load' and 'checkpoint', not to '" + command + "'";
  if (command == "load" && !body.contains("file"))
    problem = "load needs 'file': the name of a checkpoint in the run's folder for checkpoints";
  if (!problem.empty()) return std::nullopt;
  if (command == "step") return body.value("frames", std::int64_t{1});
  if (command != "run_until") return 0;
  if (body.contains("until_ns") == body.contains("until")) {
    problem = body.contains("until")
                  ? "run_until takes 'until_ns' or 'until', and the body has both; remove one of them"
                  : "run_until needs 'until_ns' (simulated time in ns) or 'until' (as \"2.5 s\")";
    return std::nullopt;
  }
  if (body.contains("until_ns")) return body["until_ns"].get<std::int64_t>();
  const auto until =
      config::parse_duration(body["until"].get_ref<const std::string&>(), config::Nanoseconds{0},
                             config::Nanoseconds::max() - config::Nanoseconds{1});
  if (until && until.value->count() < 0) {
    problem = "until: " + config::show(body["until"].get_ref<const std::string&>()) + " is below 0";
    return std::nullopt;
  }
  if (until) return until.value->count();
  problem = "until: " + until.problem;
  return std::nullopt;
}

Reply done(const std::string& word) { return good({{"command", word}, {"accepted", true}, {"done", true}}); }

Waits command(Api& api, const Call& call, const Respond& respond) {
  const auto& word = call.body["command"].get_ref<const std::string&>();
  std::string problem;
  const auto value = command_value(call.body, word, problem);
  if (!value) return reply_now(respond, refusal(400, problem));
  const CommandRow& row =
      *executive::find_command([&](const CommandRow& each) { return each.word == word; });  // by the schema
  const executive::CommandCall given{row.command, *value, call.body.value("file", std::string())};
  if (row.effect == executive::CommandEffect::restored) {  // however long it takes
    problem = api.rig().give_until_done(given, call.who, [respond, word](const std::string& failed) {
      respond(failed.empty() ? done(word) : refusal(409, failed));
    });
    if (!problem.empty()) respond(refusal(409, problem));
    return std::nullopt;
  }
  problem = api.rig().give(given, call.who);
  return reply_now(respond,
                   problem.empty() ? good({{"command", word}, {"accepted", true}}) : refusal(409, problem));
}

}  // namespace

std::vector<Route> command_routes() {
  return {post("/v1/commands", "command", "Gives a command to the rig.", command_schema(),
               R"({"command": "pause"})", command_answer(), &command, {409})};
}

}  // namespace tactus::drivers::live_http
