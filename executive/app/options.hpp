// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>

namespace tactus::app {

/// Adds an option that takes a value, which help calls `value`.
template <class To>
CLI::Option* add_value(CLI::App& app, const char* names, To& to, const char* value, const char* about) {
  return app.add_option(names, to, about)->type_name(value);
}

}  // namespace tactus::app
