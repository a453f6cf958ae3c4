// SPDX-License-Identifier: Apache-2.0
// Bytes through memory that two have: none is lost, doubled or out of order, and damage is noticed.
#include "drivers/silkit/net/ring.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <semaphore>
#include <thread>
#include <vector>

namespace tactus::silkit::ring_test {
namespace {

std::unique_ptr<RingMemory> empty_ring() { return std::make_unique<RingMemory>(); }

Bytes counted(std::size_t size, unsigned& next) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(next++ * 7U >> 3U);
  return bytes;
}

TEST(Ring, KeepsWhatAQueueWouldKeep) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const auto memory = empty_ring();
    RingWriter writer(*memory);
    RingReader reader(*memory);
    std::deque<std::byte> reference;
    std::mt19937 random(seed);
    unsigned next = seed;
    const auto size_to_try = [&] {
      return random() % 8 == 0 ? random() % (2 * RingMemory::kBytes) : random() % 300;
    };
    for (int turn = 0; turn < 400; ++turn) {
      if (random() % 2 == 0) {
        const Bytes bytes = counted(size_to_try(), next);
        const std::size_t taken = writer.write(bytes);
        ASSERT_EQ(taken, std::min(bytes.size(), RingMemory::kBytes - reference.size())) << "seed " << seed;
        reference.insert(reference.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
        next -= static_cast<unsigned>(bytes.size() - taken);
      } else {
        Bytes bytes(size_to_try());
        const std::size_t got = reader.read(bytes);
        ASSERT_EQ(got, std::min(bytes.size(), reference.size())) << "seed " << seed;
        const auto end = reference.begin() + static_cast<std::ptrdiff_t>(got);
        ASSERT_TRUE(std::equal(reference.begin(), end, bytes.begin()))
            << "seed " << seed << ", turn " << turn;
        reference.erase(reference.begin(), end);
      }
      ASSERT_EQ(reader.has_bytes(), !reference.empty());
      ASSERT_EQ(writer.may_have_room(), reference.size() < RingMemory::kBytes);
    }
  }
}

TEST(Ring, PassesEverythingBetweenTwoThreadsThatSleep) {
  constexpr std::size_t kAll = 8U << 20;
  const auto memory = empty_ring();
  std::counting_semaphore<> reader_wake(0);
  std::counting_semaphore<> writer_wake(0);
  std::thread from([&] {
    RingWriter writer(*memory);
    std::mt19937 random(1);
    unsigned next = 0;
    for (std::size_t left = kAll; left > 0;) {
      const Bytes bytes = counted(std::min<std::size_t>(left, random() % 5000), next);
      for (ByteView rest = bytes; !rest.empty();) {
        const std::size_t taken = writer.write(rest);
        rest = rest.subspan(taken);
        if (writer.has_to_wake(true)) reader_wake.release();
        if (taken == 0 && writer.wait_for_room()) writer_wake.acquire();
      }
      left -= bytes.size();
    }
  });
  RingReader reader(*memory);
  std::mt19937 random(2);
  unsigned next = 0;
  std::size_t wrong = 0;
  for (std::size_t left = kAll; left > 0;) {
    Bytes bytes(1 + random() % 7000);
    const std::size_t got = reader.read(bytes);
    if (reader.has_to_wake()) writer_wake.release();
    bytes.resize(got);
    wrong += bytes == counted(got, next) ? 0U : 1U;
    left -= got;
    if (got == 0 && reader.fall_asleep(random() % 2 == 0)) reader_wake.acquire();
    reader.wake_up();
  }
  from.join();
  EXPECT_EQ(wrong, 0U);
}

TEST(Ring, WakesAReaderOnceAndOneThatWaitsForSomethingElseOnlyWithWhatIsUrgent) {
  const auto memory = empty_ring();
  RingWriter writer(*memory);
  RingReader reader(*memory);
  const Bytes byte(1);
  Bytes all(100);

  (void)writer.write(byte);
  EXPECT_FALSE(writer.has_to_wake(true)) << "it is awake";
  EXPECT_FALSE(reader.fall_asleep(false)) << "there is something";
  reader.wake_up();
  (void)reader.read(all);

  EXPECT_TRUE(reader.fall_asleep(false));
  (void)writer.write(byte);
  EXPECT_TRUE(writer.has_to_wake(false));
  (void)writer.write(byte);
  EXPECT_FALSE(writer.has_to_wake(true)) << "it has been woken";
  (void)reader.read(all);

  EXPECT_TRUE(reader.fall_asleep(true));
  (void)writer.write(byte);
  EXPECT_FALSE(writer.has_to_wake(false));
  EXPECT_TRUE(writer.has_to_wake(true));
}

TEST(Ring, AsksForAWakeWhereItIsFull) {
  const auto memory = empty_ring();
  RingWriter writer(*memory);
  RingReader reader(*memory);
  unsigned next = 0;
  EXPECT_EQ(writer.write(counted(RingMemory::kBytes + 5, next)), RingMemory::kBytes);
  Bytes some(10);
  EXPECT_EQ(reader.read(some), 10U);
  EXPECT_FALSE(reader.has_to_wake()) << "nobody waits";
  EXPECT_FALSE(writer.wait_for_room()) << "there is room by now";
  EXPECT_EQ(writer.write(Bytes(20)), 10U);
  EXPECT_TRUE(writer.wait_for_room());
  EXPECT_EQ(reader.read(some), 10U);
  EXPECT_TRUE(reader.has_to_wake());
  EXPECT_FALSE(reader.has_to_wake());
}

TEST(Ring, ThatIsDamagedIsNotedByItsReader) {
  for (const std::uint64_t written :
       {std::uint64_t{RingMemory::kBytes} + 1, ~std::uint64_t{0}, std::uint64_t{1} << 63U}) {
    const auto memory = empty_ring();
    RingReader reader(*memory);
    memory->written.store(written);
    Bytes all(4 * RingMemory::kBytes);
    EXPECT_TRUE(reader.has_bytes());
    EXPECT_THROW((void)reader.read(all), WireError) << written;
  }
  const auto memory = empty_ring();
  RingWriter writer(*memory);
  RingReader reader(*memory);
  Bytes all(100);
  (void)writer.write(all);
  (void)reader.read(all);
  memory->written.store(99);
  EXPECT_THROW((void)reader.read(all), WireError) << "it goes back";
}

TEST(Ring, ThatIsDamagedIsNotedByItsWriter) {
  for (const std::uint64_t read : {std::uint64_t{101}, ~std::uint64_t{0}, std::uint64_t{9}}) {
    const auto memory = empty_ring();
    RingWriter writer(*memory);
    memory->read.store(10);
    (void)writer.write(Bytes(100));
    memory->read.store(10);
    EXPECT_EQ(writer.write(Bytes(RingMemory::kBytes - 90)), RingMemory::kBytes - 90) << "10 of them are read";
    memory->read.store(read == 101 ? RingMemory::kBytes + 11 : read);
    EXPECT_THROW((void)writer.write(Bytes(1)), WireError) << read;
  }
}

}  // namespace
}  // namespace tactus::silkit::ring_test
