// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/gpio_out.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executive/driver/device_error.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/gpio/fake_gpio.hpp"
#include "tests/drivers/gpio/model_host.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::gpio::gpio_out_test {
namespace {

using executive::SafeOutputs;
using test::make_model;
using test::ModelHost;
using test::problems_of;

constexpr const char* kRig = R"(
chip: pins
drive: open_drain
lines:
  enable: { line: 8, safe: no }
  brake: { line: 3, active_low: yes, safe: yes }
  torque: { lines: [9, 10, 11], safe: 2, initial: 5 }
)";
// From the lowest bit: enable, brake, torque.
constexpr std::uint64_t kSafeLevels = 0b010'0'0;
constexpr std::uint64_t kInitialLevels = 0b101'0'0;

class GpioOutTest : public testing::Test {
 protected:
  /// In this process alone.
  executive::OpenRequest alone() const { return {.rig = "servo", .safe_outputs = SafeOutputs::process}; }

  std::shared_ptr<test::FakeGpio> gpio_ = std::make_shared<test::FakeGpio>();
  test::FakeChipState& chip_ = gpio_->add("gpiochip0", "pins", 70);
  GpioOut driver_{gpio_};
};

TEST_F(GpioOutTest, MakesAVariableOfEachEntry) {
  const auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  EXPECT_EQ(host.all().size(), 3U);
  for (const auto& [name, variable] : host.all()) EXPECT_EQ(variable.role, TACTUS_INPUT) << name;
  EXPECT_EQ(host.variable("enable").type, TACTUS_BOOL);
  EXPECT_EQ(host.variable("torque").type, TACTUS_UINT8);
  EXPECT_EQ(host.variable("brake").about, "pins line 3, active low");
  EXPECT_EQ(host.job("write").job_class, TACTUS_END_OF_FRAME);
  EXPECT_NE(model->safe_output(), nullptr);
  model->safe_output()->drive_safe();
  EXPECT_TRUE(chip_.requested.empty()) << "no device is touched before it is opened";
}

TEST_F(GpioOutTest, SaysWhichLinesAVariableDrives) {
  const auto outputs = make_model(driver_, kRig)->outputs();
  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_EQ(outputs[0].variable, "enable");
  EXPECT_EQ(outputs[0].what, "line 8 of pins");
  EXPECT_EQ(outputs[0].safe, config::Json(false));
  EXPECT_EQ(outputs[1].safe, config::Json(true));
  EXPECT_EQ(outputs[2].what, "lines 9, 10, 11 of pins");
  EXPECT_EQ(outputs[2].safe, config::Json(2));
}

TEST_F(GpioOutTest, TheFirstLevelsAreTheInitialOnes) {
  const auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  EXPECT_EQ(host.get("enable"), 0U);
  EXPECT_EQ(host.get("brake"), 1U) << "the safe value where no initial one is given";
  EXPECT_EQ(host.get("torque"), 5U);
  model->open(alone());
  EXPECT_EQ(chip_.requested, (std::vector<unsigned>{8, 3, 9, 10, 11}));
  EXPECT_EQ(chip_.drive, Drive::open_drain);
  EXPECT_EQ(chip_.consumer, "tactus servo " + std::to_string(::getpid()));
  EXPECT_EQ(chip_.levels, kInitialLevels);
  EXPECT_EQ(host.run("write"), 0);
  EXPECT_EQ(chip_.levels, kInitialLevels) << "a frame in which nobody set a variable changes nothing";
}

TEST_F(GpioOutTest, WritesAllLinesInOneCall) {
  const auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  model->open(alone());
  host.set("enable", 1);
  host.set("brake", 0);
  host.set("torque", 3);
  EXPECT_EQ(host.run("write"), 0);
  EXPECT_EQ(chip_.writes, 1);
  EXPECT_EQ(chip_.levels, 0b011'1'1U) << "the brake is off, which is high";
}

TEST_F(GpioOutTest, DrivesTheSafeLevelsPastTheFrames) {
  const auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  model->open(alone());
  host.set("enable", 1);
  host.set("brake", 0);
  EXPECT_EQ(host.run("write"), 0);
  ASSERT_NE(chip_.terminal.value(), kSafeLevels);
  model->safe_output()->drive_safe();
  EXPECT_EQ(chip_.terminal.value(), kSafeLevels);
  EXPECT_EQ(chip_.writes, 1) << "not by way of the frames' write";
  EXPECT_EQ(host.run("write"), 0);
  EXPECT_NE(chip_.terminal.value(), kSafeLevels) << "frames may go on";
}

