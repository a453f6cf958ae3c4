// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>

namespace tactus::drivers::live_http {

/// One connection, from its beginning to its end.
struct Client {
  using Clock = std::chrono::steady_clock;
  enum class Phase : std::uint8_t {
    fresh,    ///< nothing complete has come from it yet
    reading,  ///< a request is on its way
    asking,   ///< it is complete, and the rig is asked
    writing,  ///< the reply is on its way
    idle,     ///< waits between two requests
    stream,
  };

  int fd = -1;
  std::string who{};      ///< "unix uid 1000 pid 4242", "127.0.0.1:40000"
  std::string payer{};    ///< client whose rate it counts for
  std::string reached{};  ///< our address, unmapped; empty by unix socket
  std::string target{};   ///< target of the request that is being read
  bool above = false;     ///< it came when there were too many

  Phase phase = Phase::fresh;
  Clock::time_point until{};  ///< time at which it is dropped; of asking and stream: never
  Clock::time_point quiet{};  ///< time since which it has sent no complete request
};

/// All connections, and which of them have had their time.
///
/// Threads  the HTTP thread and the ticker; a Client's texts belong to the HTTP thread.
class Clients {
 public:
  using Clock = Client::Clock;
  using Phase = Client::Phase;
  static constexpr std::chrono::seconds kIdle{60};  ///< longest time between requests, and for taking a reply

  Clients(std::size_t most, std::chrono::nanoseconds request_timeout)
      : most_(most), timeout_(request_timeout) {}

  /// A new connection; makes room by dropping the one that has been without a request for longest.
  Client* add(int fd, Clock::time_point now);
  /// Removes a client. Called before its descriptor is closed.
  void remove(Client* client);
  void enter(Client* client, Phase phase, Clock::time_point now);
  /// Shuts down the connections whose time is over. How many had a request under way, and one of those.
  std::size_t drop_overdue(Clock::time_point now, std::string& who);

  std::size_t count() const;
  /// Connections with a reply under way.
  std::size_t busy() const;

 private:
  void make_room();
  static void drop(Client& client);

  const std::size_t most_;
  const std::chrono::nanoseconds timeout_;
  mutable std::mutex mutex_;
  std::list<Client> clients_;
};

/// Identifies the connection of a socket: fills in who, payer and reached.
void identify(Client& client);

}  // namespace tactus::drivers::live_http
