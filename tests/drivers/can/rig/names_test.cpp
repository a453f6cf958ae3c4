// SPDX-License-Identifier: Apache-2.0
/// Names of a database where one types: completion of the command line, and the schema that an editor has of a rig file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "tests/support/process.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::can::names_test {
namespace {

namespace fs = std::filesystem;
using config::Json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CanNamesShown : public testing::Test {
 protected:
  CanNamesShown() {
    for (const char* const name : {"restbus.yaml", "restbus.dbc"})
      fs::copy_file(fs::path(RIGS) / name, dir_ / name);
  }
  test::Finished tactus(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), TACTUS);
    return test::run({.argv = arguments, .cwd = dir_.path()});
  }
  std::string completed(std::vector<std::string> words) {
    words.insert(words.begin(), {"help", "--complete", "--"});
    const test::Finished done = tactus(words);
    EXPECT_EQ(done.status, 0) << done;
    return done.out;
  }
  std::string setting(const std::string& begin) { return completed({"run", "restbus.yaml", "--set", begin}); }
  Json schema() {
    const test::Finished done = tactus({"check", "--schema", "restbus.yaml"});
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_EQ(done.err, "");
    return Json::parse(done.out);
  }
  /// What a schema says at the keys of a path: of all parts of it that know the key.
  static std::vector<Json> at(const Json& root, const std::vector<std::string>& path) {
    std::vector<Json> found{root};
    for (const std::string& key : path) {
      std::vector<Json> next;
      for (const Json& each : found) collect(root, each, key, next);
      found = next;
    }
    return found;
  }
  static std::string text_at(const Json& root, const std::vector<std::string>& path) {
    std::string text;
    for (const Json& each : at(root, path)) text += each.dump() + "\n";
    return text;
  }
  test::TempDir dir_;

 private:
  static void collect(const Json& root, const Json& schema, const std::string& key, std::vector<Json>& to) {
    if (schema.contains("$ref"))
      collect(root, root[Json::json_pointer(schema["$ref"].get<std::string>().substr(1))], key, to);
    for (const char* const parts : {"allOf", "anyOf"})
      if (schema.contains(parts))
        for (const Json& part : schema[parts]) collect(root, part, key, to);
    if (schema.contains("properties") && schema["properties"].contains(key))
      to.push_back(schema["properties"][key]);
    else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
      to.push_back(schema["additionalProperties"]);
  }
};

TEST_F(CanNamesShown, CompletesKeysOfTheDriverAndMessages) {
  EXPECT_THAT(setting("models.car.rec"),
              AllOf(HasSubstr("models.car.receive.\t"), HasSubstr("models.car.receive_matching=\t")));
  EXPECT_THAT(setting("models.car.receive."),
              AllOf(HasSubstr("models.car.receive.DashStatus.\t0x200, every 50 ms, from DASH\n"),
                    HasSubstr("models.car.receive.BrakeWarning.\t")));
  EXPECT_EQ(setting("models.car.send.BrakeW"), "words\nmodels.car.send.BrakeWarning.\t0x120, from BRAKES\n");
  EXPECT_THAT(setting("models.dashboard.send.EngineData.sa"),
              AllOf(HasSubstr("models.dashboard.send.EngineData.safe.\t"), HasSubstr("safe_times=\t")));
  EXPECT_EQ(setting("frame_log.x"), "nothing\n");
  EXPECT_EQ(completed({"run", "--set", "models.car.rec"}), "words\n") << "without a rig file";
}

TEST_F(CanNamesShown, CompletesSignalsAndNamesOfValues) {
  tactus::test::Snapshot texts;
  texts.add(setting("models.car.send.EngineData.start.Eng"));
  EXPECT_EQ(setting("models.car.send.EngineData.start.Gear=P"),
            "words\nmodels.car.send.EngineData.start.Gear=Park\t0\n");
  EXPECT_EQ(setting("models.car.receive.DashStatus.counter=D"),
            "words\nmodels.car.receive.DashStatus.counter=DashCnt\n");
  texts.add(setting("models.car.receive.DashStatus.on_timeout=s"));
  EXPECT_THAT(setting("models.car.rest_of="), HasSubstr("models.car.rest_of=[BRAKES]\n"));
  EXPECT_EQ(setting("models.car.rest_of=[DASH, B"), "words\nmodels.car.rest_of=[DASH, BRAKES]\n");
  EXPECT_THAT(setting("models.car.parameters.EngineData.Gear="),
              HasSubstr("words\nmodels.car.parameters.EngineData.Gear=Park\t0\n"));
  EXPECT_EQ(setting("models.car.parameters.EngineData.Gear=R"),
            "words\nmodels.car.parameters.EngineData.Gear=Reverse\t1\n");
}

