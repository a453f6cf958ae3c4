// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/panels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "drivers/live/http/api.hpp"
#include "tests/drivers/live/http/support/sample_rig.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::live_http::panels_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kGood = R"({"servo": [
  {"kind": "knob", "variable": "motor.speed", "at": [0, 0, 3, 3], "from": 0, "to": 400},
  {"kind": "plot", "variables": ["motor.speed", "axis.force[1]"], "at": [3, 0, 9, 3], "label": "both: 1"},
  {"kind": "text", "text": "it is \"so\"", "at": [0, 3, 12, 1]},
  {"kind": "button", "variable": "motor.on", "value": 0.5, "at": [0, 4, 2, 1]}], "empty": []})";

class HttpPanels : public testing::Test {
 protected:
  HttpPanels() {
    test::declare_sample(rig_);
    rig_.change_facts().file = dir_.path() / "servo.yaml";
  }
  Reply ask(const std::string& method, const std::string& body = {}, const std::string& match = {},
            const std::string& none_match = {}) {
    Request request{method, "/v1/panels", {}, body, "a test"};
    if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    if (!match.empty()) request.headers.emplace_back("if-match", match);
    if (!none_match.empty()) request.headers.emplace_back("If-None-Match", none_match);
    std::optional<Reply> reply;
    (void)api_.handle(request, Respond([&](const Respond::Make& make) { reply = make(); }));
    return reply.value_or(Reply{});
  }
  Reply put(const std::string& panels, const std::string& match) {
    return ask("PUT", R"({"panels": )" + panels + "}", match);
  }
  static std::string tag(const Reply& reply) {
    for (const auto& [key, value] : reply.headers)
      if (key == "ETag") return value;
    return "";
  }
  static std::vector<std::string> problems(const Reply& reply) {
    return reply.body.at("problems").get<std::vector<std::string>>();
  }
  std::filesystem::path file() const { return dir_.path() / "servo.panels.yaml"; }
  void write(const std::string& text) const { std::ofstream(file()) << text; }
  std::string text() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }

  test::TempDir dir_;
  test::FakeLiveRig rig_;
  Api api_{rig_, {}};
};

TEST_F(HttpPanels, BeginEmptyAndComeBackAsTheyWereKept) {
  const Reply none = ask("GET");
  EXPECT_EQ(none.status, 200);
  EXPECT_EQ(none.body["panels"], Json::object());
  EXPECT_EQ(none.body["file"], "servo.panels.yaml");
  const Reply kept = put(kGood, tag(none));
  ASSERT_EQ(kept.status, 200) << kept.body;
  EXPECT_EQ(kept.body["panels"], Json::parse(kGood));
  const Reply read = ask("GET");
  EXPECT_EQ(read.body["panels"], Json::parse(kGood)) << text();
  EXPECT_THAT(read.body["problems"], IsEmpty());
  EXPECT_EQ(tag(read), tag(kept));
  EXPECT_NE(tag(read), tag(none));
  EXPECT_EQ(ask("GET", "", "", tag(read)).status, 304);
  EXPECT_EQ(ask("GET", "", "", tag(none)).status, 200);
}

TEST_F(HttpPanels, NobodysChangesAreLost) {
  const std::string first = tag(ask("GET"));
  EXPECT_EQ(put(R"({"a": []})", first).status, 200);
  const Reply late = put(R"({"b": []})", first);
  EXPECT_EQ(late.status, 412);
  EXPECT_EQ(tag(late), tag(ask("GET"))) << "with which it can be tried again";
  EXPECT_TRUE(ask("GET").body["panels"].contains("a"));
  write("panels: { c: [] }\n");  // an editor
  EXPECT_EQ(put(R"({"b": []})", tag(late)).status, 412);
  EXPECT_EQ(put(R"({"b": []})", "W/\"x\", " + tag(ask("GET"))).status, 200);
  const Reply without = ask("PUT", R"({"panels": {}})");
  EXPECT_EQ(without.status, 428);
  EXPECT_THAT(without.body["error"].get<std::string>(), HasSubstr("If-Match"));
}

