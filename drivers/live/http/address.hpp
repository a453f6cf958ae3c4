// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::drivers::live_http {

/// Address of the server: a unix socket, or a numeric address and a port.
struct Address {
  std::string path{};  ///< path of a unix socket; empty: TCP
  std::string host{};  ///< "127.0.0.1", "::1": without brackets, as inet_ntop writes it
  bool v6 = false;
  std::uint16_t port = 0;  ///< 0: the system chooses
  bool by_name = false;    ///< written as localhost: 127.0.0.1, or ::1 on a machine without IPv4

  bool is_unix() const { return !path.empty(); }
  bool is_local() const;     ///< only this machine gets there
  std::string text() const;  ///< "unix:live.sock", "127.0.0.1:80", "[::1]:80"
  std::string url() const;   ///< "http://127.0.0.1:80"; of a unix socket "http://rig"
};

/// `unix:PATH`, `ADDRESS:PORT`, `[ADDRESS]:PORT`, `localhost:PORT`. Nothing, and why, when it is none of
/// them.
std::optional<Address> parse_address(std::string_view text, std::string& problem);

/// A numeric address (without brackets) as inet_ntop writes it; nothing when it is none.
std::optional<std::string> canonical_host(const std::string& host);
/// "192.168.1.5" of "::ffff:192.168.1.5", as a socket for both versions names a client of version 4; others
/// as they are.
std::string unmapped(std::string canonical);
/// 127.0.0.0/8, ::1.
bool is_loopback(const std::string& canonical);

}  // namespace tactus::drivers::live_http
