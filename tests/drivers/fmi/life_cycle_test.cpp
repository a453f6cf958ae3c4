// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/unit/life_cycle.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "drivers/fmi/unit/log_ring.hpp"

namespace tactus::drivers::fmi::life_cycle_test {
namespace {

constexpr Call kCalls[] = {Call::instantiate,
                           Call::enter_configuration,
                           Call::exit_configuration,
                           Call::enter_initialization,
                           Call::exit_initialization,
                           Call::set_start,
                           Call::set_structural,
                           Call::set_input,
                           Call::get,
                           Call::step,
                           Call::terminate,
                           Call::reset,
                           Call::state,
                           Call::set_state,
                           Call::activate,
                           Call::clocks,
                           Call::set_interval,
                           Call::free};

/// One that is initialized.
struct Ready : LifeCycle {
  explicit Ready(Version version) : LifeCycle(version) {
    for (const Call call : {Call::instantiate, Call::enter_initialization, Call::exit_initialization})
      done(call, Status::ok);
  }
};

TEST(FmiLifeCycle, ForbidsAGetAfterASetUntilTheNextStep) {
  Ready three(Version::fmi3);
  EXPECT_TRUE(three.may(Call::get));
  three.done(Call::set_input, Status::ok);
  EXPECT_FALSE(three.may(Call::get));
  EXPECT_TRUE(three.may(Call::set_input));
  three.done(Call::step, Status::ok);
  EXPECT_TRUE(three.may(Call::get));
  Ready two(Version::fmi2);
  two.done(Call::set_input, Status::ok);
  EXPECT_TRUE(two.may(Call::get)) << "2.0 allows it";
}

TEST(FmiLifeCycle, CallsNothingAfterFatal) {
  for (const Version version : {Version::fmi2, Version::fmi3}) {
    Ready life(version);
    life.done(Call::step, Status::fatal);
    for (const Call call : kCalls) EXPECT_FALSE(life.may(call)) << "call " << static_cast<int>(call);
  }
}

// Answers of two partitions that run beside each other come in either order.
TEST(FmiLifeCycle, StaysFailedWhenAnotherPartitionsAnswerComesLater) {
  for (const Status status : {Status::error, Status::discard, Status::fatal}) {
    LifeCycle life(Version::fmi3, Execution::scheduled);
    for (const Call call : {Call::instantiate, Call::enter_initialization, Call::exit_initialization})
      life.done(call, Status::ok);
    ASSERT_TRUE(life.may(Call::set_input));  // of a second one
    life.done(Call::activate, status);
    const Phase then = life.phase();
    EXPECT_EQ(then, status == Status::fatal ? Phase::fatal : Phase::failed);
    for (const Call call : {Call::set_input, Call::activate, Call::get}) {
      life.done(call, Status::ok);
      EXPECT_EQ(life.phase(), then) << "call " << static_cast<int>(call);
      EXPECT_FALSE(life.may(Call::activate));
      life.done(call, Status::error);
      EXPECT_EQ(life.phase(), then) << "call " << static_cast<int>(call);
    }
    if (status == Status::fatal) continue;
    life.done(Call::set_state, Status::ok);
    EXPECT_TRUE(life.may(Call::activate)) << "its state is another";
  }
}

TEST(FmiLogRing, GivesTheLastErrorWhole) {
  LogRing log;
  std::atomic<bool> over{false};
  std::vector<std::thread> writers;
  std::string torn;
  for (const char letter : {'a', 'b'})
    writers.emplace_back([&, letter] {
      const std::string text(letter == 'a' ? 200 : 120, letter);
      while (!over) log.put(Status::error, "x", text.c_str());
    });
  for (int i = 0; i < 100000; ++i) {
    const auto seen = log.last_error();
    const std::string text = &seen[0];
    if (!text.empty() && text != std::string(200, 'a') && text != std::string(120, 'b')) torn = text;
  }
  over = true;
  for (std::thread& each : writers) each.join();
  EXPECT_EQ(torn, "");
  log.forget_error();
  const auto none = log.last_error();
  EXPECT_STREQ(&none[0], "");
  log.put(Status::error, "x", "here");
  const auto some = log.last_error();
  EXPECT_STREQ(&some[0], "here");
}

TEST(FmiLifeCycle, ReadsA30UnitAfterAnErrorAndResetsBoth) {
  for (const Version version : {Version::fmi2, Version::fmi3}) {
    Ready life(version);
    life.done(Call::step, Status::error);
    EXPECT_EQ(life.phase(), Phase::failed);
    EXPECT_EQ(life.may(Call::get), version == Version::fmi3);
    EXPECT_FALSE(life.may(Call::step));
    EXPECT_FALSE(life.may(Call::terminate));
    EXPECT_TRUE(life.may(Call::reset));
    EXPECT_TRUE(life.may(Call::free));
  }
}

TEST(FmiLifeCycle, SetsEachKindOfVariableInItsTime) {
  LifeCycle life(Version::fmi3);
  EXPECT_TRUE(life.may(Call::instantiate));
  for (const Call call : kCalls)
    if (call != Call::instantiate) EXPECT_FALSE(life.may(call)) << "call " << static_cast<int>(call);
  life.done(Call::instantiate, Status::ok);
  EXPECT_TRUE(life.may(Call::set_start));
  EXPECT_FALSE(life.may(Call::set_input));
  EXPECT_FALSE(life.may(Call::set_structural));
  EXPECT_FALSE(life.may(Call::step));
  EXPECT_FALSE(life.may(Call::get));
  life.done(Call::enter_configuration, Status::ok);
  EXPECT_TRUE(life.may(Call::set_structural));
  EXPECT_FALSE(life.may(Call::set_start));
  EXPECT_FALSE(life.may(Call::enter_initialization));
  life.done(Call::exit_configuration, Status::ok);
  life.done(Call::enter_initialization, Status::ok);
  EXPECT_TRUE(life.may(Call::set_start));
  EXPECT_TRUE(life.may(Call::get));
  EXPECT_FALSE(life.may(Call::step));
  life.done(Call::exit_initialization, Status::warning);
  EXPECT_FALSE(life.may(Call::set_start)) << "fixed parameters stay";
  EXPECT_TRUE(life.may(Call::set_input));
  EXPECT_TRUE(life.may(Call::step));
  life.done(Call::terminate, Status::ok);
  EXPECT_FALSE(life.may(Call::step));
  EXPECT_FALSE(life.may(Call::terminate));
  EXPECT_TRUE(life.may(Call::get));
  LifeCycle two(Version::fmi2);
  two.done(Call::instantiate, Status::ok);
  EXPECT_FALSE(two.may(Call::enter_configuration)) << "2.0 has none";
}

}  // namespace
}  // namespace tactus::drivers::fmi::life_cycle_test
