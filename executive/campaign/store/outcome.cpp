// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/store/outcome.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "config/json.hpp"
#include "config/json_of.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::campaign {
namespace {

namespace fs = std::filesystem;

constexpr int kVerdictFailed = 4, kNotJudged = 5;  // of `tactus run`

/// Causes of late frames that lie in the machine, not in the rig (docs/causes.md).
constexpr std::array<std::string_view, 8> kOfTheMachine{"preempted",  "interrupted",    "throttled",
                                                        "migrated",   "suspended",      "slowed",
                                                        "timer_late", "machine_stopped"};

std::string read(const fs::path& file) {
  int error = 0;
  return rtsync::read_folder_file(file, error);
}

std::string text_of(const Json& from, const char* key) {
  const auto at = from.find(key);
  return at != from.end() && at->is_string() ? at->get<std::string>() : "";
}

double number_of(const Json& from, const char* key) {
  const auto at = from.find(key);
  return at != from.end() && at->is_number() ? at->get<double>() : 0;
}

/// A list of the file; empty where it has none.
Json list_of(const Json& from, const char* key) {
  const auto at = from.find(key);
  return at != from.end() && at->is_array() ? *at : Json::array();
}

Json map_of(const Json& from, const char* key) {
  const auto at = from.find(key);
  return at != from.end() && at->is_object() ? *at : Json::object();
}

bool late(const Json& verdict) {
  for (const Json& row : list_of(verdict, "expectations"))
    if (row.contains("late") && !row["late"].is_null() && text_of(row, "verdict") == "inconclusive")
      return true;
  return false;
}

/// The cause that made most of the lateness, if it is the machine's; else nothing.
std::string cause_of_the_machine(const Json& summary) {
  std::string most;
  double longest = 0;
  const Json none;
  const Json* of = &none;
  const Json causes = map_of(summary, "causes");
  for (const auto& [cause, row] : causes.items()) {
    if (cause == "catching_up" || !row.is_object()) continue;  // what had made it has its time
    const double sum = number_of(row, "sum_ns");
    if (sum <= longest && !most.empty()) continue;
    most = cause;
    longest = sum;
    of = row.contains("by") ? &row["by"] : &none;
  }
  if (std::ranges::find(kOfTheMachine, most) == kOfTheMachine.end()) return "";
  if (of->is_array() && !of->empty() && of->front().is_object()) {
    if (text_of(of->front(), "of") == "this rig") return "";
    if (const std::string name = text_of(of->front(), "name"); !name.empty()) return most + " by " + name;
  }
  return most;
}

/// The first expectation that decided, as it says itself.
std::string decided(const Json& verdict) {
  for (const Json& row : list_of(verdict, "expectations"))
    if (text_of(row, "verdict") == text_of(verdict, "verdict"))
      return text_of(row, "name") + ": " + text_of(row, "says");
  return "";
}

void take_sources(const Json& sources, Outcome& into) {
  const auto take = [&](const char* kind, const Json& row) {
    if (row.is_object()) into.sources.push_back({kind, text_of(row, "file"), text_of(row, "sha256")});
  };
  for (const char* const kind : {"rig", "test"})
    if (sources.contains(kind)) take(kind, sources[kind]);
  for (const Json& row : list_of(sources, "libraries")) take("library", row);
  for (const Json& row : list_of(sources, "recordings")) take("recording", row);
  if (sources.contains("tactus")) into.sources.push_back({"tactus", "tactus", text_of(sources, "tactus")});
}

void take_expectations(const Json& verdict, Outcome& into) {
  for (const Json& row : list_of(verdict, "expectations")) {
    ExpectationRow one{text_of(row, "name"), text_of(row, "verdict"), text_of(row, "severity"),
                       text_of(row, "unit"), text_of(row, "says"),    std::nullopt,
                       std::nullopt};
    if (const auto at = row.find("margin"); at != row.end() && at->is_number())
      one.margin = at->get<double>();
    if (const auto at = row.find("frame"); at != row.end() && at->is_number_integer())
      one.frame = at->get<std::int64_t>();
    into.expectations.push_back(std::move(one));
  }
}

void take_measured(const Json& measured, Outcome& into) {
  const auto take = [&](const std::string& name, const Json& row) {
    MeasuredRow one{name, "", std::numeric_limits<double>::quiet_NaN()};
    const Json& value = row.is_object() && row.contains("value") ? row["value"] : row;
    if (value.is_number()) one.value = value.get<double>();
    if (row.is_object()) one.unit = text_of(row, "unit");
    into.measured.push_back(std::move(one));
  };
  if (measured.is_array())
    for (const Json& row : measured) take(text_of(row, "name"), row);
  else if (measured.is_object())
    for (const auto& [name, row] : measured.items()) take(name, row);
}

/// A run that has no verdict of a test: it ended well, or it is an error.
void without_verdict(const ProcessEnd& end, const Json& summary, Outcome& into) {
  if (end.timed_out) {
    into.verdict = "error";
    into.says = "it was ended at its time limit";
    return;
  }
  const std::string reason = summary.is_object() ? text_of(summary, "reason") : "";
  if (end.signal == 0 && end.status == 0) {
    const bool cut_short = summary.is_object() && summary.value("cut_short", Json()) == true;
    into.verdict = cut_short ? "inconclusive" : "pass";
    if (cut_short) into.says = "it ended before its time: " + reason;
    return;
  }
  into.verdict = "error";
  into.says = end.signal != 0 ? "signal " + std::to_string(end.signal) + " ended the run"
                              : "the run ended with status " + std::to_string(end.status);
  if (!reason.empty()) into.says += ": " + reason;
}

}  // namespace

