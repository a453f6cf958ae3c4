// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "tests/drivers/live/http/support/sample_rig.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::test::api_test {
namespace {

using namespace drivers::live_http;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Requests without a network: what was replied so far.
class HttpApi : public testing::Test {
 protected:
  HttpApi() { declare_sample(rig_); }

  Reply ask(const std::string& method, const std::string& target, const std::string& body = {},
            const std::string& type = "application/json") {
    Request request{method, target, {}, body, "a test"};
    if (!type.empty() && method == "POST") request.headers.emplace_back("content-type", type);
    reply_.reset();
    timeout_ = api_.handle(request, Respond([this](const Respond::Make& make) {
                             EXPECT_FALSE(reply_) << "one reply only";
                             reply_ = make();
                           }));
    return reply_.value_or(Reply{0});
  }
  Reply get(const std::string& target) { return ask("GET", target); }
  Reply post(const std::string& target, const std::string& body) { return ask("POST", target, body); }
  std::vector<std::string> problems_of(const std::string& target) { return problems(get(target)); }
  static const Route& route_of(const std::string& path) {
    for (const Route& route : routes())
      if (route.path == path) return route;
    throw std::out_of_range(path);
  }
  static std::vector<std::string> problems(const Reply& reply) {
    return reply.body["problems"].get<std::vector<std::string>>();
  }

  FakeLiveRig rig_;
  Api api_{rig_, {}};
  std::optional<Reply> reply_;
  std::optional<ReplyTimeout> timeout_;
};

TEST_F(HttpApi, SaysWhatTheRigIs) {
  rig_.change_facts().frame = rtsync::Period{50'000'000, 3};
  const Json facts = get("/v1").body;
  EXPECT_EQ(facts["rig"], "fake");
  EXPECT_EQ(facts["period"], Json::parse(R"__({"num_ns": 50000000, "den": 3, "text": "16.7 ms (60 Hz)"})__"));
  EXPECT_EQ(facts["epoch"], "2005-02-15T00:00:00+00:00");
  EXPECT_TRUE(facts["planned_frames"].is_null());
  rig_.change_facts().frames = 100;
  EXPECT_EQ(get("/v1").body["planned_frames"], 100);
}

TEST_F(HttpApi, DescribesAVariableWithAllThatIsKnown) {
  const Json speed = get("/v1/variables/motor.speed").body;
  EXPECT_EQ(
      speed,
      Json::parse(
          R"({"name": "motor.speed", "type": "double", "count": 0, "columns": 0, "unit": "rad/s", "role": "state",
      "about": "of the shaft", "labels": {}, "range": {"low": -100.0, "high": 100.0}, "rights": "full", "reason": "",
      "written_by": {"what": "model", "who": "", "frame": null}, "drives": []})"));
  const Json mode = get("/v1/variables/motor.mode").body;
  EXPECT_EQ(mode["labels"], Json::parse(R"({"off": 0, "hold": 2})"));
  const Json torque = get("/v1/variables/controller.torque").body;
  EXPECT_EQ(torque["rights"], "force_only");
  EXPECT_THAT(torque["reason"].get<std::string>(), HasSubstr("force it instead"));
  EXPECT_EQ(get("/v1/variables/motor.sped").status, 404);
}

TEST_F(HttpApi, SaysWhoWritesAVariableAndWhatItDrives) {
  using What = executive::LiveWriter::What;
  rig_.change_writers()[0] = {What::set, "127.0.0.1:40000", 12};
  rig_.change_writers()[5] = {What::executive, "the executive", {}};
  rig_.change_outputs() = {{"gate.on: line 17 of chip", "gpio-out", "gate", 1, {{0, 0, 1, false}}, false}};
  const auto variable = [&](const std::string& name) { return get("/v1/variables/" + name).body; };
  EXPECT_EQ(variable("motor.speed")["written_by"],
            Json::parse(R"({"what": "set", "who": "127.0.0.1:40000", "frame": 12})"));
  EXPECT_EQ(variable("rt.late")["written_by"],
            Json::parse(R"({"what": "executive", "who": "the executive", "frame": null})"));
  EXPECT_THAT(variable("motor.speed")["drives"], ElementsAre("gate.on: line 17 of chip")) << "by a wire";
  EXPECT_THAT(variable("motor.on")["drives"], ElementsAre("gate.on: line 17 of chip"));
  EXPECT_THAT(variable("motor.mode")["drives"], IsEmpty());
  std::vector<std::string> problems;
  check(route_of("/v1/variables/{name}").answer, variable("motor.speed"), "", problems);
  EXPECT_THAT(problems, IsEmpty());
}

TEST_F(HttpApi, TheStateSaysWhatIsForcedAllowedAndDriven) {
  rig_.change_outputs() = {{"gate.on: line 17 of chip", "gpio-out", "gate", 1, {{2, 1, 1, true}}, false}};
  double value = 2.5;
  std::vector<std::byte> bytes(8);
  std::memcpy(bytes.data(), &value, 8);
  rig_.set_forces({{{2, 1, 1, true}, "axis.force[1]", bytes, "a test", 33}});
  rig_.object(executive::Command::resume, "the rig is not in Pause");
  (void)get("/v1/state");
  rig_.end_frame(40);
  ASSERT_TRUE(reply_);
  const Json state = reply_->body;
  std::vector<std::string> problems;
  check(state_schema(), state, "", problems);
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(state["forced"],
            Json::parse(R"([{"variable": "axis.force[1]", "value": 2.5, "who": "a test", "frame": 33}])"));
  EXPECT_EQ(state["allowed"]["resume"], "the rig is not in Pause");
  EXPECT_EQ(state["allowed"]["stop"], "");
  EXPECT_EQ(state["allowed"].size(), 8U);
  EXPECT_EQ(state["outputs"], Json::parse(R"([{"name": "gate.on: line 17 of chip", "driver": "gpio-out",
      "model": "gate", "variable": "motor.on", "sources": ["axis.force[1]"], "value": true, "safe": false}])"));
  rig_.set_state(executive::State::connect);
  EXPECT_EQ(get("/v1/state").body["outputs"][0]["value"], true) << "as it was last known";
}

