// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "executive/capability/judge/sequence_run.hpp"
#include "executive/capability/judge/verdict_chart.hpp"
#include "executive/capability/judge/verdict_file.hpp"

namespace tactus::executive {
namespace {

struct Row {
  std::string name, expects, requirement, unit, why;
  Severity severity = Severity::fail;
  TestVerdict verdict = TestVerdict::pass;
  bool no_value = false;
  std::int64_t frame = -1;
  double margin = std::numeric_limits<double>::quiet_NaN();
};

void add(TestResult& result, const Row& row, rtsync::Period frame) {
  config::Json json = {{"name", row.name},
                       {"verdict", name_of(row.verdict)},
                       {"severity", severity_name(row.severity)},
                       {"requirement", row.requirement},
                       {"expects", row.expects},
                       {"why", row.why},
                       {"no_value", row.no_value},
                       {"final", row.verdict == TestVerdict::fail},
                       {"frame", nullptr},
                       {"time_s", nullptr},
                       {"margin", nullptr},
                       {"unit", row.unit},
                       {"values", ""},
                       {"late", nullptr},
                       {"shift_s", nullptr},
                       {"recording", nullptr},
                       {"chart", to_json(VerdictChart{})}};
  if (row.verdict == TestVerdict::fail) {
    json["frame"] = row.frame;
    json["time_s"] = static_cast<double>(frame.times(row.frame).count()) / 1e9;
  }
  if (std::isfinite(row.margin)) json["margin"] = row.margin;
  json["says"] = verdict_sentence(json);
  add_row(result, std::move(json), row.severity, row.verdict);
}

}  // namespace

void SequenceRun::add_rows(TestResult& result, rtsync::Period frame) const {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const CompiledStep& step = sequence_.steps[i];
    const State& state = states_[i];
    const bool runs = current_ == i;
    // What was not taken while the sequence came to its end in order was not needed.
    const bool counts = state.entered || !reached_end_;
    const auto severity_of = [&](Severity own) { return counts ? own : Severity::note; };
    Row row{"sequence." + step.name, step.text, step.requirement, "", ""};
    row.severity = severity_of(step.severity);
    const bool ends = step.until || step.frames > 0 || !step.branches.empty();
    if (state.failed) {
      row.verdict = TestVerdict::fail;
      row.frame = state.failed_in;
    } else if (!state.entered) {
      row.verdict = TestVerdict::untested;
    } else if (state.cut != Cut::none) {
      row.verdict = TestVerdict::inconclusive;
      row.why = state.cut == Cut::late ? "rig late" : "reset";
    } else if (runs && (ends || ended_early_ != nullptr)) {
      row.verdict = TestVerdict::inconclusive;
      row.why = ended_early_ != nullptr ? ended_early_ : "the end came before";
    }
    add(result, row, frame);
    for (std::size_t j = 0; j < state.monitors.size(); ++j) {
      const CompiledStepExpectation& each = step.expectations[j];
      Monitor monitor = state.monitors[j];
      if (runs && ended_early_ != nullptr) monitor.end_early(ended_early_);
      Row judged{"sequence." + step.name + "." + each.name, each.text, each.requirement, each.unit,
                 monitor.why()};
      judged.severity = severity_of(each.severity);
      judged.verdict = monitor.verdict();
      if (judged.verdict == TestVerdict::inconclusive && state.cut_short[j] != 0)
        judged.why = "the step ended before";
      judged.no_value = judged.verdict == TestVerdict::fail && monitor.no_value();
      judged.frame = monitor.frame();
      judged.margin = monitor.margin();
      add(result, judged, frame);
    }
  }
}

}  // namespace tactus::executive
