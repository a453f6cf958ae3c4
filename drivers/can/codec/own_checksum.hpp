// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/can/codec/crc.hpp"
#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

/// A checksum that no profile has: a CRC with a constant for each counter value, or a C function of the user's.
///
///     uint64_t my_checksum(const uint8_t* data, uint32_t length, uint32_t id, uint32_t counter);
///
/// The bytes of the checksum itself are 0 in `data` when the function is called, and left out by the CRC.
///
/// Threads  immutable after construction; the function is called by any thread.
/// RT       of(), as far as the function keeps to it.
class OwnChecksum {
 public:
  using Function = std::uint64_t (*)(const std::uint8_t* data, std::uint32_t length, std::uint32_t id,
                                     std::uint32_t counter);

  /// Calls `function` of a shared library. Throws std::runtime_error: why it cannot be loaded, or which function it does
  /// not have. @when setup
  static OwnChecksum of_library(const std::string& library, const std::string& function);
  /// A CRC over the data, then over the constant of the counter, entry `counter % size`, if there are constants. Throws
  /// std::invalid_argument for a width outside of 8 .. 64. @when setup
  static OwnChecksum of_table(const CrcRule& rule, std::vector<std::uint8_t> constants);

  /// The checksum of data whose own bytes are at `at`, `bytes` of them. At most 64 bytes. @when rt
  std::uint64_t of(const std::uint8_t* data, unsigned length, std::uint32_t id, std::uint32_t counter,
                   unsigned at, unsigned bytes) const TACTUS_RT;

 private:
  OwnChecksum() = default;

  std::shared_ptr<void> library_;
  Function function_ = nullptr;
  std::shared_ptr<const Crc> crc_;
  std::vector<std::uint8_t> constants_;
};

}  // namespace tactus::drivers::can