TEST_F(HttpApi, BeforeTheFirstFrameNoOutputHasAValue) {
  rig_.change_outputs() = {{"gate.on: line 17 of chip", "gpio-out", "gate", 1, {}, nullptr}};
  rig_.set_state(executive::State::connect);
  const Json output = get("/v1/state").body["outputs"][0];
  EXPECT_TRUE(output["value"].is_null());
  EXPECT_TRUE(output["safe"].is_null());
}

TEST_F(HttpApi, SwitchesHaveTheirStateAndAWrongNameIsNotFoundWithTheOneThatWasMeant) {
  tactus::test::Snapshot texts;
  using Is = executive::LiveSwitch::Is;
  rig_.change_switches() = {{"fault", "encoder_stuck", "encoder.angle", Is::on, 412},
                            {"stimulus", "load", "motor.load_torque", Is::waiting, std::nullopt}};
  const Reply all = get("/v1/switches");
  std::vector<std::string> problems;
  check(route_of("/v1/switches").answer, all.body, "", problems);
  EXPECT_THAT(problems, IsEmpty());
  const Json& rows = all.body.at("switches");
  EXPECT_EQ(rows[0], Json({{"kind", "fault"},
                           {"name", "encoder_stuck"},
                           {"target", "encoder.angle"},
                           {"state", "on"},
                           {"on", true},
                           {"since", 412}}));
  EXPECT_EQ(rows[1]["state"], "waiting");
  EXPECT_TRUE(rows[1]["since"].is_null());
  const Reply wrong =
      post("/v1/switches", Json({{"kind", "fault"}, {"name", "encoder_stuk"}, {"on", true}}).dump());
  EXPECT_EQ(wrong.status, 404);
  texts.add(wrong.body["error"].get<std::string>());
  const Reply kind =
      post("/v1/switches", Json({{"kind", "falut"}, {"name", "encoder_stuck"}, {"on", true}}).dump());
  EXPECT_EQ(kind.status, 404);
  texts.add(kind.body["error"].get<std::string>());
  EXPECT_EQ(post("/v1/switches", Json({{"kind", "stimulus"}, {"name", "load"}, {"on", true}}).dump()).status,
            200);
  EXPECT_EQ(get("/v1/switches").body["switches"][1]["on"], true);
}

