// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "config/document.hpp"
#include "drivers/live/http/driver.hpp"
#include "tests/drivers/live/http/support/http_client.hpp"
#include "tests/drivers/live/http/support/sample_rig.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test {

/// A server made from the text of its section. Throws ConfigError.
inline std::unique_ptr<executive::LiveServer> server_of(const std::string& yaml,
                                                        const std::filesystem::path& base) {
  const auto document = config::Document::from_text("rig.yaml", yaml);
  config::Problems problems;
  auto server = drivers::live_http::HttpDriver().make(document.root(), "live.http", {"fake", base}, problems);
  if (!problems.empty()) throw config::ConfigError(problems);
  return server;
}

/// What the server has to tell, as soon as there is something; at() of it throws when nothing comes.
inline std::vector<std::string> told_by(executive::LiveServer& server) {
  const auto until = std::chrono::steady_clock::now() + kHttpTimeout;
  std::vector<std::string> lines = server.take_log_lines();
  while (lines.empty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lines = server.take_log_lines();
  }
  return lines;
}

/// A control port over a rig, on a port that the system chose; requests have a minute unless told otherwise.
class ServedRig {
 public:
  explicit ServedRig(const std::string& settings = {}, const std::string& listen = "127.0.0.1:0") {
    running.rig.change_facts().folder = dir.path();
    running.rig.change_facts().file = dir.path() / "rig.yaml";
    const bool says_it = settings.find("request_timeout") != std::string::npos;
    const std::string timeout = says_it ? "" : "request_timeout: 1 min\n";
    server = server_of("listen: \"" + listen + "\"\n" + timeout + settings, dir.path());
    server->open(running.rig, {});
    lines = server->take_log_lines();
    const std::string& first = lines.at(0);
    const std::size_t colon = first.rfind(':');
    if (listen.find("unix:") == std::string::npos)
      port = static_cast<std::uint16_t>(std::stoul(first.substr(colon + 1)));
  }
  ~ServedRig() {
    running.stop();
    server->close();
  }
  HttpClient client() const { return HttpClient(port); }

  TempDir dir;
  RunningRig running;
  FakeLiveRig& rig = running.rig;
  std::unique_ptr<executive::LiveServer> server;
  std::vector<std::string> lines;
  std::uint16_t port = 0;
};

}  // namespace tactus::test
