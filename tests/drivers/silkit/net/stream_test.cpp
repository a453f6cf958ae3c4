// SPDX-License-Identifier: Apache-2.0
// One socket as a stream of messages, at the other end of which the test sits.
#include "drivers/silkit/net/stream.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace tactus::silkit::stream_test {
namespace {

/// Counts how often it is told that it can write.
class CountingStream final : public Stream {
 public:
  using Stream::Stream;
  int told = 0;

 private:
  void received(const Frame&) override {}
  void ended(const std::string&) override {}
  void writable() override { ++told; }
};

TEST(Stream, IsToldOnceThatItCanWriteHoweverOftenItAsks) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const Descriptor other(ends[1]);
  asio::io_context io;
  const auto stream = std::make_shared<CountingStream>(io, Descriptor(ends[0]));
  stream->queue().resize(4U << 20);
  ASSERT_EQ(stream->write(), Stream::Written::waiting) << "more than a socket holds";
  for (int n = 0; n < 3; ++n) stream->when_writable();
  io.poll();
  EXPECT_EQ(stream->told, 0) << "nobody has read";

  std::array<std::byte, 4096> read;
  while (::recv(other.get(), read.data(), read.size(), MSG_DONTWAIT) > 0) {
  }
  io.run();
  EXPECT_EQ(stream->told, 1);
  stream->when_writable();
  io.restart();
  io.run();
  EXPECT_EQ(stream->told, 2) << "who asks anew is told anew";
  stream->close();
}

TEST(Stream, GivesTheMemoryOfWhatHasWaitedBack) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const Descriptor other(ends[1]);
  asio::io_context io;
  const auto stream = std::make_shared<CountingStream>(io, Descriptor(ends[0]));
  stream->queue().resize(20U << 20);
  std::array<std::byte, 65536> read;
  while (stream->write() == Stream::Written::waiting) {
    EXPECT_FALSE(stream->judge({}).is_stuck);
    EXPECT_GT(stream->queue().capacity(), 4U << 20) << "it waits";
    while (::recv(other.get(), read.data(), read.size(), MSG_DONTWAIT) > 0) {
    }
  }
  EXPECT_GT(stream->queue().capacity(), 4U << 20) << "as much may come again soon";
  (void)stream->judge({});
  EXPECT_LE(stream->queue().capacity(), 4U << 20);
  stream->close();
}

constexpr auto kSwitch = static_cast<Kind>(100);

/// A message that holds its number.
Bytes message(std::uint32_t number, Kind kind, std::size_t size) {
  Bytes bytes(size, static_cast<std::byte>(number));
  const auto says = static_cast<std::uint32_t>(size);
  std::memcpy(bytes.data(), &says, sizeof says);
  bytes[kSizeBytes] = static_cast<std::byte>(kind);
  std::memcpy(bytes.data() + kLeastMessage, &number, sizeof number);
  std::memcpy(bytes.data() + size - sizeof number, &number, sizeof number);
  return bytes;
}

/// Keeps the numbers of what it hears; goes on in its ring behind a message that says so.
class HearingStream final : public Stream {
 public:
  using Stream::Stream;
  RingReader* ring = nullptr;
  std::vector<std::uint32_t> heard;
  std::vector<std::string> ends;

  void say_in_pieces(std::uint32_t number, std::size_t size, bool waiting) {
    const Bytes bytes = message(number, Kind::service, size);
    const ByteView all(bytes);
    append({all.first(9), all.subspan(9, size - 13), all.last(4)}, waiting);
  }
  void say(std::uint32_t number, Kind kind = Kind::service, std::size_t size = 13) {
    const Bytes bytes = message(number, kind, size);
    queue().insert(queue().end(), bytes.begin(), bytes.end());
  }

