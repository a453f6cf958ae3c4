// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/live/http/support/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tactus::test {
namespace {

using Clock = std::chrono::steady_clock;

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return text;
}

int connected(int fd, const void* address, socklen_t size) {
  if (fd >= 0 && ::connect(fd, static_cast<const sockaddr*>(address), size) == 0) return fd;
  if (fd >= 0) ::close(fd);
  return -1;
}

}  // namespace

HttpClient::HttpClient(std::uint16_t port) : host_("127.0.0.1:" + std::to_string(port)) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  fd_ = connected(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), &to, sizeof to);
}

HttpClient::HttpClient(const std::string& unix_path) : host_("rig") {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (unix_path.size() >= sizeof to.sun_path) throw std::invalid_argument("path is too long");
  std::memcpy(to.sun_path, unix_path.c_str(), unix_path.size() + 1);
  fd_ = connected(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), &to, sizeof to);
}

HttpClient::~HttpClient() {
  if (fd_ >= 0) ::close(fd_);
}

std::uint16_t HttpClient::own_port() const {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sockets give addresses
  if (::getsockname(fd_, reinterpret_cast<sockaddr*>(&own), &size) != 0) return 0;
  return ntohs(own.sin_port);
}

bool HttpClient::send(const std::string& text) {
  std::size_t sent = 0;
  const auto until = Clock::now() + kHttpTimeout;
  while (sent < text.size() && Clock::now() < until) {
    const ssize_t n = ::send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) {
      pollfd ready{fd_, POLLOUT, 0};
      (void)::poll(&ready, 1, 100);
      continue;
    }
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return sent == text.size();
}

std::string HttpClient::request(const std::string& method, const std::string& target, const std::string& body,
                                const std::string& headers) const {
  std::string text = method + " " + target + " HTTP/1.1\r\n";
  if (lower(headers).find("host:") == std::string::npos) text += "Host: " + host_ + "\r\n";
  if (method == "POST" && lower(headers).find("content-type:") == std::string::npos)
    text += "Content-Type: application/json\r\n";
  if (!body.empty() || method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + headers + "\r\n" + body;
}

HttpReply HttpClient::get(const std::string& target, const std::string& headers) {
  (void)send(request("GET", target, {}, headers));
  return receive();
}

HttpReply HttpClient::post(const std::string& target, const std::string& body, const std::string& headers) {
  (void)send(request("POST", target, body, headers));
  return receive();
}

bool HttpClient::more(Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  pollfd ready{fd_, POLLIN, 0};
  if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) <= 0) return false;
  std::array<char, 16384> buffer;
  const ssize_t n = ::recv(fd_, buffer.data(), buffer.size(), 0);
  if (n <= 0) return false;
  read_.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

std::optional<std::string> HttpClient::line(Clock::time_point until) {
  std::size_t end = 0;
  while ((end = read_.find("\r\n")) == std::string::npos)
    if (!more(until)) return std::nullopt;
  std::string text = read_.substr(0, end);
  read_.erase(0, end + 2);
  return text;
}

HttpReply HttpClient::receive_head() {
  const auto until = Clock::now() + kHttpTimeout;
  HttpReply reply;
  const auto first = line(until);
  if (!first || first->size() < 12) return reply;
  for (auto next = line(until); next && !next->empty(); next = line(until)) {
    const std::size_t colon = next->find(':');
    if (colon == std::string::npos) return {};
    std::size_t value = colon + 1;
    while (value < next->size() && (*next)[value] == ' ') ++value;
    reply.headers[lower(next->substr(0, colon))] = next->substr(value);
  }
  reply.status = std::stoi(first->substr(9, 3));
  if (reply.status == 100) return receive_head();
  return reply;
}

HttpReply HttpClient::receive() {
  const auto until = Clock::now() + kHttpTimeout;
  HttpReply reply = receive_head();
  if (!reply.headers.contains("content-length")) return reply;
  const std::size_t size = std::stoul(reply.headers["content-length"]);
  while (read_.size() < size)
    if (!more(until)) return {};
  reply.body = read_.substr(0, size);
  read_.erase(0, size);
  return reply;
}

bool HttpClient::chunk(Clock::time_point until) {
  const auto size = line(until);
  if (!size) return false;
  const std::size_t bytes = std::stoul(*size, nullptr, 16);
  while (read_.size() < bytes + 2)
    if (!more(until)) return false;
  stream_ += read_.substr(0, bytes);
  read_.erase(0, bytes + 2);
  stream_ended_ = bytes == 0;
  return bytes > 0;
}

std::string HttpClient::event(std::chrono::milliseconds within) {
  const auto until = Clock::now() + within;
  std::size_t end = 0;
  while ((end = stream_.find("\n\n")) == std::string::npos)
    if (stream_ended_ || !chunk(until)) return {};
  std::string text = stream_.substr(0, end);
  stream_.erase(0, end + 2);
  return text;
}

std::string HttpClient::some(std::chrono::milliseconds within) {
  if (stream_.empty() && !stream_ended_) (void)chunk(Clock::now() + within);
  return std::exchange(stream_, {});
}

void HttpClient::close_own_side() { (void)::shutdown(fd_, SHUT_WR); }

std::string HttpClient::rest(std::chrono::milliseconds within) {
  const auto until = Clock::now() + within;
  while (more(until)) continue;
  return std::exchange(read_, {});
}

bool HttpClient::is_closed(std::chrono::milliseconds within) {
  const auto until = Clock::now() + within;
  while (more(until)) read_.clear();
  return Clock::now() < until;
}

config::Json data_of(const std::string& event, std::string& name) {
  name.clear();
  const std::size_t named = event.find("event: ");
  if (named != std::string::npos) name = event.substr(named + 7, event.find('\n', named) - named - 7);
  const std::size_t data = event.find("data: ");
  return data == std::string::npos ? config::Json{} : config::Json::parse(event.substr(data + 6));
}

}  // namespace tactus::test
