// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/draft.hpp"

#include <algorithm>

#include "executive/capability/link/settings.hpp"
#include "executive/model/suggest.hpp"
#include "executive/model/variable_path.hpp"

namespace tactus::executive {

const ModelInstance* Draft::find_model(const std::string& name) const {
  for (std::size_t i = models.size(); i < rig.models.size(); ++i)
    models.emplace(rig.models[i].name(), &rig.models[i]);
  const auto found = models.find(name);
  return found == models.end() ? nullptr : found->second;
}

bool Draft::names_model(const std::string& name) const {
  return std::ranges::any_of(settings.models, [&](const ModelSettings& model) { return model.name == name; });
}

std::size_t Draft::find_thread(const Located<std::string>& name) {
  if (name.value == "main") return 0;
  std::vector<std::string> names{"main"};
  for (const PlannedThread& thread : plan.threads) {
    if (thread.name == name.value) return names.size();
    names.push_back(thread.name);
  }
  threads_known = false;
  problems.add(name, "there is no thread '" + name.value + "'" + did_you_mean(name.value, names));
  return 0;
}

std::optional<VariableRef> Draft::find_variable(const Located<std::string>& name) {
  std::string why;
  const auto found = look_up(name.value, why);
  if (!why.empty()) problems.add(name, why);
  return found;
}

std::optional<VariableRef> Draft::look_up(const std::string& name, std::string& why) const {
  const auto problem = [&](const std::string& message) {
    why = "'" + name + "'" + message;
    return std::nullopt;
  };
  const auto path = VariablePath::parse(name);
  if (!path) return problem(" " + std::string(kNoVariablePath));
  const std::string text(path->name);
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return problem(" is not a variable; write model.variable");
  const std::string model_name = text.substr(0, dot);
  VariableRef ref;
  const std::deque<Variable>* variables = rig.variables.find(model_name);
  if (variables == nullptr) {
    ref.model = find_model(model_name);
    if (ref.model == nullptr) {
      if (names_model(model_name)) return std::nullopt;
      if (model_name == ExecutiveVariables::kLink && settings.of<LinkSection>().present)
        return std::nullopt;  // likewise
      return problem(": there is no model '" + model_name + "'" +
                     did_you_mean(model_name, settings.models, &ModelSettings::name));
    }
    variables = &ref.model->variables();
  }
  const auto found = std::ranges::find(*variables, text, &Variable::name);
  if (found == variables->end())
    return problem(": model '" + model_name + "' has no such variable" +
                   did_you_mean(text, *variables, &Variable::name));
  ref.variable = &*found;
  std::string wrong;
  const auto element = path->element_of(*found, wrong);
  if (!element) return problem(": '" + text + "' " + wrong);
  ref.first = *element;
  ref.indexed = path->index.has_value();
  ref.elements = ref.indexed ? 1 : static_cast<std::uint32_t>(found->elements());
  return ref;
}

const ModelLibrary& Draft::load_library(const std::string& name) {
  const ModelLibrary*& loaded = libraries[name];
  if (loaded != nullptr) return *loaded;
  const std::filesystem::path file = find_library(name, base);
  for (const ModelLibrary& known : rig.libraries)
    if (known.file() == file) loaded = &known;
  if (loaded == nullptr) loaded = &rig.libraries.emplace_back(file);
  return *loaded;
}

std::shared_ptr<DriverLibrary> Draft::load_driver(const std::string& kind, const Located<std::string>& name) {
  try {
    const auto& made = rig.drivers.emplace_back(std::make_shared<DriverLibrary>(kind, name.value));
    const std::string replaced = replaced_driver(made->file(), kind, name.value);
    if (!replaced.empty() && std::ranges::find(rig.notes, replaced) == rig.notes.end())
      rig.notes.push_back(replaced);
    return made;
  } catch (const LibraryError& error) {
    problems.add(name, error.what());
  }
  return nullptr;
}

}  // namespace tactus::executive