TEST_F(GpioOutTest, LeavesTheLinesSafeAndFree) {
  auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  model->open(alone());
  host.set("enable", 1);
  EXPECT_EQ(host.run("write"), 0);
  model.reset();
  EXPECT_EQ(chip_.terminal.value(), kSafeLevels);
  EXPECT_FALSE(chip_.held);
}

TEST_F(GpioOutTest, AValueThatDoesNotFitIsNotWritten) {
  const auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  model->open(alone());
  host.set("torque", 8);
  EXPECT_NE(host.run("write"), 0);
  tactus::test::Snapshot().add(host.failure());
  EXPECT_EQ(chip_.writes, 0);
}

TEST_F(GpioOutTest, AFailedWriteFailsTheJob) {
  tactus::test::Snapshot texts;
  const auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  EXPECT_NE(host.run("write"), 0);
  texts.add(host.failure());
  model->open(alone());
  chip_.io_error = ENODEV;
  EXPECT_NE(host.run("write"), 0);
  texts.add(host.failure());
}

TEST_F(GpioOutTest, AllSixtyFourLinesMayBeOneNumber) {
  std::string list;
  for (int i = 0; i < 64; ++i) list += (i == 0 ? "" : ", ") + std::to_string(i);
  const auto model = make_model(driver_, "{chip: '0', lines: {n: {lines: [" + list + "], safe: 1}}}");
  ModelHost host(*model);
  model->open(alone());
  host.set("n", ~std::uint64_t{0});
  EXPECT_EQ(host.run("write"), 0);
  EXPECT_EQ(chip_.levels, ~std::uint64_t{0});
}

constexpr const char* kPulse = R"(
chip: pins
pulse: 20
lines:
  enable: { line: 8, safe: no }
  brake: { line: 3, active_low: yes, safe: yes }
)";

TEST_F(GpioOutTest, APulseIsHighFromTheBeginOfAFrameToItsWrite) {
  const auto model = make_model(driver_, kPulse);
  ModelHost host(*model);
  EXPECT_EQ(host.all().size(), 2U) << "it is no variable";
  EXPECT_EQ(host.job("pulse").job_class, TACTUS_TOP_OF_FRAME);
  model->open(alone());
  EXPECT_EQ(chip_.requested, (std::vector<unsigned>{8, 3, 20}));
  EXPECT_EQ(chip_.levels, 0b000U);
  host.set("enable", 1);
  EXPECT_EQ(host.run("pulse"), 0) << host.failure();
  EXPECT_EQ(chip_.levels, 0b100U) << "the others are as they were";
  EXPECT_EQ(host.run("write"), 0);
  EXPECT_EQ(chip_.levels, 0b001U);
  host.set("brake", 0);
  EXPECT_EQ(host.run("pulse"), 0);
  EXPECT_EQ(chip_.levels, 0b101U) << "what the write of the frame before left";
  EXPECT_EQ(host.run("write"), 0);
  EXPECT_EQ(chip_.levels, 0b011U);
}

TEST_F(GpioOutTest, APulseAfterTheLinesWereDrivenSafeLeavesThemSafe) {
  const auto model = make_model(driver_, kPulse);
  ModelHost host(*model);
  model->open(alone());
  host.set("enable", 1);
  EXPECT_EQ(host.run("write"), 0);
  model->safe_output()->drive_safe();
  EXPECT_EQ(host.run("pulse"), 0);
  EXPECT_EQ(chip_.levels, 0b100U) << "enable stays off until the frame has computed it";
  model->safe_output()->drive_safe();
  EXPECT_EQ(chip_.terminal.value(), 0U) << "and with the pulse low";
}

TEST_F(GpioOutTest, APulseDoesNotUndoWhatAnotherThreadDroveSafe) {
  const auto model = make_model(driver_, kPulse);
  ModelHost host(*model);
  model->open(alone());
  host.set("enable", 1);
  EXPECT_EQ(host.run("write"), 0);
  chip_.before_write = [&] { model->safe_output()->drive_safe(); };
  EXPECT_EQ(host.run("pulse"), 0);
  EXPECT_EQ(chip_.terminal.value(), 0U) << "enable is off";
  EXPECT_EQ(host.run("pulse"), 0);
  EXPECT_EQ(chip_.levels, 0b100U) << "and stays off in the next frame";
}

