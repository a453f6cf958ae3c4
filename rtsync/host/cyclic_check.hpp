// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tactus::rtsync {

static_assert(std::endian::native == std::endian::little, "words are taken as the machine has them");

/// Tables of a reflected cyclic redundancy check: table k holds what a byte does that has k more after it.
template <class Word, Word polynomial>
inline constexpr auto kCyclicTables = [] {
  std::array<std::array<Word, 256>, 8> tables{};
  for (Word byte = 0; byte < 256; ++byte) {
    Word crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? polynomial : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xffU];
  return tables;
}();

/// The cyclic redundancy check of the bytes, eight at a time: the method of Kounavis and Berry ("A Systematic Approach
/// to Building High Performance, Software-based, CRC Generators", 2005). `before`: that of the bytes before them.
///
/// Threads  re-entrant.
template <class Word, Word polynomial>
Word cyclic_check(std::span<const std::byte> bytes, Word before) noexcept {
  constexpr const auto& kTables = kCyclicTables<Word, polynomial>;
  Word crc = static_cast<Word>(~before);
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    word ^= crc;
    crc = kTables[7][word & 0xffU] ^ kTables[6][(word >> 8) & 0xffU] ^ kTables[5][(word >> 16) & 0xffU] ^
          kTables[4][(word >> 24) & 0xffU] ^ kTables[3][(word >> 32) & 0xffU] ^
          kTables[2][(word >> 40) & 0xffU] ^ kTables[1][(word >> 48) & 0xffU] ^ kTables[0][word >> 56];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ kTables[0][(crc ^ std::to_integer<Word>(*at)) & 0xffU];
  return static_cast<Word>(~crc);
}

}  // namespace tactus::rtsync
