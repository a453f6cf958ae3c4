// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Entrance for other participants. Only for the inside of net/: it brings asio along.
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/silkit/net/socket.hpp"
#include "drivers/silkit/net/stream.hpp"

namespace tactus::silkit {

/// Accepts connections, and closes those that do not announce themselves before the timeout.
///
/// Threads  the I/O thread; before it runs, the one that makes it.
class ConnectionAcceptor {
 public:
  struct Settings {
    std::chrono::nanoseconds timeout = std::chrono::seconds(5);  ///< time for an announcement
    /// The one that has been silent for longest is closed when one more comes.
    std::size_t most_unidentified = 256;
    SocketOptions options;
  };
  /// Makes a stream of what has come in; null: there is no room.
  using Enter = std::function<std::shared_ptr<Stream>(Descriptor)>;
  /// Closes the stream.
  using Expel = std::function<void(Stream&, const std::string& why)>;
  /// Says what keeps it from accepting; often, as long as it does.
  using Complain = std::function<void(const std::string& text)>;

  ConnectionAcceptor(asio::io_context& io, const Settings& settings, Enter enter, Expel expel,
                     Complain complain);
  ConnectionAcceptor(const ConnectionAcceptor&) = delete;
  ConnectionAcceptor& operator=(const ConnectionAcceptor&) = delete;
  ~ConnectionAcceptor() { close(); }

  void listen(Listener listener);
  /// Expects an announcement on a stream that was opened from here, as on those that come in.
  void expect(const std::shared_ptr<Stream>& stream);
  /// The stream is no stranger any more, or has ended.
  void mark_identified(const Stream& stream);
  /// Stops accepting; the socket files are removed.
  void close() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct ListeningSocket {
    ListeningSocket(asio::io_context& io, Listener&& listener);
    std::optional<Listener> listener;
    asio::posix::stream_descriptor descriptor;  ///< the listener's number, which it does not own
    asio::steady_timer pause;
    ~ListeningSocket() { close(); }
    void close() noexcept;
    ListeningSocket(const ListeningSocket&) = delete;
    ListeningSocket& operator=(const ListeningSocket&) = delete;
  };
  struct UnidentifiedPeer {
    std::shared_ptr<Stream> stream;
    Clock::time_point until;
  };

  void wait(const std::shared_ptr<ListeningSocket>& entrance);
  void accept(const std::shared_ptr<ListeningSocket>& entrance);
  void complain_of(int error) const;
  void watch();
  void expel_oldest(const std::string& why);

  asio::io_context& io_;
  const Settings settings_;
  const Enter enter_;
  const Expel expel_;
  const Complain complain_;
  std::vector<std::shared_ptr<ListeningSocket>> entrances_;
  std::deque<UnidentifiedPeer> unidentified_;
  asio::steady_timer timer_;
  bool closed_ = false;
};

}  // namespace tactus::silkit
