// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/sha256.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <vector>

namespace tactus::executive {
namespace {

constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Takes bytes in blocks of 64.
class Sha256 {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) add(static_cast<std::uint8_t>(c));
  }
  std::string end() {
    const std::uint64_t bits = bytes_ * 8;
    add(std::uint8_t{0x80});
    while (filled_ != 56) add(std::uint8_t{0});
    for (int shift = 56; shift >= 0; shift -= 8) add(static_cast<std::uint8_t>(bits >> shift));
    std::string text;
    for (const std::uint32_t word : state_)
      for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 0xFU];
    return text;
  }

 private:
  void add(std::uint8_t byte) {
    block_[filled_++] = byte;
    ++bytes_;
    if (filled_ < block_.size()) return;
    filled_ = 0;
    mix();
  }
  void mix() {
    std::array<std::uint32_t, 64> words{};
    for (std::size_t i = 0; i < block_.size(); ++i) words[i / 4] = words[i / 4] << 8U | block_[i];
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = words[i - 15], b = words[i - 2];
      words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U)) + words[i - 7] +
                 (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U));
    }
    std::array<std::uint32_t, 8> mixed = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const auto [a, b, c, d, e, f, g, h] = mixed;
      const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                  ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
      const std::uint32_t second =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      mixed = {first + second, a, b, c, d + first, e, f, g};
    }
    for (std::size_t i = 0; i < mixed.size(); ++i) state_[i] += mixed[i];
  }

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.end();
}

std::string sha256_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 16);
  Sha256 sum;
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    sum.add({block.data(), static_cast<std::size_t>(in.gcount())});
  }
  return in.eof() ? sum.end() : "";
}

}  // namespace tactus::executive
