// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "executive/driver/device_error.hpp"
#include "tests/drivers/gpio/fake_gpio.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::gpio::lines_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const GpioError& error) {
    return error.what();
  }
  return "no error";
}

class Lines : public testing::Test {
 protected:
  Lines() {
    pins.lines[3].name = "PPS_IN";
    pins.lines[4].name = "LIMIT_SW";
    pins.lines[6].name = "TWICE";
    pins.lines[7].name = "TWICE";
  }
  std::string open_error(const std::string& which) {
    return error_of([&] { (void)open_chip(gpio, which); });
  }
  std::string line_error(const std::string& which) {
    return error_of([&] { (void)find_line(*open_chip(gpio, "0"), which); });
  }
  std::string refusal(const std::vector<unsigned>& lines, int error) {
    return error_of([&] { refuse(*open_chip(gpio, "0"), lines, error); });
  }

  test::FakeGpio gpio;
  test::FakeChipState& pins = gpio.add("gpiochip0", "pinctrl", 8);
  test::FakeChipState& expander = gpio.add("gpiochip1", "expander", 1);
};

TEST_F(Lines, AChipHasFourNames) {
  for (const char* which : {"0", "gpiochip0", "/dev/gpiochip0", "pinctrl"})
    EXPECT_EQ(open_chip(gpio, which)->info().path, "/dev/gpiochip0") << which;
}

TEST_F(Lines, AMissingChipIsAnsweredWithThoseThatAreThere) {
  tactus::test::Snapshot texts;
  const std::string here =
      "; the chips here are /dev/gpiochip0 ('pinctrl', 8 lines), /dev/gpiochip1 ('expander', 1 line)";
  EXPECT_EQ(open_error("gpiochip7"), "there is no GPIO chip 'gpiochip7'" + here);
  EXPECT_EQ(open_error("gpiochips"), "there is no GPIO chip 'gpiochips'" + here);
  EXPECT_EQ(open_error("/dev/null"), "/dev/null is not a GPIO chip" + here);
  texts.add(error_of([] { (void)open_chip(test::FakeGpio(), "0"); }));
}

TEST_F(Lines, AnAmbiguousLabelIsRefused) {
  tactus::test::Snapshot texts;
  gpio.add("gpiochip2", "pinctrl", 2);
  texts.add(open_error("pinctrl"));
}

TEST_F(Lines, NoPermissionSaysWhatMendsIt) {
  pins.open_error = EACCES;
  EXPECT_THAT(open_error("0"), StartsWith("no permission for GPIO chip /dev/gpiochip0"));
  EXPECT_THAT(
      open_error("pinctrl"),
      StartsWith("there is no GPIO chip 'pinctrl'; and there is no permission for GPIO chip /dev/gpiochip0"));
  const test::TempDir dir;
  const std::filesystem::path file = dir.write("gpiochip0", "");
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  EXPECT_THAT(no_permission(file),
              HasSubstr(", mode 0600; give it to group gpio with the udev rules of tactus"));
  ASSERT_EQ(::chmod(file.c_str(), 0660), 0);
  if (::chown(file.c_str(), 0, 12345) == 0) {  // root alone may
    EXPECT_EQ(no_permission(file),
              "no permission for GPIO chip " + file.string() +
                  ": it belongs to user root and group 12345, mode 0660; sudo usermod -aG 12345 "
                  "$USER, and log in again");
  }
}

TEST_F(Lines, ALineIsItsNumberOrItsName) {
  const std::unique_ptr<Chip> chip = open_chip(gpio, "0");
  EXPECT_EQ(find_line(*chip, "0"), 0U);
  EXPECT_EQ(find_line(*chip, "7"), 7U);
  EXPECT_EQ(find_line(*chip, "LIMIT_SW"), 4U);
}

TEST_F(Lines, AMissingLineIsAnsweredWithTheNearest) {
  tactus::test::Snapshot texts;
  texts.add(line_error("8"));
  texts.add(line_error("99999999999"));
  texts.add(line_error("LIMIT_WS"));
  texts.add(line_error("zzzzzz"));
  texts.add(line_error("TWICE"));
  texts.add(error_of([&] { (void)find_line(*open_chip(gpio, "expander"), "A"); }));
}

TEST_F(Lines, ALineInUseIsNamedWithItsHolder) {
  tactus::test::Snapshot texts;
  pins.lines[3].used = pins.lines[4].used = pins.lines[5].used = true;
  pins.lines[3].consumer = pins.lines[4].consumer = "button";
  texts.add(refusal({3, 4, 5, 6}, EBUSY));
  texts.add(refusal({6}, EBUSY));
}

TEST_F(Lines, OtherRefusalsSayWhatToDo) {
  EXPECT_THAT(refusal({3}, EINVAL),
              AllOf(HasSubstr("the chip does not support what was requested"), HasSubstr("remove 'bias'")));
  EXPECT_THAT(refusal({3}, ENXIO), HasSubstr("has no interrupts"));
  EXPECT_THAT(refusal({3}, ENODEV), HasSubstr("the chip is gone"));
  EXPECT_THAT(refusal({3}, EPERM), HasSubstr("does not permit"));
  EXPECT_EQ(refusal({3, 5}, EIO), "line 3 of gpiochip0 (PPS_IN), line 5 of gpiochip0: Input/output error");
}

}  // namespace
}  // namespace tactus::drivers::gpio::lines_test
