// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/background_dial.hpp"

#include <asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

namespace tactus::silkit {
namespace {

constexpr std::chrono::milliseconds kFullBacklogPause{10};

}  // namespace

BackgroundDial::BackgroundDial(asio::io_context& io, std::vector<Uri> uris, std::chrono::nanoseconds timeout,
                               const SocketOptions& options, Done done)
    : io_(io), uris_(std::move(uris)), timeout_(timeout), options_(options), done_(std::move(done)) {}

void BackgroundDial::cancel() {
  ++turn_;
  done_ = nullptr;
  timer_.cancel();
  resolver_.cancel();
  socket_.reset();
}

void BackgroundDial::by(std::chrono::nanoseconds time, std::function<void()> late) {
  timer_.expires_after(time);
  timer_.async_wait(
      [self = shared_from_this(), turn = turn_, late = std::move(late)](const asio::error_code& error) {
        if (!error && turn == self->turn_) late();
      });
}

void BackgroundDial::next_uri() {
  ++turn_;
  address_ = 0;
  addresses_.clear();
  if (uri_ == uris_.size()) return end(Descriptor());
  const Uri& uri = uris_[uri_++];
  if (uri.scheme != Uri::Scheme::local && !is_address(uri.host)) return look_up(uri);
  try {
    addresses_ = addresses_of(uri);
  } catch (const std::exception&) {  // a path that is too long: the next one may do
  }
  next_address();
}

/// A name: that may take seconds, and the I/O thread has none.
void BackgroundDial::look_up(const Uri& uri) {
  by(timeout_, [this] { next_uri(); });
  resolver_.async_resolve(
      uri.host, std::to_string(uri.port), asio::ip::resolver_base::numeric_service,
      [self = shared_from_this(), turn = turn_](const asio::error_code& error,
                                                const asio::ip::tcp::resolver::results_type& found) {
        if (turn != self->turn_) return;
        for (const auto& entry : found) {
          if (error) break;
          Address address;
          const asio::ip::tcp::endpoint endpoint = entry.endpoint();
          std::memcpy(&address.storage, endpoint.data(), endpoint.size());
          address.size = static_cast<socklen_t>(endpoint.size());
          self->addresses_.push_back(address);
        }
        self->next_address();
      });
}

void BackgroundDial::next_address() {
  ++turn_;
  socket_.reset();
  if (address_ == addresses_.size()) {
    asio::post(io_, [self = shared_from_this(), turn = turn_] {
      if (turn == self->turn_) self->next_uri();
    });
    return;
  }
  until_ = std::chrono::steady_clock::now() + timeout_;
  connect(addresses_[address_++]);
}

void BackgroundDial::connect(const Address& to) {
  Descriptor socket;
  const int error = begin_connect(socket, to, options_);
  if (error == 0) return end(std::move(socket));
  if (error == EINPROGRESS) return wait_for(std::move(socket));
  if (error != EAGAIN || std::chrono::steady_clock::now() >= until_) return next_address();
  by(kFullBacklogPause, [this, &to] { connect(to); });  // the backlog is full
}

void BackgroundDial::wait_for(Descriptor socket) {
  socket_.emplace(io_, socket.release());
  by(timeout_, [this] { next_address(); });
  socket_->async_wait(asio::posix::stream_descriptor::wait_write,
                      [self = shared_from_this(), turn = turn_](const asio::error_code& error) {
                        if (turn != self->turn_) return;
                        if (error || connect_result(self->socket_->native_handle()) != 0)
                          return self->next_address();
                        self->end(Descriptor(self->socket_->release()));
                      });
}

void BackgroundDial::end(Descriptor socket) {
  const Done done = std::exchange(done_, nullptr);
  cancel();
  if (done) done(std::move(socket));
}

}  // namespace tactus::silkit
