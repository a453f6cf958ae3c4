// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/bus/response_time.hpp"

#include <gmock/gmock.h>

namespace tactus::drivers::can::response_time_test {
namespace {

Message message_of(std::uint32_t id, unsigned length, double cycle_ms) {
  Message made;
  made.id = id;
  made.length = length;
  if (cycle_ms > 0) made.cycle = cycle_ms;
  return made;
}

TEST(BusLoad, CountsTheBitsOfTheLongestFrame) {
  const BitRates rates{.nominal = 1'000'000};
  EXPECT_EQ(longest_frame(message_of(1, 8, 0), rates), 135'000);
  EXPECT_EQ(longest_frame(message_of(1, 7, 0), rates), 125'000);
  EXPECT_EQ(longest_frame(message_of(1, 0, 0), rates), 55'000);
  Message extended = message_of(1, 8, 0);
  extended.extended = true;
  EXPECT_EQ(longest_frame(extended, rates), 160'000);
}

TEST(BusLoad, TakesTheDataRateForFramesThatSwitchToIt) {
  Message message = message_of(1, 64, 0);
  message.fd = true;
  const BitRates rates{.nominal = 500'000, .data = 2'000'000};
  const std::int64_t slow = longest_frame(message, rates);
  message.bit_rate_switch = true;
  EXPECT_LT(longest_frame(message, rates) * 3, slow);
  message.length = 9;
  const std::int64_t nine = longest_frame(message, rates);
  message.length = 12;
  EXPECT_EQ(longest_frame(message, rates), nine) << "a frame of 9 bytes has 12";
}

/// The example of the paper in which the earlier analysis is wrong: the second frame of C is the late one.
TEST(BusLoad, GivesTheResponseTimesOfThePublishedExample) {
  Database database;
  database.messages = {message_of(3, 7, 3.5), message_of(1, 7, 2.5), message_of(2, 7, 3.5)};
  const BusLoad load = bus_load(database, {.nominal = 125'000});
  ASSERT_EQ(load.messages.size(), 3U);
  EXPECT_EQ(load.messages[0].message, 1U);
  EXPECT_EQ(load.messages[0].frame, 1'000'000);
  EXPECT_EQ(load.messages[0].response, 2'000'000);
  EXPECT_EQ(load.messages[1].response, 3'000'000);
  EXPECT_EQ(load.messages[2].response, 3'500'000);
  EXPECT_NEAR(load.load, 1 / 2.5 + 2 / 3.5, 1e-9);
}

TEST(BusLoad, HasNoBoundWhereTheBusIsFull) {
  Database database;
  database.messages = {message_of(1, 7, 2), message_of(2, 7, 2), message_of(3, 7, 100), message_of(4, 8, 0)};
  const BusLoad load = bus_load(database, {.nominal = 125'000});
  EXPECT_TRUE(load.messages[0].response.has_value());
  EXPECT_FALSE(load.messages[1].response.has_value());
  EXPECT_FALSE(load.messages[2].response.has_value());
  EXPECT_EQ(load.without_cycle, 1U);
  EXPECT_EQ(load.messages[0].response, 1'080'000 + 1'000'000) << "the message without a cycle has just begun";
}

TEST(BusLoad, LetsA11BitIdGoBeforeTheSameBitsOfALongerOne) {
  Database database;
  database.messages = {message_of(0x100 << 18, 8, 10), message_of(0x100, 8, 10)};
  database.messages[0].extended = true;
  EXPECT_EQ(bus_load(database, {}).messages[0].message, 1U);
  database.messages[0].id = (0x100 << 18) - 1;
  EXPECT_EQ(bus_load(database, {}).messages[0].message, 0U);
}

}  // namespace
}  // namespace tactus::drivers::can::response_time_test
