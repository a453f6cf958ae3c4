// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/store/outcome.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "config/json_of.hpp"
#include "executive/report/json_facts.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::campaign {
namespace {

namespace fs = std::filesystem;
using report::integer_fact, report::list_fact, report::real_fact, report::text_fact, report::true_fact;

constexpr int kVerdictFailed = 4, kNotJudged = 5;  // of `tactus run`

/// Causes of late frames that lie in the machine, not in the rig (docs/causes.md).
constexpr std::array<std::string_view, 8> kOfTheMachine{"preempted",  "interrupted",    "throttled",
                                                        "migrated",   "suspended",      "slowed",
                                                        "timer_late", "machine_stopped"};

std::string read(const fs::path& file) {
  int error = 0;
  return rtsync::read_folder_file(file, error);
}

bool late(const Json& verdict) {
  for (const Json& row : list_fact(verdict, "expectations"))
    if (row.contains("late") && !row["late"].is_null() && text_fact(row, "verdict") == "inconclusive")
      return true;
  return false;
}

/// The cause that made most of the lateness, if it is the machine's; else nothing.
std::string cause_of_the_machine(const Json& summary) {
  std::string most;
  double longest = 0;
  const Json none;
  const Json* of = &none;
  for (const auto& [cause, row] : list_fact(summary, "causes").items()) {
    if (cause == "catching_up" || !row.is_object()) continue;  // what had made it has its time
    const double sum = real_fact(row, "sum_ns").value_or(0);
    if (sum <= longest && !most.empty()) continue;
    most = cause;
    longest = sum;
    of = row.contains("by") ? &row["by"] : &none;
  }
  if (std::ranges::find(kOfTheMachine, most) == kOfTheMachine.end()) return "";
  if (of->is_array() && !of->empty() && of->front().is_object()) {
    if (text_fact(of->front(), "of") == "this rig") return "";
    if (const std::string name = text_fact(of->front(), "name"); !name.empty()) return most + " by " + name;
  }
  return most;
}

void take_sources(const Json& sources, Outcome& into) {
  const auto take = [&](const char* kind, const Json& row) {
    if (row.is_object()) into.sources.push_back({kind, text_fact(row, "file"), text_fact(row, "sha256")});
  };
  for (const char* const kind : {"rig", "test"})
    if (sources.contains(kind)) take(kind, sources[kind]);
  for (const Json& row : list_fact(sources, "libraries")) take("library", row);
  for (const Json& row : list_fact(sources, "recordings")) take("recording", row);
  if (sources.contains("tactus")) into.sources.push_back({"tactus", "tactus", text_fact(sources, "tactus")});
}

void take_expectations(const Json& verdict, Outcome& into) {
  for (const Json& row : list_fact(verdict, "expectations"))
    into.expectations.push_back({text_fact(row, "name"), text_fact(row, "verdict"),
                                 text_fact(row, "severity"), text_fact(row, "unit"), text_fact(row, "says"),
                                 real_fact(row, "margin"), integer_fact(row, "frame")});
}

void take_measured(const Json& of, Outcome& into) {
  for (const Json& row : list_fact(of, "measured"))
    into.measured.push_back({text_fact(row, "name"), text_fact(row, "unit"),
                             real_fact(row, "value").value_or(std::numeric_limits<double>::quiet_NaN())});
}

/// A run that has no verdict of a test: it ended well, or it is an error.
void without_verdict(const ProcessEnd& end, const Json& summary, Outcome& into) {
  if (end.timed_out) {
    into.verdict = "error";
    into.says = "it was ended at its time limit";
    return;
  }
  const std::string reason = text_fact(summary, "reason");
  if (end.signal == 0 && end.status == 0) {
    const bool cut_short = true_fact(summary, "cut_short");
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

std::string decided(const Json& verdict) {
  for (const Json& row : list_fact(verdict, "expectations"))
    if (text_fact(row, "verdict") == text_fact(verdict, "verdict"))
      return text_fact(row, "name") + ": " + text_fact(row, "says");
  return "";
}

Outcome outcome_of(const fs::path& run_folder, const ProcessEnd& end) {
  Outcome result{.end = end};
  const Json verdict = config::json_of(read(run_folder / "verdict.json"));
  const bool judged = verdict.is_object();
  if (judged) {
    take_expectations(verdict, result);
    take_sources(list_fact(verdict, "sources"), result);
    take_measured(verdict, result);
  }
  const bool ended_well = !end.timed_out && end.signal == 0 &&
                          (end.status == 0 || end.status == kVerdictFailed || end.status == kNotJudged);
  if (judged && ended_well) {
    result.verdict = text_fact(verdict, "verdict");
    if (result.verdict.empty()) result.verdict = "error";
    if (result.verdict != "pass") result.says = decided(verdict);
    if (result.verdict == "inconclusive" && late(verdict))
      result.spoiled = cause_of_the_machine(config::json_of(read(run_folder / "summary.json")));
    return result;
  }
  const Json summary = config::json_of(read(run_folder / "summary.json"));
  without_verdict(end, summary, result);
  if (result.measured.empty()) take_measured(summary, result);
  if (text_fact(summary, "outcome") == "overrun" && !end.timed_out)
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
  const auto number = [&row](const char* key) { return real_fact(row, key).value_or(0); };
  if (!row.is_object() || !row.contains("status")) return std::nullopt;
  return ProcessEnd{.status = static_cast<int>(number("status")),
                    .signal = static_cast<int>(number("signal")),
                    .timed_out = true_fact(row, "timed_out"),
                    .seconds = number("seconds"),
                    .cpu_s = number("cpu_s"),
                    .memory_kb = static_cast<std::int64_t>(number("memory_kb")),
                    .begun = text_fact(row, "begun")};
}

}  // namespace tactus::campaign
