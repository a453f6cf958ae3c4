// SPDX-License-Identifier: Apache-2.0
/// `tactus check x.fmu`.
#include <algorithm>

#include "drivers/fmi/model/fmi_model.hpp"
#include "drivers/fmi/model/library_problem.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr std::size_t kMostShown = 500;

std::string number(double value) { return Line("%.9g", value).str(); }

std::string kinds_of(const Description& d) {
  std::vector<std::string> kinds;
  if (d.co_simulation) kinds.emplace_back("co-simulation");
  if (d.model_exchange) kinds.emplace_back("model exchange");
  if (d.scheduled_execution) kinds.emplace_back("scheduled execution");
  return listed(kinds);
}

std::string flags_of(const Interface& of) {
  std::vector<std::string> flags;
  for (const Flag& flag : kFlags)
    if (of.*flag.member) flags.emplace_back(flag.name);
  if (of.fixed_step) flags.push_back("fixedInternalStepSize " + number(*of.fixed_step) + " s");
  return flags.empty() ? "none" : listed(flags);
}

std::string start_of(const Variable& variable) {
  std::vector<std::string> values;
  for (const double value : variable.start.numbers) values.push_back(number(value));
  for (const std::int64_t value : variable.start.wholes)
    values.push_back(variable.type == Type::uint64 ? std::to_string(static_cast<std::uint64_t>(value))
                                                   : std::to_string(value));
  for (const std::string& value : variable.start.texts) values.push_back(in_quotes(value));
  if (values.size() > 6) return "start of " + std::to_string(values.size()) + " values";
  std::string all;
  for (const std::string& value : values) all += (all.empty() ? "" : " ") + value;
  return all.empty() ? "" : "start " + all;
}

/// Begins a part: a line that is empty, and one that says what comes.
void print_head(const Examination& to, const std::string& text) {
  to.line("");
  to.line(text);
}
std::string counted(const std::string& what, std::size_t count) {
  return what + " (" + std::to_string(count) + ")";
}

void print_variables(const Examination& to, const char* title, const std::vector<RigVariable>& variables) {
  if (variables.empty()) return;
  print_head(to, counted(title, variables.size()));
  for (std::size_t i = 0; i < std::min(variables.size(), kMostShown); ++i) {
    const RigVariable& one = variables[i];
    const Variable& of = *one.of;
    std::string type(name_of(of.type));
    if (one.array) type += "[" + std::to_string(one.elements) + "]";
    std::string line(Line("  %-28s %-12s %-10s", one.name.c_str(), type.c_str(),
                          one.unit.text.empty() ? "1" : one.unit.text.c_str()));
    if (const std::string start = start_of(of); !start.empty()) line += " " + start;
    if (of.low || of.high)
      line += "  (" + (of.low ? number(*of.low) : "") + " .. " + (of.high ? number(*of.high) : "") + ")";
    if (one.name != of.name) line += "  = " + in_quotes(of.name);
    if (one.unit.converts()) line += "  unit " + in_quotes(of.unit) + " is converted";
    if (!of.items.empty()) {
      std::vector<std::string> items;
      for (const Item& item : of.items) items.push_back(item.name + " = " + std::to_string(item.value));
      line += "  " + listed(items);
    }
    if (!of.about.empty()) line += "  " + one_line(of.about, 120);
    to.line(line);
  }
  if (variables.size() > kMostShown)
    to.line("  ... and " + std::to_string(variables.size() - kMostShown) + " more");
}

void print_facts(const Examination& to, const Description& d, const Archive& archive) {
  const auto row = [&](const char* name, const std::string& text) {
    if (!text.empty()) to.line(std::string(name) + one_line(text, 300));
  };
  row("model          ", d.model + (d.about.empty() ? "" : ": " + d.about));
  row("version        ", "FMI " + d.version_text);
  row("made by        ", d.tool);
  row("kinds          ", kinds_of(d));
  const std::vector<std::string> here = platforms_here(d.version), all = archive.platforms();
  std::vector<std::string> shown;
  for (const std::string& each : all)
    shown.push_back(each + (std::ranges::find(here, each) == here.end() ? "" : " (this machine)"));
  row("platforms      ", shown.empty() ? "none" : listed(shown));
  if (const auto& used = d.interface(usual_execution(d))) row("flags          ", flags_of(*used));
  const DefaultExperiment& e = d.experiment;
  std::string experiment;
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) experiment += (experiment.empty() ? "" : ", ") + std::string(name) + " " + number(*value);
  };
  add("start", e.start);
  add("stop", e.stop);
  add("tolerance", e.tolerance);
  add("step", e.step);
  row("experiment     ", experiment);
}

