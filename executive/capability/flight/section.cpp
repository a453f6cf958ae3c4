// SPDX-License-Identifier: Apache-2.0
// flight_recorder.variables
#include "executive/plan/sections.hpp"

namespace tactus::executive {

void choose_flight_variables(Draft& draft) {
  constexpr std::size_t kMostValues = 64;
  std::size_t values = 0;
  for (const Located<std::string>& name : draft.settings.flight_recorder.variables) {
    const std::optional<VariableRef> ref = draft.find_variable(name);
    if (!ref) continue;
    values += ref->elements;
    if (values > kMostValues)
      return draft.problems.add(name, "with '" + name.value + "', " + describe(*ref) + ", these are " +
                                          std::to_string(values) + " values; at most " +
                                          std::to_string(kMostValues) +
                                          " are kept (an array counts as its elements: name some of them)");
    draft.rig.flight_variables.push_back(*ref);
  }
}

}  // namespace tactus::executive
