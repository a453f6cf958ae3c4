// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/protection.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <limits>

namespace tactus::drivers::can {
namespace {

/// The bits that a profile writes in a message of `length` bytes: those that differ between two counters, of data of zeros
/// and of ones. What is constant in the header (length, data id) differs from one of both.
FrameBits written_bits(const E2e& e2e, unsigned length) {
  FrameBits bits{};
  for (std::uint32_t counter = 0; counter <= std::min<std::uint32_t>(e2e.most_counter(), 300); ++counter)
    for (const std::uint8_t fill : {std::uint8_t{0}, std::uint8_t{0xFF}}) {
      FrameBytes data;
      std::fill_n(std::begin(data.at), length, fill);
      (void)e2e.protect(std::begin(data.at), length, counter);
      for (unsigned i = 0; i < length; ++i)
        bits[i / 8] |= static_cast<std::uint64_t>(data.at[i] ^ fill) << (i % 8 * 8);
    }
  return bits;
}

}  // namespace

MessageProtection::MessageProtection(const Message& message, const Protecting& settings,
                                     const std::string& path, const std::string& folder,
                                     const Problems& problems)
    : id_(message.id), covered_(message.signals.size()) {
  const ChecksumSettings& checksum = settings.checksum;
  const bool is_lost_counted = is_e2e(checksum.profile);
  if (!is_lost_counted && checksum.most_lost != ChecksumSettings{}.most_lost)
    problems.add(path + ".checksum.most_lost", "applies only to E2E profiles; remove it");
  if (!is_lost_counted && checksum.grows)
    problems.add(path + ".checksum.most_lost_grows", "applies only to E2E profiles; remove it");
  switch (checksum.profile) {
    case Protection::none:
      if (!checksum.signal.empty())
        problems.add(path + ".checksum.signal",
                     "there is no `profile` that says how it is computed; see can.md");
      break;
    case Protection::crc:
    case Protection::function:
      make_own(message, checksum, path + ".checksum", folder, problems);
      break;
    default:
      make_e2e(message, checksum, path + ".checksum", problems);
  }
  if (!settings.counter.empty()) make_counter(message, settings, path, problems);
  protects_ = e2e_ || counter_ || own_;
}

void MessageProtection::make_e2e(const Message& message, const ChecksumSettings& settings,
                                 const std::string& path, const Problems& problems) {
  E2eSettings made{.profile = static_cast<E2eProfile>(settings.profile)};
  if (!settings.data_id.empty())
    made.data_id =
        static_cast<std::uint32_t>(whole_of(settings.data_id, 0xFFFF'FFFF, path + ".data_id", problems));
  made.mode = settings.mode;
  made.offset = settings.offset;
  made.most_lost = settings.most_lost;
  const bool has_ids = made.profile == E2eProfile::p2 || made.profile == E2eProfile::p22;
  if (has_ids && settings.data_ids.size() != made.data_ids.size()) {
    problems.add(path + ".data_ids", "has " + std::to_string(settings.data_ids.size()) +
                                         " entries; this profile needs 16, one for each counter value");
    return;
  }
  for (std::size_t i = 0; has_ids && i < made.data_ids.size(); ++i)
    made.data_ids[i] = static_cast<std::uint8_t>(
        whole_of(settings.data_ids[i], 0xFF, path + ".data_ids[" + std::to_string(i) + "]", problems));
  try {
    e2e_.emplace(made);
  } catch (const std::exception& error) {
    problems.add(path, error.what());
    return;
  }
  if (e2e_->least_length() > message.length) {
    problems.add(path, "the profile needs " + std::to_string(e2e_->least_length()) + " bytes, and message " +
                           message.name + " has " + std::to_string(message.length));
    e2e_.reset();
    return;
  }
  receiver_.emplace(*e2e_);
  grows_ = settings.grows;
  const FrameBits written = written_bits(*e2e_, message.length);
  for (std::size_t s = 0; s < message.signals.size(); ++s)
    if (share(bits_of(message.signals[s]), written)) covered_[s] = 1;
  if (settings.signal.empty()) return;
  const Signal* const signal = signal_of(message, settings.signal, path + ".signal", problems);
  if (signal != nullptr && covered_[static_cast<std::size_t>(signal - message.signals.data())] == 0)
    problems.add(path + ".signal",
                 "signal " + signal->name +
                     " is not where the E2E profile has its checksum; name the right profile "
                     "or `offset`, or remove `signal`");
}

void MessageProtection::make_own(const Message& message, const ChecksumSettings& settings,
                                 const std::string& path, const std::string& folder,
                                 const Problems& problems) {
  const Signal* const signal = signal_of(message, settings.signal, path + ".signal", problems);
  if (signal == nullptr) return;
  const Field field(*signal);
  const unsigned first = signal->start / 8;
  const bool begins = signal->order == ByteOrder::little ? signal->start % 8 == 0 : signal->start % 8 == 7;
  if (!begins || signal->length % 8 != 0 || signal->of_switch >= 0 || signal->beyond) {
    problems.add(path + ".signal",
                 "signal " + signal->name +
                     " is not whole bytes of each message; a checksum of our own computes those");
    return;
  }
  try {
    if (settings.profile == Protection::function) {
      own_ = OwnChecksum::of_library((std::filesystem::path(folder) / settings.library).string(),
                                     settings.function);
    } else {
      const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> (64 - settings.width);
      CrcRule rule{.width = settings.width,
                   .polynomial = whole_of(settings.polynomial, most, path + ".polynomial", problems)};
      if (!settings.first.empty()) rule.first = whole_of(settings.first, most, path + ".first", problems);
      if (!settings.last.empty()) rule.last = whole_of(settings.last, most, path + ".last", problems);
      rule.is_reflected = settings.is_reflected;
      std::vector<std::uint8_t> constants;
      for (std::size_t i = 0; i < settings.constants.size(); ++i)
        constants.push_back(static_cast<std::uint8_t>(
            whole_of(settings.constants[i], 0xFF, path + ".constants[" + std::to_string(i) + "]", problems)));
      if (settings.width > signal->length)
        problems.add(path + ".width", "a CRC of " + std::to_string(settings.width) +
                                          " bits does not fit signal " + signal->name + " of " +
                                          std::to_string(signal->length) + " bits");
      own_ = OwnChecksum::of_table(rule, std::move(constants));
    }
  } catch (const std::exception& error) {
    problems.add(path, error.what());
    return;
  }
  checksum_.emplace(field);
  at_ = first;
  bytes_ = signal->length / 8;
  for (std::size_t s = 0; s < message.signals.size(); ++s)
    if (share(bits_of(message.signals[s]), bits_of(*signal))) covered_[s] = 1;
}

void MessageProtection::make_counter(const Message& message, const Protecting& settings,
                                     const std::string& path, const Problems& problems) {
  const Signal* const signal = signal_of(message, settings.counter, path + ".counter", problems);
  if (signal == nullptr) return;
  const auto index = static_cast<std::size_t>(signal - message.signals.data());
  if (e2e_) {
    if (covered_[index] == 0)
      problems.add(path + ".counter", "signal " + signal->name +
                                          " is not where the E2E profile has its counter; remove `counter`");
    return;
  }
  const std::uint64_t most = signal->length >= 32 ? 0xFFFF'FFFF : (std::uint64_t{1} << signal->length) - 1;
  if (signal->kind != ValueKind::whole || signal->of_switch >= 0 || signal->beyond) {
    problems.add(path + ".counter", "signal " + signal->name + " is not a whole number of each message");
    return;
  }
  most_ = settings.counter_most > 0 ? static_cast<std::uint64_t>(settings.counter_most) : most;
  if (most_ > most)
    problems.add(path + ".counter_most", std::to_string(most_) + " does not fit signal " + signal->name +
                                             " of " + std::to_string(signal->length) + " bits: at most " +
                                             std::to_string(most));
  counter_.emplace(*signal);
  for (std::size_t s = 0; s < message.signals.size(); ++s)
    if (share(bits_of(message.signals[s]), bits_of(*signal))) covered_[s] = 1;
}

std::uint32_t MessageProtection::next(std::uint32_t counter) const TACTUS_RT {
  if (e2e_) return e2e_->next(counter);
  return counter >= most_ ? 0 : counter + 1;
}

void MessageProtection::protect(std::uint8_t* data, unsigned length, std::uint32_t counter) const TACTUS_RT {
  if (e2e_) {
    (void)e2e_->protect(data, length, counter);
    return;
  }
  if (counter_) counter_->put_bits(data, counter);
  if (own_) checksum_->put_bits(data, own_->of(data, length, id_, counter, at_, bytes_));
}

void MessageProtection::spoil(std::uint8_t* data) const TACTUS_RT {
  if (e2e_) e2e_->spoil(data);
  if (own_) checksum_->put_bits(data, ~checksum_->bits(data));
}

MessageProtection::Finding MessageProtection::check_all(const std::uint8_t* data, unsigned length,
                                                        std::uint64_t& lost, std::int64_t missed) TACTUS_RT {
  if (e2e_) {
    const auto grown = static_cast<std::uint32_t>(std::clamp<std::int64_t>(missed, 0, 0xFFFF'FFFE));
    // Checks of these profiles grow with each call, also with that of the message itself.
    const bool counts_itself =
        e2e_->settings().profile == E2eProfile::p1 || e2e_->settings().profile == E2eProfile::p2;
    switch (receiver_->receive(data, length, grows_ ? grown + (counts_itself ? 1 : 0) : 0)) {
      case E2eResult::wrong_length:
      case E2eResult::wrong_checksum:
      case E2eResult::wrong_counter:
        return Finding::wrong_checksum;
      case E2eResult::repeated:
        return Finding::repeated;
      case E2eResult::ok_some_lost:
        lost = receiver_->lost();
        return Finding::ok;
      case E2eResult::wrong_sequence:
        lost = receiver_->lost();
        return Finding::wrong_sequence;
      default:
        return Finding::ok;
    }
  }
  const std::uint64_t counter = counter_ && counter_->end() <= length ? counter_->bits(data) : 0;
  if (own_) {
    if (checksum_->end() > length) return Finding::wrong_checksum;
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - checksum_->length());
    if ((own_->of(data, length, id_, static_cast<std::uint32_t>(counter), at_, bytes_) & mask) !=
        checksum_->bits(data))
      return Finding::wrong_checksum;
  }
  if (!counter_) return Finding::ok;
  if (counter_->end() > length || counter > most_) return Finding::wrong_checksum;
  const bool had_last = has_last_;
  const std::uint64_t step = counter >= last_ ? counter - last_ : counter + most_ + 1 - last_;
  has_last_ = true;
  last_ = counter;
  if (!had_last) return Finding::ok;
  if (step == 0) return Finding::repeated;
  lost = step - 1;
  return Finding::ok;
}

void MessageProtection::restart() TACTUS_RT {
  has_last_ = false;
  if (e2e_) receiver_.emplace(*e2e_);
}

}  // namespace tactus::drivers::can
