// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Connects beside everything else that the I/O thread does. Only for the inside of net/: it brings asio along.
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/silkit/net/socket.hpp"

namespace tactus::silkit {

/// Tries URIs, or addresses, one after the other, until one answers. Each address, and each look-up of a name, has
/// the whole timeout.
///
/// Threads  the one that runs the io_context.
class BackgroundDial : public std::enable_shared_from_this<BackgroundDial> {
 public:
  /// A number below 0: in vain. `tried`: what became of each address that did not answer.
  using Done = std::function<void(Descriptor, const std::string& tried)>;
  BackgroundDial(asio::io_context& io, std::vector<Uri> uris, std::chrono::nanoseconds timeout,
                 const SocketOptions& options, Done done, std::vector<Address> addresses = {});
  BackgroundDial(const BackgroundDial&) = delete;
  BackgroundDial& operator=(const BackgroundDial&) = delete;

  void start() { addresses_.empty() ? next_uri() : next_address(); }
  /// Cancels: no callback is made any more.
  void cancel();

 private:
  void next_uri();
  void look_up(const Uri& uri);
  void next_address();
  void connect(const Address& to);
  void wait_for(Descriptor socket);
  void failed(int error);
  void end(Descriptor socket);
  /// Runs when the time is over, unless something else has come first.
  void by(std::chrono::nanoseconds time, std::function<void()> late);

  asio::io_context& io_;
  const std::vector<Uri> uris_;
  const std::chrono::nanoseconds timeout_;
  const SocketOptions options_;
  Done done_;
  std::size_t uri_ = 0;
  std::vector<Address> addresses_;
  std::size_t address_ = 0;
  std::string tried_;
  /// Number of the present turn: what was begun in an earlier one is of no interest.
  std::uint64_t turn_ = 0;
  std::chrono::steady_clock::time_point until_;
  asio::ip::tcp::resolver resolver_{io_};
  std::optional<asio::posix::stream_descriptor> socket_;
  asio::steady_timer timer_{io_};
};

}  // namespace tactus::silkit
