#include "executive/rig.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <stdexcept>

#include "executive/job_class.hpp"
#include "executive/parameter_value.hpp"
#include "executive/schedule.hpp"
#include "executive/suggest.hpp"

namespace tactus::executive {
namespace {

constexpr const char* kRealtime = "rt";    // the name of the executive's own variables
constexpr const char* kRecord = "record";  // and of its own jobs

/// a + b; nothing when that is beyond what a Period holds.
std::optional<rtsync::Period> sum(const rtsync::Period& a, const rtsync::Period& b) {
  using rtsync::Wide;
  const Wide num = static_cast<Wide>(a.num()) * b.den() + static_cast<Wide>(b.num()) * a.den();
  const Wide den = static_cast<Wide>(a.den()) * b.den();
  if (num > INT64_MAX || den > INT64_MAX) return std::nullopt;
  return rtsync::Period{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den)};
}

}  // namespace

Rig::Rig(RigSettings settings, const std::filesystem::path& base, config::Problems problems)
    : settings_(std::move(settings)), problems_(std::move(problems)) {
  plan_.frame = settings_.frame.period;
  plan_.job_times = settings_.job_times;
  declare_realtime_variables();
  make_models(base);
  connect();
  refuse_direct_loops();
  make_recordings();
  if (problems_.empty()) {
    try {
      std::vector<ScheduledJob> jobs;
      for (const PlannedJob& job : plan_.jobs)
        if (is_cyclic(job.job_class))
          jobs.push_back({job.job_class, job.phase, 0, false, job.cycle, job.first, job.stop, true});
      (void)Schedule(jobs, plan_.frame);
    } catch (const std::exception& error) {
      problems_.add(settings_.rig.place, "models", error.what());
    }
  }
  if (!problems_.empty()) throw config::ConfigError(problems_);
}

Rig::~Rig() = default;

const ModelLibrary* Rig::library(const ModelSettings& model, const std::filesystem::path& base) {
  const std::filesystem::path file = find_library(model.library.value, base);
  for (const ModelLibrary& known : libraries_)
    if (known.file() == file) return &known;
  return &libraries_.emplace_back(file);
}

void Rig::make_models(const std::filesystem::path& base) {
  std::map<const tactus_model*, std::string> single;  // models with static data, and who has them
  for (ModelSettings& settings : settings_.models) {
    if (settings.name == kRealtime || settings.name == kRecord) {
      problems_.add(
          settings.origin,
          "'" + settings.name + "' is the name of the executive's own variables or jobs; choose another");
      continue;
    }
    if (settings.library.value.empty() || settings.model.value.empty()) continue;  // already complained about
    try {
      const ModelLibrary* const library = this->library(settings, base);
      settings.library.value = library->file().string();
      const tactus_model* const model = library->find(settings.model.value);
      if (model == nullptr) {
        problems_.add(settings.model.place, settings.model.path,
                      "library " + library->file().filename().string() + " has no model '" +
                          settings.model.value + "'" +
                          did_you_mean(settings.model.value, library->models(),
                                       [](const tactus_model* m) { return m->name; }));
        continue;
      }
      if (model->create == nullptr) {
        if (const auto [other, first] = single.emplace(model, settings.name); !first) {
          problems_.add(settings.model.place, settings.model.path,
                        "model '" + settings.model.value +
                            "' keeps its data in static storage, so a rig has one of it; '" + other->second +
                            "' is that one");
          continue;
        }
      }
      const ModelInstance& made = models_.emplace_back(*model, settings.name);
      read_parameters(settings, made);
      plan_jobs(settings, made);
    } catch (const LibraryError& error) {
      problems_.add(settings.library.place, settings.library.path, error.what());
    } catch (const std::exception& error) {
      problems_.add(settings.origin, error.what());
    }
  }
}

void Rig::read_parameters(const ModelSettings& settings, const ModelInstance& model) {
  const std::string path = settings.origin.path + ".parameters";
  if (settings.parameters.is_null()) return;
  if (!settings.parameters.is_map()) {
    problems_.add(settings.parameters.place(), path,
                  "is a value or list; a map is expected: { name: value, ... }");
    return;
  }
  for (const config::Node::Entry& entry : settings.parameters.entries()) {
    const std::string here = path + "." + entry.key;
    const Variable* const variable = model.find_variable(entry.key);
    if (variable == nullptr) {
      std::vector<std::string> names;
      for (const Variable& v : model.variables())
        if (v.role != TACTUS_OUTPUT) names.push_back(v.name.substr(model.name().size() + 1));
      problems_.add(entry.place, here,
                    "model '" + settings.model.value + "' has no such variable" +
                        did_you_mean(entry.key, names, [](const std::string& name) { return name; }));
    } else if (variable->role == TACTUS_OUTPUT) {
      problems_.add(entry.place, here,
                    "is an output, which the model writes; parameters, inputs and states can be set");
    } else if (auto bytes = read_value(*variable, entry.value, here, problems_)) {
      set_.push_back(variable->data);
      values_.push_back({variable->data, std::move(*bytes)});
    }
  }
}

