// SPDX-License-Identifier: Apache-2.0
#pragma once
/// IPv4 addresses, with a port, and blocks of them.
///
/// Units    addresses and ports in host byte order.
/// Threads  plain values.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::drivers::trick {

/// "127.0.0.1"; nothing when it is none.
std::optional<std::uint32_t> parse_ipv4(std::string_view text);
std::string print_ipv4(std::uint32_t address);

struct Endpoint {
  std::uint32_t address = 0;
  std::uint16_t port = 0;  ///< 0: the system chooses

  /// "127.0.0.1:7000", "localhost:7000"; nothing when it is none.
  static std::optional<Endpoint> parse(std::string_view text);
  std::string text() const;
  bool is_loopback() const { return address >> 24U == 127; }
};

/// All addresses that begin with the same bits: "10.1.0.0/16"; a single address is one of 32 bits.
struct Block {
  std::uint32_t address = 0;
  unsigned bits = 32;

  static std::optional<Block> parse(std::string_view text);
  bool holds(std::uint32_t other) const { return bits == 0 || (address ^ other) >> (32 - bits) == 0; }
};

}  // namespace tactus::drivers::trick
