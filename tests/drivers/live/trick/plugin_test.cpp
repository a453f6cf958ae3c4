// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/document.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::plugin_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<executive::LiveServer> made_of(executive::LiveDriver& driver, const std::string& yaml,
                                               config::Problems& problems) {
  const config::Document document = config::Document::from_text("rig.yaml", yaml);
  return driver.make(document.root(), "live.trick", {}, problems);
}

TEST(TrickPlugin, IsFoundByKindAndNameAndMakesAServer) {
  const executive::DriverLibrary library("live", "trick");
  const auto driver = library.make<executive::LiveDriver>();
  EXPECT_THAT(driver->section()->about, HasSubstr("variable server"));
  config::Problems problems;
  const auto server =
      made_of(*driver, "{listen: 0.0.0.0:7001, allow: [10.1.0.0/16, 10.2.0.1], writes: no}", problems);
  EXPECT_EQ(problems.text(), "");
  ASSERT_NE(server, nullptr);
  EXPECT_THAT(
      server->describe(),
      ElementsAre("Trick's variable server on 0.0.0.0:7001, nothing can be set, for 10.1.0.0/16, 10.2.0.1"));
  ASSERT_NE(server->resolved().find("max_clients"), nullptr);
  EXPECT_THAT(server->resolved().find("max_clients")->text(), HasSubstr("64"));
}

TEST(TrickPlugin, WithProblemsThereIsNoServer) {
  const executive::DriverLibrary library("live", "trick");
  const auto driver = library.make<executive::LiveDriver>();
  config::Problems problems;
  EXPECT_EQ(made_of(*driver, "listen: 0.0.0.0:7001", problems), nullptr);
  EXPECT_THAT(problems.text(), HasSubstr("the protocol has no password"));
}

}  // namespace
}  // namespace tactus::drivers::plugin_test
