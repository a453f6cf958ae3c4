// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "executive/driver/device_error.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/gpio/fake_gpio.hpp"
#include "tests/drivers/gpio/gpio_in_driver.hpp"
#include "tests/drivers/gpio/model_host.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::gpio::gpio_in_test {
namespace {

using test::GpioIn;
using test::make_model;
using test::ModelHost;
using test::problems_of;

class GpioInTest : public testing::Test {
 protected:
  std::shared_ptr<test::FakeGpio> gpio_ = std::make_shared<test::FakeGpio>();
  test::FakeChipState& chip_ = gpio_->add("gpiochip0", "pins", 70);
  GpioIn driver_{gpio_};
};

constexpr const char* kRig = R"(
chip: pins
bias: pull_up
lines:
  door: 4
  limit: { line: LIMIT_SW, active_low: yes }
  address: { lines: [5, 6, 7] }
  inverse: { lines: [9, 8], active_low: yes }
)";

TEST_F(GpioInTest, MakesAVariableOfEachEntry) {
  const auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  EXPECT_EQ(host.all().size(), 4U);
  for (const auto& [name, variable] : host.all()) EXPECT_EQ(variable.role, TACTUS_OUTPUT) << name;
  EXPECT_EQ(host.variable("door").type, TACTUS_BOOL);
  EXPECT_EQ(host.variable("door").about, "pins line 4");
  EXPECT_EQ(host.variable("limit").about, "pins line LIMIT_SW, active low");
  EXPECT_EQ(host.variable("address").type, TACTUS_UINT8);
  EXPECT_EQ(host.variable("address").about, "pins lines 5, 6, 7");
  EXPECT_EQ(host.job("read").job_class, TACTUS_TOP_OF_FRAME);
  EXPECT_EQ(host.job("first_read").job_class, TACTUS_INITIALIZATION);
  EXPECT_TRUE(chip_.requested.empty()) << "no device is touched before it is opened";
}

TEST_F(GpioInTest, ReadsAllLinesInOneCall) {
  chip_.lines[11].name = "LIMIT_SW";
  const auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  model->open({.rig = "servo"});
  EXPECT_EQ(chip_.requested, (std::vector<unsigned>{4, 11, 5, 6, 7, 9, 8}));
  EXPECT_EQ(chip_.consumer, "tactus servo " + std::to_string(::getpid()));
  EXPECT_EQ(chip_.bias, Bias::pull_up);
  EXPECT_EQ(model->safe_output(), nullptr);

  chip_.levels = 0;
  EXPECT_EQ(host.run("first_read"), 0);
  EXPECT_EQ(host.get("door"), 0U);
  EXPECT_EQ(host.get("limit"), 1U) << "low is active";
  EXPECT_EQ(host.get("address"), 0U);
  EXPECT_EQ(host.get("inverse"), 3U);

  chip_.levels = 0b01'110'11;  // door, limit, 6, 7, 9
  EXPECT_EQ(host.run("read"), 0);
  EXPECT_EQ(chip_.reads, 2);
  EXPECT_EQ(host.get("door"), 1U);
  EXPECT_EQ(host.get("limit"), 0U);
  EXPECT_EQ(host.get("address"), 6U) << "the first line is the lowest bit";
  EXPECT_EQ(host.get("inverse"), 2U);
}

TEST_F(GpioInTest, TheLinesAreFreeWhenTheModelIsGone) {
  auto model = make_model(driver_, "{chip: '0', lines: {a: 1}}");
  model->open({.rig = "servo"});
  EXPECT_TRUE(chip_.held);
  model.reset();
  EXPECT_FALSE(chip_.held);
}