std::string times_of(const Partition& partition) {
  switch (partition.kind) {
    case ClockKind::periodic: {
      const double ms = partition.cycle.seconds() * 1e3;
      std::string text = "every " + (ms >= 1000 ? number(ms / 1000) + " s" : number(ms) + " ms");
      if (partition.cycle.den > 1)
        text += " (exactly " + std::to_string(partition.cycle.num) + "/" +
                std::to_string(partition.cycle.den) + " ns)";
      if (partition.shift_ns != 0)
        text += ", first at " + number(static_cast<double>(partition.shift_ns) * 1e-6) + " ms";
      if (partition.may_be_set) text += "; 'cycle' of its job changes it";
      return text;
    }
    case ClockKind::triggered:
      return "when its variable changes";
    case ClockKind::countdown:
      return "once, when the unit says, at the next frame";
    case ClockKind::changing:
      break;
  }
  return "when the unit says, at the next frame";
}

void print_partitions(const Examination& to, const Contents& contents) {
  if (contents.partitions.empty()) return;
  print_head(to, counted("model partitions, each a job of the rig", contents.partitions.size()));
  for (const ClockVariable& clock : contents.partitions) {
    std::string problem;
    const Partition partition = partition_of(clock, problem);
    if (!problem.empty()) {
      to.finding(problem);
      continue;
    }
    const Line head("  %-28s %-12s ", partition.job.c_str(), clock.of->clock.interval_variability.c_str());
    const auto& priority = clock.of->clock.priority;
    to.line(head.str() + times_of(partition) +
            (priority ? ", priority " + std::to_string(*priority) : std::string(", without priority")));
  }
  for (const ClockVariable& clock : contents.output_clocks)
    to.line("  output clock " + clock.name + ": a variable that counts its ticks");
}

std::string times_of(const TickTimes& times) {
  switch (times.source) {
    case TickTimes::Source::none:
      return "when its variable changes, at the beginning of a step";
    case TickTimes::Source::unit:
      return times.periodic ? "at an interval that the unit gives"
                            : (times.countdown ? "once, when the unit says" : "when the unit says");
    case TickTimes::Source::description:
    case TickTimes::Source::rig:
      break;
  }
  return "every " + number(times.described) + " s" +
         (times.shift > 0 ? ", first at " + number(times.shift) + " s" : "");
}

/// Lists the clocks that tick with event mode.
void print_clocks(const Examination& to, const Description& d) {
  Wishes wishes{.event_mode = true};
  std::vector<WishProblem> none;
  const Contents contents = contents_of(d, wishes, none);
  if (contents.partitions.empty() && contents.output_clocks.empty()) return;
  print_head(to, counted("clocks, with 'event_mode: yes'",
                         contents.partitions.size() + contents.output_clocks.size()));
  for (const ClockVariable& clock : contents.partitions) {
    std::string problem;
    const TickTimes times = tick_times_of(*clock.of, problem);
    const Line head("  %-28s %-12s ", clock.name.c_str(), clock.of->clock.interval_variability.c_str());
    if (!problem.empty())
      to.line(head.str() + ("cannot tick: " + problem));
    else
      to.line(head.str() + times_of(times) +
              (times.source != TickTimes::Source::rig ? ""
               : times.tunable ? "; input " + clock.interval + " changes it while the rig runs"
                               : "; parameter " + clock.interval + " changes it"));
  }
  for (const ClockVariable& clock : contents.output_clocks)
    to.line("  output clock " + clock.name + ": a variable that counts its ticks");
}

