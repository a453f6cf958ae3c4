// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "drivers/silkit/wire/lin_messages.hpp"

namespace tactus::silkit {

inline constexpr std::size_t kLinIds = 64;

/// State of one node of its network, as a controller knows it.
struct LinNode {
  LinMode mode = LinMode::inactive;
  LinStatus status = LinStatus::unknown;
  bool dynamic = false;
  std::array<LinResponse, kLinIds> responses{};

  /// The responses of other identifiers stay. False: one is of an identifier that cannot be, and ignored.
  bool update(std::span<const LinResponse> with);
};

/// The nodes of its network that a controller has heard of, itself included. A node stays when its
/// participant has left: no message says that a service is gone for good.
///
/// Threads  one at a time.
class LinNodes {
 public:
  static constexpr std::size_t kMostPerParticipant = 1'000;
  /// Participant and service.
  using Address = std::pair<std::uint64_t, std::uint64_t>;

  /// Makes it, unless it is there. Throws WireError for too many of its participant.
  LinNode& at(const Address& address);
  /// Those that would answer a header now; `frame`: the answer of the one with the greatest address.
  struct Answer {
    std::size_t nodes = 0;
    LinFrame frame;
  };
  Answer answer(std::uint8_t id) const;
  bool has_dynamic() const;

 private:
  std::map<Address, LinNode> nodes_;
};

}  // namespace tactus::silkit
