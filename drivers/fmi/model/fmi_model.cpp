// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/fmi_model.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include "drivers/fmi/model/library_problem.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

/// Units that may be instantiated once per process, and are: by their tokens.
struct Claims {
  std::mutex mutex;
  std::set<std::string> tokens;
};
Claims& claims() {
  static Claims all;
  return all;
}

tactus_type type_in_rig(Type type, Version version) {
  if (type == Type::boolean) return TACTUS_BOOL;
  return with_type(
      type, version, []<class T>(T) { return tactus::detail::type_of<T>(); }, TACTUS_DOUBLE);
}

const char* fixed_reason(const Variable& of) {
  if (of.variability == Variability::constant) return "is a constant of the unit: it can never be set";
  if (of.causality == Causality::parameter)
    return "is a fixed parameter of the unit: it can be set before the start alone, in the rig file under "
           "'parameters'";
  if (of.causality == Causality::calculated_parameter)
    return "is calculated by the unit from its parameters: it can never be set";
  return "is computed by the unit: it cannot be set while the rig runs; force it instead";
}

}  // namespace

FmiModel::~FmiModel() {
  if (!is_part()) shared_->unit.reset();
  std::erase(shared_->models, this);
  if (claimed_.empty()) return;
  const std::lock_guard lock(claims().mutex);
  claims().tokens.erase(claimed_);
}

void FmiModel::keys(Keys& k) {
  k.text("unit", unit_file_, {1, 4000},
         "file of the unit, engine.fmu; relative to the folder of the rig file")
      .required()
      .file();
  k.word("execution", wanted_,
         {{"any", Wanted::any, "co-simulation, or scheduled execution if the unit offers nothing else"},
          {"co_simulation", Wanted::co_simulation, "job 'step' makes its steps"},
          {"scheduled", Wanted::scheduled, "each model partition is a job, FMI 3.0"}},
         "how to run the unit");
  k.text(
      "part_of", part_of_, {1, 200},
      "model that holds the instance of the unit: this model calls some partitions of it, on another thread");
  k.texts("partitions", chosen_, {1, 1000},
          "clocks whose partitions are jobs of this model, of a unit that several models share");
  k.refused("structure", "structural parameters stand under 'parameters', as all others");
  k.named("texts", texts_, "parameter", "values of parameters of type String; a Binary in hexadecimal digits",
          [](Keys& inner, Text& text) {
            inner.text("value", text.value, {0, 65536}, "the value").required();
          })
      .short_value("value");
  k.named("start", starts_, "variable",
          "start values of outputs and local variables whose initial is exact or approx, in their unit of "
          "the rig",
          [](Keys& inner, Text& text) {
            inner.text("value", text.value, {1, 100}, "the value").required();
          })
      .short_value("value");
  k.texts("locals", locals_, {1, 1000}, "local variables to show; * stands for any text");
  k.word("on_discard", on_discard_,
         {{"terminate", OnFailure::terminate, "the rig aborts"},
          {"hold", OnFailure::hold, "the outputs stay as they are, and the rig continues"}},
         "what to do if the unit discards a step");
  k.word("on_error", on_error_,
         {{"terminate", OnFailure::terminate, "the rig aborts"},
          {"hold", OnFailure::hold, "the outputs stay as they are, and the rig continues"}},
         "what to do if the unit answers Error or Fatal");
  k.word("on_end", on_end_,
         {{"stop", OnEnd::stop, "the rig stops in order"},
          {"hold", OnEnd::hold, "the outputs stay as they are"}},
         "what to do if the unit asks for the end of the simulation");
  k.yes_no("ignore_fixed_step", ignore_fixed_step_,
           "run a unit although the cycle is not a multiple of its fixed step");
  k.yes_no("event_mode", event_mode_,
           "co-simulation of 3.0: handle the unit's events, change discrete inputs at events, and let its "
           "clocks tick");
  k.yes_no("log", unit_log_, "let the unit log all of its categories");
  k.number("tolerance", tolerance_, "1", {0, 1},
           "relative tolerance for the unit's solver; 0: the unit's own");
}

