// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/codec/e2e.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <stdexcept>

#include "drivers/can/codec/crc.hpp"

namespace tactus::drivers::can {
namespace {

constexpr Crc kJ1850({.width = 8, .polynomial = 0x1D});  // without the FF before and after it that SAE has
constexpr Crc kH2f({.width = 8, .polynomial = 0x2F, .first = 0xFF, .last = 0xFF});
constexpr Crc kCcitt({.width = 16, .polynomial = 0x1021, .first = 0xFFFF});
constexpr Crc kP4(
    {.width = 32, .polynomial = 0xF4ACFB13, .first = 0xFFFFFFFF, .is_reflected = true, .last = 0xFFFFFFFF});
constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr Crc kEcma(
    {.width = 64, .polynomial = 0x42F0E1EBA9EA3693, .first = kAll, .is_reflected = true, .last = kAll});

bool is_small(E2eProfile profile) TACTUS_RT {
  return profile == E2eProfile::p1 || profile == E2eProfile::p2 || profile == E2eProfile::p11 ||
         profile == E2eProfile::p22;
}

bool has_nibble(const E2eSettings& settings) TACTUS_RT {
  return settings.mode == DataIdMode::nibble &&
         (settings.profile == E2eProfile::p1 || settings.profile == E2eProfile::p11);
}

void put_big(std::uint8_t* at, std::uint64_t value, unsigned bytes) TACTUS_RT {
  for (unsigned i = 0; i < bytes; ++i) at[i] = static_cast<std::uint8_t>(value >> 8 * (bytes - 1 - i));
}

std::uint64_t get_big(const std::uint8_t* at, unsigned bytes) TACTUS_RT {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value = value << 8U | at[i];
  return value;
}

/// Constants of a profile: the bytes of its header, the last value of its counter, and where in the header the
/// checksum is.
struct Rule {
  E2eProfile profile;
  unsigned header;
  std::uint32_t most_counter;
  unsigned checksum_at, checksum_bytes;
};
constexpr Rule kRules[] = {{E2eProfile::p1, 2, 14, 0, 1},      {E2eProfile::p2, 2, 15, 0, 1},
                           {E2eProfile::p4, 12, 0xFFFF, 8, 4}, {E2eProfile::p5, 3, 0xFF, 0, 2},
                           {E2eProfile::p6, 5, 0xFF, 0, 2},    {E2eProfile::p7, 20, 0xFFFF'FFFF, 0, 8},
                           {E2eProfile::p11, 2, 14, 0, 1},     {E2eProfile::p22, 2, 15, 0, 1}};

}  // namespace

E2e::E2e(const E2eSettings& settings) : settings_(settings) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("E2E profile " + std::to_string(static_cast<int>(settings.profile)) + ": " +
                                why);
  };
  const Rule* const rule = std::ranges::find(kRules, settings.profile, &Rule::profile);
  if (rule == std::end(kRules)) refuse("is not one of 1, 2, 4, 5, 6, 7, 11, 22");
  most_counter_ = rule->most_counter;
  checksum_at_ = settings.offset + rule->checksum_at;
  checksum_bytes_ = rule->checksum_bytes;
  const bool wide = settings.profile == E2eProfile::p4 || settings.profile == E2eProfile::p7;
  if (!wide && settings.data_id > 0xFFFF) refuse("its data id has 16 bits, at most 0xFFFF");
  if (settings.profile == E2eProfile::p11 && settings.mode != DataIdMode::both &&
      settings.mode != DataIdMode::nibble)
    refuse("its data id mode is both or nibble");
  if (has_nibble(settings) && settings.data_id > 0x0FFF)
    refuse("with the mode nibble its data id has 12 bits, at most 0x0FFF");
  if (settings.offset > 4096) refuse("an offset of at most 4096 bytes is possible");
  if (settings.most_lost < 1 || settings.most_lost > most_counter_)
    refuse("the largest step of its counter is 1 .. " + std::to_string(most_counter_));
  least_ = settings.offset + rule->header;
}

std::uint64_t E2e::checksum(const std::uint8_t* data, unsigned length,
                            std::uint32_t counter) const TACTUS_RT {
  // The CRC of all bytes but those of the checksum itself.
  const auto without = [&](const Crc& crc, std::uint64_t begin) TACTUS_RT {
    const unsigned after = checksum_at_ + checksum_bytes_;
    return crc.add(crc.add(begin, std::span(data, checksum_at_)), std::span(data + after, length - after));
  };
  const auto low = static_cast<std::uint8_t>(settings_.data_id);
  const auto high = static_cast<std::uint8_t>(settings_.data_id >> 8U);
  switch (settings_.profile) {
    case E2eProfile::p1:
    case E2eProfile::p11: {
      std::uint64_t crc = kJ1850.begin();
      if (settings_.mode == DataIdMode::alternating) {
        crc = kJ1850.add(crc, counter % 2 == 0 ? low : high);
      } else {
        crc = kJ1850.add(crc, low);
        if (settings_.mode == DataIdMode::both) crc = kJ1850.add(crc, high);
        if (settings_.mode == DataIdMode::nibble) crc = kJ1850.add(crc, std::uint8_t{0});
      }
      return kJ1850.end(without(kJ1850, crc));
    }
    case E2eProfile::p2:
    case E2eProfile::p22: {
      const std::uint64_t crc = without(kH2f, kH2f.begin());
      return kH2f.end(kH2f.add(crc, settings_.data_ids[counter % 16]));
    }
    case E2eProfile::p4:
      return kP4.end(without(kP4, kP4.begin()));
    case E2eProfile::p5:
    case E2eProfile::p6: {
      const bool low_first = settings_.profile == E2eProfile::p5;
      std::uint64_t crc = without(kCcitt, kCcitt.begin());
      crc = kCcitt.add(crc, low_first ? low : high);
      return kCcitt.end(kCcitt.add(crc, low_first ? high : low));
    }
    case E2eProfile::p7:
      return kEcma.end(without(kEcma, kEcma.begin()));
  }
  return 0;
}

