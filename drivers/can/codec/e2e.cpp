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

bool has_nibble(const E2eSettings& settings) TACTUS_RT {
  return settings.mode == DataIdMode::nibble &&
         (settings.profile == E2eProfile::p1 || settings.profile == E2eProfile::p11);
}

}  // namespace

/// Constants of a profile: bytes of its header, last value of its counter, its CRC, and the places in the header.
struct E2eRule {
  /// A number in the header; of one that the profile does not have there are no bytes.
  struct Part {
    unsigned at = 0, bytes = 0;
    bool is_low_first = false;

    void put(std::uint8_t* head, std::uint64_t value) const TACTUS_RT {
      for (unsigned i = 0; i < bytes; ++i) head[place_of(i)] = static_cast<std::uint8_t>(value >> 8 * i);
    }
    std::uint64_t get(const std::uint8_t* head) const TACTUS_RT {
      std::uint64_t value = 0;
      for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{head[place_of(i)]} << 8 * i;
      return value;
    }
    /// Returns false if it is there and has another value.
    bool agrees(const std::uint8_t* head, std::uint64_t value) const TACTUS_RT {
      return bytes == 0 || get(head) == value;
    }
    unsigned place_of(unsigned byte) const TACTUS_RT { return at + (is_low_first ? byte : bytes - 1 - byte); }
  };

  E2eProfile profile;
  unsigned header;
  std::uint32_t most_counter;
  const Crc* crc;
  Part checksum;
  Part counter{};  ///< no bytes: the low nibble of byte 1 counts
  Part length{};
  Part id{};
};

namespace {

constexpr E2eRule kRules[] = {{E2eProfile::p1, 2, 14, &kJ1850, {0, 1}},
                              {E2eProfile::p2, 2, 15, &kH2f, {0, 1}},
                              {E2eProfile::p4, 12, 0xFFFF, &kP4, {8, 4}, {2, 2}, {0, 2}, {4, 4}},
                              {E2eProfile::p5, 3, 0xFF, &kCcitt, {0, 2, true}, {2, 1}},
                              {E2eProfile::p6, 5, 0xFF, &kCcitt, {0, 2}, {4, 1}, {2, 2}},
                              {E2eProfile::p7, 20, 0xFFFF'FFFF, &kEcma, {0, 8}, {12, 4}, {8, 4}, {16, 4}},
                              {E2eProfile::p11, 2, 14, &kJ1850, {0, 1}},
                              {E2eProfile::p22, 2, 15, &kH2f, {0, 1}}};

}  // namespace

E2e::E2e(const E2eSettings& settings) : settings_(settings) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("E2E profile " + std::to_string(static_cast<int>(settings.profile)) + ": " +
                                why);
  };
  rule_ = std::ranges::find(kRules, settings.profile, &E2eRule::profile);
  if (rule_ == std::end(kRules)) refuse("is not one of 1, 2, 4, 5, 6, 7, 11, 22");
  most_counter_ = rule_->most_counter;
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
  least_ = settings.offset + rule_->header;
}

std::uint64_t E2e::checksum(const std::uint8_t* data, unsigned length,
                            std::uint32_t counter) const TACTUS_RT {
  const Crc& crc = *rule_->crc;
  const auto low = static_cast<std::uint8_t>(settings_.data_id);
  const auto high = static_cast<std::uint8_t>(settings_.data_id >> 8U);
  std::uint64_t sum = crc.begin();
  if (rule_->crc == &kJ1850) {
    sum = crc.add(sum, settings_.mode == DataIdMode::alternating && counter % 2 != 0 ? high : low);
    if (settings_.mode == DataIdMode::both) sum = crc.add(sum, high);
    if (settings_.mode == DataIdMode::nibble) sum = crc.add(sum, std::uint8_t{0});
  }
  // All bytes but those of the checksum itself.
  const unsigned at = settings_.offset + rule_->checksum.at, after = at + rule_->checksum.bytes;
  sum = crc.add(crc.add(sum, std::span(data, at)), std::span(data + after, length - after));
  if (rule_->crc == &kH2f) sum = crc.add(sum, settings_.data_ids[counter % 16]);
  if (settings_.profile == E2eProfile::p5) sum = crc.add(crc.add(sum, low), high);
  if (settings_.profile == E2eProfile::p6) sum = crc.add(crc.add(sum, high), low);
  return crc.end(sum);
}

bool E2e::protect(std::uint8_t* data, unsigned length, std::uint32_t counter) const TACTUS_RT {
  if (length < least_ || counter > most_counter_) return false;
  std::uint8_t* const head = data + settings_.offset;
  rule_->counter.put(head, counter);
  rule_->length.put(head, length);
  rule_->id.put(head, settings_.data_id);
  if (rule_->counter.bytes == 0) head[1] = static_cast<std::uint8_t>((head[1] & 0xF0U) | counter);
  if (has_nibble(settings_))
    head[1] = static_cast<std::uint8_t>((head[1] & 0x0FU) | (settings_.data_id >> 8U & 0x0FU) << 4U);
  rule_->checksum.put(head, checksum(data, length, counter));
  return true;
}

void E2e::spoil(std::uint8_t* data) const TACTUS_RT {
  const E2eRule::Part& sum = rule_->checksum;
  sum.put(data + settings_.offset, ~sum.get(data + settings_.offset));
}

E2eResult E2e::look(const std::uint8_t* data, unsigned length, std::uint32_t& counter) const TACTUS_RT {
  if (length < least_) return E2eResult::wrong_length;
  const std::uint8_t* const head = data + settings_.offset;
  counter =
      rule_->counter.bytes == 0 ? head[1] & 0x0FU : static_cast<std::uint32_t>(rule_->counter.get(head));
  if (!rule_->length.agrees(head, length) || !rule_->id.agrees(head, settings_.data_id))
    return E2eResult::wrong_length;
  if (rule_->checksum.get(head) != checksum(data, length, counter)) return E2eResult::wrong_checksum;
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