TEST_F(HttpApi, ListsAreReadFromANumberOn) {
  auto& journal = rig_.history(executive::LiveList::journal);
  for (int i = 0; i < 5; ++i) journal.add({{"frame", i}, {"what", "set"}, {"time", ""}, {"who", "a"}});
  const auto numbers = [](const Reply& reply) {
    std::vector<int> all;
    for (const Json& entry : reply.body.at("entries")) all.push_back(entry["n"].get<int>());
    return all;
  };
  const Reply all = get("/v1/journal");
  EXPECT_THAT(numbers(all), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(all.body["last"], 5);
  EXPECT_EQ(all.body["first"], 1);
  std::vector<std::string> problems;
  check(route_of("/v1/journal").answer.properties[1].schema, all.body["first"], "", problems);
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_THAT(numbers(get("/v1/journal?after=3")), ElementsAre(4, 5));
  EXPECT_THAT(numbers(get("/v1/journal?after=1&count=2")), ElementsAre(2, 3));
  EXPECT_THAT(numbers(get("/v1/journal?after=100")), IsEmpty()) << "a number of an earlier run";
  EXPECT_THAT(numbers(get("/v1/overruns")), IsEmpty());
  EXPECT_EQ(get("/v1/overruns").body["last"], 0);
  EXPECT_EQ(get("/v1/log?count=1001").status, 400);
  EXPECT_EQ(get("/v1/log?count=0").status, 400);
  EXPECT_EQ(get("/v1/log?after=-1").status, 400);
  tactus::test::Snapshot().add(problems_of("/v1/log?aftr=1"));
}

TEST_F(HttpApi, ReportsComeFromTheRunAndAreRefusedWhenItIsOver) {
  EXPECT_EQ(get("/v1/jobs").status, 503) << "the run is over";
  rig_.set_reports([](executive::LiveReport which) { return Json{{"which", static_cast<int>(which)}}; });
  EXPECT_EQ(get("/v1/timing").body["which"], 0);
  EXPECT_EQ(get("/v1/jobs").body["which"], 1);
  EXPECT_EQ(get("/v1/clock").body["which"], 2);
  EXPECT_EQ(get("/v1/link").body["which"], 3);
  EXPECT_EQ(get("/v1/drivers").body["which"], 4);
  EXPECT_EQ(get("/v1/threads").body["which"], 5);
  EXPECT_EQ(get("/v1/doctor").body["which"], 6);
  EXPECT_EQ(get("/v1/verdicts").body["which"], 8);
}

TEST_F(HttpApi, TracesAreJsonOrAFileAndSayWhyThereIsNone) {
  using executive::LiveTrace;
  EXPECT_EQ(get("/v1/trace").status, 409) << "no flight recorder";
  executive::LiveTraceCall asked;
  LiveTrace made;
  made.frame = 7;
  made.json = {{"frame", 7}};
  made.bytes = std::string("\0\x0a\xff", 3);
  rig_.set_traces([&](const executive::LiveTraceCall& call) {
    asked = call;
    return made;
  });
  EXPECT_EQ(get("/v1/trace").body["frame"], 7);
  EXPECT_FALSE(asked.frame);
  EXPECT_EQ(asked.before, 20);
  const Reply file = get("/v1/trace?frame=7&before=0&after=1000&format=perfetto");
  EXPECT_EQ(*file.bytes, made.bytes);
  EXPECT_EQ(file.type, "application/octet-stream");
  EXPECT_EQ(asked.frame, 7);
  EXPECT_EQ(asked.before, 0);
  EXPECT_EQ(asked.after, 1000);
  made.outcome = LiveTrace::Outcome::no_frame;
  made.problem = "it holds frames 1 to 5";
  EXPECT_EQ(get("/v1/trace?frame=9").status, 404);
  EXPECT_EQ(reply_->body["error"], "it holds frames 1 to 5");
  tactus::test::Snapshot().add(problems_of("/v1/trace?before=1001&format=xml"));
  EXPECT_EQ(get("/v1/trace?frame=-1").status, 400);
}

TEST_F(HttpApi, ListsVariablesByPattern) {
  const auto names = [&](const std::string& query) {
    std::vector<std::string> all;
    const Reply reply = get("/v1/variables" + query);
    for (const Json& one : reply.body.at("variables")) all.push_back(one["name"].get<std::string>());
    return all;
  };
  EXPECT_EQ(names("").size(), 7U);
  EXPECT_THAT(names("?match=motor.*"), ElementsAre("motor.speed", "motor.on", "motor.mode"));
  EXPECT_THAT(names("?match=*.o?"), ElementsAre("motor.on"));
  EXPECT_THAT(names("?match=*or*"),
              ElementsAre("motor.speed", "motor.on", "axis.force", "motor.mode", "controller.torque"));
  EXPECT_THAT(names("?match=motor"), IsEmpty());
  EXPECT_THAT(names("?match=motor.*&first=1&count=1"), ElementsAre("motor.on"));
  const Json part = get("/v1/variables?match=motor.*&count=2").body;
  EXPECT_EQ(part["total"], 3);
  EXPECT_EQ(part["next"], 2);
  EXPECT_TRUE(get("/v1/variables?first=2").body["next"].is_null());
  EXPECT_THAT(names("?first=9223372036854775807"), IsEmpty());
}

TEST_F(HttpApi, ListsVariablesByTheirNamesInThatOrder) {
  const Reply reply = get("/v1/variables?names=axis.force[1],motor.on,motor.on,motor.speed");
  std::vector<std::string> names;
  for (const Json& one : reply.body.at("variables")) names.push_back(one["name"].get<std::string>());
  EXPECT_THAT(names, ElementsAre("axis.force", "motor.on", "motor.on", "motor.speed"));
  EXPECT_EQ(reply.body["total"], 4);
  EXPECT_TRUE(reply.body["next"].is_null());
  std::vector<std::string> problems;
  check(route_of("/v1/variables").answer, reply.body, "", problems);
  EXPECT_THAT(problems, IsEmpty());
  const Reply missing = get("/v1/variables?names=motor.on,motor.sped,also.not");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body, get("/v1/variables/motor.sped").body) << "as if it were alone";
  EXPECT_EQ(get("/v1/variables?names=").status, 404);
  tactus::test::Snapshot().add(problems_of("/v1/variables?names=motor.on&match=*"));
}

