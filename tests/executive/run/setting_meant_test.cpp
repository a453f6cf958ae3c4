// SPDX-License-Identifier: Apache-2.0
#include "executive/run/setting_meant.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "config/document.hpp"

namespace tactus::executive::setting_meant_test {
namespace {

std::string meant(std::string_view path) {
  const config::Document document = config::Document::from_text("two.yaml", R"(
models:
  motor1: { parameters: { resistance: 1 Ohm } }
  motor2: { parameters: { resistance: 2 Ohm, inductance: 1 mH } }
)");
  return setting_meant(path, document, "/nowhere/two.yaml");
}

TEST(SettingMeant, IsOfTheModelThatWasNamed) {
  EXPECT_EQ(meant("motor1.resistance"), "models.motor1.parameters.resistance");
  EXPECT_EQ(meant("motor2.resistence"), "models.motor2.parameters.resistance");
  EXPECT_EQ(meant("mtoor2.resistance"), "models.motor2.parameters.resistance");
  EXPECT_EQ(meant("inductence"), "models.motor2.parameters.inductance");
}

TEST(SettingMeant, IsNoneOfTwoThatAreEquallyNear) {
  EXPECT_EQ(meant("resistance"), "");
  EXPECT_EQ(meant("motor.resistance"), "");
}

}  // namespace
}  // namespace tactus::executive::setting_meant_test