TEST_F(CanNamesShown, CompletesWhileTheFileHasMistakes) {
  (void)dir_.write("bad.yaml",
                   "rig: bad\nframe: { period: 1 parsec }\nmodels:\n  car:\n    driver: can\n"
                   "    database: restbus.dbc\n    rest_of: [DUSH]\n    receive: { Dash: { afer: 3 } }\n");
  EXPECT_THAT(completed({"check", "bad.yaml", "--set", "models.car.receive.D"}),
              AllOf(HasSubstr("receive.DashStatus."), HasSubstr("receive.Dash.")));
  EXPECT_THAT(completed({"check", "bad.yaml", "--set=models.car.rest_of=[D"}),
              HasSubstr("--set=models.car.rest_of=[DASH]"));
}

TEST_F(CanNamesShown, CompletesVariablesOfARigThatDoesNotRun) {
  tactus::test::Snapshot texts;
  texts.add(completed({"watch", "restbus.yaml", "car.DashStatus.Sh"}));
  EXPECT_EQ(completed({"set", "restbus.yaml", "car.EngineData.Gear=N"}),
            "words\ncar.EngineData.Gear=Neutral\t2\n");
  EXPECT_THAT(completed({"scope", "--rig", "restbus.yaml", "car.EngineData.EngineS"}),
              HasSubstr("car.EngineData.EngineSpeed\n"));
  EXPECT_EQ(completed({"watch", "./"}), "rigs\n");
  texts.add(completed({"watch", "--every", "5", "restbus.yaml", "car.DashStatus.Shown_"}),
            "a value of an option is no rig");
}

TEST_F(CanNamesShown, CompletesFramesOfTheCommandOnceItHasADatabase) {
  EXPECT_EQ(completed({"can", "send", "can0", "--database", "restbus.dbc", "Brake"}),
            "words\nBrakeData\tfrom BRAKES\nBrakeWarning\tfrom BRAKES\n");
  EXPECT_EQ(completed({"can", "send", "can0", "EngineData", "--database=restbus.dbc", "Engine"}),
            "words\nEngineOn=\nEngineSpeed=\trpm\n");
  EXPECT_EQ(
      completed({"can", "send", "can0", "EngineData", "--database", "restbus.dbc", "EngineOn=1", "Gear=D"}),
      "words\nGear=Drive\t3\n");
  EXPECT_EQ(completed({"can", "dump", "a.log", "--database", "restbus.dbc", "--message", "Dash"}),
            "words\nDashStatus\tfrom DASH\n");
  EXPECT_EQ(completed({"can", "dump", "a.log", "--database", "restbus.dbc", "--message", "EngineData,Dash"}),
            "words\nEngineData,DashStatus\tfrom DASH\n");
  EXPECT_EQ(completed({"can", "log", "a.log", "--database", "restbus.dbc", "--message", "X"}), "nothing\n");
  EXPECT_EQ(completed({"can", "send", "can0", "Engine"}), "files\n") << "without a database";
}

