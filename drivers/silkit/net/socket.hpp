// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Sockets as the kernel has them: addresses, listening, connecting.
///
/// Threads  values and functions without state.
/// Errors   std::system_error and std::runtime_error with what was tried.
#include <sys/socket.h>
#include <sys/stat.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "drivers/silkit/wire/uri.hpp"
#include "rtsync/host/descriptor.hpp"

namespace tactus::silkit {

using rtsync::Descriptor;

struct SocketOptions {
  bool no_delay = true;
  /// True: acknowledges at once from the first byte on; the kernel may return to its own ways.
  bool quick_ack = false;
  std::optional<int> send_buffer{};     ///< bytes
  std::optional<int> receive_buffer{};  ///< bytes
  /// A host that is silent for that long is taken for gone, where the stream leads to another one; 0: never.
  std::chrono::seconds host_timeout{0};
};
/// Applies the options. An option that the kernel refuses stays as it is.
void apply(int socket, const SocketOptions& options);

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string text;  ///< tcp://127.0.0.1:8500, local:///tmp/x.silkit
};
/// All addresses of a URI, IPv4 first; names are looked up, which may take seconds. Throws.
std::vector<Address> addresses_of(const Uri& uri);
/// The address of this end of a socket; of no family when it cannot be found out.
sockaddr_storage own_address(int socket);
/// The IP address of this or the other end of a stream; nothing: a domain socket.
std::optional<std::string> own_ip(int socket);
std::optional<std::string> remote_ip(int socket);
/// Returns true if a TCP socket has become its own other end: where no process listens at a port that the
/// kernel chooses for the near end as well.
bool is_its_own_peer(int socket);
/// Begins to connect a new socket, which does not block. Returns 0: it is connected; EINPROGRESS; EAGAIN: the backlog is
/// full; or the errno of what failed.
int begin_connect(Descriptor& socket, const Address& to, const SocketOptions& options);
/// Returns what became of it when the socket can be written to: 0, or an errno.
int connect_result(int socket);

/// A listening socket, not blocking, and its file if it has one.
class Listener {
 public:
  /// Listens at the first address of the URI; port 0: any that is free. A socket file that is there already
  /// is removed first. Throws.
  Listener(const Uri& uri, const SocketOptions& options);
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;
  ~Listener();  ///< removes the file, unless it is another process's by now

  const Uri& uri() const { return uri_; }  ///< URI with the real port
  int number() const { return socket_.get(); }

 private:
  Uri uri_;
  Descriptor socket_;
  struct stat file_ {};
};

/// Connects to several places at once, each by the first of its addresses that answers; each address has the
/// whole timeout. `connected` is called as each stream is there, with the place's number; `given_up`, if there is
/// one, as soon as all of a place is tried in vain. Returns what was tried in vain, per place: "" for those that
/// are connected.
std::vector<std::string> dial(
    const std::vector<std::vector<Address>>& places, std::chrono::nanoseconds timeout,
    const SocketOptions& options, const std::function<void(std::size_t, Descriptor)>& connected,
    const std::function<void(std::size_t, const std::string& tried)>& given_up = {});

}  // namespace tactus::silkit
