// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "config/shape.hpp"
#include "drivers/gpio/clock.hpp"
#include "drivers/gpio/gpio_in.hpp"
#include "drivers/gpio/gpio_out.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::gpio::page_test {
namespace {

TEST(GpioPage, HoldsEveryKeyAsTheTablesDeclareIt) {
  if (!std::filesystem::exists(PAGE)) GTEST_SKIP() << "no " << PAGE << " on this machine";
  const std::string page = test::read_file(PAGE);
  for (const auto& section :
       {GpioClock(nullptr).section(), GpioIn(nullptr).section(), GpioOut(nullptr).section()}) {
    std::istringstream lines(config::reference_page(*section, "x"));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("|")) continue;
      EXPECT_THAT(page, testing::HasSubstr(line + "\n"));
    }
  }
}

}  // namespace
}  // namespace tactus::drivers::gpio::page_test
