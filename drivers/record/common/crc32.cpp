// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/crc32.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace tactus::drivers::record {
namespace {

// Eight bytes at a time: table k holds what a byte does that has k more behind it.
constexpr std::size_t kAtOnce = 8;
using CrcTables = std::array<std::array<std::uint32_t, 256>, kAtOnce>;

constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < kAtOnce; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xffU];
  return tables;
}

constexpr CrcTables kCrcTables = make_crc_tables();

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= kAtOnce; left -= kAtOnce, at += kAtOnce) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + 4, 4);
    low ^= crc;
    crc = kCrcTables[7][low & 0xffU] ^ kCrcTables[6][(low >> 8) & 0xffU] ^
          kCrcTables[5][(low >> 16) & 0xffU] ^ kCrcTables[4][low >> 24] ^ kCrcTables[3][high & 0xffU] ^
          kCrcTables[2][(high >> 8) & 0xffU] ^ kCrcTables[1][(high >> 16) & 0xffU] ^
          kCrcTables[0][high >> 24];
  }
  for (; left > 0; --left, ++at)
    crc = (crc >> 8) ^ kCrcTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xffU];
  return ~crc;
}

}  // namespace tactus::drivers::record