TEST_F(CanNamesShown, TakesMessagesByNameAndPattern) {
  (void)dir_.write("a.log",
                   "(1.0) can0 100#0010800C64030000\n(2.0) can0 110#138803E80000\n(3.0) can0 120#01\n");
  const auto dump = tactus({"can", "dump", "a.log", "--database", "restbus.dbc", "--message", "Brake*"});
  EXPECT_THAT(dump.out,
              AllOf(HasSubstr("BrakeData"), HasSubstr("BrakeWarning"), Not(HasSubstr("EngineData"))))
      << dump;
  const auto log = tactus({"can", "log", "a.log", "--database", "restbus.dbc", "--message",
                           "EngineData,BrakeData", "--out", "b.log"});
  ASSERT_EQ(log.status, 0) << log;
  EXPECT_EQ(test::read_file(dir_ / "b.log"),
            "(1.000000) can0 100#0010800C64030000\n(2.000000) can0 110#138803E80000\n");
  const auto wrong = tactus({"can", "dump", "a.log", "--database", "restbus.dbc", "--message", "Break*"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("restbus.dbc has no such message"));
  EXPECT_THAT(tactus({"can", "dump", "a.log", "--message", "X"}).err,
              HasSubstr("needs the messages of a DBC file"));
}

TEST_F(CanNamesShown, TheSchemaOfARigListsThem) {
  const Json root = schema();
  EXPECT_THAT(text_at(root, {"models", "car", "rest_of"}), HasSubstr(R"(["ENGINE","BRAKES","DASH"])"));
  const std::string receive = text_at(root, {"models", "car", "receive", "DashStatus"});
  EXPECT_THAT(receive, HasSubstr("0x200, every 50 ms, from DASH"));
  EXPECT_THAT(text_at(root, {"models", "car", "receive", "DashStatus", "counter"}),
              HasSubstr(R"({"enum":["Page","Shown","Odometer","DashCnt",""]})"));
  EXPECT_THAT(text_at(root, {"models", "car", "receive", "Dosh"}), HasSubstr(R"("$ref")"))
      << "needs the name of its message";
  EXPECT_THAT(text_at(root, {"models", "car", "send", "EngineData", "start", "Gear"}),
              HasSubstr(R"({"enum":["Park","Reverse","Neutral","Drive"]})"));
  EXPECT_THAT(text_at(root, {"models", "car", "send", "EngineData", "checksum", "signal"}),
              HasSubstr("EngCrc"));
  EXPECT_THAT(text_at(root, {"models", "dashboard", "on_full"}),
              HasSubstr(R"(["retry","drop","terminate"])"));
  EXPECT_THAT(text_at(root, {"models", "car", "thread"}), Not(::testing::IsEmpty())) << "keys of all models";
  EXPECT_THAT(text_at(root, {"models", "another", "driver"}), Not(::testing::IsEmpty())) << "one more model";
}

/// All of a database at each entry of a large rig would be millions.
TEST_F(CanNamesShown, ManyEntriesListNoMessagesAgain) {
  std::string database = "VERSION \"\"\nBU_: A\n", rig = "rig: r\nframe: { period: 1 ms }\nmodels:\n  car:\n";
  for (int i = 0; i < 300; ++i)
    database += "BO_ " + std::to_string(i) + " M" + std::to_string(i) +
                ": 8 A\n SG_ X : 0|8@1+ (1,0) [0|0] \"\" Vector__XXX\n";
  rig += "    driver: can\n    interface: simulated\n    database: many.dbc\n    receive:\n";
  (void)dir_.write("few.yaml", rig + "      E0: { message: M0 }\n");
  for (int i = 0; i < 100; ++i)
    rig += "      E" + std::to_string(i) + ": { message: M" + std::to_string(i) + " }\n";
  (void)dir_.write("many.dbc", database);
  (void)dir_.write("many.yaml", rig);
  const auto set = [&](const char* file, const char* begin) {
    return completed({"run", file, "--set", std::string("models.car.receive.") + begin});
  };
  EXPECT_EQ(
      set("few.yaml", "E0.message=M29"), "words\nmodels.car.receive.E0.message=M29\t0x01D, from A\n" + [] {
        std::string rest;
        for (int i = 290; i < 300; ++i) {
          char text[100];
          (void)std::snprintf(text, sizeof text, "models.car.receive.E0.message=M%d\t0x%03X, from A\n", i,
                              static_cast<unsigned>(i));
          rest += text;
        }
        return rest;
      }());
  EXPECT_EQ(set("many.yaml", "E0.message=M29"), "words\n");
  EXPECT_EQ(set("many.yaml", "E7.counter="),
            "words\nmodels.car.receive.E7.counter=X\nmodels.car.receive.E7.counter=\tnone\n");
  EXPECT_THAT(set("many.yaml", "M29"), HasSubstr("models.car.receive.M299.\t0x12B, from A\n"));
}

TEST_F(CanNamesShown, ASchemaWithoutTheDatabaseSaysWhy) {
  fs::remove(dir_ / "restbus.dbc");
  const auto done = tactus({"check", "--schema", "restbus.yaml"});
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_THAT(done.err, HasSubstr("model car: names of its keys are not known: "));
  EXPECT_THAT(text_at(Json::parse(done.out), {"models", "car", "on_full"}), HasSubstr("retry"));
}

}  // namespace
}  // namespace tactus::drivers::can::names_test
