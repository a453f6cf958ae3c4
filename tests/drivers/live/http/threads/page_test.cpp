// SPDX-License-Identifier: Apache-2.0
// What docs/http-api.md shows is what works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "drivers/live/http/routes.hpp"
#include "drivers/live/http/settings.hpp"
#include "tests/drivers/live/http/support/served_rig.hpp"

namespace tactus::test::page_test {
namespace {

std::string page() { return read_file(CONTROL_PORT_PAGE); }

/// The commands of the page that go by TCP, or by unix socket.
std::vector<std::string> commands(bool by_unix_socket) {
  std::vector<std::string> found;
  std::istringstream lines(page());
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("curl ") && (line.find("live.sock") != std::string::npos) == by_unix_socket)
      found.push_back(line);
  return found;
}

/// Runs a command in the folder; whether curl was content. A stream is ended by its time.
bool works_once(const std::filesystem::path& folder, const std::string& command) {
  const std::string text = "cd '" + folder.string() + "' && " + command + " --fail > answer 2> trouble";
  const int status =
      std::system(text.c_str());  // NOLINT(concurrency-mt-unsafe): a line of the page, as typed
  const bool stream = command.find("--max-time") != std::string::npos;
  return status == 0 || (stream && WIFEXITED(status) && WEXITSTATUS(status) == 28);
}

/// A busy machine may use up the time of a stream before anything has come: then once more.
bool works(const std::filesystem::path& folder, const std::string& command) {
  for (int attempt = 0; attempt < 5; ++attempt)
    if (works_once(folder, command) && !read_file(folder / "answer").empty()) return true;
  return false;
}

bool has_curl() {
  return std::system("curl --version > /dev/null 2>&1") == 0;
}  // NOLINT(concurrency-mt-unsafe)

/// Those of the servo that its commands name, beside the sample's. Docs.ExamplesRun asks the servo itself.
void add_variables_of_the_page(FakeLiveRig& rig) {
  rig.add<double>("motor.current", TACTUS_DOUBLE, {0}, false, TACTUS_OUTPUT, "A");
  rig.add<double>("trajectory.speed", TACTUS_DOUBLE, {0}, false, TACTUS_OUTPUT, "rad/s");
  rig.add<double>("motor.load_torque", TACTUS_DOUBLE, {0}, false, TACTUS_INPUT, "N m");
  rig.add<double>("trajectory.dwell", TACTUS_DOUBLE, {0}, false, TACTUS_PARAMETER, "s");
  rig.add<double>("controller.voltage", TACTUS_DOUBLE, {0}, false, TACTUS_OUTPUT, "V");
  rig.add<std::uint8_t>("encoder.started", TACTUS_BOOL, {0});
}

TEST(HttpPage, ItsCommandsWorkWordForWord) {
  if (!has_curl()) GTEST_SKIP() << "curl is not installed";
  ServedRig tcp("answer_timeout: 30 s");
  ServedRig socket("answer_timeout: 30 s", "unix:live.sock");
  tcp.dir.write("token", "0123456789abcdef");
  for (ServedRig* const served : {&tcp, &socket}) {
    add_variables_of_the_page(served->rig);
    served->rig.set_reports([](executive::LiveReport) { return config::Json{{"made", true}}; });
    served->rig.set_traces([](const executive::LiveTraceCall&) {
      executive::LiveTrace trace;
      trace.json = {{"made", true}};
      trace.bytes = "made";
      return trace;
    });
    served->running.start();
  }
  const std::string port = "127.0.0.1:" + std::to_string(tcp.port);
  EXPECT_GT(commands(false).size(), 15U);
  for (std::string command : commands(false)) {
    for (std::size_t at = 0; (at = command.find("127.0.0.1:8600", at)) != std::string::npos;
         at += port.size())
      command.replace(at, std::string("127.0.0.1:8600").size(), port);
    EXPECT_TRUE(works(tcp.dir.path(), command)) << command << "\n" << read_file(tcp.dir / "trouble");
    EXPECT_FALSE(read_file(tcp.dir / "answer").empty()) << command;
  }
  EXPECT_GT(commands(true).size(), 3U);
  for (const std::string& command : commands(true))
    EXPECT_TRUE(works(socket.dir.path(), command)) << command << "\n" << read_file(socket.dir / "trouble");
}

TEST(HttpPage, NamesEveryKeyAndEveryRoute) {
  const std::string text = page();
  for (const auto& key : drivers::live_http::http_fields().section().keys)
    EXPECT_THAT(text, testing::HasSubstr("`" + key.key + "`"));
  for (const auto& route : drivers::live_http::routes())
    EXPECT_THAT(text,
                testing::HasSubstr("`" + route.method + " " + route.path.substr(0, route.path.find('{'))));
}

}  // namespace
}  // namespace tactus::test::page_test
