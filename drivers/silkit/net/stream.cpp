// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/stream.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tactus::silkit {
namespace {

constexpr std::size_t kFirstBuffer = 16U << 10;
constexpr std::size_t kTurn = 64U << 10;
constexpr std::size_t kLargestKept = 4U << 20;  // messages of 1 MiB come again and again
constexpr std::size_t kLargestQueueKept = 32U << 20;
constexpr std::size_t kLeastCompacted = 64U << 10;
constexpr std::size_t kLargePiece = 2048;

}  // namespace

Stream::Stream(asio::io_context& io, Descriptor socket)
    : socket_(io, asio::generic::stream_protocol(own_address(socket.get()).ss_family, 0), socket.get()),
      number_(socket.release()),
      in_(kFirstBuffer) {
  socket_.non_blocking(true);
}

void Stream::start() { read(); }

void Stream::read() {
  const auto to = ring_in_ != nullptr ? asio::buffer(wakes_)
                                      : asio::buffer(in_.data() + end_, std::min(in_.size() - end_, kTurn));
  // async_read_some looks at the socket before it waits: what has come meanwhile costs no sleep.
  socket_.async_read_some(to, [self = shared_from_this()](const asio::error_code& error, std::size_t size) {
    if (!self->is_open()) return;
    if (error)
      self->socket_ended(error == asio::error::eof ? "" : error.message());
    else
      self->arrived(size);
  });
}

void Stream::arrived(std::size_t size) {
  if (ring_in_ != nullptr)
    look();
  else
    take(size);
  if (is_open()) read();
}

/// Ends the socket. Whatever was sent before is in the ring.
void Stream::socket_ended(const std::string& why) {
  while (is_open() && take_from_ring()) {
  }
  if (!is_open()) return;
  broken_ = broken_ || ring_damaged_;
  ended(ring_damaged_ ? "its ring is damaged" : why);
}

/// Has come, after end_.
void Stream::take(std::size_t size) {
  end_ += size;
  try {
    cut();
    if (is_open()) make_room(size);
  } catch (const std::exception& failure) {
    broken_ = true;
    if (is_open()) ended(failure.what());
  }
}

// ---- the ring that is read

void Stream::read_from(RingReader& ring) { ring_in_ = &ring; }

bool Stream::has_to_look() const {
  return (ring_in_ != nullptr && ring_in_->has_bytes()) || (waits_for_room_ && ring_out_->may_have_room());
}

void Stream::look() {
  if (ring_in_ != nullptr) (void)take_from_ring();
  if (!is_open() || !waits_for_room_ || !ring_out_->may_have_room()) return;
  waits_for_room_ = false;
  writable();
}

bool Stream::take_from_ring() {
  if (ring_in_ == nullptr) return false;
  std::size_t size = 0;
  try {
    size = ring_in_->read(std::span(in_).subspan(end_, std::min(in_.size() - end_, kTurn)));
  } catch (const WireError& damage) {
    broken_ = true;
    ended(damage.what());
    return false;
  }
  if (size == 0) return false;
  if (ring_in_->has_to_wake()) wake_other();
  take(size);
  return true;
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
    const bool was_socket = ring_in_ == nullptr;
    received(*frame);
    if (was_socket && ring_in_ != nullptr) end_ = begin_;  // what follows are wakes
  }
}

Stream::Written Stream::write() noexcept {
  if (!is_open() || deaf_) return fail();
  const bool to_ring = ring_out_ != nullptr;
  const std::size_t end = to_ring ? for_socket_ : out_.size();
  while (sent_ < end) {
    const ssize_t taken = ::send(number_, out_.data() + sent_, end - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken >= 0) {
      sent_ += static_cast<std::size_t>(taken);
      taken_ += static_cast<std::size_t>(taken);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != ENOBUFS && errno != ENOMEM) return fail();
    return waits_to_write();
  }
  if (to_ring) {
    if (!writes_ring_) {
      writes_ring_ = true;
      wake_other();  // for the wakes that had to wait behind a message
    }
    return write_to_ring();
  }
  clear_queue();
  return Written::all;
}

void Stream::clear_queue() noexcept {
  out_.clear();
  sent_ = for_socket_ = 0;
  if (out_.capacity() > kLargestQueueKept) out_ = Bytes();
}

Backlog::Verdict Stream::judge(const BacklogLimits& limits) {
  if (queued() == 0 && out_.capacity() > kLargestKept) out_ = Bytes();
  return backlog_.look(limits, Backlog::Clock::now(), taken_, queued());
}

Stream::Written Stream::fail() noexcept {
  deaf_ = true;
  clear_queue();
  return Written::failed;
}

Stream::Written Stream::waits_to_write() noexcept {
  if (sent_ >= kLeastCompacted && sent_ >= out_.size() / 2) {
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent_));
    for_socket_ -= std::min(for_socket_, sent_);
    sent_ = 0;
  }
  return Written::waiting;
}

// ---- the ring that is written

void Stream::write_to(RingWriter& ring) {
  ring_out_ = &ring;
  for_socket_ = out_.size();
}

void Stream::append(const Pieces& message, bool waiting) {
  reserve_more(out_, message.size());  // before a part of it stands in the ring
  for (ByteView piece : message) {
    if (piece.size() >= kLargePiece && !waiting) piece = piece.subspan(write_ahead(piece));
    out_.insert(out_.end(), piece.begin(), piece.end());
  }
}

/// Returns how many of its bytes are in the ring, after all that was queued. write() wakes the other end.
std::size_t Stream::write_ahead(ByteView piece) noexcept {
  if (!writes_ring_ || deaf_ || !is_open()) return 0;
  try {
    while (sent_ < out_.size()) {
      const std::size_t taken = ring_out_->write(ByteView(out_).subspan(sent_));
      if (taken == 0) return 0;
      sent_ += taken;
      taken_ += taken;
    }
    clear_queue();
    const std::size_t taken = ring_out_->write(piece);
    taken_ += taken;
    return taken;
  } catch (const WireError&) {
    return 0;  // write() meets it again
  }
}

Stream::Written Stream::write_to_ring() noexcept {
  Written result = Written::all;
  try {
    for (std::size_t taken = 1; sent_ < out_.size(); sent_ += taken) {
      const bool was_full = taken == 0;
      taken = ring_out_->write(ByteView(out_).subspan(sent_));
      taken_ += taken;
      if (taken > 0 || (!was_full && !ring_out_->wait_for_room())) continue;
      result = Written::waiting;
      break;
    }
  } catch (const WireError&) {
    ring_damaged_ = true;
    (void)::shutdown(number_, SHUT_RDWR);  // so that the I/O thread comes to its end
    return fail();
  }
  if (ring_out_->has_to_wake(urgent_ || result == Written::waiting)) wake_other();
  urgent_ = urgent_ && result == Written::waiting;
  if (result == Written::waiting) return waits_to_write();
  clear_queue();
  return result;
}

/// Wakes the other end. Before all messages that go by the socket are gone there is no place for a wake;
/// write() makes up for it.
void Stream::wake_other() const {
  if (!writes_ring_) return;
  const std::byte wake{};
  if (pipe_.get() >= 0 && (::write(pipe_.get(), &wake, 1) == 1 || errno == EAGAIN)) return;
  (void)::send(number_, &wake, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Stream::when_writable() {
  if (!is_open()) return;
  if (writes_ring_) {
    waits_for_room_ = true;
    return;
  }
  if (waits_) return;
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
  clear_queue();
}

}  // namespace tactus::silkit
