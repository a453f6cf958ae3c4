// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "drivers/live/http/request.hpp"

namespace tactus::drivers::live_http {

/// Returns true if a request can be a safety command at all, by what is known before its body: then its body
/// is read even from a client that sends too many.
bool may_be_safety_command(const Request& request);

/// "stop", "pause" or "release" (of a body that does nothing else); empty: it is none of these.
///
/// Threads  pure function.
std::string safety_command(const Request& request);

}  // namespace tactus::drivers::live_http
