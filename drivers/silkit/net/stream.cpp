#include "drivers/silkit/net/stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tactus::silkit {
namespace {

constexpr std::size_t kFirstBuffer = 16U << 10;
constexpr std::size_t kTurn = 64U << 10;
constexpr std::size_t kLargestKept = 1U << 20;
constexpr std::size_t kLeastCompacted = 64U << 10;

int family_of(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  (void)::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &size);
  return storage.ss_family;
}

}  // namespace

Stream::Stream(asio::io_context& io, Descriptor socket)
    : socket_(io, asio::generic::stream_protocol(family_of(socket.number()), 0), socket.number()),
      number_(socket.release()),
      in_(kFirstBuffer) {
  socket_.non_blocking(true);
}

void Stream::start() { read(); }

void Stream::read() {
  // async_read_some looks at the socket before it waits: what has come meanwhile costs no sleep.
  socket_.async_read_some(asio::buffer(in_.data() + end_, std::min(in_.size() - end_, kTurn)),
                          [self = shared_from_this()](const asio::error_code& error, std::size_t size) {
                            if (!self->is_open()) return;
                            if (error)
                              self->ended(error == asio::error::eof ? "" : error.message());
                            else
                              self->arrived(size);
                          });
}

void Stream::arrived(std::size_t size) {
  end_ += size;
  try {
    cut();
    if (is_open()) make_room(size);
  } catch (const std::exception& failure) {
    broken_ = true;
    if (is_open()) ended(failure.what());
    return;
  }
  if (is_open()) read();
}

void Stream::make_room(std::size_t size) {
  if (begin_ > 0) {
    std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  // By what has really come, not by what its size says will come.
  if (end_ == in_.size() || (size == in_.size() && size < kTurn)) in_.resize(2 * in_.size());
  if (end_ == 0 && in_.size() > kLargestKept) {  // a giant has passed
    in_.resize(kLargestKept);
    in_.shrink_to_fit();
  }
}

void Stream::cut() {
  while (is_open() && end_ - begin_ >= kSizeBytes) {
    const ByteView rest(in_.data() + begin_, end_ - begin_);
    std::uint32_t says = 0;
    std::memcpy(&says, rest.data(), sizeof says);
    std::size_t used = 0;
    const std::optional<Frame> frame = next_frame(rest, used);
    if (says > most_message_)
      throw WireError("a message of " + std::to_string(says) + " bytes; here at most " +
                      std::to_string(most_message_) + " are taken");
    if (!frame) return;
    begin_ += used;
    received(*frame);
  }
}

Stream::Written Stream::write() noexcept {
  if (!is_open() || deaf_) {
    out_.clear();
    sent_ = 0;
    return Written::failed;
  }
  while (sent_ < out_.size()) {
    const ssize_t taken =
        ::send(number_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken >= 0) {
      sent_ += static_cast<std::size_t>(taken);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != ENOBUFS && errno != ENOMEM) {
      deaf_ = true;
      out_.clear();
      sent_ = 0;
      return Written::failed;
    }
    if (sent_ >= kLeastCompacted && sent_ >= out_.size() / 2) {
      out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent_));
      sent_ = 0;
    }
    return Written::waiting;
  }
  out_.clear();
  sent_ = 0;
  return Written::all;
}

void Stream::when_writable() {
  if (waits_ || !is_open()) return;
  waits_ = true;
  socket_.async_wait(asio::socket_base::wait_write, [self = shared_from_this()](const asio::error_code&) {
    self->waits_ = false;
    if (self->is_open()) self->writable();
  });
}

bool Stream::has_hung_up() const {
  pollfd now{number_, POLLRDHUP, 0};
  return ::poll(&now, 1, 0) > 0 && (now.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void Stream::finish() {
  if (!is_open()) return;
  (void)::shutdown(number_, SHUT_WR);
  std::array<std::byte, 4096> discarded;
  // Bounded: a peer that never stops sending is not waited for.
  for (int turn = 0; turn < 1024; ++turn)
    if (::recv(number_, discarded.data(), discarded.size(), MSG_DONTWAIT) <= 0) return;
}

void Stream::close() {
  if (!is_open()) return;
  number_ = -1;
  asio::error_code ignored;
  (void)socket_.close(ignored);
  out_.clear();
  sent_ = 0;
}

}  // namespace tactus::silkit
