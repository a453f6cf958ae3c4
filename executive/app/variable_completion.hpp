// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "executive/model/variable.hpp"

namespace tactus::app {

/// Returns the rows of a reply that `begin` can become of a variable: its name, which is `word`; or where `word` is "NAME="
/// and all there, that with each of its values that have names.
std::string variable_rows(const executive::Variable& of, const std::string& word, const std::string& begin);

/// Returns the reply of complete() for the name of a variable: of the rig that the command line names in `words`, by --rig or
/// by a word of its own, else of the one that runs here. Of a rig file whose rig does not run they are those that it would
/// have. `changes`: it is NAME=VALUE, and behind the '=' the names of its values follow.
std::string complete_variable(const std::vector<std::string>& words, const std::string& begin, bool changes);

}  // namespace tactus::app
