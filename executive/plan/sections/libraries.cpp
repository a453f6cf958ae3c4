// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "executive/model/suggest.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {

/// Applies the settings of a library to its models, except where these have their own.
void read_libraries(Draft& draft) {
  std::set<std::string> used;
  for (const ModelSettings& model : draft.settings.models)
    if (!model.library.value.empty()) used.insert(model.library.value);
  std::set<std::string> seen;
  for (const LibrarySettings& library : draft.settings.libraries) {
    const std::string& name = library.library.value;
    if (name.empty()) continue;  // that was complained of
    if (!seen.insert(name).second) {
      draft.problems.add(library.library, "'" + name + "' occurs twice here; remove one of the two entries");
      continue;
    }
    if (!used.contains(name)) {
      draft.problems.add(library.library, "no model comes from '" + name + "'" + did_you_mean(name, used));
      continue;
    }
    if (library.on_crash && !library.isolated) {
      draft.problems.add(
          *library.on_crash,
          std::string(name_of(library.on_crash->value)) +
              " has no effect on models in the rig's own process; add 'isolated: yes', or remove it");
      continue;
    }
    for (ModelSettings& model : draft.settings.models) {
      if (model.library.value != name || !library.isolated) continue;
      if (!model.isolated) model.isolated = Located<bool>{true, library.library.place, library.library.path};
      if (model.isolated->value && !model.on_crash) model.on_crash = library.on_crash;
    }
  }
}

}  // namespace tactus::executive
