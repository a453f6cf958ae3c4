// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace tactus::test {

/// A text that was good, with a few things done to it. The same seed makes the same.
inline std::string mutated(std::string text, const std::vector<std::string>& others, std::mt19937& random) {
  static const std::vector<std::string> pieces = {"\"",
                                                  "{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  ",",
                                                  ":",
                                                  "%",
                                                  "%2",
                                                  "%00",
                                                  "\\u0000",
                                                  "\\ud800",
                                                  "\r\n",
                                                  "\n",
                                                  std::string(1, '\0'),
                                                  "\xff",
                                                  "99999999999999999999",
                                                  "-1",
                                                  "1e999",
                                                  "null",
                                                  "true",
                                                  "..",
                                                  "&",
                                                  "=",
                                                  "?",
                                                  "/",
                                                  "Content-Length: 5\r\n",
                                                  "Transfer-Encoding: chunked\r\n",
                                                  std::string(300, 'a'),
                                                  std::string(40, '['),
                                                  "HTTP/9.9",
                                                  "\t",
                                                  "names",
                                                  "all"};
  const auto below = [&](std::size_t end) { return end == 0 ? 0 : std::size_t{random()} % end; };
  for (std::size_t times = 1 + below(4); times > 0; --times) {
    const std::size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, text.substr(below(text.size() + 1), below(40)));
        break;
      default: {
        const std::string& other = others[below(others.size())];
        text = text.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
  }
  return text;
}

/// Targets and bodies that are good.
inline const std::vector<std::string>& good_targets() {
  static const std::vector<std::string> all = {"/v1",
                                               "/v1/openapi.json",
                                               "/v1/state",
                                               "/v1/statistics",
                                               "/v1/variables?match=motor.*&first=0&count=5",
                                               "/v1/variables/motor.speed",
                                               "/v1/values?names=motor.speed,motor.on,axis.force%5B1%5D",
                                               "/v1/watch?names=motor.speed&every=100ms",
                                               "/v1/stream?names=motor.speed,axis.force&from=3&as=f32",
                                               "/v1/overruns?after=0&count=10",
                                               "/v1/journal?after=2",
                                               "/v1/log",
                                               "/v1/timing",
                                               "/v1/trace?frame=3&before=2&after=2&format=json",
                                               "/v1/doctor",
                                               "/v1/panels"};
  return all;
}
inline const std::vector<std::pair<std::string, std::string>>& good_posts() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"/v1/values",
       R"({"frame": 12, "set": {"motor.speed": 2.5, "axis.force": [1, 2, 3]}, "release": ["motor.on"]})"},
      {"/v1/values", R"({"force": {"motor.mode": "hold"}, "release": "all"})"},
      {"/v1/commands", R"({"command": "run_until", "until": "2.5 s"})"},
      {"/v1/commands", R"({"command": "step", "frames": 3})"},
      {"/v1/episodes",
       R"({"stop": "2005-02-15T00:00:02Z", "in": [{"entity": "motor", "descriptor": "speed", "value": 1}],)"
       R"( "out": [{"entity": "motor", "descriptor": "on", "date": "2005-02-15T00:00:01Z"}]})"}};
  return all;
}

}  // namespace tactus::test