void print_use(const Examination& to, const Interface& of, bool scheduled) {
  print_head(to, "in a rig");
  const bool state = of.get_and_set_state && of.serialize_state;
  to.line(std::string("  checkpoints    ") +
          (state ? "yes, by its serialized state" : "no: it cannot serialize its state"));
  to.line(std::string("  reset          ") + (state ? "yes" : "no: it cannot serialize its state"));
  to.line(std::string("  instances      ") +
          (of.once_per_process ? "one in a process; others with 'isolated: yes'" : "any number"));
  to.line("  threads        any thread, one at a time");
  if (scheduled) {
    to.line("  cycle          of each partition: below");
    to.line(
        "  preemption     of partitions in models of their own (part_of); else one after the other, the more "
        "urgent first");
  } else {
    to.line("  cycle          " + (of.fixed_step
                                       ? "multiples of " + number(*of.fixed_step) + " s"
                                       : std::string(of.variable_step ? "any" : "any one, which stays")));
  }
  if (of.event_mode)
    to.line(
        "  event mode     with 'event_mode: yes'; else its events are handled inside of its steps, and no "
        "clock ticks");
  if (of.early_return)
    to.line(std::string("  early return   ") +
            (of.event_mode ? "with 'event_mode: yes'" : "not allowed: each step is whole"));
  if (of.intermediate_update || of.early_return_after_update)
    to.line(
        "  intermediate   update: not used; the unit gets no callback (NULL), no variable is asked for "
        "inside "
        "of a step, "
        "and none ends early there");
  to.line(
      "  real time      what a step takes and allocates is the unit's own: see the times of its job in the "
      "report");
}

}  // namespace

void FmiModel::examine(const std::string& file, const Examination& to) {
  const Archive archive(file);
  std::vector<Finding> findings;
  const Description d = read_description(archive.description(), findings);
  if (!d.model.empty()) print_facts(to, d, archive);
  if (!has_error(findings)) {
    const Execution execution = usual_execution(d);
    const auto& used = d.interface(execution);
    if (used) print_use(to, *used, execution == Execution::scheduled);
    std::vector<WishProblem> none;
    Wishes wishes{.execution = execution};
    const Contents contents = contents_of(d, wishes, none);
    if (execution == Execution::scheduled) print_partitions(to, contents);
    if (used && execution == Execution::co_simulation && used->event_mode) print_clocks(to, d);
    print_variables(to, "inputs", contents.inputs);
    print_variables(to, "outputs", contents.outputs);
    print_variables(to, "parameters", contents.parameters);
    print_variables(to, "tunable parameters, which can be set while the rig runs", contents.tunables);
    print_variables(to, "constants and calculated parameters", contents.constants);
    if (!contents.structure.empty()) {
      print_head(
          to, counted("structural parameters, under 'parameters' in a rig file", contents.structure.size()));
      for (const StructureVariable& each : contents.structure)
        to.line("  " + each.name + " " + start_of(*each.of) + "  " + one_line(each.of->about, 120));
    }
    if (!contents.texts.empty()) {
      print_head(to, counted("texts, key 'texts'", contents.texts.size()));
      for (const Variable* const each : contents.texts)
        to.line("  " + one_line(each->name) + " " + start_of(*each));
    }
    const auto locals =
        std::ranges::count_if(d.variables, [](const Variable& v) { return v.causality == Causality::local; });
    if (locals > 0)
      print_head(to, counted("local variables, shown by key 'locals'", static_cast<std::size_t>(locals)));
    for (const LeftOut& each : contents.left_out)
      to.line("not in a rig: " + in_quotes(each.variable->name) + ": " + each.why);
    to.line("");
  }
  for (const Finding& finding : findings)
    if (finding.error)
      to.finding(finding.message());
    else
      to.line("note: " + finding.message());
  if (has_error(findings)) return;
  const Execution execution = usual_execution(d);
  for (const std::string& why : refusals(d, execution)) to.finding(why);
  const auto& used = d.interface(execution);
  if (!used) return;
  const std::vector<std::string> here = platforms_here(d.version);
  if (std::ranges::none_of(here, [&](const std::string& platform) {
        return archive.has("binaries/" + platform + "/" + used->identifier + ".so");
      }))
    return to.finding("it has no library for this machine: binaries/" + (here.empty() ? "?" : here.front()) +
                      "/" + used->identifier + ".so");
  for (const std::string& platform : here)
    if (const std::string library = "binaries/" + platform + "/" + used->identifier + ".so";
        archive.has(library))
      if (const std::string wrong = library_problem(archive, library); !wrong.empty())
        return to.finding(wrong);
  if (!to.option("measure").empty() && refusals(d, execution).empty()) measure(file, to);
}

}  // namespace tactus::drivers::fmi
