// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"

namespace tactus::test {

struct HttpReply {
  int status = 0;  ///< 0: none came
  std::map<std::string, std::string> headers{};
  std::string body{};
  config::Json json() const { return config::Json::parse(body); }
};

/// Shorter than the minute after which a connection is dropped that only waits.
constexpr std::chrono::seconds kHttpTimeout{40};

/// One connection, that waits for at most kHttpTimeout for anything.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port);
  explicit HttpClient(const std::string& unix_path);
  HttpClient(HttpClient&& other) noexcept
      : fd_(other.fd_), host_(other.host_), read_(std::move(other.read_)) {
    other.fd_ = -1;
  }
  ~HttpClient();

  bool is_connected() const { return fd_ >= 0; }
  std::uint16_t own_port() const;
  /// False: the other side has closed.
  bool send(const std::string& text);
  HttpReply get(const std::string& target, const std::string& headers = {});
  HttpReply post(const std::string& target, const std::string& body, const std::string& headers = {});
  /// With the usual headers.
  std::string request(const std::string& method, const std::string& target, const std::string& body = {},
                      const std::string& headers = {}) const;
  HttpReply receive();
  /// The head of a reply without a length.
  HttpReply receive_head();
  /// The next event of a stream, comments included ("" when the stream is over or nothing came).
  std::string event(std::chrono::milliseconds within = kHttpTimeout);
  /// The next bytes of a stream; none when it is over or nothing came.
  std::string some(std::chrono::milliseconds within = kHttpTimeout);
  /// No more is sent; replies are still read.
  void close_own_side();
  /// Everything that comes until the other side ends the connection.
  std::string rest(std::chrono::milliseconds within = kHttpTimeout);
  /// Whether the other side ends the connection; what comes until then is dropped.
  bool is_closed(std::chrono::milliseconds within = kHttpTimeout);

 private:
  bool more(std::chrono::steady_clock::time_point until);
  std::optional<std::string> line(std::chrono::steady_clock::time_point until);
  bool chunk(std::chrono::steady_clock::time_point until);

  int fd_ = -1;
  std::string host_;
  std::string read_;
  std::string stream_;  // of a reply in chunks
  bool stream_ended_ = false;
};

/// The data of an event as JSON; its name in `name`.
config::Json data_of(const std::string& event, std::string& name);

}  // namespace tactus::test