TEST_F(HttpPanels, WhatIsWrongIsRefusedWithItsPlace) {
  const std::string now = tag(ask("GET"));
  struct Row {
    const char* widget;
    const char* problem;
  };
  for (
      const Row& row : {
          Row{R"({"kind": "nob", "at": [0,0,1,1]})", "panels.d[0].kind is 'nob'; did you mean 'knob'?"},
          Row{R"({"kind": "knob", "variable": "motor.speed"})", "panels.d[0] lacks 'at'"},
          Row{R"({"kind": "knob", "at": [0,0,1,1]})", "panels.d[0]: a knob needs 'variable'"},
          Row{R"({"kind": "knob", "variable": "motor.sped", "at": [0,0,1,1]})",
              "panels.d[0].variable: there is no 'motor.sped'"},
          Row{R"({"kind": "knob", "variable": "motor.speed", "at": [0,0,1]})",
              "panels.d[0].at: has 3 numbers"},
          Row{R"({"kind": "knob", "variable": "motor.speed", "at": [9,0,4,1]})",
              "panels.d[0].at: [9, 0, 4, 1] does not fit"},
          Row{R"({"kind": "knob", "variable": "motor.speed", "at": [9223372036854775807,0,9223372036854775807,1]})",
              "does not fit"},
          Row{R"({"kind": "knob", "variable": "motor.speed", "at": [0,0,1,1], "from": 3, "to": 3})",
              "panels.d[0].from: is not less than 'to'"},
          Row{R"({"kind": "lamps", "variables": [], "at": [0,0,1,1]})", "panels.d[0].variables: has 0 names"},
          Row{R"({"kind": "xy", "variables": ["motor.speed"], "at": [0,0,1,1]})",
              "panels.d[0].variables: has 1 names; 2 are expected"},
          Row{R"({"kind": "switch", "variable": "motor.on", "at": [0,0,1,1], "from": 1})",
              "panels.d[0].from: has no meaning for a switch"},
          Row{R"({"kind": "text", "text": "x", "at": [0,0,1,1], "form": 1})", "panels.d[0]"},
          Row{R"({"kind": "text", "text": 5, "at": [0,0,1,1]})", "panels.d[0].text"},
          Row{R"([])", "panels.d[0]"},
      }) {
    const Reply reply = put(std::string(R"({"d": [)") + row.widget + "]}", now);
    EXPECT_EQ(reply.status, 400) << row.widget;
    EXPECT_THAT(problems(reply), Contains(HasSubstr(row.problem))) << row.widget;
  }
  EXPECT_EQ(put(R"([])", now).status, 400);
  EXPECT_EQ(put(R"({"": []})", now).status, 400);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(HttpPanels, AFileThatIsNoneIsToldWithLineAndColumn) {
  struct Row {
    const char* text;
    const char* problem;
  };
  for (const Row& row :
       {Row{"panels:\n  d:\n    - { kind: knob, variable: motor.speed, at: [0, 0, x, 1] }\n",
            "servo.panels.yaml:3:55: 'x' is not a number"},
        Row{"panels: [\n", "servo.panels.yaml"}, Row{"panels: 5\n", "servo.panels.yaml:1:9: is a value"},
        Row{"panles: {}\n", "servo.panels.yaml:1:1: panles: unknown key"},
        Row{"panels:\n  d: []\n  d: []\n", "servo.panels.yaml:3:3: d: is there twice"},
        Row{"panels: { d: [ { kind: nob, at: [0, 0, 1, 1] } ] }\n", "panels.d[0].kind"},
        Row{"panels: { d: 5 }\n", "servo.panels.yaml:1:14: is a value; a list of widgets is expected"}}) {
    write(row.text);
    const Reply reply = ask("GET");
    EXPECT_EQ(reply.status, 409) << row.text;
    EXPECT_THAT(problems(reply), Contains(HasSubstr(row.problem))) << row.text;
    EXPECT_EQ(put(R"({"d": []})", tag(reply)).status, 200) << "whoever has seen that may replace it";
  }
}

TEST_F(HttpPanels, AFileThatIsTooLongIsReplacedByWhoHasSeenItAlone) {
  const std::string before = tag(ask("GET"));
  write(std::string((std::size_t{4} << 20U) + 1, '#'));
  const Reply reply = ask("GET");
  EXPECT_EQ(reply.status, 409);
  EXPECT_THAT(problems(reply), ElementsAre(HasSubstr("is longer than 4 MiB")));
  EXPECT_EQ(put(R"({"d": []})", before).status, 412) << "that there was none";
  EXPECT_EQ(std::filesystem::file_size(file()), (std::size_t{4} << 20U) + 1);
  EXPECT_EQ(put(R"({"d": []})", tag(reply)).status, 200);
}

TEST_F(HttpPanels, AVariableThatIsGoneIsToldAndDoesNotHideTheRest) {
  write("panels:\n  d:\n    - { kind: knob, variable: motor.gone, at: [0, 0, 1, 1] }\n");
  const Reply reply = ask("GET");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body["panels"]["d"][0]["variable"], "motor.gone");
  EXPECT_THAT(problems(reply), ElementsAre(HasSubstr("panels.d[0].variable: there is no 'motor.gone'")));
}

