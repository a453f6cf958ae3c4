// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/crc32.hpp"

#include "rtsync/host/cyclic_check.hpp"

namespace tactus::drivers::record {
namespace {

constexpr std::uint32_t kPolynomial = 0xedb88320U;
constexpr std::uint32_t kOne = 0x80000000U;  // the polynomials 1 and x^8: the highest bit stands for x^0
constexpr std::uint32_t kByte = kOne >> 8U;

std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (std::uint32_t bit = kOne; bit != 0; bit >>= 1U) {
    if ((a & bit) != 0) sum ^= b;
    b = (b >> 1U) ^ ((b & 1U) != 0 ? kPolynomial : 0U);
  }
  return sum;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  return rtsync::cyclic_check<std::uint32_t, kPolynomial>(std::as_bytes(std::span(bytes)), before);
}

std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  std::uint32_t power = kOne;
  for (std::uint32_t square = kByte; second_bytes != 0; second_bytes >>= 1U, square = product(square, square))
    if ((second_bytes & 1U) != 0) power = product(power, square);
  return product(power, first) ^ second;
}

}  // namespace tactus::drivers::record