TEST_F(HttpApi, AnswersAReadWithTheNextFrame) {
  EXPECT_EQ(get("/v1/values?names=motor.speed,axis.force,axis.force[2],motor.on").status, 0) << "not yet";
  EXPECT_TRUE(timeout_);
  rig_.end_frame(4);
  ASSERT_TRUE(reply_);
  EXPECT_EQ(reply_->body,
            Json::parse(R"({"frame": 4, "sim_time_ns": 4000000, "date": "2005-02-15T00:00:00.004+00:00",
      "state": "StepEnd",
      "values": {"motor.speed": 1.5, "axis.force": [1.0, 2.0, 3.0], "axis.force[2]": 3.0, "motor.on": true}})"));
}

TEST_F(HttpApi, ListsAllNamesThatAreWrong) {
  const Reply reply = get("/v1/values?names=motor.sped,motor.on,motor.on,,axis.force[9]");
  EXPECT_EQ(reply.status, 400);
  tactus::test::Snapshot().add(problems(reply));
  EXPECT_EQ(rig_.waiting(), 0U);
}

TEST_F(HttpApi, WritesWhatItIsTold) {
  EXPECT_EQ(post("/v1/values",
                 R"({"frame": 12, "set": {"motor.speed": 2.5, "axis.force[1]": 7, "motor.mode": "hold"},
                                   "force": {"controller.torque": 1}, "release": ["motor.on"]})")
                .status,
            0);
  const auto written = rig_.take_written();
  ASSERT_EQ(written.size(), 1U);
  const executive::LiveBatch& batch = written[0].batch;
  EXPECT_EQ(batch.frame, 12);
  EXPECT_EQ(batch.who, "a test");
  ASSERT_EQ(batch.writes.size(), 5U);
  using Kind = executive::LiveWrite::Kind;
  double speed = 0;
  std::memcpy(&speed, batch.writes[0].bytes.data(), sizeof speed);
  EXPECT_EQ(speed, 2.5);
  EXPECT_EQ(batch.writes[1].ref.first, 1U);
  EXPECT_EQ(batch.writes[1].bytes.size(), sizeof(double));
  EXPECT_EQ(batch.writes[2].bytes.size(), sizeof(std::int32_t));
  EXPECT_EQ(batch.writes[3].kind, Kind::force);
  EXPECT_EQ(batch.writes[4].kind, Kind::release);
  EXPECT_TRUE(batch.writes[4].bytes.empty());
  written[0].then({true, 12, ""});
  ASSERT_TRUE(reply_);
  EXPECT_EQ(reply_->body, Json::parse(R"({"applied": true, "frame": 12})"));
}

TEST_F(HttpApi, ReleasesAll) {
  (void)post("/v1/values", R"({"release": "all"})");
  EXPECT_EQ(rig_.take_written().at(0).batch.writes.at(0).kind, executive::LiveWrite::Kind::release_all);
  EXPECT_EQ(post("/v1/values", R"({"release": "al"})").status, 400);
}

TEST_F(HttpApi, AChangeThatCameTooLateIsAConflict) {
  (void)post("/v1/values", R"({"frame": 1, "set": {"motor.speed": 1}})");
  rig_.take_written().at(0).then({false, -1, "frame 1 had begun already"});
  ASSERT_TRUE(reply_);
  EXPECT_EQ(reply_->status, 409);
  EXPECT_EQ(reply_->body["error"], "frame 1 had begun already");
}

TEST_F(HttpApi, ListsAllThatIsWrongWithAChangeAndWritesNothing) {
  const Reply reply =
      post("/v1/values", R"({"set": {"motor.speed": "fast", "motor.on": 1, "axis.force": [1, 2],
                                                     "motor.mode": 3.5, "nobody": 1},
                                             "force": {"motor.mode": 99999999999}, "release": ["nowhere"]})");
  EXPECT_EQ(reply.status, 400);
  tactus::test::Snapshot().add(problems(reply));
  EXPECT_TRUE(rig_.take_written().empty());
}