void Rig::serve(ModelServices& services) {
  for (ModelInstance& model : models_) model.serve(services);
}

void Rig::apply_parameters() {
  for (const Value& value : values_) std::memcpy(value.data, value.bytes.data(), value.bytes.size());
}

void Rig::plan_jobs(const ModelSettings& settings, const ModelInstance& model) {
  for (const JobSettings& job : settings.jobs) {
    if (std::none_of(model.jobs().begin(), model.jobs().end(),
                     [&](const DeclaredJob& d) { return d.name == job.name; }))
      problems_.add(job.origin,
                    "model '" + settings.model.value + "' has no such job" +
                        did_you_mean(job.name, model.jobs(), [](const DeclaredJob& d) { return d.name; }));
  }
  for (const DeclaredJob& declared : model.jobs()) {
    const auto found = std::find_if(settings.jobs.begin(), settings.jobs.end(),
                                    [&](const JobSettings& job) { return job.name == declared.name; });
    const JobSettings changes = found == settings.jobs.end() ? JobSettings{} : *found;
    PlannedJob job;
    job.name = settings.name + "." + declared.name;
    job.model = &model;
    job.run = declared.run;
    job.self = model.self();
    job.job_class = declared.job_class;
    job.phase = static_cast<unsigned>(changes.phase.value_or(static_cast<int>(declared.phase)));
    job.enabled = changes.enabled;
    if (is_cyclic(declared.job_class)) {
      job.cycle = changes.cycle.value_or(declared.cycle.is_zero() ? plan_.frame : declared.cycle);
      const auto first = sum(changes.start, changes.offset);
      if (!first)
        problems_.add(changes.origin, "start + offset is longer than can be represented (292 years)");
      job.first = first.value_or(rtsync::Period{});
      job.stop = changes.stop;
      if (job.stop && *job.stop < job.first)
        problems_.add(changes.origin,
                      "stop lies before the first call (start + offset): it would never be called");
    } else if (changes.cycle || changes.stop || !changes.start.is_zero() || !changes.offset.is_zero()) {
      problems_.add(changes.origin,
                    "is a job of class " + std::string(name_of(declared.job_class)) +
                        ", which has no cycle, offset, start or stop; only phase and enabled can be set");
    }
    plan_.jobs.push_back(std::move(job));
  }
}

void Rig::declare_realtime_variables() {
  const auto add = [this](const char* name, tactus_type type, void* data, const char* unit,
                          const char* about) {
    Variable variable;
    variable.name = std::string(kRealtime) + "." + name;
    variable.role = TACTUS_OUTPUT;
    variable.type = type;
    variable.data = data;
    variable.unit_text = unit;
    variable.unit = config::Unit::parse(unit);
    variable.about = about;
    rt_variables_.push_back(std::move(variable));
  };
  add("frame", TACTUS_INT64, &rt_.frame, "", "number of the frame that the others describe");
  add("late", TACTUS_INT64, &rt_.late, "ns", "wake minus slot");
  add("work", TACTUS_INT64, &rt_.work, "ns", "end of the work minus wake");
  add("slack", TACTUS_INT64, &rt_.slack, "ns", "next slot minus end of the work; negative: an overrun");
  add("overruns", TACTUS_INT64, &rt_.overruns, "", "overruns so far");
  add("late_wakes", TACTUS_INT64, &rt_.late_wakes, "", "late wakes so far");
  add("lost", TACTUS_INT64, &rt_.lost, "", "slots so far in which no frame ran");
  add("overrun", TACTUS_INT32, &rt_.overrun, "", "0 none, 1 work, 2 late wake, 3 catching up");
}

std::optional<VariableRef> Rig::find(const Located<std::string>& name) {
  const auto problem = [&](const std::string& message) {
    problems_.add(name.place, name.path, message);
    return std::nullopt;
  };
  std::string text = name.value;
  VariableRef ref;
  if (const std::size_t open = text.find('['); open != std::string::npos) {
    const std::string index = text.substr(open + 1, text.size() - open - 2);
    const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), ref.first);
    if (text.back() != ']' || error != std::errc{} || end != index.data() + index.size())
      return problem("'" + text + "' is not a variable; one element is written model.variable[2]");
    ref.indexed = true;
    text.resize(open);
  }
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos)
    return problem("'" + name.value + "' is not a variable; write model.variable");
  const std::string model_name = text.substr(0, dot);
  const std::deque<Variable>* variables = nullptr;
  if (model_name == kRealtime) {
    variables = &rt_variables_;
  } else {
    for (const ModelInstance& model : models_) {
      if (model.name() != model_name) continue;
      ref.model = &model;
      variables = &model.variables();
    }
  }
  if (variables == nullptr) {
    // A model that could not be made was already complained about.
    if (std::any_of(settings_.models.begin(), settings_.models.end(),
                    [&](const auto& m) { return m.name == model_name; }))
      return std::nullopt;
    return problem("'" + name.value + "': there is no model '" + model_name + "'" +
                   did_you_mean(model_name, settings_.models, [](const ModelSettings& m) { return m.name; }));
  }
  const auto found =
      std::find_if(variables->begin(), variables->end(), [&](const Variable& v) { return v.name == text; });
  if (found == variables->end())
    return problem("'" + name.value + "': model '" + model_name + "' has no such variable" +
                   did_you_mean(text, *variables, [](const Variable& v) { return v.name; }));
  ref.variable = &*found;
  if (ref.indexed && found->count == 0) return problem("'" + name.value + "': '" + text + "' is no array");
  if (ref.indexed && ref.first >= found->count)
    return problem("'" + name.value + "': the index is outside 0 .. " + std::to_string(found->count - 1));
  ref.elements = ref.indexed ? 1 : static_cast<std::uint32_t>(found->elements());
  return ref;
}

