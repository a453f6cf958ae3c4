// SPDX-License-Identifier: Apache-2.0
/// Names that keys of a driver can have, as it says them for completion and for the schema of a rig file.
#include "executive/driver/key_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tactus/model_driver.hpp>
#include <vector>

#include "config/document.hpp"
#include "config/json.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/sdk_driver.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test::key_names_test {
namespace {

using config::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Tap {
  std::string name{};
  std::string pipe{};
  std::string turn{};
};

/// A driver whose names depend on what the rig file has.
class Plumbing final : public ModelDriver {
 public:
  void keys(Keys& k) override {
    k.text("house", house_, {1, 20}, "the house").required();
    k.texts("rooms", rooms_, {1, 20}, "its rooms");
    k.whole("floor", floor_, {0, 9}, "its floor");
    k.named("taps", taps_, "tap", "its taps", [](Keys& inner, Tap& tap) {
       inner.text("turn", tap.turn, {1, 20}, "how it turns");
       inner.text("pipe", tap.pipe, {1, 20}, "another pipe");
     }).short_value("turn");
  }
  void located(const std::string& folder) override { folder_ = folder; }
  void check(const Problems& problems) override { problems.add("house", "is not looked at for names"); }
  void names(const KeyNames& to) override {
    if (house_ == "ruin") throw std::runtime_error("nobody knows the ruin");
    to.add("rooms", house_ + "_hall", "in " + folder_);
    to.add("rooms", "bath");
    to.only("rooms");
    for (const char* const tap : {"hot", "cold"}) {
      to.add("taps", tap);
      to.add(std::string("taps.") + tap + ".turn", "left");
      to.add(std::string("taps.") + tap + ".turn", "right");
    }
    to.only("taps", "pipe");
  }
  void declare(Declare&) override {}
  void open(const OpenRequest&) override {}

 private:
  std::string house_, folder_;
  std::vector<std::string> rooms_;
  int floor_ = 0;
  std::vector<Tap> taps_;
};

class KeyNamesOfDriver : public ::testing::Test {
 protected:
  executive::KeyNames names(const std::string& text) {
    return model().names(config::Document::from_file(dir_.write("rig.yaml", text).string()).root(),
                         "models.m");
  }
  const executive::ModelDriver& model() const { return static_cast<const executive::ModelDriver&>(*driver_); }
  /// The schema of a section with these names.
  Json schema(const executive::KeyNames& names) const {
    return Json::parse(config::json_schema_text(*executive::with_names(driver_->section(), names), "m"));
  }
  const TempDir dir_;
  const std::unique_ptr<executive::Driver> driver_ =
      executive::make_sdk_driver(*detail::model_entry<Plumbing>("plumbing", "Pipes."), "x.so");
};

TEST_F(KeyNamesOfDriver, AreKnownWhateverElseTheSectionHasWrong) {
  const executive::KeyNames all = names("house: old\nfloor: 12\nroms: [x]\ntaps: { hot: { turn: 5 } }\n");
  ASSERT_TRUE(all.contains("rooms"));
  const executive::NamesOfKey& rooms = all.at("rooms");
  ASSERT_EQ(rooms.names.size(), 2U);
  EXPECT_EQ(rooms.names[0].word, "old_hall");
  EXPECT_EQ(rooms.names[0].meaning, "in " + dir_.path().string());
  EXPECT_TRUE(rooms.only);
  EXPECT_EQ(all.at("taps").unless, "pipe");
  EXPECT_FALSE(all.at("taps.hot.turn").only);
}

TEST_F(KeyNamesOfDriver, AReasonWhyTheyAreNotKnownIsSaid) {
  try {
    (void)names("house: ruin\n");
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "nobody knows the ruin");
  }
}

TEST_F(KeyNamesOfDriver, ADriverOfEarlierHeadersHasNone) {
  tactus_driver old = *detail::model_entry<Plumbing>("plumbing", "Pipes.");
  tactus_model_functions functions = *static_cast<const tactus_model_functions*>(old.functions);
  functions.size = offsetof(tactus_model_functions, names);
  old.functions = &functions;
  const auto driver = executive::make_sdk_driver(old, "x.so");
  EXPECT_TRUE(static_cast<executive::ModelDriver&>(*driver)
                  .names(config::Document::from_text("r", "house: old\n").root(), "m")
                  .empty());
}

TEST_F(KeyNamesOfDriver, StandInTheSchemaBesideTheShapesOfTheKeys) {
  const Json with = schema(names("house: old\n"));
  const Json& rooms = with["properties"]["rooms"]["allOf"];
  EXPECT_EQ(rooms[0]["type"], "array");
  EXPECT_EQ(rooms[1]["items"]["enum"], Json({"old_hall", "bath"}));
  const Json& taps = with["properties"]["taps"]["allOf"];
  EXPECT_EQ(taps[0]["type"], "object");
  const std::string known = taps[1]["$ref"].get<std::string>().substr(1);
  const Json& of = with[Json::json_pointer(known)];
  ASSERT_TRUE(of["properties"].contains("hot")) << of;
  EXPECT_EQ(of["properties"]["hot"]["anyOf"], of["properties"]["cold"]["anyOf"]) << "written once";
  EXPECT_THAT(of["properties"]["hot"].dump(), HasSubstr(R"("enum":["left","right"])")) << "its short form";
  const Json& other =
      with[Json::json_pointer(of["additionalProperties"]["$ref"].get<std::string>().substr(1))];
  EXPECT_EQ(other["required"], Json({"pipe"}));
  EXPECT_EQ(with["properties"]["floor"], schema({})["properties"]["floor"]) << "has no names";
}

}  // namespace
}  // namespace tactus::test::key_names_test
