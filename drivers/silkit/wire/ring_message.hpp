// SPDX-License-Identifier: Apache-2.0
#pragma once
/// How two participants of this library agree to talk through memory that they share (docs/silkit-protocol.md).
///
/// Threads  functions without state.
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

/// The name of the capability. Nobody else knows it, or the messages.
inline constexpr std::string_view kTakesRings = "tactus-rings-1";

struct RingMessage {
  enum class Step : std::uint8_t {
    invalid = 0,
    offer = 1,          ///< of the one who was connected to
    counter_offer = 2,  ///< of the other one, who could not open what was offered
    accept = 3,         ///< all that follows in this direction stands in the ring
    switched = 4,       ///< likewise, of the one who offered
    refuse = 5,         ///< the stream stays what it is
  };
  Step step = Step::invalid;
  std::uint32_t process = 0;             ///< in which the descriptor is open
  std::uint32_t descriptor = 0;          ///< of the memory
  std::array<std::uint64_t, 2> nonce{};  ///< stands in the memory, too
  /// A pipe of the sender: a byte that is written to it wakes the sender.
  struct Pipe {
    std::uint32_t descriptor = 0;  ///< in the process, likewise
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
