// SPDX-License-Identifier: Apache-2.0
#pragma once
/// End-to-end protection of messages as AUTOSAR defines it: a counter and a checksum in the data.
#include <array>
#include <cstdint>

#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

enum class E2eProfile : std::uint8_t { p1 = 1, p2 = 2, p4 = 4, p5 = 5, p6 = 6, p7 = 7, p11 = 11, p22 = 22 };

/// The bytes of the data id that a checksum of profile 1 or 11 includes.
enum class DataIdMode : std::uint8_t {
  both,         ///< low, then high
  alternating,  ///< low for even counters, high for odd ones; profile 1 alone
  low,          ///< profile 1 alone
  nibble        ///< low in the checksum, the low nibble of high in the data
};

struct E2eSettings {
  E2eProfile profile = E2eProfile::p1;
  std::uint32_t data_id = 0;  ///< 16 bits; 32 for profiles 4 and 7
  DataIdMode mode = DataIdMode::both;
  std::array<std::uint8_t, 16> data_ids{};  ///< profiles 2 and 22: the one of each counter
  unsigned offset = 0;                      ///< byte of the protection's first byte
  std::uint32_t most_lost = 1;  ///< a step of the counter up to it is accepted: MaxDeltaCounter, from 1
};

/// The findings of a receiver. The order is that of the checks.
enum class E2eResult : std::uint8_t {
  wrong_length,  ///< too short, or another length or data id than its header says
  wrong_checksum,
  wrong_counter,  ///< a value that the profile excludes
  first,          ///< no earlier message to compare with
  repeated,       ///< the counter of the last message
  ok,
  ok_some_lost,   ///< a larger step, within most_lost
  wrong_sequence  ///< a step above most_lost
};

struct E2eRule;

/// Protects data and checks it.
///
/// Threads  immutable after construction; E2eReceiver is of one thread.
/// RT       all but the constructor.
class E2e {
 public:
  /// Throws std::invalid_argument with the setting that the profile excludes. @when setup
  explicit E2e(const E2eSettings& settings);

  /// Bytes of data that it needs, header and offset included.
  unsigned least_length() const TACTUS_RT { return least_; }
  std::uint32_t next(std::uint32_t counter) const TACTUS_RT {
    return counter >= most_counter_ ? 0 : counter + 1;
  }
  std::uint32_t most_counter() const TACTUS_RT { return most_counter_; }
  /// Writes counter, checksum and what else the header has. Returns false, and writes nothing, where `length` is too short
  /// or the counter too large. @when rt
  bool protect(std::uint8_t* data, unsigned length, std::uint32_t counter) const TACTUS_RT;
  /// Inverts all bits of the checksum, which protect() has written. @when rt
  void spoil(std::uint8_t* data) const TACTUS_RT;

  /// Returns what is wrong with a message by itself, and its counter; `first`: nothing. @when rt
  E2eResult look(const std::uint8_t* data, unsigned length, std::uint32_t& counter) const TACTUS_RT;
  /// Steps from one counter to another, forwards.
  std::uint32_t step(std::uint32_t from, std::uint32_t to) const TACTUS_RT;
  const E2eSettings& settings() const TACTUS_RT { return settings_; }

 private:
  std::uint64_t checksum(const std::uint8_t* data, unsigned length, std::uint32_t counter) const TACTUS_RT;

  E2eSettings settings_;
  unsigned least_ = 0;
  std::uint32_t most_counter_ = 0;
  const E2eRule* rule_ = nullptr;
};

/// The receiver's side of one protected message.
class E2eReceiver {
 public:
  explicit E2eReceiver(const E2e& e2e) : e2e_(e2e) {}
  /// Checks a message and takes its counter as the last one, unless the message itself is wrong.
  /// `grown`: by how much a step may exceed most_lost. @when rt
  E2eResult receive(const std::uint8_t* data, unsigned length, std::uint32_t grown = 0) TACTUS_RT;
  /// Messages between the last two that did not come.
  std::uint32_t lost() const TACTUS_RT { return lost_; }

 private:
  const E2e& e2e_;
  bool has_counter_ = false;
  std::uint32_t counter_ = 0;
  std::uint32_t lost_ = 0;
};

}  // namespace tactus::drivers::can
