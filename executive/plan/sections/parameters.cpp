// SPDX-License-Identifier: Apache-2.0
#include "executive/model/parameter_value.hpp"
#include "executive/model/suggest.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {

void read_parameters(Draft& draft, const ModelSettings& settings, const ModelInstance& model) {
  config::Problems& problems = draft.problems;
  const std::string path = settings.origin.path + ".parameters";
  if (settings.parameters.is_null()) return;
  if (!settings.parameters.is_map()) {
    problems.add(settings.parameters.place(), path,
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
      problems.add(
          entry.place, here,
          "model '" + settings.model.value + "' has no such variable" + did_you_mean(entry.key, names));
    } else if (variable->role == TACTUS_OUTPUT) {
      problems.add(entry.place, here,
                   "is an output, which the model writes; parameters, inputs and states can be set");
    } else if (auto bytes = read_value(*variable, entry.value, here, problems)) {
      draft.rig.parameters.push_back({variable->data, std::move(*bytes)});
    }
  }
}

}  // namespace tactus::executive
