// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "executive/driver/device_error.hpp"
#include "tests/drivers/gpio/fake_gpio.hpp"
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
  const std::string here =
      "; the chips here are /dev/gpiochip0 ('pinctrl', 8 lines), /dev/gpiochip1 ('expander', 1 line)";
  EXPECT_EQ(open_error("gpiochip7"), "there is no GPIO chip 'gpiochip7'" + here);
  EXPECT_EQ(open_error("gpiochips"), "there is no GPIO chip 'gpiochips'" + here);
  EXPECT_EQ(open_error("/dev/null"), "/dev/null is not a GPIO chip" + here);
  EXPECT_EQ(error_of([] { (void)open_chip(test::FakeGpio(), "0"); }),
            "there is no GPIO chip '0'; this machine has no GPIO chip at all (no /dev/gpiochip*): its driver "
            "is not "
            "loaded or not in the kernel");
}

TEST_F(Lines, AnAmbiguousLabelIsRefused) {
  gpio.add("gpiochip2", "pinctrl", 2);
  EXPECT_EQ(open_error("pinctrl"),
            "GPIO chips /dev/gpiochip0 and /dev/gpiochip2 are both labelled 'pinctrl'; name the one that is "
            "meant by its "
            "path");
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
  EXPECT_EQ(line_error("8"), "gpiochip0 ('pinctrl') has no line 8; its lines are 0 .. 7");
  EXPECT_EQ(line_error("99999999999"), "gpiochip0 ('pinctrl') has no line 99999999999; its lines are 0 .. 7");
  EXPECT_EQ(line_error("LIMIT_WS"),
            "gpiochip0 ('pinctrl') has no line named 'LIMIT_WS'; did you mean 'LIMIT_SW'?");
  EXPECT_EQ(line_error("zzzzzz"),
            "gpiochip0 ('pinctrl') has no line named 'zzzzzz'; known are 'PPS_IN', 'LIMIT_SW', 'TWICE'");
  EXPECT_EQ(
      line_error("TWICE"),
      "gpiochip0 ('pinctrl') has two lines named 'TWICE': 6 and 7; name the one that is meant by its number");
  EXPECT_EQ(
      error_of([&] { (void)find_line(*open_chip(gpio, "expander"), "A"); }),
      "gpiochip1 ('expander') has no line named 'A'; none of its lines has a name: give its number, 0 .. 0");
}

TEST_F(Lines, ALineInUseIsNamedWithItsHolder) {
  pins.lines[3].used = pins.lines[4].used = pins.lines[5].used = true;
  pins.lines[3].consumer = pins.lines[4].consumer = "button";
  EXPECT_EQ(
      refusal({3, 4, 5, 6}, EBUSY),
      "line 3 of gpiochip0 (PPS_IN) is held by 'button', which is not a rig of tactus; end that program, "
      "or take "
      "another line; so is line 4. line 5 of gpiochip0 is in use; the kernel does not say by whom");
  EXPECT_EQ(refusal({6}, EBUSY), "line 6 of gpiochip0 (TWICE): in use a moment ago, free now; try again");
}

TEST_F(Lines, OtherRefusalsSayWhatToDo) {
  EXPECT_THAT(refusal({3}, EINVAL),
              AllOf(HasSubstr("the chip does not do what is asked"), HasSubstr("leave out 'bias'")));
  EXPECT_THAT(refusal({3}, ENXIO), HasSubstr("makes no interrupts"));
  EXPECT_THAT(refusal({3}, ENODEV), HasSubstr("the chip is gone"));
  EXPECT_THAT(refusal({3}, EPERM), HasSubstr("does not permit"));
  EXPECT_EQ(refusal({3, 5}, EIO), "line 3 of gpiochip0 (PPS_IN), line 5 of gpiochip0: Input/output error");
}

}  // namespace
}  // namespace tactus::drivers::gpio::lines_test
