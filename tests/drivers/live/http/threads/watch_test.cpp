// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "drivers/live/http/routes.hpp"
#include "tests/drivers/live/http/support/served_rig.hpp"

namespace tactus::test::watch_test {
namespace {

using namespace std::chrono_literals;
using config::Json;
using testing::HasSubstr;

/// The next event of this name.
Json next(HttpClient& client, const std::string& wanted) {
  const auto until = std::chrono::steady_clock::now() + kHttpTimeout;
  for (;;) {
    std::string name;
    const std::string event = client.event();
    if (event.empty() || std::chrono::steady_clock::now() > until) return {};
    Json data = data_of(event, name);
    if (name == wanted) return data;
  }
}

HttpClient watching(const ServedRig& served, const std::string& query) {
  HttpClient client = served.client();
  EXPECT_TRUE(client.send(client.request("GET", "/v1/watch?" + query)));
  const HttpReply head = client.receive_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(head.headers.at("cache-control"), "no-store");
  return client;
}

TEST(HttpWatch, BeginsWithTheStateThenSendsCoherentValues) {
  ServedRig served;
  served.running.start();
  HttpClient client = watching(served, "names=motor.speed,rt.late&every=5ms");
  std::string name;
  const Json state = data_of(client.event(), name);
  EXPECT_EQ(name, "state");
  std::vector<std::string> problems;
  drivers::live_http::check(drivers::live_http::state_schema(), state, "", problems);
  EXPECT_THAT(problems, testing::IsEmpty());
  std::int64_t before = -1;
  for (int k = 0; k < 50; ++k) {
    const Json data = next(client, "values");
    ASSERT_FALSE(data.is_null());
    for (const auto& route : drivers::live_http::routes())
      if (route.stream) drivers::live_http::check(route.answer, data, "", problems);
    EXPECT_THAT(problems, testing::IsEmpty()) << data;
    EXPECT_GT(data["frame"].get<std::int64_t>(), before);
    before = data["frame"].get<std::int64_t>();
    EXPECT_EQ(data["values"]["rt.late"].get<std::int64_t>(), before % 100);
  }
}

TEST(HttpWatch, TheFirstStateSaysTheFrameThatTheRigIsAt) {
  ServedRig served;
  served.rig.set_last_frame(1233);
  HttpClient client = watching(served, "names=motor.speed&every=1min");
  while (served.rig.waiting() == 0) std::this_thread::sleep_for(1ms);
  served.rig.end_frame(1234);
  const Json state = next(client, "state");
  EXPECT_EQ(state["frame"], 1234);
  EXPECT_EQ(state["sim_time_ns"], 1'234'000'000);

  served.rig.set_last_frame(5000);  // and no snapshot comes, as where a frame has no slack for it
  HttpClient late = watching(served, "names=motor.speed&every=1min");
  EXPECT_EQ(next(late, "state")["frame"], 5000);
}

TEST(HttpWatch, AsksTheRigNoMoreOftenThanItIsToldTo) {
  ServedRig served;
  served.running.start();
  const auto began = std::chrono::steady_clock::now();
  HttpClient client = watching(served, "names=motor.speed&every=50ms");
  for (int k = 0; k < 5; ++k) ASSERT_FALSE(next(client, "values").is_null());
  EXPECT_GT(std::chrono::steady_clock::now() - began, 190ms) << "four times 50 ms lie between five events";
}

TEST(HttpWatch, StreamsThatAreDueTogetherShareOneSnapshot) {
  ServedRig served;
  std::vector<HttpClient> clients;
  for (int k = 0; k < 20; ++k) clients.push_back(watching(served, "names=motor.speed&every=1ms"));
  while (served.rig.waiting() == 0) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(served.rig.waiting(), 1U);
  served.rig.end_frame(3);
  while (served.rig.waiting() == 0) std::this_thread::sleep_for(1ms);  // for those that came after the asking
  served.rig.end_frame(4);
  for (auto& client : clients) EXPECT_FALSE(next(client, "values").is_null());
}

TEST(HttpWatch, TheIdOfAnEventIsTheSequenceOfItsSnapshot) {
  ServedRig served;
  HttpClient client = watching(served, "names=motor.speed&every=1ms");
  while (served.rig.waiting() == 0) std::this_thread::sleep_for(1ms);
  served.rig.end_frame(9);
  std::string event;
  do event = client.event();
  while (event.find("event: values") == std::string::npos && !event.empty());
  EXPECT_THAT(event, HasSubstr("id: 1\n"));
  EXPECT_THAT(event, HasSubstr("\"frame\":9"));
}

TEST(HttpWatch, TellsWhenTheStateChanges) {
  ServedRig served;
  HttpClient client = watching(served, "names=motor.speed");
  EXPECT_EQ(next(client, "state")["paused"], false);
  served.rig.set_state(executive::State::step_controller);  // within a frame: no change
  std::this_thread::sleep_for(250ms);
  served.rig.set_state(executive::State::pause);
  const Json paused = next(client, "state");
  EXPECT_EQ(paused["paused"], true);
  EXPECT_EQ(paused["state"], "Pause");
}

TEST(HttpWatch, ABeatComesWhenThereIsNothingElse) {
  ServedRig served;  // no frame ends
  HttpClient client = watching(served, "names=motor.speed");
  (void)client.event();
  std::string name;
  const Json beat = data_of(client.event(), name);
  EXPECT_EQ(name, "beat");
  std::vector<std::string> problems;
  drivers::live_http::check(drivers::live_http::beat_schema(), beat, "", problems);
  EXPECT_THAT(problems, testing::IsEmpty());
}

TEST(HttpWatch, EndsWithTheRun) {
  ServedRig served;
  HttpClient client = watching(served, "names=motor.speed&every=1ms");
  while (served.rig.waiting() == 0) std::this_thread::sleep_for(1ms);
  served.rig.set_state(executive::State::disconnect);
  served.rig.end();
  const Json end = next(client, "end");
  EXPECT_EQ(end["reason"], "the run is over");
  EXPECT_EQ(end["state"], "Disconnect");
  EXPECT_FALSE(end.contains("frame")) << "nobody knows by then whether it was the last";
  std::vector<std::string> problems;
  drivers::live_http::check(drivers::live_http::end_schema(), end, "", problems);
  EXPECT_THAT(problems, testing::IsEmpty());
  EXPECT_EQ(client.event(), "") << "nothing comes behind the end";
}

TEST(HttpWatch, WhoDoesNotReadSkipsAndIsToldHowMany) {
  ServedRig served;
  served.running.start();
  HttpClient slow = watching(served, "names=plant.field&every=1ms");
  HttpClient quick = watching(served, "names=rt.late&every=1ms");
  std::int64_t seen = 0;
  const auto until = std::chrono::steady_clock::now() + kHttpTimeout;
  while (seen < 1000 && std::chrono::steady_clock::now() < until)
    if (!next(quick, "values").is_null()) ++seen;
  EXPECT_GT(seen, 100) << "one who does not read holds up nobody";
  std::int64_t skipped = 0, got = 0, frame = -1;
  for (; got < 5000 && skipped == 0; ++got) {
    const Json data = next(slow, "values");
    ASSERT_FALSE(data.is_null());
    EXPECT_GT(data["frame"].get<std::int64_t>(), frame);
    frame = data["frame"].get<std::int64_t>();
    skipped += data["skipped"].get<std::int64_t>();
  }
  EXPECT_GT(skipped, 0);
}

TEST(HttpWatch, WhoGoesAwayIsForgottenWithinSeconds) {
  ServedRig served("max_clients: 2");
  {
    HttpClient one = watching(served, "names=motor.speed");
    HttpClient two = watching(served, "names=motor.speed");
  }
  const auto until = std::chrono::steady_clock::now() + kHttpTimeout;
  int status = 0;
  while (status != 200 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(50ms);
    status = served.client().get("/v1").status;
  }
  EXPECT_EQ(status, 200);
}

TEST(HttpWatch, ARateAboveTheLimitIsRefused) {
  ServedRig served("max_watch_rate: 10 Hz");
  HttpClient client = served.client();
  const HttpReply reply = client.get("/v1/watch?names=motor.speed&every=50ms");
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("every: 50 ms is outside 100 ms .. 1 min (live.http.max_watch_rate)"));
  EXPECT_EQ(client.get("/v1/watch?names=motor.speed&every=soon").status, 400);
  EXPECT_EQ(client.get("/v1/watch?names=nobody").status, 400);
  EXPECT_EQ(client.get("/v1/watch").status, 400);
}

}  // namespace
}  // namespace tactus::test::watch_test