 private:
  void received(const Frame& frame) override {
    std::uint32_t front = 0;
    std::uint32_t back = 0;
    std::memcpy(&front, frame.body.data(), sizeof front);
    std::memcpy(&back, frame.body.data() + frame.body.size() - sizeof back, sizeof back);
    EXPECT_EQ(front, back);
    const auto middle =
        frame.body.subspan(sizeof front, frame.body.size() - std::min(frame.body.size(), 8UL));
    EXPECT_TRUE(std::all_of(middle.begin(), middle.end(),
                            [&](std::byte each) { return each == static_cast<std::byte>(front); }));
    heard.push_back(front);
    if (frame.kind == kSwitch) read_from(*ring);
  }
  void ended(const std::string& why) override {
    ends.push_back(why);
    close();
  }
  void writable() override {
    if (write() == Written::waiting) when_writable();
  }
};

TEST(Stream, RefusesAMessageThatIsTooLongBeforeAllOfItHasCome) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const Descriptor other(ends[1]);
  asio::io_context io;
  const auto stream = std::make_shared<HearingStream>(io, Descriptor(ends[0]));
  stream->limit_messages(100);
  stream->start();
  const std::uint32_t says = 101;
  ASSERT_EQ(::send(other.get(), &says, sizeof says, 0), 4);
  io.run_one();
  ASSERT_EQ(stream->ends.size(), 1U);
  EXPECT_EQ(stream->ends[0], "a message of 101 bytes; here at most 100 are taken");
}

/// Two ends of a stream, and the rings that they may go on in.
class RingedStreams : public testing::Test {
 protected:
  RingedStreams() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::bad_alloc();
    from_ = std::make_shared<HearingStream>(io_, Descriptor(ends[0]));
    to_ = std::make_shared<HearingStream>(io_, Descriptor(ends[1]));
    from_->ring = &back_in_;
    to_->ring = &in_;
    from_->start();
    to_->start();
  }
  ~RingedStreams() override {
    from_->close();
    to_->close();
    io_.poll();
  }
  /// Says the message behind which the ring is used.
  void go_on_in_ring(std::uint32_t number) {
    from_->say(number, kSwitch);
    from_->write_to(out_);
  }
  /// False: there is no room.
  bool write() {
    if (from_->write() != Stream::Written::waiting) return true;
    from_->when_writable();
    return false;
  }
  /// As the loop does it: who finds nothing when it falls asleep has to be woken.
  void play() {
    for (bool some = true; some;) {
      some = false;
      for (const auto& stream : {from_, to_}) {
        if (!stream->is_open() || (stream->fall_asleep(false) && !stream->has_to_look())) continue;
        stream->look();
        some = true;
      }
      some = io_.poll() > 0 || some;
    }
  }
  static std::vector<std::uint32_t> up_to(std::uint32_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
    return numbers;
  }

  std::unique_ptr<RingMemory> memory_ = std::make_unique<RingMemory>();
  std::unique_ptr<RingMemory> back_ = std::make_unique<RingMemory>();
  RingWriter out_{*memory_};
  RingReader in_{*memory_};
  RingReader back_in_{*back_};
  asio::io_context io_;
  std::shared_ptr<HearingStream> from_, to_;
};

TEST_F(RingedStreams, KeepTheOrderAcrossTheSwitch) {
  from_->say(0);
  go_on_in_ring(1);
  for (std::uint32_t n = 2; n < 50; ++n) from_->say(n);
  write();
  EXPECT_FALSE(to_->has_to_look()) << "it does not know of the ring yet";
  play();
  EXPECT_EQ(to_->heard, up_to(50));
}

TEST_F(RingedStreams, KeepTheOrderWhereTheSocketIsFullAtTheSwitch) {
  from_->say(0, Kind::service, 3U << 20);
  go_on_in_ring(1);
  from_->say(2);
  write();
  EXPECT_FALSE(in_.has_bytes());
  from_->say(3, Kind::service, 3U << 20);
  write();
  from_->say(4);
  play();
  write();
  play();
  EXPECT_EQ(to_->heard, up_to(5));
  EXPECT_EQ(from_->queued(), 0U);
}