TEST_F(HttpApi, ARangeHoldsForValuesFromOutside) {
  tactus::test::Snapshot().add(problems(post("/v1/values", R"({"set": {"motor.speed": 100.5}})")));
}

TEST_F(HttpApi, OneVariableIsChangedOnlyOnceAtATime) {
  tactus::test::Snapshot().add(
      problems(post("/v1/values", R"({"set": {"motor.speed": 1}, "force": {"motor.speed": 2}})")));
}

TEST_F(HttpApi, AForceIsReleasedAndItsValueWrittenInOneGo) {
  using Kind = executive::LiveWrite::Kind;
  for (const char* const body : {R"({"release": ["motor.speed"], "set": {"motor.speed": 2}})",
                                 R"({"release": ["motor.speed"], "force": {"motor.speed": 2}})",
                                 R"({"release": "all", "set": {"motor.speed": 2}})"}) {
    EXPECT_EQ(post("/v1/values", body).status, 0) << body;
    const auto written = rig_.take_written();
    ASSERT_EQ(written.size(), 1U) << body;
    ASSERT_EQ(written[0].batch.writes.size(), 2U) << body;
    EXPECT_NE(written[0].batch.writes[0].kind, Kind::release);
    EXPECT_GE(written[0].batch.writes[1].kind, Kind::release);
    written[0].then({true, 1, ""});
  }
  tactus::test::Snapshot().add(
      problems(post("/v1/values", R"({"release": ["motor.speed", "motor.speed"]})")));
}

TEST_F(HttpApi, WhatTheRigRefusesIsTold) {
  rig_.refuse("rt.late is the executive's own");
  EXPECT_THAT(problems(post("/v1/values", R"({"set": {"motor.speed": 1}})")),
              ElementsAre("rt.late is the executive's own"));
  EXPECT_EQ(post("/v1/commands", R"({"command": "pause"})").status, 409);
}

TEST_F(HttpApi, BodiesAreCheckedAgainstTheirSchema) {
  tactus::test::Snapshot texts;
  const std::string rows[] = {R"({"sett": {"motor.speed": 1}})",
                              R"({"set": [1]})",
                              R"({"frame": -1, "set": {"motor.speed": 1}})",
                              R"({"frame": 1.5, "set": {"motor.speed": 1}})",
                              R"({"frame": 18446744073709551615, "set": {"motor.speed": 1}})",
                              R"({"release": 5})",
                              R"({"release": "motor.on"})",
                              R"({"release": [5]})",
                              R"([])",
                              R"({})",
                              R"({"set": {}})",
                              R"({"set": {"motor.speed": 1}, "set": {}})",
                              R"({"set": {"motor.speed": 1, "motor.speed": 2}})",
                              R"({"set": )",
                              R"({"set": ,})",
                              "",
                              R"({"frame": 18446744073709551616, "set": {"motor.speed": 1}})",
                              R"({"set": {"motor.mode": 18446744073709551616}})",
                              R"({"set": {"motor.speed": NaN}})",
                              R"({"set": {"motor.speed": 1e999}})",
                              R"({"set": {"motor.speed": "nan"}})"};
  for (const std::string& body : rows) {
    const Reply reply = post("/v1/values", body);
    EXPECT_EQ(reply.status, 400) << body;
    texts.add(problems(reply), "'" + body + "'");
  }
  EXPECT_EQ(problems(post("/v1/values", " \n")), problems(post("/v1/values", "")));
  EXPECT_TRUE(rig_.take_written().empty());
}

TEST_F(HttpApi, GivesOrders) {
  const std::pair<const char*, std::int64_t> rows[] = {
      {R"({"command": "pause"})", 0},
      {R"({"command": "resume"})", 0},
      {R"({"command": "step"})", 1},
      {R"({"command": "step", "frames": 25})", 25},
      {R"({"command": "run_until", "until_ns": 5000000})", 5'000'000},
      {R"({"command": "run_until", "until": "2.5 s"})", 2'500'000'000},
      {R"({"command": "reset"})", 0},
      {R"({"command": "stop"})", 0},
      {R"({"command": "checkpoint"})", 0},
  };
  for (const auto& [body, value] : rows) {
    const Reply reply = post("/v1/commands", body);
    ASSERT_EQ(reply.status, 200) << body << reply.body;
    const auto commands = rig_.take_commands();
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_EQ(name_of(commands[0].command), Json::parse(body)["command"].get<std::string>());
    EXPECT_EQ(commands[0].value, value) << body;
    EXPECT_EQ(commands[0].who, "a test");
  }
}

TEST_F(HttpApi, CheckpointsHaveNames) {
  EXPECT_EQ(post("/v1/commands", R"({"command": "checkpoint", "file": "here"})").status, 200);
  EXPECT_EQ(post("/v1/commands", R"({"command": "load", "file": "here.tck"})").status, 200);
  const auto commands = rig_.take_commands();
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].command, executive::Command::checkpoint);
  EXPECT_EQ(commands[0].name, "here");
  EXPECT_EQ(commands[1].command, executive::Command::load);
  EXPECT_EQ(commands[1].name, "here.tck");
}

