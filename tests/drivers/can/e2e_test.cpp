// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/codec/e2e.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "drivers/can/codec/crc.hpp"
#include "drivers/can/codec/own_checksum.hpp"

namespace tactus::drivers::can::e2e_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

TEST(Crc, GivesTheCheckValuesOfCatalogues) {
  const std::string text = "123456789";
  const Bytes digits(text.begin(), text.end());
  EXPECT_EQ(Crc({.width = 8, .polynomial = 0x1D, .first = 0xFF, .last = 0xFF}).of(digits), 0x4BU);
  EXPECT_EQ(Crc({.width = 8, .polynomial = 0x2F, .first = 0xFF, .last = 0xFF}).of(digits), 0xDFU);
  EXPECT_EQ(Crc({.width = 16, .polynomial = 0x1021, .first = 0xFFFF}).of(digits), 0x29B1U);
  EXPECT_EQ(Crc({.width = 32,
                 .polynomial = 0xF4ACFB13,
                 .first = 0xFFFFFFFF,
                 .is_reflected = true,
                 .last = 0xFFFFFFFF})
                .of(digits),
            0x1697D06AU);
  EXPECT_EQ(Crc({.width = 16, .polynomial = 0x1021, .first = 0xC6C6, .is_reflected = true}).of(digits),
            0xBF05U)
      << "CRC-16/A: its first value is no palindrome";
  EXPECT_EQ(Crc({.width = 64,
                 .polynomial = 0x42F0E1EBA9EA3693,
                 .first = ~0ULL,
                 .is_reflected = true,
                 .last = ~0ULL})
                .of(digits),
            0x995DC9BBDF1939FAU);
}

Bytes protect(const E2eSettings& settings, Bytes data, std::uint32_t counter) {
  const E2e e2e(settings);
  EXPECT_TRUE(e2e.protect(data.data(), static_cast<unsigned>(data.size()), counter));
  return data;
}

E2eSettings settings_of(E2eProfile profile, std::uint32_t id, DataIdMode mode = DataIdMode::both,
                        unsigned first = 0) {
  E2eSettings settings{.profile = profile, .data_id = id, .mode = mode};
  for (unsigned i = 0; i < 16; ++i) settings.data_ids[i] = static_cast<std::uint8_t>(first + i);
  return settings;
}