void FmiModel::check(const Problems& problems) {
  const std::filesystem::path file = std::filesystem::path(folder_) / unit_file_;
  std::vector<Finding> findings;
  try {
    archive_ = std::make_unique<Archive>(file);
    description_ = read_description(archive_->description(), findings);
  } catch (const ArchiveError& error) {
    for (const std::string& problem : error.problems()) problems.add("unit", problem);
    return;
  }
  for (const Finding& finding : findings)
    if (finding.error)
      problems.add("unit", finding.message());
    else
      log_.put(Status::warning, "", finding.message().c_str());
  if (has_error(findings)) return;
  execution_ = wanted_ == Wanted::any
                   ? usual_execution(description_)
                   : (wanted_ == Wanted::scheduled ? Execution::scheduled : Execution::co_simulation);
  if (event_mode_ && (execution_ != Execution::co_simulation || !description_.co_simulation ||
                      !description_.co_simulation->event_mode))
    problems.add("event_mode",
                 execution_ == Execution::scheduled
                     ? "the unit runs as scheduled execution, which has no event mode; leave it out"
                     : "the unit has no event mode (hasEventMode); leave it out");
  const std::vector<std::string> refused = refusals(description_, execution_);
  for (const std::string& why : refused) problems.add("unit", why);
  if (!refused.empty()) return;
  const std::vector<std::string> platforms = archive_->platforms(),
                                 here = platforms_here(description_.version);
  for (const std::string& platform : here)
    if (archive_->has("binaries/" + platform + "/" + interface().identifier + ".so")) platform_ = platform;
  if (platform_.empty())
    problems.add("unit", "has no library for this machine (binaries/" + (here.empty() ? "?" : here.front()) +
                             "/" + interface().identifier + ".so); it has " +
                             (platforms.empty() ? "none at all" : listed(platforms)));
  else if (const std::string wrong =
               library_problem(*archive_, "binaries/" + platform_ + "/" + interface().identifier + ".so");
           !wrong.empty())
    problems.add("unit", wrong);
  Wishes wishes{.execution = execution_, .event_mode = event_mode_, .parameters = given_, .locals = locals_};
  std::vector<WishProblem> wrong;
  contents_ = contents_of(description_, wishes, wrong);
  for (const WishProblem& each : wrong) problems.add(each.path, each.text);
  make_partitions(problems);
  choose_partitions(problems);
  output_ticks_.assign(contents_.output_clocks.size(), 0);
  measured_.clocks = std::make_unique<UnitTimes::OfClock[]>(partitions_.size());
  check_texts(problems);
  check_starts(problems);
  if (!platform_.empty() && !is_part()) claim_once(problems);
  if (tolerance_ == 0) tolerance_ = description_.experiment.tolerance.value_or(0);
}

void FmiModel::check_texts(const Problems& problems) const {
  std::vector<std::string> names;
  for (const Variable* const known : contents_.texts) names.push_back(known->name);
  for (const Variable* const known : contents_.texts)
    if (given_.count(known->name) != 0)
      problems.add("parameters." + known->name, "is a " + std::string(name_of(known->type)) +
                                                    ", which a rig has no variables for; write 'texts: { " +
                                                    known->name + ": ... }' instead");
  for (const Text& text : texts_) {
    const auto at =
        std::ranges::find_if(contents_.texts, [&](const Variable* v) { return v->name == text.name; });
    if (at == contents_.texts.end()) {
      problems.add("texts." + text.name, "the unit has no parameter of type String or Binary of this name" +
                                             nearest(text.name, names));
    } else if ((*at)->type == Type::binary &&
               (text.value.size() % 2 != 0 ||
                text.value.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)) {
      problems.add("texts." + text.name, "is a Binary: pairs of hexadecimal digits, '00ff'");
    }
  }
}

void FmiModel::claim_once(const Problems& problems) {
  if (!interface().once_per_process) return;
  const std::lock_guard lock(claims().mutex);
  if (claims().tokens.insert(description_.token).second)
    claimed_ = description_.token;
  else
    problems.add("unit",
                 "can be instantiated only once per process (canBeInstantiatedOnlyOncePerProcess), and "
                 "another model of the "
                 "rig has it; write 'isolated: yes' for one of the two");
}

void FmiModel::sort_into(Groups& groups, const std::vector<RigVariable>& variables) const {
  for (const RigVariable& variable : variables) {
    const auto at = std::ranges::find_if(groups, [&](const auto& group) {
      const bool other = group->variables().front().of->variability != variable.of->variability;
      return group->takes(variable) && !(event_mode_ && other);
    });
    Values& values =
        at == groups.end()
            ? *groups.emplace_back(std::make_unique<Values>(variable.of->type, description_.version))
            : **at;
    values.add(variable);
  }
  for (const auto& group : groups) group->lay_out();
}

void FmiModel::declare_group(Values& values, tactus_role role) const {
  for (std::size_t i = 0; i < values.variables().size(); ++i) {
    const RigVariable& variable = values.variables()[i];
    const Variable& of = *variable.of;
    std::vector<tactus_label> labels;
    for (const Item& item : of.items) labels.push_back({item.name.c_str(), item.value});
    std::string about = of.about;
    if (variable.name != of.name) about = of.name + (about.empty() ? "" : ": " + about);
    const tactus_variable declared{sizeof(tactus_variable),
                                   role,
                                   type_in_rig(values.type(), description_.version),
                                   variable.array ? variable.elements : 0,
                                   values.data(i),
                                   variable.name.c_str(),
                                   variable.unit.text.c_str(),
                                   about.c_str(),
                                   labels.data(),
                                   static_cast<std::uint32_t>(labels.size()),
                                   variable.columns};
    if (host_->declare_variable(host_->context, &declared) != 0)
      throw std::runtime_error("tactus refused variable " + in_quotes(of.name));
    declare_fixed(variable.name.c_str(), role == TACTUS_INPUT ? nullptr : fixed_reason(of));
  }
}

