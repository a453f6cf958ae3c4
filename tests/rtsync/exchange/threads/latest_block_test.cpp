// SPDX-License-Identifier: Apache-2.0
#include "rtsync/exchange/latest_block.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace tactus::rtsync::latest_block_test {
namespace {

constexpr std::size_t kWords = 512;

void write(LatestBlock& block, std::uint64_t value) {
  auto* const words = reinterpret_cast<std::uint64_t*>(block.writable());
  for (std::size_t i = 0; i < kWords; ++i) words[i] = value;
  block.publish();
}

/// The value of all words; a torn block fails the test.
std::uint64_t value_of(const std::byte* block) {
  std::uint64_t first = 0, other = 0;
  std::memcpy(&first, block, sizeof first);
  for (std::size_t i = 1; i < kWords; ++i) {
    std::memcpy(&other, block + i * sizeof other, sizeof other);
    if (other != first) {
      ADD_FAILURE() << "word " << i << " is " << other << ", the first is " << first;
      break;
    }
  }
  return first;
}

TEST(LatestBlock, GivesTheNewestOnceAndNothingBeforeTheFirst) {
  LatestBlock block(kWords * 8);
  EXPECT_EQ(block.read(), nullptr);
  write(block, 1);
  write(block, 2);
  const std::byte* const read = block.read();
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(value_of(read), 2U);
  EXPECT_EQ(block.read(), nullptr);
  for (std::uint64_t i = 3; i < 10; ++i) write(block, i);
  EXPECT_EQ(value_of(read), 2U) << "the writer never touches what the reader holds";
  EXPECT_EQ(value_of(block.read()), 9U);
}

TEST(LatestBlockThreads, BlocksAreNeverTornNorGoBack) {
  constexpr std::uint64_t kWrites = 20'000;
  LatestBlock block(kWords * 8);
  std::thread writer([&block] {
    for (std::uint64_t i = 1; i <= kWrites; ++i) write(block, i);
  });
  std::uint64_t last = 0;
  while (last < kWrites) {
    const std::byte* const read = block.read();
    if (read == nullptr) continue;
    const std::uint64_t value = value_of(read);
    EXPECT_GT(value, last);
    last = value;
  }
  writer.join();
}

}  // namespace
}  // namespace tactus::rtsync::latest_block_test
