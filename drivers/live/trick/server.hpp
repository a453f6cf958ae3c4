// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "drivers/live/trick/settings.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::trick {

/// Trick's variable server on a TCP port: sessions, their sockets, and the one thread they share, "live-trick".
/// `settings` have passed check(). Opens nothing yet. @when setup
std::unique_ptr<executive::LiveServer> make_server(TrickSettings settings);

}  // namespace tactus::drivers::trick