/// Says when a variable can be set that cannot be while the rig runs.
void FmiModel::declare_fixed(const char* variable, const char* why) const {
  if (why == nullptr || host_->size <= offsetof(tactus_host, declare_fixed)) return;
  if (host_->declare_fixed(host_->context, variable, why) != 0)
    throw std::runtime_error("tactus refused variable " + in_quotes(variable));
}

void FmiModel::declare(Declare& d) {
  name_ = d.instance();
  join();
  sort_into(inputs_, contents_.inputs);
  sort_into(tunables_, contents_.tunables);
  sort_into(parameters_, contents_.parameters);
  sort_into(outputs_, contents_.outputs);
  sort_into(constants_, contents_.constants);
  for (StructureVariable& each : contents_.structure) {
    d.parameter(each.name.c_str(), each.memory, "", each.of->about.c_str());
    declare_fixed(each.name.c_str(),
                  "is a structural parameter of the unit, which decides sizes of arrays: it can be set in "
                  "the rig file alone, under 'parameters'");
  }
  for (const auto& group : parameters_) declare_group(*group, TACTUS_PARAMETER);
  for (const auto& group : tunables_) declare_group(*group, TACTUS_INPUT);
  for (const auto& group : inputs_) declare_group(*group, TACTUS_INPUT);
  for (const auto& group : outputs_) declare_group(*group, TACTUS_OUTPUT);
  for (const auto& group : constants_) declare_group(*group, TACTUS_OUTPUT);
  if (execution_ == Execution::co_simulation) {
    d.state("unit_steps", steps_, "", "steps that the unit has made; -1 before the first frame");
    d.state("unit_lag", lag_, "s", "time that it has not reached of what it was asked, as far as it says so");
  }
  d.state("unit_time", time_, "s", "time that the unit was asked to reach");
  d.state("unit_status", status_, "", "held: it failed, and its outputs stay; ended: it asked for the end",
          {{"running", kRuns}, {"held", kIsHeld}, {"ended", kHasEnded}});
  if (!is_part()) d.job<&FmiModel::initialize>("initialize", JobClass::initialization);
  if (execution_ == Execution::scheduled)
    declare_partitions(d);
  else
    d.job<&FmiModel::step>("step", JobClass::scheduled);
  if (event_mode_) declare_clocks(d);
  if (is_part()) return;  // the model that has the instance begins, keeps and ends it
  d.job<&FmiModel::end>("end", JobClass::shutdown);
  if (!interface().get_and_set_state || !interface().serialize_state) {
    d.cannot_restart(interface().get_and_set_state
                         ? "the unit cannot serialize its state (canSerializeFMUState)"
                         : "the unit cannot give away its state (canGetAndSetFMUState)");
    return;
  }
  load();  // the size of its state is known to the unit alone
  keeps_state_ = unit_->prepare_state();
  const std::size_t bytes = keeps_state_ ? unit_->state_bytes() : 0;
  if (bytes == 0) {
    keeps_state_ = false;
    d.cannot_restart("the unit says that it can serialize its state, and does not");
    return;
  }
  state_.resize((bytes + bytes / 4 + 1024) / 64 * 64);
  d.state("unit_state_bytes", state_bytes_, "", "size of the unit's state in unit_state; 0: there is none");
  declare_bytes("unit_state", std::as_writable_bytes(std::span(state_)), "state of the unit for checkpoints");
  d.job<&FmiModel::save>("save", JobClass::checkpoint);
  d.job<&FmiModel::restore>("restore", JobClass::restart);
}

/// Declares a state whose size only the unit decides.
void FmiModel::declare_bytes(const char* name, std::span<std::byte> bytes, const char* about) const {
  const tactus_variable declared{sizeof(tactus_variable),
                                 TACTUS_STATE,
                                 TACTUS_UINT8,
                                 static_cast<std::uint32_t>(bytes.size()),
                                 bytes.data(),
                                 name,
                                 "",
                                 about,
                                 nullptr,
                                 0,
                                 0};
  if (host_->declare_variable(host_->context, &declared) != 0)
    throw std::runtime_error("tactus refused variable '" + std::string(name) + "'");
}

