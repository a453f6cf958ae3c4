// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "executive/report/axes.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/sections.hpp"

namespace tactus::report {
namespace {

constexpr std::size_t kMostFactRows = 60;

std::string or_unknown(const std::string& text) { return text.empty() ? "not known" : text; }

/// "page_faults" as words.
std::string words_of(std::string key) {
  std::ranges::replace(key, '_', ' ');
  if (key.ends_with(" ns")) key.resize(key.size() - 3);
  return key;
}

/// The scalars of an object, those below it too, as rows: "messages.late", "0".
void add_facts(const Json& facts, const std::string& path, int depth, Table& table) {
  for (const auto& [key, value] : facts.items()) {
    if (table.rows.size() >= kMostFactRows) return;
    if (value.is_object() && depth < 3) {
      add_facts(value, path + words_of(key) + ", ", depth + 1, table);
      continue;
    }
    const bool time = key.ends_with("_ns") || path.find("error") != std::string::npos;
    std::string text = value.is_number_integer() && time ? time_text(value.get<std::int64_t>())
                       : value.is_number_integer()       ? count_text(value.get<std::int64_t>())
                       : value.is_number()               ? digits_text(value.get<double>())
                                                         : fact_text(value);
    if (text.empty()) continue;
    table.rows.push_back({{path + words_of(key)}, {std::move(text)}});
  }
}

}  // namespace

Section host_section(const RunData& run) {
  Section section{"host", "Host"};
  const Json& summary = run.summary();
  if (summary.is_null())
    return section.say("The facts of the machine are not known: summary.json does not exist.");
  Table table{named({"Fact", "Found", "Wanted"})};
  // `good`: what the rig wants; nothing: it wants nothing
  const auto add = [&table](const char* fact, const std::string& found, std::optional<bool> good = {},
                            const std::string& wanted = "") {
    const Cell cell = !good   ? Cell{}
                      : *good ? Cell{"\u2713", Tone::good}
                              : Cell{"\u25b2 " + wanted, Tone::bad};
    table.rows.push_back({{fact}, {found}, cell});
  };
  const std::string preempt = text_fact(summary, "host.preempt");
  add("kernel", or_unknown(text_fact(summary, "host.kernel")));
  const bool full =
      preempt.find("PREEMPT_RT") != std::string::npos && preempt.find("no PREEMPT_RT") == std::string::npos;
  add("preemption", or_unknown(preempt), full, "PREEMPT_RT");
  const auto cpus = integer_fact(summary, "host.cpus");
  add("machine", or_unknown(text_fact(summary, "host.machine")) + (cpus ? ", " + counted(*cpus, "CPU") : ""));
  const std::string policy = text_fact(summary, "rt.policy");
  const bool realtime = true_fact(summary, "rt.realtime");
  const bool fifo = policy.find("FIFO") != std::string::npos ||
                    policy.find("DEADLINE") != std::string::npos || policy.find("RR") != std::string::npos;
  const auto priority = integer_fact(summary, "rt.priority");
  add("scheduling",
      or_unknown(policy) + (priority && *priority > 0 ? " " + std::to_string(*priority) : "") +
          (text_fact(summary, "rt.cpus").empty() ? "" : ", CPUs " + text_fact(summary, "rt.cpus")),
      realtime ? std::optional(fifo) : std::nullopt, "SCHED_FIFO");
  const bool locked = true_fact(summary, "rt.memory_locked");
  add("memory", locked ? "locked" : "not locked", realtime ? std::optional(locked) : std::nullopt, "locked");
  const auto count = [&](const char* name, const char* path) {
    if (const auto found = integer_fact(summary, path)) add(name, count_text(*found), *found == 0, "0");
  };
  count("page faults in frames", "rt.page_faults");
  count("heap calls in frames", "rt.heap_calls");
  count("involuntary switches", "rt.involuntary_switches");
  const std::string remark = text_fact(summary, "rt.sleeper_remark");
  add("clock and sleeper", or_unknown(text_fact(summary, "rt.clock")) + ", " +
                               or_unknown(text_fact(summary, "rt.sleeper")) +
                               (remark.empty() ? "" : " (" + remark + ")"));
  if (const std::string margin = setting_in(run.files.settings, "realtime.margin"); !margin.empty())
    add("sleeper margin", margin);
  section.add(std::move(table));

  Table refused{named({"Refused by the machine", "Got", "Cause", "Fix"})};
  for (const Json& each : list_fact(summary, "rt.refused"))
    if (refused.rows.size() < kMostFactRows)
      refused.rows.push_back({{text_fact(each, "what")},
                              {text_fact(each, "got")},
                              {text_fact(each, "cause")},
                              {text_fact(each, "fix"), Tone::code}});
  section.add_rows(std::move(refused));
  Table changed{named({"Changed during the run", "Before", "After", ">Frame"})};
  for (const Json& each : list_fact(summary, "rt.changed")) {
    if (!each.is_object() || changed.rows.size() >= kMostFactRows) continue;
    changed.rows.push_back({{shown_fact(each, "what")},
                            {shown_fact(each, "was")},
                            {shown_fact(each, "is")},
                            {shown_fact(each, "frame")}});
  }
  section.add_rows(std::move(changed));
  if (!run.files.log.warnings.empty()) {
    Listing warnings{
        counted(static_cast<std::int64_t>(run.files.log.warnings.size() + run.files.log.warnings_left_out),
                "warning") +
            " in log.txt",
        run.files.log.warnings};
    if (run.files.log.warnings_left_out > 0)
      warnings.lines.push_back(std::to_string(run.files.log.warnings_left_out) + " more");
    section.add(std::move(warnings));
  }
  return section;
}

Section link_and_clock_section(const RunData& run) {
  Section section{"link", "Link and clock"};
  const Json& summary = run.summary();
  const auto add = [&](const char* title, const Json* facts, const char* none) {
    if (facts == nullptr || !facts->is_object()) return void(section.say(none));
    Table table{named({title, ""})};
    add_facts(*facts, "", 0, table);
    section.add(std::move(table));
  };
  const bool external = find_fact(summary, "clock.source") != nullptr;
  add("External clock", external ? find_fact(summary, "clock") : nullptr,
      "The frames followed no external clock.");
  add("Link", find_fact(summary, "link"), "The rig was not linked.");
  Table isolated{named({"Isolated model", "Process ended", ">Noticed in frame", "In job"})};
  for (const Json& each : list_fact(summary, "isolated")) {
    const std::string lost = text_fact(each, "lost");
    if (lost.empty() || isolated.rows.size() >= kMostFactRows) continue;
    const auto frame = integer_fact(each, "frame");
    isolated.rows.push_back({{text_fact(each, "model")},
                             {lost, Tone::bad},
                             {frame ? count_text(*frame) : ""},
                             {text_fact(each, "job")}});
  }
  section.add_rows(std::move(isolated));
  return section;
}

Section commands_section(const RunData& run) {
  Section section{"commands", "Commands and journal"};
  const RunJournal& journal = run.files.journal;
  Table table{named({">Frame", "What", "Variable", "Value", "Time", "Who", "Problem"})};
  const auto add = [&table](const RunJournal::Line& line) {
    table.rows.push_back({{line.frame},
                          {line.what},
                          {line.variable, Tone::code},
                          {line.value},
                          {line.time},
                          {line.who},
                          {line.problem, line.problem.empty() ? Tone::plain : Tone::bad}});
  };
  for (const RunJournal::Line& line : journal.first) add(line);
  const auto shown = static_cast<std::uint64_t>(journal.first.size() + journal.last.size()) + journal.damaged;
  if (journal.lines > shown) {
    table.rows.push_back({{"..."}, {count_text(static_cast<std::int64_t>(journal.lines - shown)) + " more"}});
    table.rows.back().resize(table.columns.size());
  }
  for (const RunJournal::Line& line : journal.last) add(line);
  if (table.rows.empty())
    section.say("The journal is empty: no client changed a value or gave a command.");
  else
    section.add(std::move(table));
  if (journal.damaged > 0)
    section.say(
        counted(static_cast<std::int64_t>(journal.damaged), "line") + " of journal.jsonl could not be read",
        true);
  const auto counts = [&](const char* name, const char* path) {
    const auto found = integer_fact(run.summary(), path);
    return found && *found > 0 ? std::string(name) + " " + count_text(*found) + ". " : std::string();
  };
  const std::string note = counts("Resets:", "resets") + counts("Changes from outside:", "live.changes") +
                           counts("Refused:", "live.refused") + counts("Commands:", "live.commands");
  if (!note.empty()) section.say(note.substr(0, note.size() - 1));
  return section;
}

}  // namespace tactus::report