Outcome outcome_of(const fs::path& run_folder, const ProcessEnd& end) {
  Outcome result{.end = end};
  const Json verdict = config::json_of(read(run_folder / "verdict.json"));
  const bool judged = verdict.is_object();
  if (judged) {
    take_expectations(verdict, result);
    take_sources(map_of(verdict, "sources"), result);
    if (verdict.contains("measured")) take_measured(verdict["measured"], result);
  }
  const bool ended_well = !end.timed_out && end.signal == 0 &&
                          (end.status == 0 || end.status == kVerdictFailed || end.status == kNotJudged);
  if (judged && ended_well) {
    result.verdict = text_of(verdict, "verdict");
    if (result.verdict.empty()) result.verdict = "error";
    if (result.verdict != "pass") result.says = decided(verdict);
    if (result.verdict == "inconclusive" && late(verdict))
      result.spoiled = cause_of_the_machine(config::json_of(read(run_folder / "summary.json")));
    return result;
  }
  const Json summary = config::json_of(read(run_folder / "summary.json"));
  without_verdict(end, summary, result);
  if (summary.is_object() && result.measured.empty() && summary.contains("measured"))
    take_measured(summary["measured"], result);
  if (summary.is_object() && text_of(summary, "outcome") == "overrun" && !end.timed_out)
    result.spoiled = cause_of_the_machine(summary);
  return result;
}

std::string end_text(const ProcessEnd& end) {
  const Json row{{"status", end.status},   {"signal", end.signal}, {"timed_out", end.timed_out},
                 {"seconds", end.seconds}, {"cpu_s", end.cpu_s},   {"memory_kb", end.memory_kb},
                 {"begun", end.begun}};
  return row.dump();
}

int write_end(const fs::path& file, const ProcessEnd& end) {
  return rtsync::replace_folder_file(file, end_text(end) + "\n");
}

std::optional<ProcessEnd> read_end(const fs::path& file) { return end_of(read(file)); }

std::optional<ProcessEnd> end_of(std::string_view text) {
  const Json row = config::json_of(text);
  if (!row.is_object() || !row.contains("status")) return std::nullopt;
  return ProcessEnd{.status = static_cast<int>(number_of(row, "status")),
                    .signal = static_cast<int>(number_of(row, "signal")),
                    .timed_out = row.contains("timed_out") && row["timed_out"] == true,
                    .seconds = number_of(row, "seconds"),
                    .cpu_s = number_of(row, "cpu_s"),
                    .memory_kb = static_cast<std::int64_t>(number_of(row, "memory_kb")),
                    .begun = text_of(row, "begun")};
}

}  // namespace tactus::campaign
