// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/address.hpp"

#include "rtsync/text.hpp"

namespace tactus::drivers::trick {
namespace {

/// A decimal number without sign; nothing when it is none or above `most`.
std::optional<unsigned> number(std::string_view text, unsigned most) {
  const auto value = rtsync::read_number<unsigned>(text);
  return value && *value <= most ? value : std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> parse_ipv4(std::string_view text) {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    const std::size_t dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const std::optional<unsigned> byte = number(text.substr(0, dot), 255);
    if (!byte) return std::nullopt;
    address = address << 8U | *byte;
    text.remove_prefix(part < 3 ? dot + 1 : dot);
  }
  return address;
}

std::string print_ipv4(std::uint32_t address) {
  std::string text;
  for (unsigned shift = 32; shift > 0; shift -= 8)
    text += (text.empty() ? "" : ".") + std::to_string(address >> (shift - 8) & 0xffU);
  return text;
}

std::optional<Endpoint> Endpoint::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view host = text.substr(0, colon);
  const std::optional<std::uint32_t> address = parse_ipv4(host == "localhost" ? "127.0.0.1" : host);
  const std::optional<unsigned> port = number(text.substr(colon + 1), 65'535);
  if (!address || !port) return std::nullopt;
  return Endpoint{*address, static_cast<std::uint16_t>(*port)};
}

std::string Endpoint::text() const { return print_ipv4(address) + ":" + std::to_string(port); }

std::optional<Block> Block::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<std::uint32_t> address = parse_ipv4(text.substr(0, slash));
  const std::optional<unsigned> bits =
      slash == std::string_view::npos ? std::optional<unsigned>{32} : number(text.substr(slash + 1), 32);
  if (!address || !bits) return std::nullopt;
  return Block{*address, *bits};
}

}  // namespace tactus::drivers::trick