void FmiModel::planned(const std::string& job, std::int64_t cycle_num, std::int64_t cycle_den) {
  for (Partition& partition : partitions_)
    if (partition.job == job) plan_partition(partition, cycle_num, cycle_den);
  if (job != "step") return;
  const double step = static_cast<double>(cycle_num) / static_cast<double>(cycle_den) * 1e-9;
  std::array<char, 400> clocks{};
  if (refuse_clocks(step, clocks)) throw std::runtime_error(clocks.data());
  if (ignore_fixed_step_) return;
  const std::string why = step_refusal(description_, step);
  if (!why.empty()) throw std::runtime_error(why);
}

/// Unpacks the unit, loads its library and makes the instance.
void FmiModel::load() {
  if (unit_ != nullptr) return;
  shared_->unpacked.emplace();
  const std::filesystem::path folder = shared_->unpacked->unit();
  archive_->unpack(folder, platform_);
  shared_->unit = Unit::load(folder, platform_, description_, execution_, log_);
  unit_ = shared_->unit.get();
  prepare_functions();
  unit_->instantiate(name_, unit_log_);
}

void FmiModel::prepare_functions() {
  for (const Groups* const groups : {&inputs_, &tunables_, &parameters_})
    for (const auto& group : *groups) unit_->need_set(group->type());
  for (const Groups* const groups : {&outputs_, &constants_})
    for (const auto& group : *groups) unit_->need_get(group->type());
  for (const Variable* const text : contents_.texts)
    if (std::ranges::any_of(texts_, [&](const Text& t) { return t.name == text->name; }))
      unit_->need_set(text->type);
  for (const GivenStart& each : given_starts_) unit_->need_set(each.of->type);
  if (std::ranges::any_of(contents_.structure, [](const StructureVariable& each) { return is_other(each); }))
    unit_->need_set(Type::uint64);
  if (execution_ == Execution::scheduled)
    need_clocks();
  else
    list_transfers();
  if (event_mode_) {
    sort_events();
    need_clocks();
    need_ticks();
    unit_->use_event_mode();
  }
}

void FmiModel::open(const OpenRequest&) {
  try {
    if (is_part()) {
      unit_ = shared_->unit.get();
      if (unit_ == nullptr) throw UnitError("was not opened by model " + in_quotes(part_of_));
      return prepare_functions();
    }
    load();
    say_what_it_is();
    if (!keeps_state_) (void)unit_->prepare_state();
  } catch (const std::exception& error) {
    throw std::runtime_error("unit " + unit_file_ + " " + error.what());
  }
}

/// Tells the log which unit a model is, so that a run folder says it.
void FmiModel::say_what_it_is() {
  const std::string text =
      "unit " + in_quotes(description_.model) + ", FMI " + description_.version_text + ", " +
      (execution_ == Execution::scheduled ? "scheduled execution"
       : event_mode_                      ? "co-simulation with event mode"
                                          : "co-simulation") +
      (description_.model_version.empty() ? "" : ", version " + description_.model_version) +
      (description_.tool.empty() ? "" : ", made by " + description_.tool);
  log_.put(Status::ok, "unit", text.c_str());
  std::vector<std::string> idle;
  for (const std::string& clock : shared_->all_clocks)
    if (shared_->clocks.count(clock) == 0) idle.push_back(in_quotes(clock));
  if (!idle.empty())
    warn(("no model has the partition of clock " + listed(idle) + ", so it never runs").c_str());
}

bool FmiModel::take_message(Message& to) {
  LogEntry entry;
  if (log_.take(entry)) {
    to.warning = entry.status != Status::ok;
    to.text = one_line(entry.text.data());
    if (entry.category[0] != '\0') to.text = "[" + one_line(entry.category.data()) + "] " + to.text;
    return true;
  }
  to.warning = true;
  const std::uint64_t dropped = log_.dropped();
  if (dropped == 0) {
    if (seen_.empty()) seen_ = surroundings_.look_seldom();
    if (seen_.empty()) return false;
    to.text = "[tactus] " + seen_.back();
    seen_.pop_back();
    return true;
  }
  to.text =
      std::to_string(dropped) + " messages of the unit were lost: they came faster than they were written";
  return true;
}

const tactus_driver* fmi_entry() {
  using namespace tactus::detail;
  return entry<FmiModel>(
      "model", "fmi",
      "A functional mock-up unit (FMU) as a model: co-simulation of FMI 2.0 or 3.0, scheduled execution of "
      "3.0",
      [] {
        tactus_model_functions all = model_functions<FmiModel>();
        all.declare = [](const tactus_host* host, void* self) {
          static_cast<FmiModel&>(driver_of(self)).use(*host);
          return declare_model(host, self);
        };
        return all;
      },
      &make_driver<FmiModel, Model>, &destroy_driver<Model>);
}

}  // namespace tactus::drivers::fmi