TEST_F(GpioInTest, NumbersAreAsWideAsTheyNeedToBe) {
  const struct {
    int lines;
    tactus_type type;
  } rows[] = {{1, TACTUS_UINT8},   {8, TACTUS_UINT8},   {9, TACTUS_UINT16},  {16, TACTUS_UINT16},
              {17, TACTUS_UINT32}, {32, TACTUS_UINT32}, {33, TACTUS_UINT64}, {64, TACTUS_UINT64}};
  for (const auto& row : rows) {
    std::string list;
    for (int i = 0; i < row.lines; ++i) list += (i == 0 ? "" : ", ") + std::to_string(i);
    const auto model = make_model(driver_, "{chip: '0', lines: {n: [" + list + "]}}");
    ModelHost host(*model);
    model->open({.rig = "wide"});
    EXPECT_EQ(host.variable("n").type, row.type) << row.lines;
    chip_.levels = std::uint64_t{1} << static_cast<unsigned>(row.lines - 1);
    EXPECT_EQ(host.run("read"), 0);
    EXPECT_EQ(host.get("n"), chip_.levels) << row.lines;
  }
}

TEST_F(GpioInTest, AFailedReadFailsTheJob) {
  tactus::test::Snapshot texts;
  const auto model = make_model(driver_, "{chip: pins, lines: {a: 1}}");
  ModelHost host(*model);
  EXPECT_NE(host.run("read"), 0);
  texts.add(host.failure());
  model->open({.rig = "servo"});
  chip_.io_error = ENODEV;
  EXPECT_NE(host.run("read"), 0);
  texts.add(host.failure());
  EXPECT_EQ(host.run("read"), 0);
}

TEST_F(GpioInTest, TouchesNoHeapInAFrame) {
  const auto model = make_model(driver_, kRig);
  chip_.lines[11].name = "LIMIT_SW";
  ModelHost host(*model);
  model->open({.rig = "servo"});
  const std::string job = "read";
  const rtsync::HeapWatch heap;
  for (int frame = 0; frame < 100; ++frame) EXPECT_EQ(host.run(job), 0);
  EXPECT_EQ(heap.calls(), 0U);
}

TEST_F(GpioInTest, TheSameLineByNumberAndByNameIsSeenWhenOpened) {
  chip_.lines[4].name = "DOOR";
  const auto model = make_model(driver_, "{chip: pins, lines: {a: 4, b: DOOR}}");
  try {
    model->open({.rig = "servo"});
    FAIL();
  } catch (const executive::DeviceError& error) {
    tactus::test::Snapshot().add(error.what());
  }
}

TEST_F(GpioInTest, SaysWhatIsWrongWithItsSection) {
  tactus::test::Snapshot texts;
  const char* const rows[] = {"lines: {a: 1}",
                              "chip: '0'",
                              "{chip: '0', lines: {}}",
                              "{chip: '0', lines: {a: 1}, debounce: 1 ms}",
                              "{chip: '0', bias: up, lines: {a: 1}}",
                              "{chip: '0', lines: {a: {active_low: yes}}}",
                              "{chip: '0', lines: {a: {line: 1, lines: [2]}}}",
                              "{chip: '0', lines: {a: 1, b: [2, 1]}}",
                              "{chip: '0', lines: {a: [2, 2]}}",
                              "{chip: '0', lines: {1a: 1}}",
                              "{chip: '0', lines: {a-b: 1}}",
                              "{chip: '0', lines: {a: {line: 1, activelow: yes}}}",
                              "{chip: '0', lines: [1]}"};
  for (const char* const yaml : rows) texts.add(problems_of(driver_, yaml), yaml);
}

TEST_F(GpioInTest, MoreLinesThanOneRequestHoldsAreRefused) {
  std::string list;
  for (int i = 0; i < 64; ++i) list += (i == 0 ? "" : ", ") + std::to_string(i);
  EXPECT_EQ(problems_of(driver_, "{chip: '0', lines: {a: [" + list + "]}}"), "");
  tactus::test::Snapshot().add(problems_of(driver_, "{chip: '0', lines: {a: [" + list + "], b: 64}}"));
}

}  // namespace
}  // namespace tactus::drivers::gpio::gpio_in_test