void Rig::connect() {
  std::map<std::pair<const Variable*, std::uint32_t>, const ConnectionSettings*> fed;
  for (const ConnectionSettings& settings : settings_.connect) {
    if (settings.from.value.empty() || settings.to.value.empty()) continue;  // already complained about
    const auto from = find(settings.from);
    const auto to = find(settings.to);
    if (!from || !to) continue;
    const Connection connection{*from, *to, settings.delayed, settings.scale, settings.offset};
    if (const auto reason = objection(connection)) {
      problems_.add(settings.origin, *reason);
      continue;
    }
    for (std::uint32_t i = 0; i < to->elements; ++i) {
      const auto [other, first] = fed.emplace(std::pair(to->variable, to->first + i), &settings);
      if (first) continue;
      problems_.add(settings.to.place, settings.to.path,
                    "'" + to->name() + "' is already fed by '" + other->second->from.value + "' (" +
                        other->second->origin.place.text() + "); an input has one source");
      break;
    }
    plan_.connections.push_back(connection);
    wired_.push_back(settings.origin);
  }
}

void Rig::refuse_direct_loops() {
  for (const DirectLoop& loop : find_direct_loops(plan_.connections))
    problems_.add(wired_[static_cast<std::size_t>(loop.closing - plan_.connections.data())],
                  "closes a loop without delay: " + loop.path +
                      "; nobody could say who comes first. Add 'delayed: yes' to one wire of it");
}

std::vector<std::string> Rig::unconnected_inputs() const {
  std::vector<std::string> names;
  for (const ModelInstance& model : models_) {
    for (const Variable& variable : model.variables()) {
      if (variable.role != TACTUS_INPUT) continue;
      const bool fed = std::any_of(plan_.connections.begin(), plan_.connections.end(),
                                   [&](const Connection& c) { return c.to.variable == &variable; });
      if (!fed && std::find(set_.begin(), set_.end(), variable.data) == set_.end())
        names.push_back(variable.name);
    }
  }
  return names;
}

std::shared_ptr<DriverLibrary> Rig::driver(const Located<std::string>& name) {
  try {
    return drivers_.emplace_back(std::make_shared<DriverLibrary>("record", name.value));
  } catch (const LibraryError& error) {
    problems_.add(name.place, name.path, error.what());
  }
  return nullptr;
}

void Rig::make_recordings() {
  for (const RecordingSettings& settings : settings_.record) {
    std::vector<VariableRef> variables;
    for (const Located<std::string>& name : settings.variables) {
      const std::size_t star =
          name.value.size() > 2 && name.value.ends_with(".*") ? name.value.size() - 2 : 0;
      const auto model = std::find_if(models_.begin(), models_.end(), [&](const ModelInstance& m) {
        return m.name() == name.value.substr(0, star);
      });
      if (star != 0 && model != models_.end()) {
        const std::size_t before = variables.size();
        for (const Variable& variable : model->variables())
          if (variable.role != TACTUS_PARAMETER)
            variables.push_back(
                {&variable, 0, static_cast<std::uint32_t>(variable.elements()), false, &*model});
        if (variables.size() == before)
          problems_.add(name.place, name.path,
                        "model '" + model->name() + "' has nothing to record: it declares parameters alone");
      } else if (const auto ref = find(name)) {
        variables.push_back(*ref);
      }
    }
    const auto library = driver(settings.driver);
    if (library == nullptr || variables.empty()) continue;
    if (settings.name == "frames" && settings_.frame_log) {
      problems_.add(settings.origin,
                    "'frames' is the name of the frame log; choose another, or set frame_log: no");
      continue;
    }
    Recording& recording = recordings_.emplace_back(settings.name, variables, library->make_record_sink());
    PlannedJob job;
    job.name = "record." + settings.name;
    job.run = &Recording::sample;
    job.self = &recording;
    job.job_class = TACTUS_DATA_RECORD;
    job.phase = 65535;
    job.cycle = settings.every.value_or(plan_.frame);
    plan_.jobs.push_back(std::move(job));
  }
  if (settings_.frame_log) {
    std::vector<VariableRef> all;
    for (const Variable& variable : rt_variables_) all.push_back({&variable, 0, 1, false, nullptr});
    if (const auto library = driver({"csv", settings_.rig.place, "frame_log"}))
      frame_log_.emplace("frames", all, library->make_record_sink());
  }
}

}  // namespace tactus::executive
