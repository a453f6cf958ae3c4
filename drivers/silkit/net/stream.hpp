#pragma once
/// One connected socket as a stream of messages. Only for the inside of net/: it brings asio along.
#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "drivers/silkit/net/socket.hpp"
#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

/// The longest announcement that is taken from who has not said yet who it is, in bytes.
constexpr std::uint32_t kLargestAnnouncement = 1U << 20;

/// Cuts what arrives into messages; queues what is to go, and writes it as far as the socket takes it. A turn
/// reads 64 KiB or less, so that no stream keeps the others waiting.
///
/// Threads  the I/O thread, but for queue, queued and write: they, and close, are called under one lock of
/// the
///          owner's, so that nobody writes to a descriptor that is gone.
/// Memory   both buffers keep what they have grown to: reading and writing allocate nothing after a while.
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

  /// What is appended here goes out with the next write().
  Bytes& queue() { return out_; }
  std::size_t queued() const { return out_.size() - sent_; }
  enum class Written {
    all,
    waiting,  ///< the socket is full: when_writable()
    failed,   ///< the other end is gone, the queue is discarded; what it sent before can still be read
  };
  Written write() noexcept;
  /// writable() is called once, as soon as the socket takes bytes again.
  void when_writable();
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
  bool deaf_ = false;  ///< the other end takes no more
  bool waits_ = false;
  bool broken_ = false;
};

}  // namespace tactus::silkit
