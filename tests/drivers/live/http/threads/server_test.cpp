// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include "drivers/live/http/routes.hpp"
#include "drivers/live/http/schema.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/thread/thread_list.hpp"
#include "tests/drivers/live/http/support/served_rig.hpp"

namespace tactus::test::server_test {
namespace {

using namespace std::chrono_literals;
using config::Json;
using testing::HasSubstr;
using testing::Not;

/// Complaints about an answer that is not what its row of the table declares.
std::vector<std::string> undeclared(const std::string& method, const std::string& path, const Json& answer) {
  std::vector<std::string> problems{"no such route: " + path};
  for (const auto& route : drivers::live_http::routes()) {
    if (route.method != method || route.path != path) continue;
    problems.clear();
    drivers::live_http::check(route.answer, answer, "", problems);
  }
  return problems;
}

const char* const kForce =
    R"({"force": {"controller.torque": 1.25}, "release": ["motor.speed"], "frame": 70})";

TEST(HttpServer, EveryRouteServesWhatItsSchemaDeclares) {
  ServedRig served;
  served.running.start();
  HttpClient client = served.client();
  struct Row {
    const char* path;
    std::string target;
  };
  const Row rows[] = {
      {"/v1/openapi.json", "/v1/openapi.json"},
      {"/v1", "/v1"},
      {"/v1/state", "/v1/state"},
      {"/v1/statistics", "/v1/statistics"},
      {"/v1/variables", "/v1/variables?match=motor.*"},
      {"/v1/variables/{name}", "/v1/variables/motor.speed"},
      {"/v1/values", "/v1/values?names=motor.speed,axis.force,axis.force%5B1%5D,motor.on"},
  };
  for (const Row& row : rows) {
    const HttpReply reply = client.get(row.target);
    ASSERT_EQ(reply.status, 200) << row.target << ": " << reply.body;
    EXPECT_EQ(reply.headers.at("content-type"), "application/json");
    EXPECT_EQ(reply.headers.at("cache-control"), "no-store");
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff");
    EXPECT_THAT(undeclared("GET", row.path, reply.json()), testing::IsEmpty()) << reply.body;
  }
  const std::pair<const char*, const char*> posts[] = {
      {"/v1/values", R"({"set": {"motor.speed": 2.5, "motor.on": false, "axis.force": [4, 5, 6]}})"},
      {"/v1/values", kForce},
      {"/v1/commands", R"({"command": "pause"})"},
      {"/v1/episodes",
       R"({"stop": "2005-02-15T00:00:01Z", "in": [{"entity": "motor", "descriptor": "speed", "value": 3}],)"
       R"( "out": [{"entity": "motor", "descriptor": "on"}]})"},
  };
  for (const auto& [path, body] : posts) {
    const HttpReply reply = client.post(path, body);
    ASSERT_EQ(reply.status, 200) << path << ": " << reply.body;
    EXPECT_THAT(undeclared("POST", path, reply.json()), testing::IsEmpty()) << reply.body;
  }
}

TEST(HttpServer, ItsThreadsHaveTheNamesThatTheyWereToHave) {
  ServedRig served;
  EXPECT_EQ(served.client().get("/v1").status, 200);
  for (const rtsync::ThreadFacts& thread : rtsync::list_threads())
    EXPECT_THAT(thread.name, Not(HasSubstr("MHD"))) << "the library's own name says no rig";
}

TEST(HttpServer, ValuesOfAGroupAreOfOneFrame) {
  ServedRig served;
  served.running.start();
  HttpClient client = served.client();
  std::int64_t before = -1;
  for (int k = 0; k < 200; ++k) {
    const Json group = client.get("/v1/values?names=motor.speed,rt.late").json();
    const auto frame = group["frame"].get<std::int64_t>();
    EXPECT_GT(frame, before) << "made after it was asked for";
    EXPECT_EQ(group["values"]["rt.late"].get<std::int64_t>(), frame % 100);
    EXPECT_EQ(group["values"]["motor.speed"].get<double>(), static_cast<double>(frame % 100));
    before = frame;
  }
}

TEST(HttpServer, ARequestWaitsForItsFrameWithoutHoldingUpOthers) {
  ServedRig served;
  HttpClient waiting = served.client();
  ASSERT_TRUE(waiting.send(waiting.request("GET", "/v1/values?names=motor.speed")));
  while (served.rig.waiting() == 0) std::this_thread::sleep_for(1ms);
  HttpClient other = served.client();
  EXPECT_EQ(other.get("/v1").status, 200);
  served.rig.end_frame(41);
  EXPECT_EQ(waiting.receive().json()["frame"], 41);
}

TEST(HttpServer, TheStateIsThereBeforeTheFirstFrameAndWhileNoneEnds) {
  ServedRig served;
  served.rig.set_state(executive::State::start);
  HttpClient client = served.client();
  EXPECT_EQ(client.get("/v1/state").json()["state"], "Start");
  EXPECT_FALSE(client.get("/v1/state").json().contains("frame")) << "there is none yet";
  served.rig.set_state(executive::State::pause);
  const Json paused = client.get("/v1/state").json();
  EXPECT_EQ(paused["state"], "Pause");
  EXPECT_EQ(paused["paused"], true);
}

TEST(HttpServer, AValueThatNoFrameBringsIsRefusedInTime) {
  ServedRig served("answer_timeout: 50 ms");
  HttpClient client = served.client();
  const HttpReply reply = client.get("/v1/values?names=motor.speed");
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr("no frame has ended within 50 ms"));
  served.rig.end_frame(1);  // for nobody
  EXPECT_EQ(client.get("/v1").status, 200);
}

TEST(HttpServer, AChangeWhoseFrameIsFarAwayIsAcceptedInTime) {
  ServedRig served("answer_timeout: 50 ms");
  HttpClient client = served.client();
  const HttpReply reply = client.post("/v1/values", R"({"frame": 5000, "set": {"motor.speed": 1}})");
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(reply.json(), Json::parse(R"({"applied": false, "frame": 5000})"));
  const auto written = served.rig.take_written();
  ASSERT_EQ(written.size(), 1U);
  written[0].then({true, 5000, ""});  // for nobody
  EXPECT_EQ(client.get("/v1").status, 200);
}

TEST(HttpServer, TheEndOfTheRunIsAnAnswer) {
  ServedRig served;
  HttpClient client = served.client();
  ASSERT_TRUE(client.send(client.request("GET", "/v1/values?names=motor.speed")));
  while (served.rig.waiting() == 0) std::this_thread::sleep_for(1ms);
  served.rig.end();
  const HttpReply reply = client.receive();
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr("the run is over"));
}

