// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/safety_command.hpp"

#include "config/number.hpp"
#include "drivers/live/http/json_text.hpp"

namespace tactus::drivers::live_http {
namespace {

constexpr std::int64_t kLongestBody = 64 << 10;  // a release names what it ends

std::string_view path_of(const Request& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

}  // namespace

bool may_be_safety_command(const Request& request) {
  const std::string_view path = path_of(request);
  if (request.method != "POST" || (path != "/v1/commands" && path != "/v1/values")) return false;
  const std::string* const length = request.header("Content-Length");
  if (length == nullptr) return false;
  const auto bytes = config::parse_integer(*length);
  return bytes && *bytes.value <= kLongestBody;
}

std::string safety_command(const Request& request) {
  if (!may_be_safety_command(request)) return "";
  std::string problem;
  const auto body = parse_json(request.body, problem);
  if (!body || !body->is_object()) return "";
  if (path_of(request) == "/v1/values") {
    const bool releases = body->contains("release") && !body->contains("set") && !body->contains("force");
    return releases ? "release" : "";
  }
  const auto command = body->find("command");
  if (command == body->end() || !command->is_string()) return "";
  const std::string word = command->get<std::string>();
  return word == "stop" || word == "pause" ? word : "";
}

}  // namespace tactus::drivers::live_http
