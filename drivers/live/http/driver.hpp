#pragma once
#include <memory>

#include "executive/driver/live.hpp"

namespace tactus::drivers::live_http {

/// The driver of kind "live" named "http".
std::unique_ptr<executive::LiveDriver> make_driver();

}  // namespace tactus::drivers::live_http