TEST(HttpServer, SaysWhoAChangeIsFromByTcp) {
  ServedRig served("answer_timeout: 50 ms");
  HttpClient client = served.client();
  (void)client.post("/v1/values", R"({"set": {"motor.speed": 1}})");
  EXPECT_EQ(served.rig.take_written().at(0).batch.who, "127.0.0.1:" + std::to_string(client.own_port()));
}

TEST(HttpServer, ServesByUnixSocketForItsOwnerOnlyAndSaysWho) {
  ServedRig served("answer_timeout: 50 ms", "unix:live.sock");
  const std::string path = (served.dir / "live.sock").string();
  struct stat found {};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  HttpClient client(path);
  EXPECT_EQ(client.get("/v1").json()["rig"], "fake");
  (void)client.post("/v1/values", R"({"set": {"motor.speed": 1}})");
  EXPECT_EQ(served.rig.take_written().at(0).batch.who,
            "unix uid " + std::to_string(::getuid()) + " pid " + std::to_string(::getpid()));
  EXPECT_THAT(served.lines.at(0), HasSubstr("curl --unix-socket " + path));
  served.server->close();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(HttpServer, AFolderWhoseSocketNoClientCouldReachIsRefused) {
  const TempDir dir;
  const auto folder = dir / std::string(150, 'x');
  std::filesystem::create_directory(folder);
  RunningRig running;
  running.rig.change_facts().folder = folder;
  auto server = server_of("listen: unix:live.sock", dir.path());
  EXPECT_THROW(server->open(running.rig, {}), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(folder / "live.sock"));
}

TEST(HttpServer, ServesByIpv6) {
  RunningRig running;
  auto server = server_of("listen: \"[::1]:0\"", "/tmp");
  try {
    server->open(running.rig, {});
  } catch (const executive::DeviceError& none) {
    GTEST_SKIP() << "this machine has no IPv6: " << none.what();
  }
  EXPECT_THAT(server->take_log_lines().at(0), HasSubstr("http://[::1]:"));
  server->close();
}

TEST(HttpServer, TwoOnOnePortAreRefusedWithTheFix) {
  ServedRig first;
  RunningRig second;
  auto server = server_of("listen: 127.0.0.1:" + std::to_string(first.port), "/tmp");
  try {
    server->open(second.rig, {});
    FAIL() << "two servers listen on one port";
  } catch (const executive::DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("127.0.0.1:" + std::to_string(first.port) + " is in use"));
    EXPECT_THAT(error.what(), HasSubstr("choose another port"));
  }
  server->close();
  EXPECT_EQ(first.client().get("/v1").status, 200);
}

