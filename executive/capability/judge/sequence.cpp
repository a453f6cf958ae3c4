// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/sequence.hpp"

#include <chrono>
#include <set>
#include <utility>

#include "config/expression.hpp"
#include "config/number.hpp"
#include "config/rules.hpp"
#include "config/text.hpp"
#include "executive/capability/judge/expectation_text.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::executive {

using namespace std::chrono_literals;
using namespace config;

namespace {

constexpr std::size_t kMostSteps = 1000;

const Fields<BranchSettings>& branch_fields() {
  using B = BranchSettings;
  static const Fields<B> fields{
      "A branch: when its condition holds at the end of a frame, the step is over and another one begins.",
      {
          located(&B::origin),
          required("when", &B::when, length(1, kLongestExpression), "condition (expressions.md)"),
          required("step", &B::step, length(1, 100), "name of the step that follows, or end"),
      }};
  return fields;
}

class SequenceCompiler {
 public:
  SequenceCompiler(TestConditions& conditions, ActionParser& actions, Problems& problems)
      : conditions_(conditions), actions_(actions), problems_(problems) {}

  CompiledSequence compile(const Node& sequence) {
    if (sequence.is_null()) return {};
    if (!sequence.is_list()) {
      problems_.add(sequence.place(), "sequence",
                    std::string("expected a list of steps, found ") + kind_name(sequence.kind()));
      return {};
    }
    if (sequence.items().size() > kMostSteps)
      problems_.add(
          sequence.place(), "sequence",
          std::to_string(sequence.items().size()) + " steps are more than " + std::to_string(kMostSteps));
    for (std::size_t i = 0; i < sequence.items().size(); ++i) {
      const std::string path = "sequence[" + std::to_string(i) + "]";
      steps_.push_back(step_of_sequence_fields().load(sequence.items()[i], path, problems_));
      check_name(steps_.back());
    }
    const std::size_t mistakes = problems_.count();
    CompiledSequence made;
    for (std::size_t i = 0; i < steps_.size(); ++i) made.steps.push_back(step(i));
    if (problems_.count() == mistakes) check_reach(made);
    return made;
  }

 private:
  void check_name(const StepSettings& settings) {
    const std::string& name = settings.step.value;
    if (name.empty()) return;  // said why
    if (config::trimmed(name).empty()) problems_.add(settings.step, "its name is blank; name the step");
    if (name == "end")
      problems_.add(settings.step, "'end' is the end of the sequence; name the step otherwise");
    if (!names_.insert(name).second)
      problems_.add(settings.step, "another step is named " + show(name) + "; each needs a name of its own");
  }

  /// Refuses steps to which nothing leads.
  void check_reach(const CompiledSequence& sequence) {
    std::vector<bool> reached(sequence.steps.size());
    std::vector<std::uint32_t> open;
    const auto reach = [&](std::uint32_t step) {
      if (step == CompiledStep::kEnd || reached[step]) return;
      reached[step] = true;
      open.push_back(step);
    };
    if (!reached.empty()) reach(0);
    while (!open.empty()) {
      const CompiledStep& step = sequence.steps[open.back()];
      open.pop_back();
      if (step.until || step.frames > 0) reach(step.next);
      if (step.timeout > 0) reach(step.on_timeout);
      for (const CompiledStep::Branch& branch : step.branches) reach(branch.step);
    }
    for (std::size_t i = 0; i < reached.size(); ++i)
      if (!reached[i])
        problems_.add(steps_[i].step, "no step leads to " + show(steps_[i].step.value) +
                                          "; name it in 'next', 'on_timeout' or 'branches' of another, or "
                                          "remove it");
  }

  /// The step of a name; `otherwise` if there is none.
  std::uint32_t step_of(const Located<std::string>& name, std::uint32_t otherwise) {
    if (name.value.empty()) return otherwise;
    if (name.value == "end") return CompiledStep::kEnd;
    const auto name_of = [](const StepSettings& each) { return each.step.value; };
    const auto found = std::ranges::find(steps_, name.value, name_of);
    if (found != steps_.end()) return static_cast<std::uint32_t>(found - steps_.begin());
    problems_.add(name, "there is no step " + show(name.value) + did_you_mean(name.value, steps_, name_of));
    return otherwise;
  }

  CompiledStep step(std::size_t i) {
    const StepSettings& settings = steps_[i];
    const std::string path = settings.origin.path;
    const std::uint32_t after =
        i + 1 < steps_.size() ? static_cast<std::uint32_t>(i + 1) : CompiledStep::kEnd;
    CompiledStep made{.origin = settings.origin,
                      .name = settings.step.value,
                      .requirement = settings.requirement,
                      .severity = settings.severity};
    if (settings.lasting && !settings.until.value.empty())
      problems_.add(*settings.lasting, "a step ends by 'until' or by 'for', not by both; remove one");
    if (settings.timeout && settings.until.value.empty())
      problems_.add(*settings.timeout, "'timeout' belongs to 'until'; add it, or remove this");
    if (!settings.on_timeout.value.empty() && !settings.timeout)
      problems_.add(settings.on_timeout, "'on_timeout' belongs to 'timeout'; add it, or remove this");
    const bool ends = settings.lasting || !settings.until.value.empty() || !settings.branches.empty();
    if (!ends && i + 1 < steps_.size())
      problems_.add(settings.origin,
                    "never ends, so no step after it begins; add 'until', 'for' or 'branches'");
    if (!settings.until.value.empty()) {
      if (const auto until = conditions_.condition(settings.until)) made.until = until->cell;
      made.text = "until " + settings.until.value;
    }
    if (settings.lasting) {
      made.frames = conditions_.frames_of(settings.lasting->value);
      made.text = "for " + print_duration(settings.lasting->value);
    }
    if (settings.timeout) {
      made.timeout = conditions_.frames_of(settings.timeout->value);
      made.late_limit = settings.timeout->value / 10;
      made.text += ", at most " + print_duration(settings.timeout->value);
    }
    if (made.text.empty()) made.text = "until the end";
    for (const BranchSettings& branch : settings.branches) {
      const auto when = conditions_.condition(branch.when);
      const std::uint32_t to = step_of(branch.step, CompiledStep::kEnd);
      if (when) made.branches.push_back({when->cell, to});
    }
    made.next = step_of(settings.next, after);
    const bool goes_on = settings.severity == Severity::note || settings.severity == Severity::warn;
    made.on_timeout = step_of(settings.on_timeout, goes_on ? made.next : CompiledStep::kEnd);
    ActionPlan& plan = actions_.plan();
    plan.steps.push_back(made.name);
    plan.step_lists.push_back(actions_.add(settings.actions, path + ".do", "step " + made.name));
    if (!settings.expect.is_map() && !settings.expect.is_null())
      problems_.add(settings.expect.place(), path + ".expect",
                    std::string("expected a map of names, found ") + kind_name(settings.expect.kind()));
    for (const Node::Entry& entry : settings.expect.entries())
      if (auto expectation = expected(entry, path + ".expect." + entry.key))
        made.expectations.push_back(std::move(*expectation));
    return made;
  }

