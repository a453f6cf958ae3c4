// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <stdlib.h>
#include <unistd.h>

#include "drivers/gpio/chip_paths.hpp"
#include "drivers/gpio/lines.hpp"
#include "tests/support/temp_dir.hpp"

/// The backend that this tactus was built with, as far as it goes without a chip; the rest is in guest_test.sh.
namespace tactus::drivers::gpio::system_gpio_test {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

std::string open_error(const std::string& path) {
  try {
    (void)open_chip(*system_gpio(), path);
  } catch (const GpioError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SystemGpio, AFileThatIsNoChipIsSaidToBeNone) {
  const test::TempDir folder;
  const std::string file = folder.write("chip", "").string();
  int master = -1;
  int slave = -1;
  std::array<char, 64> terminal{};
  ASSERT_EQ(::openpty(&master, &slave, terminal.data(), nullptr, nullptr), 0);
  // The kernel has an entry in /sys for the first of these devices, none for the second.
  for (const std::string& path : {std::string("/dev/null"), std::string(terminal.data()), file})
    EXPECT_THAT(open_error(path), StartsWith(path + " is not a GPIO chip"));
  (void)::close(slave);
  (void)::close(master);
}

TEST(SystemGpio, AChipThatIsNotThereIsSaidNotToBeThere) {
  EXPECT_THAT(open_error("/dev/gpiochip4711"), StartsWith("there is no GPIO chip '/dev/gpiochip4711'"));
  EXPECT_THAT(open_error("no such label"), StartsWith("there is no GPIO chip 'no such label'"));
}

TEST(ChipPaths, AreInTheOrderOfTheirNumbers) {
  const test::TempDir folder;
  for (const char* name : {"gpiochip10", "gpiochip9", "gpiochip", "gpiochip1a", "gpiochipX", "i2c-1"})
    (void)folder.write(name, "");
  EXPECT_THAT(chip_paths(folder.path()),
              ElementsAre((folder / "gpiochip9").string(), (folder / "gpiochip10").string()));
  EXPECT_THAT(chip_paths(folder / "none"), ElementsAre());
}

}  // namespace
}  // namespace tactus::drivers::gpio::system_gpio_test
