// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.hpp"

/// Settings of `live: { trick: ... }` in a rig file, filled and checked by the table of settings.cpp.
namespace tactus::drivers::trick {

struct TrickSettings {
  std::string listen = "127.0.0.1:7000";
  /// Clients that are served; none: every client that reaches a loopback address.
  std::vector<std::string> allow{};
  bool writes = true;
  bool exit_status = false;  ///< exec_terminate_with_return says the exit status of the run
  std::int64_t max_clients = 64;
  std::int64_t max_variables = 10'000;  ///< largest number of variables of one client
  bool operator==(const TrickSettings&) const = default;
};

const config::Fields<TrickSettings>& trick_fields();

/// Checks what no single field can: invalid addresses, and one that is open to others without `allow`.
void check(const TrickSettings& settings, const config::SourceLocation& place, const std::string& path,
           config::Problems& problems);

}  // namespace tactus::drivers::trick
