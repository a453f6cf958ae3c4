// SPDX-License-Identifier: Apache-2.0
// The verdicts of a test as clients see them while it runs: /v1/verdicts and the event verdict.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "rig_command.hpp"
#include "tests/drivers/live/http/support/http_client.hpp"

namespace tactus::test::live_verdicts_test {
namespace {

using namespace std::chrono_literals;

/// The schema with that description; null: there is none.
Json described_as(const std::string& about, const Json& in) {
  if (in.is_object() && in.value("description", Json()) == about) return in;
  for (const Json& each : in)
    if (each.is_structured())
      if (const Json found = described_as(about, each); !found.is_null()) return found;
  return {};
}

TEST(LiveVerdicts, ComeAsTheyAreDecidedAndTheLastOfThemBeforeTheEnd) {
  const TempDir dir;
  dir.write("a.test.yaml",
            "test: moves\nuntil: 1 s\n"
            "expect:\n"
            "  slow: { never: motor.speed > 20 rad/s, requirement: REQ-7 }\n"
            "  turns: { always: abs(motor.speed - trajectory.speed) < 500 rad/s }\n"
            "  never comes: { after: motor.speed > 1000 rad/s, within: 5 ms, holds: motor.speed < 1 rad/s }\n"
            "  open: { after: motor.speed > 1 rad/s, within: 10 s, holds: motor.speed > 1000 rad/s }\n");
  Process rig(run_rig("servo",
                      {"--live", "unix:live.sock", "--no-realtime", "--paused", "--test", "a.test.yaml",
                       "--out", "out", "--allow", "untested,inconclusive"},
                      dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "listens on"));
  HttpClient client((dir / "out/live.sock").string()), watch((dir / "out/live.sock").string());
  while (client.get("/v1/state").json()["paused"] != true) std::this_thread::sleep_for(1ms);
  Json now = client.get("/v1/verdicts").json();
  EXPECT_EQ(now["test"], "moves");
  ASSERT_EQ(now["expectations"].size(), 4U) << now;
  EXPECT_EQ(now["expectations"][0]["verdict"], "untested");
  EXPECT_EQ(now["expectations"][0]["requirement"], "REQ-7");
  EXPECT_EQ(now["expectations"][0]["chart"]["high"], 20);
  EXPECT_EQ(now["expectations"][1]["chart"]["reference"], "trajectory.speed");
  Json schema = described_as("What a chart of the expectation draws.", client.get("/v1/openapi.json").json());
  const Json chart = now["expectations"][1]["chart"];
  for (const auto& [key, value] : chart.items())
    EXPECT_TRUE(schema["properties"].contains(key)) << key << " is served, and not described";

  // While the rig is paused after some frames, what they decided is known.
  ASSERT_EQ(client.post("/v1/commands", R"({"command": "step", "frames": 10})").status, 200);
  while (now["frame"] != 9) now = client.get("/v1/verdicts").json();
  EXPECT_EQ(now["expectations"][0]["verdict"], "pass");
  EXPECT_EQ(now["expectations"][0]["final"], false);
  EXPECT_EQ(now["expectations"][0]["says"], "holds so far");
  EXPECT_EQ(now["expectations"][2]["says"], "has not been tested so far");
  EXPECT_EQ(now["ended"], false);

  watch.send(watch.request("GET", "/v1/watch?names=rt.frame&every=10s"));
  (void)watch.receive_head();
  std::string name;
  while (data_of(watch.event(), name).is_object() && name != "state") continue;
  ASSERT_EQ(client.post("/v1/commands", R"({"command": "resume"})").status, 200);
  std::map<std::string, Json> last;
  for (;;) {
    const std::string event = watch.event();
    if (event.empty()) break;
    const Json data = data_of(event, name);
    if (name == "verdict") last[data["name"]] = data;
    if (name == "end") break;
  }
  EXPECT_EQ(name, "end");
  const Finished done = rig.wait();
  EXPECT_EQ(done.status, 4) << done;
  const Json verdict = Json::parse(read_file(dir.path() / "out/verdict.json"));
  ASSERT_EQ(last.size(), 4U) << "each is final at the end";
  for (const Json& row : verdict["expectations"]) {
    const Json& heard = last[row["name"]];
    EXPECT_EQ(heard["final"], true) << row;
    for (const char* const key : {"verdict", "frame", "why", "says", "margin", "chart"})
      EXPECT_EQ(heard[key], row[key]) << row;
    EXPECT_FALSE(row.contains("final")) << "verdict.json is of a run that is over";
  }
}

TEST(LiveVerdicts, StepsOfASequenceComeAsTheyAreDecided) {
  const TempDir dir;
  dir.write("a.test.yaml",
            "until: 100 ms\n"
            "sequence:\n"
            "  - { step: first, for: 5 ms, expect: { slow: always motor.speed < 1000 rad/s } }\n"
            "  - { step: second, until: motor.speed > 1000 rad/s, timeout: 10 ms }\n"
            "expect: { slow: always motor.speed < 1000 rad/s }\n");
  Process rig(run_rig(
      "servo",
      {"--live", "unix:live.sock", "--no-realtime", "--paused", "--test", "a.test.yaml", "--out", "out"},
      dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "listens on"));
  HttpClient client((dir / "out/live.sock").string()), watch((dir / "out/live.sock").string());
  const auto after = [&](int frame, int steps) {
    if (steps > 0) {
      const std::string body = R"({"command": "step", "frames": )" + std::to_string(steps) + "}";
      EXPECT_EQ(client.post("/v1/commands", body).status, 200);
    }
    Json now;
    do now = client.get("/v1/verdicts").json();
    while (now["frame"] != frame);
    return now["expectations"];
  };
  while (client.get("/v1/state").json()["paused"] != true) std::this_thread::sleep_for(1ms);
  const Json before = client.get("/v1/verdicts").json()["expectations"];
  ASSERT_EQ(before.size(), 4U) << "all rows are there from the beginning" << before;
  Json rows = after(2, 3);
  EXPECT_TRUE(rows[0]["active"].is_null());
  EXPECT_EQ(rows[1]["name"], "sequence.first");
  EXPECT_EQ(rows[1]["active"], true);
  EXPECT_EQ(rows[1]["since"], 0);
  EXPECT_EQ(rows[2]["verdict"], "pass");
  EXPECT_EQ(rows[3]["says"], "has not begun");
  watch.send(watch.request("GET", "/v1/watch?names=rt.frame&every=10s"));
  (void)watch.receive_head();
  std::string name;
  while (data_of(watch.event(), name).is_object() && name != "state") continue;
  rows = after(6, 4);
  EXPECT_EQ(rows[1]["active"], false);
  EXPECT_EQ(rows[1]["verdict"], "pass");
  EXPECT_EQ(rows[3]["active"], true);
  EXPECT_EQ(rows[3]["since"], 5);
  Json heard;
  while (heard["name"] != "sequence.second") {
    heard = data_of(watch.event(), name);
    if (name != "verdict") heard = Json();
  }
  EXPECT_EQ(heard["active"], true) << heard;
  rows = after(16, 10);
  EXPECT_EQ(rows[3]["verdict"], "fail");
  EXPECT_EQ(rows[3]["frame"], 14);
  EXPECT_EQ(rows[3]["final"], true) << "what failed stays failed";
  EXPECT_EQ(client.post("/v1/commands", R"({"command": "stop"})").status, 200);
  EXPECT_EQ(rig.wait().status, 4);
  const Json verdict = Json::parse(read_file(dir.path() / "out/verdict.json"));
  for (const Json& row : verdict["expectations"])
    EXPECT_FALSE(row.contains("active") || row.contains("begun")) << row;
}

TEST(LiveVerdicts, OfARigWithoutATestThereAreNone) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--live", "unix:live.sock", "--no-realtime", "--paused", "--out", "out"},
                      dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "listens on"));
  HttpClient client((dir / "out/live.sock").string());
  const Json now = client.get("/v1/verdicts").json();
  EXPECT_TRUE(now["test"].is_null()) << now;
  EXPECT_TRUE(now["expectations"].empty());
  EXPECT_EQ(client.post("/v1/commands", R"({"command": "stop"})").status, 200);
  EXPECT_EQ(rig.wait().status, 0);
}

}  // namespace
}  // namespace tactus::test::live_verdicts_test