TEST_F(HttpPanels, AFolderThatCannotBeWrittenIsSaid) {
  rig_.change_facts().file = "/proc/servo.yaml";  // nobody can, not even root
  const Reply reply = put(R"({"d": []})", "\"none\"");
  EXPECT_EQ(reply.status, 409);
  EXPECT_THAT(reply.body["error"].get<std::string>(),
              HasSubstr("/proc/servo.panels.yaml cannot be written: "));
}

TEST_F(HttpPanels, UnderTheServiceTheStateFolderKeepsWhatTheFolderOfTheRigFileCannot) {
  const Json desks = Json::parse(R"({"d": []})");
  const PanelFile service("/proc/servo.panels.yaml", dir_.path());  // nobody can write there, not even root
  EXPECT_EQ(service.name(), "servo.panels.yaml");
  EXPECT_EQ(service.write(desks), "");
  EXPECT_EQ(service.name(), file().string());
  EXPECT_EQ(service.read().panels, desks);
  EXPECT_EQ(service.write(Json::parse(R"({"e": []})")), "") << "from then on it is the one";
  EXPECT_TRUE(service.read().panels.contains("e"));

  const PanelFile neither("/proc/servo.panels.yaml", "/proc/state");
  EXPECT_THAT(neither.write(desks), HasSubstr("; and /proc/state/servo.panels.yaml cannot be written: "));
}

TEST_F(HttpPanels, WhereTheFolderOfTheRigFileCanBeWrittenTheStateFolderStaysEmpty) {
  const test::TempDir state;
  const PanelFile both(file(), state.path());
  EXPECT_EQ(both.write(Json::object()), "");
  EXPECT_EQ(both.name(), "servo.panels.yaml");
  EXPECT_TRUE(std::filesystem::is_empty(state.path()));
}

TEST_F(HttpPanels, ARigWithoutAFileHasNone) {
  rig_.change_facts().file.clear();
  EXPECT_EQ(ask("GET").status, 409);
  EXPECT_EQ(put("{}", "*").status, 409);
}

TEST_F(HttpPanels, NoPartOfAFileIsLeft) {
  ASSERT_EQ(put(kGood, tag(ask("GET"))).status, 200);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
    names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, ElementsAre("servo.panels.yaml"));
}

TEST_F(HttpPanels, AreKeptWhateverTheRigOfAnotherUserHasLeftThere) {
  std::filesystem::create_directory(file().string() + ".part");  // nobody can write that
  EXPECT_EQ(put(kGood, tag(ask("GET"))).status, 200);
}

}  // namespace
}  // namespace tactus::drivers::live_http::panels_test
