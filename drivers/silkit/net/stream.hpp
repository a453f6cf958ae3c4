// SPDX-License-Identifier: Apache-2.0
#pragma once
/// One connected socket as a stream of messages. Only for the inside of net/: it brings asio along.
#include <array>
#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "drivers/silkit/net/backlog.hpp"
#include "drivers/silkit/net/ring.hpp"
#include "drivers/silkit/net/socket.hpp"
#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

/// Longest announcement that is taken from a peer that is not yet identified, in bytes.
constexpr std::uint32_t kLargestAnnouncement = 1U << 20;

/// Cuts what arrives into messages; queues what is to go, and writes it as far as the socket takes it. A turn
/// reads 64 KiB or less, so that no stream keeps the others waiting.
///
/// Either direction may continue in a ring, after any message. The socket then carries bytes that mean
/// nothing but "look into your rings", for a peer that sleeps and has no pipe for it; and its end is still
/// the end of the stream, after what is in the ring.
///
/// Threads the I/O thread, but for queue, queued, judge, write and write_to: they, and close, are called
/// under one lock of
///          the owner's, so that no thread writes to a descriptor that is gone.
/// Memory both buffers keep what they have grown to, up to some MiB: after a while only large messages
/// allocate. What
///          waits may grow beyond that, and is kept until judge().
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(asio::io_context& io, Descriptor socket);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// Begins to read.
  void start();
  /// A message larger than this ends the stream.
  void limit_messages(std::uint32_t most) { most_message_ = most; }

  /// Queue of bytes that go out with the next write().
  Bytes& queue() { return out_; }
  /// Queues a message; of its large pieces, what has room goes straight into the ring that is in use. `waiting`: it
  /// has no room.
  void append(const Pieces& message, bool waiting);
  std::size_t queued() const { return out_.size() - sent_; }
  /// Judges the bytes that the other end does not read: what to log, and to do; if there are none any more,
  /// the memory that they took is freed. @when Backlog::pause() apart
  Backlog::Verdict judge(const BacklogLimits& limits);
  enum class Written {
    all,
    waiting,  ///< the socket is full: when_writable()
    failed,   ///< the other end is gone, the queue is discarded; what it sent before can still be read
  };
  Written write() noexcept;
  /// writable() is called once, as soon as the socket takes bytes again.
  void when_writable();
  /// Makes what has been queued wake the other end, also if that waits for something else.
  void set_urgent() { urgent_ = true; }
  /// A pipe that wakes the other end, in place of the socket. @when before write_to()
  void wake_by(Descriptor pipe) { pipe_ = std::move(pipe); }
  /// Writes what is queued from here on into a ring, which outlives the stream.
  void write_to(RingWriter& ring);
  /// Reads what follows the present message from a ring, which outlives the stream.
  void read_from(RingReader& ring);
  bool uses_rings() const { return ring_in_ != nullptr || ring_out_ != nullptr; }
  /// Returns true if look() would do something.
  bool has_to_look() const;
  /// Receives what is in its ring; says writable() where there is room again.
  void look();
  /// Has the other end wake this one as soon as there is something to look at. False: there is already.
  bool fall_asleep(bool urgent_only) { return ring_in_ == nullptr || ring_in_->fall_asleep(urgent_only); }
  void wake_up() {
    if (ring_in_ != nullptr) ring_in_->wake_up();
  }
  /// Says to the other end that nothing follows, and discards what came from it.
  void finish();
  /// None of the functions below is called any more.
  void close();
  bool is_open() const { return number_ >= 0; }
  /// It ends because of what came, not because the other end is gone.
  bool is_broken() const { return broken_; }
  int number() const { return number_; }
  /// The other end has ended the stream, though not everything it said may have been read.
  bool has_hung_up() const;

 protected:
  /// May throw: the stream ends with the words of the exception.
  virtual void received(const Frame& frame) = 0;
  /// No more is read. `why`: "" at the end of the stream. The stream is still to be closed.
  virtual void ended(const std::string& why) = 0;
  virtual void writable() = 0;

 private:
  void read();
  void arrived(std::size_t size);
  void socket_ended(const std::string& why);
  bool take_from_ring();
  void take(std::size_t size);
  std::size_t write_ahead(ByteView piece) noexcept;
  void clear_queue() noexcept;
  Written write_to_ring() noexcept;
  Written waits_to_write() noexcept;
  Written fail() noexcept;
  void wake_other() const;
  void cut();
  void make_room(std::size_t size);  ///< `size`: of what has come last

  asio::generic::stream_protocol::socket socket_;
  int number_;
  std::uint32_t most_message_ = kMostMessage;
  Bytes in_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Bytes out_;
  std::size_t sent_ = 0;
  std::uint64_t taken_ = 0;  ///< bytes, of all that was queued
  Backlog backlog_;
  bool deaf_ = false;  ///< the other end takes no more
  bool waits_ = false;
  bool broken_ = false;

  RingReader* ring_in_ = nullptr;
  std::array<std::byte, 64> wakes_;  ///< bytes that the socket then brings
  RingWriter* ring_out_ = nullptr;
  Descriptor pipe_;  ///< the other end's; none: it is woken by the socket
  bool urgent_ = false;
  std::size_t for_socket_ = 0;            ///< bytes of the queue that still go there
  std::atomic<bool> writes_ring_{false};  ///< all that was to go there is gone
  bool waits_for_room_ = false;           ///< the I/O thread's
  std::atomic<bool> ring_damaged_{false};
};

}  // namespace tactus::silkit