bool E2e::protect(std::uint8_t* data, unsigned length, std::uint32_t counter) const TACTUS_RT {
  if (length < least_ || counter > most_counter_) return false;
  std::uint8_t* const head = data + settings_.offset;
  if (is_small(settings_.profile)) {
    head[1] = static_cast<std::uint8_t>((head[1] & 0xF0U) | counter);
    if (has_nibble(settings_))
      head[1] = static_cast<std::uint8_t>((head[1] & 0x0FU) | (settings_.data_id >> 8U & 0x0FU) << 4U);
    head[0] = static_cast<std::uint8_t>(checksum(data, length, counter));
    return true;
  }
  switch (settings_.profile) {
    case E2eProfile::p4:
      put_big(head, length, 2);
      put_big(head + 2, counter, 2);
      put_big(head + 4, settings_.data_id, 4);
      put_big(head + 8, checksum(data, length, counter), 4);
      break;
    case E2eProfile::p5: {
      head[2] = static_cast<std::uint8_t>(counter);
      const std::uint64_t crc = checksum(data, length, counter);
      head[0] = static_cast<std::uint8_t>(crc);
      head[1] = static_cast<std::uint8_t>(crc >> 8U);
      break;
    }
    case E2eProfile::p6:
      put_big(head + 2, length, 2);
      head[4] = static_cast<std::uint8_t>(counter);
      put_big(head, checksum(data, length, counter), 2);
      break;
    default:
      put_big(head + 8, length, 4);
      put_big(head + 12, counter, 4);
      put_big(head + 16, settings_.data_id, 4);
      put_big(head, checksum(data, length, counter), 8);
      break;
  }
  return true;
}

void E2e::spoil(std::uint8_t* data) const TACTUS_RT {
  for (std::size_t i = 0; i < checksum_bytes_; ++i) data[checksum_at_ + i] ^= 0xFFU;
}

E2eResult E2e::look(const std::uint8_t* data, unsigned length, std::uint32_t& counter) const TACTUS_RT {
  if (length < least_) return E2eResult::wrong_length;
  const std::uint8_t* const head = data + settings_.offset;
  std::uint64_t found = head[0];
  bool is_right = true;  // what the header repeats
  switch (settings_.profile) {
    case E2eProfile::p4:
      counter = static_cast<std::uint32_t>(get_big(head + 2, 2));
      found = get_big(head + 8, 4);
      is_right = get_big(head, 2) == length && get_big(head + 4, 4) == settings_.data_id;
      break;
    case E2eProfile::p5:
      counter = head[2];
      found = std::uint64_t{head[1]} << 8U | head[0];
      break;
    case E2eProfile::p6:
      counter = head[4];
      found = get_big(head, 2);
      is_right = get_big(head + 2, 2) == length;
      break;
    case E2eProfile::p7:
      counter = static_cast<std::uint32_t>(get_big(head + 12, 4));
      found = get_big(head, 8);
      is_right = get_big(head + 8, 4) == length && get_big(head + 16, 4) == settings_.data_id;
      break;
    default:
      counter = head[1] & 0x0FU;
      break;
  }
  if (!is_right) return E2eResult::wrong_length;
  if (found != checksum(data, length, counter)) return E2eResult::wrong_checksum;
  if (has_nibble(settings_) && head[1] >> 4U != (settings_.data_id >> 8U & 0x0FU))
    return E2eResult::wrong_checksum;
  return counter > most_counter_ ? E2eResult::wrong_counter : E2eResult::first;
}

std::uint32_t E2e::step(std::uint32_t from, std::uint32_t to) const TACTUS_RT {
  return to >= from ? to - from : to + (most_counter_ - from) + 1;
}

E2eResult E2eReceiver::receive(const std::uint8_t* data, unsigned length, std::uint32_t grown) TACTUS_RT {
  std::uint32_t counter = 0;
  lost_ = 0;
  const E2eResult result = e2e_.look(data, length, counter);
  if (result != E2eResult::first) return result;
  const bool had = has_counter_;
  const std::uint32_t step = e2e_.step(counter_, counter);
  has_counter_ = true;
  counter_ = counter;
  if (!had) return E2eResult::first;
  if (step == 0) return E2eResult::repeated;
  lost_ = step - 1;
  if (step == 1) return E2eResult::ok;
  const std::uint64_t most = std::uint64_t{e2e_.settings().most_lost} + grown;
  return step <= most ? E2eResult::ok_some_lost : E2eResult::wrong_sequence;
}

}  // namespace tactus::drivers::can