TEST(HttpServer, ItsPortIsFreeForTheNextRunAtOnce) {
  std::uint16_t port = 0;
  {
    ServedRig first;
    first.running.start();
    port = first.port;
    HttpClient client = first.client();
    EXPECT_EQ(client.get("/v1/state").status, 200);
    first.server->close();
  }
  ServedRig second("", "127.0.0.1:" + std::to_string(port));
  EXPECT_EQ(second.client().get("/v1").status, 200);
}

/// Closes a server with clients in every phase; whether each of those that waited heard of it.
void close_among_clients(bool& all_were_told) {
  ServedRig served("answer_timeout: 1 h");
  std::vector<HttpClient> clients;
  for (int k = 0; k < 30; ++k) clients.push_back(served.client());
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(clients[static_cast<std::size_t>(k)].send("GET /v1/sta"));
    auto& waiting = clients[static_cast<std::size_t>(10 + k)];
    ASSERT_TRUE(waiting.send(waiting.request("GET", "/v1/values?names=motor.speed")));
    auto& stream = clients[static_cast<std::size_t>(20 + k)];
    ASSERT_TRUE(stream.send(stream.request("GET", "/v1/watch?names=motor.speed")));
    EXPECT_EQ(stream.receive_head().status, 200);
  }
  while (served.rig.waiting() < 11) std::this_thread::sleep_for(1ms);
  const auto began = std::chrono::steady_clock::now();
  served.server->close();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 30s);
  all_were_told = true;
  for (int k = 10; k < 20; ++k)
    all_were_told = clients[static_cast<std::size_t>(k)].receive().status == 503 && all_were_told;
  for (int k = 20; k < 30; ++k) {
    std::string name, last;
    for (std::string event = "x"; !event.empty();) {
      event = clients[static_cast<std::size_t>(k)].event();
      if (!event.empty()) (void)data_of(last = event, name);
    }
    all_were_told = name == "end" && all_were_told;
  }
  served.rig.end_frame(1);  // answers that come late are for nobody
  served.rig.end();
  served.server->close();
}

TEST(HttpServer, ClosesInTimeWithClientsInEveryPhase) {
  // Last words have half a second, which a busy machine may use up: then once more.
  bool all_were_told = false;
  for (int attempt = 0; attempt < 5 && !all_were_told && !HasFailure(); ++attempt)
    close_among_clients(all_were_told);
  EXPECT_TRUE(all_were_told);
}

TEST(HttpServer, TwoHundredClientsAtOnceAreAllServed) {
  ServedRig served;
  served.running.start();
  std::vector<HttpClient> clients;
  for (int k = 0; k < 200; ++k) {
    clients.push_back(served.client());
    ASSERT_TRUE(clients.back().is_connected()) << k;
    const bool stream = k % 4 == 0;
    ASSERT_TRUE(clients.back().send(clients.back().request(
        "GET", stream ? "/v1/watch?names=motor.speed&every=20ms" : "/v1/values?names=motor.speed,rt.late")));
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t k = 0; k < clients.size(); ++k) {
      if (k % 4 != 0) {
        const HttpReply reply = clients[k].receive();
        ASSERT_EQ(reply.status, 200) << k;
        const Json group = reply.json();
        EXPECT_EQ(group["values"]["rt.late"].get<std::int64_t>(), group["frame"].get<std::int64_t>() % 100);
        ASSERT_TRUE(clients[k].send(clients[k].request("GET", "/v1/values?names=motor.speed,rt.late")));
      } else {
        if (round == 0) {
          ASSERT_EQ(clients[k].receive_head().status, 200) << k;
        }
        EXPECT_NE(clients[k].event(), "") << k;
      }
    }
  }
}

TEST(HttpServer, RequestsOnOneConnectionAreAnsweredInTheirOrder) {
  ServedRig served;
  served.running.start();
  HttpClient client = served.client();
  ASSERT_TRUE(client.send(client.request("GET", "/v1/values?names=motor.on") + client.request("GET", "/v1") +
                          client.request("GET", "/v1/variables/motor.mode")));
  EXPECT_TRUE(client.receive().json().contains("values"));
  EXPECT_TRUE(client.receive().json().contains("rig"));
  EXPECT_EQ(client.receive().json()["name"], "motor.mode");
}

}  // namespace
}  // namespace tactus::test::server_test