TEST_F(GpioOutTest, TouchesNoHeapInAFrame) {
  const auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  model->open(alone());
  const std::string job = "write";
  const rtsync::HeapWatch heap;
  for (int frame = 0; frame < 100; ++frame) {
    EXPECT_EQ(host.run(job), 0);
    model->safe_output()->frame_ended();
  }
  model->safe_output()->drive_safe();
  EXPECT_EQ(heap.calls(), 0U);
}

TEST_F(GpioOutTest, SaysWhatIsWrongWithItsSection) {
  tactus::test::Snapshot texts;
  const char* const rows[] = {"{chip: '0', lines: {a: 1}}",
                              "{chip: '0', lines: {a: {line: 1}}}",
                              "{chip: '0', lines: {a: {line: 1, safe: 7}}}",
                              "{chip: '0', lines: {a: {line: 1, safe: }}}",
                              "{chip: '0', lines: {a: {lines: [1, 2], safe: 4}}}",
                              "{chip: '0', lines: {a: {lines: [1, 2], safe: no}}}",
                              "{chip: '0', lines: {a: {lines: [1, 2], safe: 3, initial: -1}}}",
                              "{chip: '0', lines: {a: {safe: no}}}",
                              "{chip: '0', drive: strong, lines: {a: {line: 1, safe: no}}}",
                              "{chip: '0', lines: {a: {line: 1, safe: no}, b: {line: 1, safe: no}}}",
                              "{chip: '0', pulse: 1, lines: {a: {line: 1, safe: no}}}",
                              "{chip: '0', bias: pull_up, lines: {a: {line: 1, safe: no}}}"};
  for (const char* const yaml : rows) texts.add(problems_of(driver_, yaml), yaml);
}

/// With a guardian: it is found beside the plug-ins.
class GuardedGpioOut : public GpioOutTest {
 protected:
  void SetUp() override { ASSERT_EQ(::setenv("TACTUS_PLUGIN_PATH", GUARDIAN_FOLDER, 1), 0); }
  void TearDown() override { ASSERT_EQ(::unsetenv("TACTUS_PLUGIN_PATH"), 0); }
  executive::OpenRequest guarded() const {
    return {.rig = "servo", .guardian_timeout = std::chrono::seconds(60)};
  }
};

TEST_F(GuardedGpioOut, TwoModelsShareTheGuardianAndLeaveNoneBehind) {
  auto& other = gpio_->add("gpiochip1", "more", 8);
  auto first = make_model(driver_, kRig);
  auto second = make_model(driver_, "{chip: more, lines: {a: {line: 1, safe: yes}}}");
  ModelHost host(*first);
  first->open(guarded());
  second->open(guarded());
  for (int frame = 0; frame < 3; ++frame) {
    EXPECT_EQ(host.run("write"), 0) << host.failure();
    first->safe_output()->frame_ended();
    second->safe_output()->frame_ended();
  }
  second.reset();
  EXPECT_EQ(other.terminal.value(), 1U);
  EXPECT_EQ(host.run("write"), 0) << "the other goes on: " << host.failure();
  first.reset();
  EXPECT_EQ(chip_.terminal.value(), kSafeLevels);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

TEST_F(GuardedGpioOut, FailsTheJobOnceTheGuardianDroveSafe) {
  auto model = make_model(driver_, kRig);
  ModelHost host(*model);
  executive::OpenRequest request = guarded();
  request.guardian_timeout = std::chrono::milliseconds(5);
  model->open(request);
  host.set("enable", 1);
  model->safe_output()->frame_ended();  // and then no more
  const std::string told = "the guardian drove the outputs safe: no frame for 5.00 ms";
  int result = 0;
  // It may be slow to come to it, and be missed before.
  for (int i = 0; i < 15000 && (result == 0 || host.failure() != told); ++i) {
    (void)::usleep(2000);
    result = host.run("write");
  }
  EXPECT_NE(result, 0);
  EXPECT_EQ(host.failure(), told);
  // A write that had begun before is undone, a little later.
  for (int i = 0; i < 15000 && chip_.terminal.value() != kSafeLevels; ++i) (void)::usleep(2000);
  EXPECT_EQ(chip_.terminal.value(), kSafeLevels);
}

}  // namespace
}  // namespace tactus::drivers::gpio::gpio_out_test
