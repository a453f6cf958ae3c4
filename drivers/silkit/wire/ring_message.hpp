// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Agreement of two participants of this library to talk through memory that they share
/// (docs/silkit-protocol.md).
///
/// Threads  functions without state.
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

/// The name of the capability. No other library knows it, or the messages.
inline constexpr std::string_view kTakesRings = "tactus-rings-1";

struct RingMessage {
  enum class Step : std::uint8_t {
    invalid = 0,
    offer = 1,          ///< sent by the one that was connected to
    counter_offer = 2,  ///< sent by the other one, which could not open what was offered
    accept = 3,         ///< all that follows in this direction is in the ring
    switched = 4,       ///< sent by the one that offered; all that follows in this direction is in the ring
    refuse = 5,         ///< the stream stays what it is
  };
  Step step = Step::invalid;
  std::uint32_t process = 0;             ///< process in which the descriptor is open
  std::uint32_t descriptor = 0;          ///< descriptor of the memory
  std::array<std::uint64_t, 2> nonce{};  ///< is in the memory, too
  /// A pipe of the sender: a byte that is written to it wakes the sender.
  struct Pipe {
    std::uint32_t descriptor = 0;  ///< descriptor in that process
    std::uint64_t inode = 0;       ///< 0: there is no pipe
    static auto members(auto& self) { return std::tie(self.descriptor, self.inode); }
    friend bool operator==(const Pipe&, const Pipe&) = default;
  };
  Pipe pipe{};  ///< trailing
  static constexpr Kind kKind = Kind::ring;
  static auto members(auto& self) { return std::tie(self.step, self.process, self.descriptor, self.nonce); }
  static auto trailing(auto& self) { return std::tie(self.pipe); }
  friend bool operator==(const RingMessage&, const RingMessage&) = default;
};

}  // namespace tactus::silkit
