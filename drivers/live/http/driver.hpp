// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "drivers/live/http/settings.hpp"
#include "executive/driver/driver_with_fields.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::live_http {

/// The driver of kind "live" named "http".
class HttpDriver final : public executive::DriverWithFields<executive::LiveDriver, http_fields> {
 public:
  std::unique_ptr<executive::LiveServer> make(const config::Node& settings, const std::string& path,
                                              const executive::LiveContext& context,
                                              config::Problems& problems) override;
};

}  // namespace tactus::drivers::live_http