TEST_F(HttpApi, AResetAndALoadAreAnsweredWhenTheyAreDone) {
  rig_.let_resets_take_time();
  for (const char* const body : {R"({"command": "reset"})", R"({"command": "load", "file": "here"})"}) {
    EXPECT_EQ(post("/v1/commands", body).status, 0) << "not yet: " << body;
    rig_.answer_return("");
    ASSERT_TRUE(reply_);
    EXPECT_EQ(reply_->status, 200);
    EXPECT_EQ(reply_->body["done"], true);
    std::vector<std::string> problems;
    check(route_of("/v1/commands").answer, reply_->body, "", problems);
    EXPECT_THAT(problems, IsEmpty());
  }
  EXPECT_EQ(post("/v1/commands", R"({"command": "reset"})").status, 0);
  rig_.answer_return("the run ended before it: stopped");
  ASSERT_TRUE(reply_);
  EXPECT_EQ(reply_->status, 409);
  EXPECT_EQ(reply_->body["error"], "the run ended before it: stopped");
}

TEST_F(HttpApi, OrdersThatDoNotFitAreRefused) {
  tactus::test::Snapshot texts;
  const char* const rows[] = {R"({"command": "puase"})",
                              R"({})",
                              R"({"command": "pause", "frames": 2})",
                              R"({"command": "step", "frames": 0})",
                              R"({"command": "run_until"})",
                              R"({"command": "run_until", "until": "2 s", "until_ns": 3})",
                              R"({"command": "run_until", "until": "soon"})",
                              R"({"command": "step", "until": "2 s"})",
                              R"({"command": "load"})",
                              R"({"command": "reset", "file": "here"})"};
  for (const char* const body : rows) {
    const Reply reply = post("/v1/commands", body);
    EXPECT_EQ(reply.status, 400) << body;
    texts.add(problems(reply), body);
  }
  EXPECT_TRUE(rig_.take_commands().empty());
}

TEST_F(HttpApi, RunsAnEpisode) {
  EXPECT_EQ(post("/v1/episodes", R"({"stop": "2005-02-15T00:00:02Z",
      "in": [{"entity": "motor", "descriptor": "speed", "value": 3.5, "date": "2005-02-15T00:00:01Z"}],
      "out": [{"entity": "motor", "descriptor": "speed"},
              {"entity": "axis", "descriptor": "force", "date": "2005-02-15T00:00:01Z"}]})")
                .status,
            0);
  EXPECT_FALSE(timeout_) << "an episode takes as long as it takes";
  const auto asked = rig_.take_episodes();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].request.stop, "2005-02-15T00:00:02Z");
  EXPECT_EQ(asked[0].request.in.at(0).value, 3.5);
  EXPECT_EQ(asked[0].request.in.at(0).date, "2005-02-15T00:00:01Z");
  EXPECT_EQ(asked[0].request.who, "a test");
  executive::EpisodeEnd end;
  end.frame = 2000;
  end.date = "2005-02-15T00:00:02+00:00";
  const double speed = 9.25;
  end.out.resize(2);
  end.out[0].bytes.resize(sizeof speed);
  std::memcpy(end.out[0].bytes.data(), &speed, sizeof speed);
  asked[0].then(end);
  ASSERT_TRUE(reply_);
  EXPECT_EQ(reply_->body, Json::parse(R"({"frame": 2000, "date": "2005-02-15T00:00:02+00:00", "ended": false,
      "outcome": "", "reason": "", "out": [
      {"entity": "motor", "descriptor": "speed", "date": "2005-02-15T00:00:02+00:00", "value": 9.25},
      {"entity": "axis", "descriptor": "force", "date": "2005-02-15T00:00:01Z", "value": null}]})"));
}

TEST_F(HttpApi, AnEpisodeThatCannotBeRunListsItsProblems) {
  (void)post("/v1/episodes", R"({"stop": "yesterday"})");
  executive::EpisodeEnd end;
  end.problems = {"stop: 'yesterday' is not a date", "the rig is not in Pause"};
  rig_.take_episodes().at(0).then(end);
  ASSERT_TRUE(reply_);
  EXPECT_EQ(reply_->status, 400);
  EXPECT_THAT(problems(*reply_), ElementsAre("stop: 'yesterday' is not a date", "the rig is not in Pause"));
  tactus::test::Snapshot().add(
      problems(post("/v1/episodes", R"({"in": [{"entity": "motor", "descripter": "speed", "value": 1}]})")));
}

