// One socket as a stream of messages, at the other end of which the test sits.
#include "drivers/silkit/net/stream.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

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
  while (::recv(other.number(), read.data(), read.size(), MSG_DONTWAIT) > 0) {
  }
  io.run();
  EXPECT_EQ(stream->told, 1);
  stream->when_writable();
  io.restart();
  io.run();
  EXPECT_EQ(stream->told, 2) << "who asks anew is told anew";
  stream->close();
}

}  // namespace
}  // namespace tactus::silkit::stream_test
