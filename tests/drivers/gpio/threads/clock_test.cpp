// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/clock.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "config/document.hpp"
#include "drivers/gpio/edge_line_source.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/gpio/fake_gpio.hpp"
#include "tests/drivers/gpio/gpio_clock_driver.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::gpio::clock_test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Nanoseconds.
std::int64_t now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  (void)::clock_gettime(clock, &time);
  return std::chrono::nanoseconds(std::chrono::seconds(time.tv_sec)).count() + time.tv_nsec;
}

constexpr std::int64_t kMicrosecond = 1000;
constexpr std::int64_t kMillisecond = 1000 * kMicrosecond;
constexpr std::int64_t kHour = 3'600'000 * kMillisecond;

/// Edges through a pipe: as many bytes as a time stamp has, for each.
class PipeLine final : public EdgeLine {
 public:
  PipeLine() {
    if (::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("pipe2");
  }
  ~PipeLine() override {
    (void)::close(ends_[0]);
    hang_up();
  }
  void edge(std::int64_t stamp) const {
    if (::write(ends_[1], &stamp, sizeof stamp) != sizeof stamp) throw std::runtime_error("write");
  }
  void hang_up() {
    if (ends_[1] >= 0) (void)::close(ends_[1]);
    ends_[1] = -1;
  }
  int error = 0;

  int fd() const TACTUS_RT override { return ends_[0]; }
  std::size_t buffer() const TACTUS_RT override { return 16; }
  Taken take(std::span<std::int64_t> stamps) TACTUS_RT override {
    if (error != 0) return {0, error};
    const ssize_t size = ::read(ends_[0], stamps.data(), stamps.size_bytes());
    return {size > 0 ? static_cast<std::size_t>(size) / sizeof(std::int64_t) : 0, 0};
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

class EdgeSourceTest : public testing::Test {
 protected:
  std::unique_ptr<PipeLine> made_ = std::make_unique<PipeLine>();
  PipeLine& line_ = *made_;
  EdgeLineSource source_{std::move(made_), "gpiochip0 line 3, rising"};
  std::array<std::int64_t, 64> read_;
};

TEST_F(EdgeSourceTest, TakesAllThatAreThereWithoutWaiting) {
  const auto first = now();
  for (int i = 0; i < 3; ++i) line_.edge(first + i * kMicrosecond);
  const tactus::Edges got = source_.wait(0, read_);
  EXPECT_EQ(got.status, TACTUS_EDGES);
  EXPECT_EQ(got.count, 3U);
  EXPECT_FALSE(got.overflowed);
  EXPECT_EQ(read_[0], first);
  EXPECT_EQ(read_[2], first + 2 * kMicrosecond);
  EXPECT_EQ(source_.wait(0, read_).status, TACTUS_NO_EDGE);
}

TEST_F(EdgeSourceTest, WaitsForTheDeadlineAndNotLess) {
  const auto deadline = now() + 30 * kMillisecond;
  EXPECT_EQ(source_.wait(deadline, read_).status, TACTUS_NO_EDGE);
  EXPECT_GE(now(), deadline);
}

TEST_F(EdgeSourceTest, WakesForAnEdge) {
  std::thread later([this] {
    std::this_thread::sleep_for(20ms);
    line_.edge(now());
  });
  const tactus::Edges got = source_.wait(now() + kHour, read_);
  later.join();
  EXPECT_EQ(got.count, 1U);
}

TEST_F(EdgeSourceTest, AFullBufferMayHaveLostEdges) {
  for (int i = 0; i < 15; ++i) line_.edge(now());
  EXPECT_FALSE(source_.wait(0, read_).overflowed);
  for (int i = 0; i < 16; ++i) line_.edge(now());
  const tactus::Edges got = source_.wait(0, read_);
  EXPECT_EQ(got.count, 16U);
  EXPECT_TRUE(got.overflowed);
  EXPECT_FALSE(source_.wait(0, read_).overflowed) << "said once";
}

TEST_F(EdgeSourceTest, AFullBufferIsSeenAlsoInSmallBites) {
  for (int i = 0; i < 16; ++i) line_.edge(now());
  bool overflowed = false;
  std::size_t count = 0;
  for (tactus::Edges got; (got = source_.wait(0, std::span(read_).first(5))).count > 0;) {
    overflowed |= got.overflowed;
    count += got.count;
  }
  EXPECT_EQ(count, 16U);
  EXPECT_TRUE(overflowed);
}

TEST_F(EdgeSourceTest, AnErrorOfTheLineIsForGood) {
  line_.error = EIO;
  line_.edge(now());  // something to wake for
  for (int i = 0; i < 2; ++i) {
    const tactus::Edges got = source_.wait(now() + kHour, read_);
    EXPECT_EQ(got.status, TACTUS_CLOCK_GONE);
    EXPECT_EQ(got.error, EIO);
  }
}

TEST_F(EdgeSourceTest, ALineThatHangsUpIsGone) {
  line_.edge(now());
  line_.hang_up();
  EXPECT_EQ(source_.wait(now() + kHour, read_).count, 1U) << "the last edges first";
  const tactus::Edges got = source_.wait(now() + kHour, read_);
  EXPECT_EQ(got.status, TACTUS_CLOCK_GONE);
  EXPECT_EQ(got.error, ENODEV);
  EXPECT_EQ(source_.what(), "gpiochip0 line 3, rising");
}

TEST_F(EdgeSourceTest, StampsOfCalendarTimeAreRefused) {
  tactus::test::Snapshot texts;
  line_.edge(now(CLOCK_REALTIME));
  const tactus::Edges got = source_.wait(0, read_);
  EXPECT_EQ(got.status, TACTUS_CLOCK_GONE);
  EXPECT_EQ(got.error, EPROTO);
  texts.add(source_.what());
}

TEST_F(EdgeSourceTest, StampsOfAnUnknownClockAreRefused) {
  line_.edge(now() + kHour);
  EXPECT_EQ(source_.wait(0, read_).error, EPROTO);
  EXPECT_THAT(source_.what(), HasSubstr("neither CLOCK_MONOTONIC nor CLOCK_REALTIME"));
}

TEST_F(EdgeSourceTest, TouchesNoHeap) {
  const rtsync::HeapWatch heap;
  for (int i = 0; i < 100; ++i) {
    line_.edge(now());
    (void)source_.wait(now() + kHour, read_);
    (void)source_.wait(0, read_);
  }
  EXPECT_EQ(heap.calls(), 0U);
}

TEST(KernelRelease, TellsWhichClockStampsAreIn) {
  for (const char* good : {"5.7.0", "5.10.0-rt-amd64", "6.1.0-18-rt-amd64", "10.0", "strange"})
    EXPECT_TRUE(stamps_monotonic(good)) << good;
  for (const char* bad : {"5.6.19", "4.19.0-rt", "3.2"}) EXPECT_FALSE(stamps_monotonic(bad)) << bad;
}

class GpioClockTest : public testing::Test {
 protected:
  std::string problems(const std::string& yaml) {
    config::Problems problems;
    driver_.read(config::Document::from_text("rig.yaml", yaml).root(), "clock", problems);
    return problems.text();
  }
  rtsync::Fact fact(const std::string& name, std::optional<rtsync::Nanoseconds> measure = std::nullopt) {
    for (rtsync::Fact& one : driver_.facts({measure, edge_period_}))
      if (one.name == name) return one;
    return {"no such fact", rtsync::Grade::warn, {}, {}, {}, {}};
  }

  std::optional<rtsync::Period> edge_period_;
  std::shared_ptr<test::FakeGpio> gpio_ = std::make_shared<test::FakeGpio>();
  test::FakeChipState& chip_ = gpio_->add("gpiochip0", "pins", 8);
  test::GpioClock driver_{gpio_};
};

TEST_F(GpioClockTest, OpensTheLine) {
  chip_.lines[3].name = "PPS_IN";
  ASSERT_EQ(problems("{chip: pins, line: PPS_IN, edge: falling, bias: pull_up}"), "");
  const auto source = driver_.open({.rig = "servo"});
  EXPECT_EQ(source->what(), "gpiochip0 line 3 (PPS_IN), falling");
  EXPECT_EQ(chip_.requested, std::vector<unsigned>{3});
  EXPECT_EQ(chip_.edges, Edges::falling);
  EXPECT_EQ(chip_.bias, Bias::pull_up);
  EXPECT_EQ(chip_.consumer, "tactus servo " + std::to_string(::getpid()));
}

TEST_F(GpioClockTest, AnActiveLowLineRisesWhenItFalls) {
  ASSERT_EQ(problems("{chip: '0', line: 3, active_low: yes}"), "");
  EXPECT_EQ(driver_.open({.rig = "servo"})->what(), "gpiochip0 line 3, rising, active low");
  EXPECT_EQ(chip_.edges, Edges::falling);
}

TEST_F(GpioClockTest, WritesItsSettingsBack) {
  ASSERT_EQ(problems("{chip: pins, line: 3, edge: both}"), "");
  EXPECT_EQ(config::to_flow(driver_.resolved()),
            "{chip: pins, line: \"3\", edge: both, bias: as_is, active_low: no}");
}

TEST_F(GpioClockTest, SaysWhatIsWrongWithItsSection) {
  EXPECT_THAT(problems("{line: 3}"), HasSubstr("clock: missing key 'chip'"));
  EXPECT_THAT(problems("{chip: pins}"), HasSubstr("clock: missing key 'line'"));
  EXPECT_THAT(problems("{chip: pins, line: 3, edge: up}"), HasSubstr("clock.edge: 'up' is not one of"));
  EXPECT_THAT(problems("{chip: pins, line: 3, egde: rising}"), HasSubstr("did you mean 'edge'?"));
  EXPECT_THAT(
      problems("{chip: pins, line: 3, debounce: 1 ms}"),
      HasSubstr("clock.debounce: a clock line is not debounced: that would silently make every edge later"));
}

TEST_F(GpioClockTest, SaysWhoHoldsTheLine) {
  chip_.lines[3] = {"PPS_IN", true, "gpiomon"};
  ASSERT_EQ(problems("{chip: pins, line: 3}"), "");
  try {
    (void)driver_.open({.rig = "servo"});
    FAIL();
  } catch (const executive::DeviceError& error) {
    EXPECT_STREQ(error.what(),
                 "line 3 of gpiochip0 (PPS_IN) is held by 'gpiomon', which is not a rig of tactus; end that "
                 "program, or "
                 "take another line");
  }
  const rtsync::Fact line = fact("gpio clock line", 1h);
  EXPECT_EQ(line.grade, rtsync::Grade::fail);
  EXPECT_THAT(line.found, HasSubstr("is held by 'gpiomon'"));
  EXPECT_EQ(fact("gpio lines in use").found, "line 3 of gpiochip0 (PPS_IN): 'gpiomon'");
  EXPECT_EQ(fact("gpio clock edges").name, "no such fact") << "what is held is not measured";
}

TEST_F(GpioClockTest, TellsTheDoctorOfTheMachine) {
  EXPECT_EQ(fact("gpio chips").grade, rtsync::Grade::ok);
  EXPECT_EQ(fact("gpio chips").found, "gpiochip0 ('pins', 8 lines)");
  EXPECT_EQ(fact("gpio lines in use").found, "none");
  EXPECT_EQ(fact("gpio clock line").name, "no such fact") << "no line is configured";
  chip_.open_error = EACCES;
  EXPECT_EQ(fact("gpio chips").grade, rtsync::Grade::warn);
  EXPECT_EQ(fact("gpio chips").found, "/dev/gpiochip0: Permission denied");
  EXPECT_THAT(fact("gpio chips").fix, HasSubstr("no permission for GPIO chip /dev/gpiochip0"));
  const auto none = std::make_shared<test::FakeGpio>();
  const std::vector<rtsync::Fact> facts = test::GpioClock(none).facts({});
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].grade, rtsync::Grade::warn);
  EXPECT_EQ(facts[0].found, "none: no /dev/gpiochip*");
}

TEST_F(GpioClockTest, TellsTheDoctorThatNoEdgeCame) {
  tactus::test::Snapshot texts;
  ASSERT_EQ(problems("{chip: pins, line: 3}"), "");
  texts.add(fact("gpio clock line").found);
  const rtsync::Fact edges = fact("gpio clock edges", 20ms);
  EXPECT_EQ(edges.grade, rtsync::Grade::fail);
  texts.add(edges.found);
  EXPECT_THAT(edges.fix, AllOf(HasSubstr("check that the source runs"), HasSubstr("line 3 of gpiochip0")));
  edge_period_ = rtsync::Period{1'000'000'000, 1};
  EXPECT_EQ(fact("gpio clock edges", 20ms).grade, rtsync::Grade::warn) << "too short a look at 1PPS";
  ASSERT_EQ(problems("{chip: pins, line: 30}"), "");
  EXPECT_THAT(fact("gpio clock line", 20ms).found, HasSubstr("has no line 30"));
}

}  // namespace
}  // namespace tactus::drivers::gpio::clock_test