TEST_F(HttpApi, AnEpisodeThatTheRigIsNotInTheStateForIsAConflict) {
  (void)post("/v1/episodes", "{}");
  executive::EpisodeEnd end;
  end.problems = {"the rig is not in Pause"};
  end.conflict = true;
  rig_.take_episodes().at(0).then(end);
  ASSERT_TRUE(reply_);
  EXPECT_EQ(reply_->status, 409);
  EXPECT_EQ(reply_->body["error"], "the rig is not in Pause");
}

TEST_F(HttpApi, AnEpisodeThatWentWrongOnItsWaySaysHowFarItCame) {
  (void)post("/v1/episodes", "{}");
  executive::EpisodeEnd end;
  end.problems = {"in[0]: 'motor.speed' is forced", "in[1]: 'motor.on' is forced"};
  end.frame = 7;
  end.date = "2005-02-15T00:00:00.007+00:00";
  rig_.take_episodes().at(0).then(end);
  ASSERT_TRUE(reply_);
  EXPECT_EQ(reply_->status, 409);
  tactus::test::Snapshot().add(reply_->body["error"].get<std::string>());
  EXPECT_EQ(problems(*reply_).size(), 2U);
}

TEST_F(HttpApi, UnknownPathsListWhatThereIs) {
  for (const char* const path :
       {"/index.htm", "/v2", "/v1/valus", "/v1/variables/a/b", "/v1//values", "/V1"}) {
    const Reply reply = get(path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_THAT(reply.body["error"].get<std::string>(), HasSubstr("POST /v1/episodes")) << path;
  }
  EXPECT_EQ(get("/v1/").status, 200) << "a slash at the end changes nothing";
  EXPECT_EQ(get("v1").status, 400);
  EXPECT_EQ(get("http://rig/v1").status, 400);
  EXPECT_EQ(get("").status, 400);
}

TEST_F(HttpApi, AnotherMethodIsToldWhichOnesThereAre) {
  const Reply reply = ask("DELETE", "/v1/values");
  EXPECT_EQ(reply.status, 405);
  EXPECT_THAT(reply.headers, ElementsAre(std::pair<std::string, std::string>("Allow", "GET, POST")));
  EXPECT_EQ(ask("POST", "/v1", "{}").status, 405);
}

TEST_F(HttpApi, ParametersAreCheckedAgainstTheTable) {
  tactus::test::Snapshot texts;
  const char* const rows[] = {"/v1/values",
                              "/v1/values?name=motor.on",
                              "/v1/values?names=motor.on&names=motor.on",
                              "/v1/variables?first=x",
                              "/v1/variables?count=0",
                              "/v1/variables?match=%zz",
                              "/v1/variables?match=%00",
                              "/v1/state?x",
                              "http://rig/v1/state",
                              "*"};
  for (const char* const target : rows) {
    const Reply reply = get(target);
    EXPECT_EQ(reply.status, 400) << target;
    texts.add(problems(reply), target);
  }
  EXPECT_EQ(ask("GET", "/v1", "{}").status, 400) << "no body is expected";
}

TEST_F(HttpApi, AsksForAStreamWithAtMostItsRate) {
  const Reply reply = get("/v1/watch?names=motor.on,axis.force[0]&every=20ms");
  ASSERT_TRUE(reply.watch);
  EXPECT_EQ(reply.watch->every, std::chrono::milliseconds(20));
  EXPECT_EQ(reply.watch->names.at(1).name, "axis.force[0]");
  EXPECT_EQ(get("/v1/watch?names=motor.on").watch->every, std::chrono::milliseconds(100));
  EXPECT_EQ(get("/v1/watch?names=motor.on&every=10us").status, 400);
  EXPECT_EQ(get("/v1/watch?names=motor.on&every=2min").status, 400);
  tactus::test::Snapshot().add(problems(get("/v1/watch?names=motor.on&every=5")));
  EXPECT_EQ(get("/v1/watch?names=motor.on&every=100ms").status, 200);
}

TEST_F(HttpApi, GroupsAreLimited) {
  std::string names = "motor.on";
  for (int k = 0; k < 5000; ++k) names += ",x" + std::to_string(k);
  const Reply reply = get("/v1/values?names=" + names);
  EXPECT_EQ(reply.status, 400);
  tactus::test::Snapshot().add(problems(reply));
  Json body;
  for (std::size_t k = 0; k <= kMostItems; ++k)
    body["in"].push_back(Json::parse(R"({"entity":"a","descriptor":"b","value":1})"));
  EXPECT_THAT(problems(post("/v1/episodes", body.dump())), ElementsAre(HasSubstr("at most 4096")));
}

TEST_F(HttpApi, AFloodOfProblemsIsCutAndSaysSo) {
  std::string names = "x0";
  for (int k = 1; k < 150; ++k) names += ",x" + std::to_string(k);
  const Reply read = get("/v1/values?names=" + names);
  EXPECT_EQ(problems(read).size(), kMostProblems + 1);
  EXPECT_EQ(problems(read).back(), "and more");
  EXPECT_EQ(read.body["error"], "more than 100 problems");
  Json body;
  for (int k = 0; k < 150; ++k) body["set"]["x" + std::to_string(k)] = k;
  const Reply change = post("/v1/values", body.dump());
  EXPECT_EQ(problems(change).size(), kMostProblems + 1);
  EXPECT_EQ(problems(change).back(), "and more");
  tactus::test::Snapshot().add(change.body["error"].get<std::string>());
  EXPECT_EQ(get("/v1/values?names=x,y").body["error"], "2 problems") << "a read does nothing anyway";
  EXPECT_NE(problems(get("/v1/values?names=" + names.substr(0, names.find(",x100")))).back(), "and more");
}

TEST_F(HttpApi, AFloodThatTheRigFindsIsCutToo) {
  (void)post("/v1/episodes", "{}");
  executive::EpisodeEnd end;
  end.problems.assign(150, "no such variable");
  rig_.take_episodes().at(0).then(end);
  ASSERT_TRUE(reply_);
  EXPECT_EQ(problems(*reply_).size(), kMostProblems + 1);
  EXPECT_EQ(problems(*reply_).back(), "and more");
  tactus::test::Snapshot().add(reply_->body["error"].get<std::string>());
}

TEST_F(HttpApi, NamesCountWhetherOrNotTheyAreGood) {
  Json body;
  for (std::size_t k = 0; k < kMostItems; ++k) body["set"]["x" + std::to_string(k)] = 1;
  body["release"] = {"motor.on"};
  tactus::test::Snapshot().add(problems(post("/v1/values", body.dump())));
}

TEST_F(HttpApi, TakesExpressionsWhereItTakesNames) {
  (void)get(
      "/v1/values?names=motor.speed,2%20*%20motor.speed,max(motor.speed%2C%203%20rad/"
      "s),motor.mode%20%3D%3D%20hold");
  rig_.end_frame(0);
  ASSERT_TRUE(reply_);
  EXPECT_EQ(reply_->body["values"]["2 * motor.speed"], 3.0);
  EXPECT_EQ(reply_->body["values"]["max(motor.speed, 3 rad/s)"], 3.0)
      << "a comma in brackets separates nothing";
  EXPECT_EQ(reply_->body["values"]["motor.mode == hold"], true);
  tactus::test::Snapshot().add(problems_of("/v1/values?names=rate(motor.speed)"));
  EXPECT_THAT(problems_of("/v1/values?names=motor.speed%20%3E%203%20N,motor.on"),
              ElementsAre(HasSubstr("character 15")));
  EXPECT_THAT(problems_of("/v1/values?names=2*motor.on%20,2*motor.on"), testing::Not(IsEmpty()));
  EXPECT_THAT(problems_of("/v1/values?names=motor.speed%20*%202,motor.speed%20*%202"),
              ElementsAre(HasSubstr("is there twice")));
}

TEST_F(HttpApi, DescribesExpressionsBeforeTheyAreWatched) {
  const Json rows =
      get("/v1/expressions?names=rate(motor.speed),motor.on,motor.speed%20%3E%201%20rad/s").body;
  EXPECT_EQ(rows["expressions"], Json::parse(R"__([
    {"name": "rate(motor.speed)", "type": "double", "unit": "rad/s^2", "past": true},
    {"name": "motor.on", "type": "bool", "unit": "", "past": false},
    {"name": "motor.speed > 1 rad/s", "type": "bool", "unit": "", "past": false}])__"));
  std::vector<std::string> problems;
  check(route_of("/v1/expressions").answer, rows, "", problems);
  EXPECT_THAT(problems, IsEmpty());
}

TEST_F(HttpApi, BoundsWhatTheExpressionsOfAClientCost) {
  EXPECT_THAT(problems_of("/v1/stream?names=mean(motor.speed%2C%20200s),mean(motor.speed%2C%20100s)"),
              ElementsAre(HasSubstr("at most 262144")));
  EXPECT_EQ(get("/v1/stream?names=mean(motor.speed%2C%20100s)").status, 200);
}

}  // namespace
}  // namespace tactus::test::api_test