TEST_F(RingedStreams, CarryMessagesThatAreLargerThanTheRing) {
  go_on_in_ring(0);
  for (std::uint32_t n = 1; n < 9; ++n) from_->say(n, Kind::service, std::size_t{n} * 100'000);
  write();
  play();
  EXPECT_EQ(to_->heard, up_to(9));
}

TEST_F(RingedStreams, LargePiecesGoStraightIntoTheRingBehindWhatIsQueued) {
  from_->say_in_pieces(0, 10'000, false);
  go_on_in_ring(1);
  from_->say_in_pieces(2, 10'000, false);
  EXPECT_FALSE(in_.has_bytes()) << "what goes by the socket comes first";
  write();
  play();
  EXPECT_EQ(to_->heard, up_to(3));
  from_->say(3);
  from_->say_in_pieces(4, 10'000, false);
  EXPECT_EQ(from_->queued(), 4U) << "the last piece, which is small";
  write();
  play();
  EXPECT_EQ(to_->heard, up_to(5));
}

TEST_F(RingedStreams, KeepTheOrderOfMessagesOfAnySizeHoweverOftenTheRingIsFull) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  go_on_in_ring(0);
  bool room = write();
  std::uint32_t number = 1;
  for (; number < 300; ++number) {
    const std::size_t size = 13 + random() % (random() % 8 == 0 ? 200'000 : 6000);
    if (random() % 3 == 0)
      from_->say(number, Kind::service, size);
    else
      from_->say_in_pieces(number, size, !room);
    if (room && random() % 2 == 0) room = write();
    if (random() % 4 != 0) continue;
    play();
    room = true;
  }
  write();
  play();
  EXPECT_EQ(to_->heard, up_to(number));
  EXPECT_EQ(from_->queued(), 0U);
}

TEST_F(RingedStreams, LargePiecesIntoADamagedRingEndTheStream) {
  go_on_in_ring(0);
  write();
  play();
  memory_->read.store(std::uint64_t{1} << 40U);
  from_->say_in_pieces(1, 2 * RingMemory::kBytes, false);
  EXPECT_EQ(from_->write(), Stream::Written::failed);
  play();
  EXPECT_EQ(from_->ends.size(), 1U);
  EXPECT_TRUE(from_->is_broken());
}

TEST_F(RingedStreams, AreHeardToTheEndBeforeTheyEnd) {
  go_on_in_ring(0);
  for (std::uint32_t n = 1; n < 100; ++n) from_->say(n, Kind::service, 1000);
  write();
  const Bytes half = message(100, Kind::service, 1000);
  (void)out_.write(ByteView(half).first(500));
  from_->close();
  io_.poll();
  EXPECT_EQ(to_->heard, up_to(100));
  EXPECT_EQ(to_->ends, std::vector<std::string>{""});
  EXPECT_FALSE(to_->is_broken());
}

TEST_F(RingedStreams, EndWhenWhatIsReadIsDamaged) {
  go_on_in_ring(0);
  write();
  play();
  memory_->written.store(std::uint64_t{1} << 40U);
  EXPECT_TRUE(to_->has_to_look());
  to_->look();
  ASSERT_EQ(to_->ends.size(), 1U);
  EXPECT_NE(to_->ends.front().find("damaged"), std::string::npos);
  EXPECT_TRUE(to_->is_broken());
}

TEST_F(RingedStreams, EndWhenWhatIsWrittenIsDamaged) {
  go_on_in_ring(0);
  write();
  play();
  memory_->read.store(5);
  from_->say(1, Kind::service, 2 * RingMemory::kBytes);
  EXPECT_EQ(from_->write(), Stream::Written::failed);
  play();
  ASSERT_EQ(from_->ends.size(), 1U);
  EXPECT_NE(from_->ends.front().find("damaged"), std::string::npos);
  EXPECT_TRUE(from_->is_broken());
}

TEST_F(RingedStreams, EndWithASizeThatNoMessageHas) {
  go_on_in_ring(0);
  write();
  play();
  (void)out_.write(Bytes(8));  // a message of 0 bytes
  to_->look();
  EXPECT_EQ(to_->ends.size(), 1U);
  EXPECT_TRUE(to_->is_broken());
}

}  // namespace
}  // namespace tactus::silkit::stream_test
