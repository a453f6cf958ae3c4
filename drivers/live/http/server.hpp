// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "drivers/live/http/address.hpp"
#include "drivers/live/http/settings.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::live_http {

/// The control port. `address` is what settings.listen says. Opens nothing yet. @when setup
std::unique_ptr<executive::LiveServer> make_server(HttpSettings settings, Address address,
                                                   std::optional<std::string> token_file);

}  // namespace tactus::drivers::live_http
