// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "config/json.hpp"

namespace tactus::drivers::live_http {

/// The table of routes as an OpenAPI 3.0 document.
config::Json openapi();

}  // namespace tactus::drivers::live_http