  /// `within 200 ms: C`, `for 1 s: C`, `always C`, `never C`, or a map with these keys.
  std::optional<CompiledStepExpectation> expected(const Node::Entry& entry, const std::string& path) {
    const auto read = read_expectation(entry.value, path, problems_);
    if (!read) return std::nullopt;
    const ExpectSettings& settings = *read;
    const auto refuse = [&](const std::string& why) {
      problems_.add(entry.place, path, why);
      return std::nullopt;
    };
    if (!settings.after.value.empty() || !settings.between.empty() || !settings.before.empty() ||
        !settings.finally.value.empty() || !settings.settles.value.empty() || !settings.run.value.empty() ||
        settings.from || settings.until || settings.shift || settings.tube || settings.realtime)
      return refuse(
          "a step knows always, never, within and for, which count from its beginning; write others beside "
          "the "
          "sequence");
    const bool timed = settings.within || settings.lasting;
    const int forms = (settings.always.value.empty() ? 0 : 1) + (settings.never.value.empty() ? 0 : 1) +
                      (settings.within ? 1 : 0) + (settings.lasting ? 1 : 0);
    if (forms != 1)
      return refuse("expects one of always, never, within, for; " + std::to_string(forms) + " are given");
    if (timed == settings.holds.value.empty())
      return refuse(timed ? "needs 'holds', the condition that ought to hold"
                          : "'holds' belongs to within and for; remove it");
    CompiledStepExpectation made{.origin = {entry.place, path},
                                 .name = entry.key,
                                 .requirement = settings.requirement,
                                 .severity = settings.severity,
                                 .ignore_nan = settings.ignore_nan};
    const Located<std::string>& condition = !settings.always.value.empty()  ? settings.always
                                            : !settings.never.value.empty() ? settings.never
                                                                            : settings.holds;
    using Kind = Monitor::Kind;
    if (timed) {
      const Nanoseconds time = settings.within ? *settings.within : *settings.lasting;
      made.kind = settings.within ? Kind::within : Kind::lasting;
      made.ticks = conditions_.frames_of(time) - 1;
      made.limit = time;
      made.text = (settings.within ? "within " : "for ") + print_duration(time) + ": " + condition.value;
    } else {
      made.kind = settings.always.value.empty() ? Kind::never : Kind::always;
      made.text = (made.kind == Kind::always ? "always " : "never ") + condition.value;
    }
    const auto compiled = conditions_.condition(condition);
    if (!compiled) return std::nullopt;
    made.holds = compiled->cell;
    made.margin = compiled->margin;
    made.units = compiled->units;
    made.condition = condition.value;
    made.no_margin = compiled->no_margin;
    return made;
  }

  TestConditions& conditions_;
  ActionParser& actions_;
  Problems& problems_;
  std::vector<StepSettings> steps_;
  std::set<std::string> names_;
};

}  // namespace

const Fields<StepSettings>& step_of_sequence_fields() {
  using S = StepSettings;
  static const Fields<S> fields{
      "A step of a sequence. One runs at a time.",
      {
          located(&S::origin),
          required("step", &S::step, length(1, 100), "name, for the report"),
          optional("do", &S::actions, "actions when it begins"),
          optional("until", &S::until, length(1, kLongestExpression),
                   "condition that ends it (expressions.md)"),
          optional("for", &S::lasting, range(1ns, 3600s), "simulated time after which it ends"),
          optional("timeout", &S::timeout, range(1ns, 3600s),
                   "simulated time in which `until` has to hold, else the step fails"),
          optional("severity", &S::severity, severity_choices(), "consequence of a time-out"),
          optional("requirement", &S::requirement, length(0, 200), "name of a requirement, for reports"),
          optional("expect", &S::expect, "expectations by name, judged while the step runs"),
          list("branches", &S::branches, branch_fields(),
               "other steps that may follow, the first that holds"),
          optional("next", &S::next, length(1, 100),
                   "step that follows, or end; without it the next one of the list"),
          optional(
              "on_timeout", &S::on_timeout, length(1, 100),
              "step that follows a time-out, or end; without it the end, with severity note or warn `next`"),
      }};
  return fields;
}

CompiledSequence compile_sequence(const Node& sequence, TestConditions& conditions, ActionParser& actions,
                                  Problems& problems) {
  return SequenceCompiler(conditions, actions, problems).compile(sequence);
}

}  // namespace tactus::executive
