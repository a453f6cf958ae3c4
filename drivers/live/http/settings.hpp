// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "config/fields.hpp"

/// Settings of `live: { http: ... }` in a rig file, filled and checked by the table of settings.cpp.
namespace tactus::drivers::live_http {

struct HttpSettings {
  std::string listen = "unix:live.sock";
  std::optional<std::string> token_file;  ///< relative to the rig file
  std::int64_t max_clients = 256;
  std::int64_t max_body = 1 << 20;
  std::int64_t max_rate = 1000;                          ///< requests per second and client
  config::Period max_watch_rate{1'000'000, 1};           ///< the shortest time between two events of a stream
  Nanoseconds request_timeout{std::chrono::seconds(5)};  ///< time for a request to be there, header and body
  Nanoseconds answer_timeout{std::chrono::seconds(10)};  ///< time for the rig to answer
  bool operator==(const HttpSettings&) const = default;
};

const config::Fields<HttpSettings>& http_fields();

}  // namespace tactus::drivers::live_http
