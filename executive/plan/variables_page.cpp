// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/variables_page.hpp"

#include "executive/plan/executive_variables.hpp"
#include "rtsync/joined.hpp"

namespace tactus::executive {
namespace {

/// "`0` none, `1` work".
std::string codes_of(const Variable& variable) {
  return rtsync::joined(variable.labels, ", ", [&](const VariableLabel& label) {
    return ("`" + std::to_string(label.value) + "` " + label.name);
  });
}

template <class Variables>
void add_table(std::string& page, const char* title, const char* about, const Variables& variables) {
  if (variables.empty()) return;
  page += "\n## " + std::string(title) + "\n\n" + about +
          "\n\n| name | unit | type | meaning | codes |\n|---|---|---|---|---|\n";
  for (const Variable& variable : variables)
    page += "| `" + variable.name + "` | " + variable.unit_text + " | " +
            std::string(name_of(variable.type)) + " | " + variable.about + " | " + codes_of(variable) +
            " |\n";
}

}  // namespace

std::string variables_page(const std::vector<Variable>& link) {
  ExecutiveVariables own;
  own.add_clock();
  own.add_policies({"<model>.<job>"});
  own.add_faults({"<name>"});
  std::string page =
      "# Variables of the executive\n\n"
      "What `tactus check --variables` prints. Beside the variables of its models a rig has these. "
      "They can be\n"
      "recorded, connected to inputs, watched and read; nothing sets or forces them. A code is a number with "
      "a word:\n"
      "live access and recordings other than CSV show both. CSV has the word of `rt.cause`, `rt.beside` and "
      "`rt.overrun`,\n"
      "and the number of other codes, with the words in `<recording>.columns.json`.\n";
  add_table(
      page, "rt: the frame",
      "Every rig has them. `rt.frame` says of which frame the rest are: in a job, of the frame "
      "before. Without\n"
      "real time only `rt.frame`, `rt.work` and `rt.behind` mean something. [causes.md](causes.md) says "
      "what each\n"
      "cause means.",
      *own.find(ExecutiveVariables::kRealtime));
  add_table(page, "clock: an external clock",
            "Only of a rig whose frames follow edges ([external-clock.md](external-clock.md)).",
            *own.find(ExecutiveVariables::kClock));
  add_table(page, "policy: what escalations left out",
            "Only of a rig with escalations or optional jobs ([overruns.md](overruns.md)).",
            *own.find(ExecutiveVariables::kPolicy));
  add_table(page, "fault: faults that act",
            "Only of a rig with faults ([stimuli-and-faults.md](stimuli-and-faults.md)): `<name>` is that of "
            "a fault.",
            *own.find(ExecutiveVariables::kFault));
  add_table(page, "link: the federation",
            "Only of a linked rig ([link.md](link.md)). `<subscription>` is the name of an entry of "
            "`link.subscribe`;\n"
            "beside these each of its inputs has a variable `link.<subscription>.<input>`: the value that it "
            "is given.",
            link);
  return page;
}

}  // namespace tactus::executive