TEST(E2e, GivesTheVectorsOfOtherImplementations) {
  EXPECT_THAT(protect(settings_of(E2eProfile::p1, 0x123), Bytes(8), 1),
              ElementsAre(0x91, 1, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(protect(settings_of(E2eProfile::p2, 0), {0, 0, 2, 3, 4, 5, 6, 7}, 2),
              ElementsAre(0xBC, 2, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(protect(settings_of(E2eProfile::p4, 0x0A0B0C0D), Bytes(16), 0),
              ElementsAre(0, 0x10, 0, 0, 0x0A, 0x0B, 0x0C, 0x0D, 0x86, 0x2B, 0x05, 0x56, 0, 0, 0, 0));
  EXPECT_THAT(protect(settings_of(E2eProfile::p5, 0x1234), Bytes(8), 0),
              ElementsAre(0x1C, 0xCA, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(protect(settings_of(E2eProfile::p6, 0x1234), Bytes(8), 0),
              ElementsAre(0xB1, 0x55, 0, 8, 0, 0, 0, 0));
  const Bytes seven = protect(settings_of(E2eProfile::p7, 0x0A0B0C0D), Bytes(24), 0);
  EXPECT_THAT(Bytes(seven.begin(), seven.begin() + 12),
              ElementsAre(0x1F, 0xB2, 0xE7, 0x37, 0xFC, 0xED, 0xBC, 0xD9, 0, 0, 0, 0x18));
  EXPECT_EQ(protect(settings_of(E2eProfile::p11, 0x123), Bytes(8), 0)[0], 0xCC);
  const E2eSettings nibble = settings_of(E2eProfile::p11, 0x123, DataIdMode::nibble);
  EXPECT_THAT(protect(nibble, Bytes(8), 0), ElementsAre(0x2A, 0x10, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(protect(nibble, Bytes(8), 1), ElementsAre(0x77, 0x11, 0, 0, 0, 0, 0, 0));
  const E2eSettings last = settings_of(E2eProfile::p22, 0, DataIdMode::both, 1);
  EXPECT_EQ(protect(last, Bytes(8), 0)[0], 0x0E);
  EXPECT_EQ(protect(last, Bytes(8), 1)[0], 0x1B);
  EXPECT_EQ(protect(last, Bytes(8), 2)[0], 0x98);
}

TEST(E2e, AReceiverFindsEachDisturbance) {
  for (const E2eProfile profile : {E2eProfile::p1, E2eProfile::p2, E2eProfile::p4, E2eProfile::p5,
                                   E2eProfile::p6, E2eProfile::p7, E2eProfile::p11, E2eProfile::p22}) {
    for (const unsigned offset : {0U, 3U}) {
      SCOPED_TRACE("profile " + std::to_string(static_cast<int>(profile)) + ", offset " +
                   std::to_string(offset));
      E2eSettings settings = settings_of(profile, 0x234);
      settings.offset = offset;
      settings.most_lost = 3;
      const E2e e2e(settings);
      E2eReceiver receiver(e2e);
      Bytes data{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28};
      const auto size = static_cast<unsigned>(data.size());
      std::uint32_t counter = e2e.most_counter() - 1;
      const auto receive = [&] {
        EXPECT_TRUE(e2e.protect(data.data(), size, counter));
        return receiver.receive(data.data(), size);
      };
      EXPECT_EQ(receive(), E2eResult::first);
      EXPECT_EQ(receive(), E2eResult::repeated);
      counter = e2e.next(counter);
      EXPECT_EQ(receive(), E2eResult::ok);
      counter = e2e.next(counter);
      EXPECT_EQ(counter, 0U);
      EXPECT_EQ(receive(), E2eResult::ok) << "the counter begins again after its last value";
      counter += 3;
      EXPECT_EQ(receive(), E2eResult::ok_some_lost);
      EXPECT_EQ(receiver.lost(), 2U);
      counter += 4;
      EXPECT_EQ(receive(), E2eResult::wrong_sequence);
      for (std::size_t i = 0; i < data.size(); ++i) {
        counter = e2e.next(counter);
        EXPECT_TRUE(e2e.protect(data.data(), size, counter));
        data[i] ^= 0x40U;
        const E2eResult result = receiver.receive(data.data(), size);
        // The upper half of the counter's byte is data in profiles 1, 2, 11 and 22.
        EXPECT_TRUE(result == E2eResult::wrong_checksum || result == E2eResult::wrong_length) << "byte " << i;
        data[i] ^= 0x40U;
      }
      EXPECT_EQ(receiver.receive(data.data(), e2e.least_length() - 1), E2eResult::wrong_length);
    }
  }
}

TEST(E2e, TheLargestStepIsThatOfTheCounter) {
  for (const std::uint32_t most : {1U, 2U, 3U}) {
    E2eSettings settings = settings_of(E2eProfile::p5, 0x1234);
    settings.most_lost = most;
    const E2e e2e(settings);
    for (std::uint32_t lost = 0; lost < 4; ++lost) {
      E2eReceiver receiver(e2e);
      Bytes data(8);
      EXPECT_TRUE(e2e.protect(data.data(), 8, 10));
      (void)receiver.receive(data.data(), 8);
      EXPECT_TRUE(e2e.protect(data.data(), 8, 11 + lost));
      EXPECT_EQ(receiver.receive(data.data(), 8) == E2eResult::wrong_sequence, lost + 1 > most)
          << most << ", lost " << lost;
    }
  }
}

TEST(E2e, ACounterOf15IsWrongInProfiles1And11) {
  E2eSettings settings = settings_of(E2eProfile::p1, 0x123);
  const E2e e2e(settings);
  Bytes data(8);
  EXPECT_FALSE(e2e.protect(data.data(), 8, 15));
  EXPECT_EQ(data, Bytes(8)) << "nothing was written";
  // The checksum that profile 1 would have with it: the same rule over the same bytes.
  const Crc crc({.width = 8, .polynomial = 0x1D});
  data[1] = 15;
  Bytes all{0x23, 0x01};
  all.insert(all.end(), data.begin() + 1, data.end());
  data[0] = static_cast<std::uint8_t>(crc.of(all));
  E2eReceiver receiver(e2e);
  EXPECT_EQ(receiver.receive(data.data(), 8), E2eResult::wrong_counter);
}

TEST(E2e, AlternatesTheHalvesOfTheDataId) {
  const Crc crc({.width = 8, .polynomial = 0x1D});
  for (const std::uint8_t counter : {std::uint8_t{0}, std::uint8_t{1}}) {
    const Bytes data =
        protect(settings_of(E2eProfile::p1, 0x123, DataIdMode::alternating), Bytes(4), counter);
    const std::uint8_t half = counter == 0 ? 0x23 : 0x01;
    EXPECT_EQ(data[0], crc.of(Bytes{half, counter, 0, 0}));
  }
}

TEST(E2e, RefusesWhatTheProfileExcludes) {
  const auto refusal = [](const E2eSettings& settings) -> std::string {
    try {
      const E2e made(settings);
      return "";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  EXPECT_THAT(refusal({.profile = E2eProfile::p5, .data_id = 0x10000}), HasSubstr("at most 0xFFFF"));
  EXPECT_EQ(refusal({.profile = E2eProfile::p7, .data_id = 0xFFFFFFFF}), "");
  EXPECT_THAT(refusal({.profile = static_cast<E2eProfile>(3)}),
              HasSubstr("profile 3: is not one of 1, 2, 4"));
  EXPECT_THAT(refusal({.profile = E2eProfile::p11, .mode = DataIdMode::low}), HasSubstr("both or nibble"));
  EXPECT_THAT(refusal({.profile = E2eProfile::p1, .most_lost = 15}), HasSubstr("1 .. 14"));
}

TEST(OwnChecksum, CallsAFunctionOfTheUsersLibrary) {
  const OwnChecksum own = OwnChecksum::of_library(OWN_CHECKSUM, "sum_of_all");
  const Bytes data{1, 2, 99, 4};
  EXPECT_EQ(own.of(data.data(), 4, 0x100, 5, 2, 1), (0x100U + 5 + 7) & 0xFFU);
  EXPECT_THROW((void)OwnChecksum::of_library(OWN_CHECKSUM, "nothing"), std::runtime_error);
  EXPECT_THROW((void)OwnChecksum::of_library("/nowhere.so", "f"), std::runtime_error);
}

TEST(OwnChecksum, TakesAConstantForEachCounter) {
  const CrcRule rule{.width = 8, .polynomial = 0x2F, .first = 0xFF, .last = 0xFF};
  const OwnChecksum own = OwnChecksum::of_table(rule, {0xAA, 0x55});
  const Bytes data{1, 99, 3};
  EXPECT_EQ(own.of(data.data(), 3, 0, 0, 1, 1), Crc(rule).of(Bytes{1, 3, 0xAA}));
  EXPECT_EQ(own.of(data.data(), 3, 0, 3, 1, 1), Crc(rule).of(Bytes{1, 3, 0x55}));
  const OwnChecksum plain = OwnChecksum::of_table(rule, {});
  EXPECT_EQ(plain.of(data.data(), 3, 0, 0, 1, 1), Crc(rule).of(Bytes{1, 3})) << "without constants";
}

}  // namespace
}  // namespace tactus::drivers::can::e2e_test
