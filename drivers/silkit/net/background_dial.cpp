// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/background_dial.hpp"

#include <asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

namespace tactus::silkit {
namespace {

constexpr std::chrono::milliseconds kFullBacklogPause{10};

}  // namespace

BackgroundDial::BackgroundDial(asio::io_context& io, std::vector<Uri> uris, std::chrono::nanoseconds timeout,
                               const SocketOptions& options, Done done, std::vector<Address> addresses)
    : io_(io),
      uris_(std::move(uris)),
      timeout_(timeout),
      options_(options),
      done_(std::move(done)),
      addresses_(std::move(addresses)) {}

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
  if (error != EAGAIN) return failed(error);
  if (std::chrono::steady_clock::now() >= until_) return failed(ETIMEDOUT);
  by(kFullBacklogPause, [this, &to] { connect(to); });  // the backlog is full
}

void BackgroundDial::wait_for(Descriptor socket) {
  socket_.emplace(io_, socket.release());
  by(timeout_, [this] { failed(ETIMEDOUT); });
  socket_->async_wait(asio::posix::stream_descriptor::wait_write,
                      [self = shared_from_this(), turn = turn_](const asio::error_code& error) {
                        if (turn != self->turn_) return;
                        const int result =
                            error ? error.value() : connect_result(self->socket_->native_handle());
                        if (result != 0) return self->failed(result);
                        self->end(Descriptor(self->socket_->release()));
                      });
}

void BackgroundDial::failed(int error) {
  tried_ += (tried_.empty() ? "" : "; ") + addresses_[address_ - 1].text + ": " +
            (error == ETIMEDOUT ? "no answer" : std::generic_category().message(error));
  next_address();
}

void BackgroundDial::end(Descriptor socket) {
  const Done done = std::exchange(done_, nullptr);
  cancel();
  if (done) done(std::move(socket), tried_);
}

std::vector<std::string> dial(const std::vector<std::vector<Address>>& places,
                              std::chrono::nanoseconds timeout, const SocketOptions& options,
                              const std::function<void(std::size_t, Descriptor)>& connected,
                              const std::function<void(std::size_t, const std::string&)>& given_up) {
  asio::io_context io;
  std::vector<std::string> all(places.size());
  for (std::size_t place = 0; place < places.size(); ++place) {
    const auto done = [&, place](Descriptor socket, const std::string& tried) {
      if (socket.get() >= 0) return connected(place, std::move(socket));
      all[place] = tried.empty() ? "no address to try" : tried;
      if (given_up) given_up(place, all[place]);
    };
    std::make_shared<BackgroundDial>(io, std::vector<Uri>(), timeout, options, done, places[place])->start();
  }
  (void)io.run();
  return all;
}

}  // namespace tactus::silkit
