// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "executive/capability/judge/sequence_run.hpp"
#include "executive/capability/judge/verdict_chart.hpp"
#include "executive/capability/judge/verdict_file.hpp"

namespace tactus::executive {
namespace {

void add(TestResult& result, config::Json row, const Standing& standing, Severity severity,
         const std::string& no_margin, rtsync::Period frame) {
  row["verdict"] = name_of(standing.verdict);
  row["severity"] = severity_name(standing.needed ? severity : Severity::note);
  row["why"] = standing.why;
  row["no_value"] = standing.no_value;
  row["final"] = standing.failed;
  row["active"] = standing.active;
  row["begun"] = standing.begun;
  row["since"] = standing.active ? config::Json(standing.since) : config::Json();
  row["values"] = "";
  for (const char* const key : {"frame", "time_s", "margin", "late", "shift_s", "recording"})
    row[key] = nullptr;
  add_row(result, std::move(row), standing, standing.needed ? severity : Severity::note, no_margin, frame);
}

/// Describes a step for clients: its times, and the frames of its latest course.
config::Json step_json(const CompiledStep& step, const Standing& standing, rtsync::Period frame) {
  const auto frame_or_none = [](std::int64_t number) {
    return number < 0 ? config::Json() : config::Json(number);
  };
  const auto time_or_none = [&](std::int64_t frames) {
    return frames == 0 ? config::Json()
                       : config::Json(static_cast<double>(frame.times(frames).count()) / 1e9);
  };
  return {{"name", step.name},
          {"first", frame_or_none(standing.first)},
          {"last", frame_or_none(standing.last)},
          {"for_s", time_or_none(step.frames)},
          {"timeout_s", time_or_none(step.timeout)},
          {"timed_out", standing.last >= 0 && standing.failed && standing.frame == standing.last}};
}

}  // namespace

void add_sequence_rows(TestResult& result, const CompiledSequence& sequence, const Standing* standings,
                       rtsync::Period frame) {
  for (const CompiledStep& step : sequence.steps) {
    const std::string name = "sequence." + step.name;
    add(result,
        {{"name", name},
         {"requirement", step.requirement},
         {"expects", step.text},
         {"unit", ""},
         {"chart", to_json(VerdictChart{})},
         {"step", step_json(step, *standings, frame)}},
        *standings, step.severity, "a step has none", frame);
    ++standings;
    for (const CompiledStepExpectation& each : step.expectations)
      add(result,
          {{"name", name + "." + each.name},
           {"requirement", each.requirement},
           {"expects", each.text},
           {"unit", each.units.margin},
           {"chart", to_json(chart_of(each.condition, each.kind == Monitor::Kind::never, each.units))},
           {"step", nullptr}},
          *standings++, each.severity, each.no_margin, frame);
  }
}

}  // namespace tactus::executive
