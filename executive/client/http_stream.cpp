// SPDX-License-Identifier: Apache-2.0
#include "executive/client/http_stream.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

#include "config/json.hpp"
#include "config/json_of.hpp"
#include "config/text.hpp"
#include "rtsync/host/unix_socket.hpp"

namespace tactus::client {
namespace {

constexpr std::size_t kMostHead = std::size_t{64} << 10;
constexpr std::size_t kMostBody = std::size_t{64} << 20;

std::string reason_of(int error) { return std::generic_category().message(error); }

}  // namespace

bool HttpAnswer::fail(const char* why) {
  problem_ = why;
  return false;
}

std::string HttpAnswer::header(const std::string& name) const {
  const auto found = headers_.find(name);
  return found == headers_.end() ? "" : found->second;
}

bool HttpAnswer::read_head() {
  const std::size_t end = buffer_.find("\r\n\r\n");
  if (end == std::string::npos) return buffer_.size() < kMostHead || fail("its head is too long");
  const std::string head = buffer_.substr(0, end + 2);
  buffer_.erase(0, end + 4);
  if (!head.starts_with("HTTP/1.") || head.size() < 12) return fail("it does not speak HTTP");
  const auto [last, error] = std::from_chars(head.data() + 9, head.data() + 12, status_);
  if (error != std::errc() || last != head.data() + 12) return fail("its status is not a number");
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const std::size_t line_end = head.find("\r\n", at);
    const std::string line = head.substr(at, line_end - at);
    at = line_end + 2;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    headers_[name] = config::trimmed(std::string_view(line).substr(colon + 1));
  }
  head_ = true;
  chunked_ = header("transfer-encoding").find("chunked") != std::string::npos;
  left_ = chunked_ ? 0 : SIZE_MAX;
  if (const std::string length = header("content-length"); !chunked_ && !length.empty()) {
    const auto number = rtsync::read_number<std::size_t>(length);
    if (!number) return fail("its length is not a number");
    left_ = *number;
    complete_ = left_ == 0;
  }
  return true;
}

bool HttpAnswer::take(std::string_view bytes, const std::function<void(std::string_view)>& body) {
  buffer_ += bytes;
  if (!head_ && !read_head()) return false;
  if (!head_) return true;
  while (!complete_ && !buffer_.empty()) {
    if (left_ > 0) {
      const std::size_t now = std::min(left_, buffer_.size());
      body(std::string_view(buffer_).substr(0, now));
      buffer_.erase(0, now);
      if (left_ != SIZE_MAX) left_ -= now;
      if (!chunked_ && left_ == 0) complete_ = true;
      continue;
    }
    if (!chunked_) return true;
    if (in_chunk_) {  // the line end behind a chunk
      if (buffer_.size() < 2) return true;
      if (!buffer_.starts_with("\r\n")) return fail("a chunk does not end where it should");
      buffer_.erase(0, 2);
      in_chunk_ = false;
      continue;
    }
    const std::size_t end = buffer_.find("\r\n");
    if (end == std::string::npos) return buffer_.size() < 100 || fail("the length of a chunk is too long");
    std::size_t length = 0;
    const auto [stop, bad] = std::from_chars(buffer_.data(), buffer_.data() + end, length, 16);
    if (bad != std::errc() || stop == buffer_.data() || length > kMostBody)
      return fail("the length of a chunk is wrong");
    buffer_.erase(0, end + 2);
    left_ = length;
    in_chunk_ = true;
    if (length == 0) complete_ = true;
  }
  return true;
}

HttpStream::HttpStream(const PortAddress& address, const std::string& target, const std::string& token,
                       const std::string& json)
    : name_(address.text()),
      run_(address.run.empty() && !address.path.empty() ? std::filesystem::path(address.path).parent_path()
                                                        : address.run) {
  connect_to(address);
  const std::string host =
      address.path.empty()
          ? (address.host.find(':') == std::string::npos ? address.host : "[" + address.host + "]") + ":" +
                address.port
          : "localhost";
  send_all((json.empty() ? "GET " : "POST ") + target + " HTTP/1.1\r\nHost: " + host +
           "\r\nConnection: close\r\n" + (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n") +
           (json.empty() ? ""
                         : "Content-Type: application/json\r\nContent-Length: " +
                               std::to_string(json.size()) + "\r\n") +
           "\r\n" + json);
}

void HttpStream::connect_to(const PortAddress& address) {
  const auto refused = [&](int error) {
    const bool gone = error == ECONNREFUSED || error == ENOENT;
    // A run whose rig ended since it was found.
    if (const std::string end = gone && !run_.empty() ? end_of_run(run_) : ""; !end.empty())
      throw NoRigError("no rig answers at " + name_ + ": its run " + end);
    throw NoRigError("no rig answers at " + name_ + ": " + reason_of(error) +
                     (gone ? "; is it running, and does its rig file have a live section?" : ""));
  };
  if (!address.path.empty()) {
    const rtsync::UnixName name(address.path);
    if (!name.fits())
      throw NoRigError(name_ + ": the path of a socket has at most " +
                       std::to_string(rtsync::UnixName::kLongest) +
                       " characters; go to its folder and write a relative one");
    socket_ = rtsync::Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket_.get() >= 0 && ::connect(socket_.get(), name.address(), rtsync::UnixName::size()) == 0) return;
    refused(errno);
  }
  int error = 0;
  // Often only the address of IPv4 is known by this name, also where a rig can listen at that of IPv6 alone.
  const std::vector<std::string> hosts = address.host == "localhost"
                                             ? std::vector<std::string>{"127.0.0.1", "::1"}
                                             : std::vector<std::string>{address.host};
  for (const std::string& host : hosts)
    if (connect_tcp(host, address.port, error)) return;
  refused(error == 0 ? ECONNREFUSED : error);
}

bool HttpStream::connect_tcp(const std::string& host, const std::string& port, int& error) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int unknown = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); unknown != 0)
    throw NoRigError("no rig answers at " + name_ + ": " + ::gai_strerror(unknown));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    socket_ =
        rtsync::Descriptor(::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol));
    if (socket_.get() < 0) continue;
    if (::connect(socket_.get(), each->ai_addr, each->ai_addrlen) == 0) return true;
    // That nobody listens at one of them says more than that another has no network.
    if (error == 0 || (errno != ENETUNREACH && errno != EADDRNOTAVAIL)) error = errno;
  }
  return false;
}

void HttpStream::refuse_broken(const std::string& how) const {
  const std::string end = run_.empty() ? "" : how_it_ended(run_);
  throw NoRigError("the connection to " + name_ + " " + how +
                   (end.empty() ? "" : "; its run has ended: " + end));
}

void HttpStream::send_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) refuse_broken("broke: " + reason_of(errno));
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

HttpStream::Got HttpStream::wait(int milliseconds, const std::function<void(std::string_view)>& body) {
  if (answer_.complete()) return Got::end;
  pollfd ready{socket_.get(), POLLIN, 0};
  const int count = ::poll(&ready, 1, milliseconds);
  if (count == 0 || (count < 0 && errno == EINTR)) return Got::nothing;
  std::array<char, 65536> bytes;
  const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (got < 0 && errno == EINTR) return Got::nothing;
  if (got < 0) refuse_broken("broke: " + reason_of(errno));
  if (got == 0) {
    answer_.end();
    if (!answer_.complete()) refuse_broken("ended in the middle of an answer");
    return Got::end;
  }
  if (!answer_.take({bytes.data(), static_cast<std::size_t>(got)}, body))
    throw NoRigError("what answers at " + name_ + " is not a rig: " + answer_.problem());
  return Got::bytes;
}

namespace {

/// All of an answer; its status.
int whole_answer(HttpStream& stream, const PortAddress& address, std::string& body, bool for_ever = false) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(15);
  body.clear();
  while (!stream.answer().complete()) {
    const auto got = stream.wait(200, [&](std::string_view bytes) {
      if (body.size() < kMostBody) body += bytes;
    });
    if (got == HttpStream::Got::end) break;
    if (!for_ever && std::chrono::steady_clock::now() > until)
      throw NoRigError("the rig at " + address.text() + " did not answer within 15 s");
  }
  return stream.answer().status();
}

}  // namespace

int get(const PortAddress& address, const std::string& target, const std::string& token, std::string& body) {
  HttpStream stream(address, target, token);
  return whole_answer(stream, address, body);
}

int post(const PortAddress& address, const std::string& target, const std::string& token,
         const std::string& json, std::string& answer, bool for_ever) {
  HttpStream stream(address, target, token, json);
  return whole_answer(stream, address, answer, for_ever);
}

std::string refusal(int status, const std::string& body) {
  if (status == 401)
    return "the control port wants its token: --token-file FILE, or the environment variable TACTUS_TOKEN";
  const config::Json json = config::json_of(body);
  std::string words;
  if (json.is_object()) {
    if (json.contains("error") && json["error"].is_string()) words = json["error"].get<std::string>();
    if (json.contains("problems") && json["problems"].is_array())
      for (const config::Json& problem : json["problems"])
        if (problem.is_string() && problem.get<std::string>() != words)
          words += "\n  " + config::one_line(problem.get<std::string>());
  }
  return words.empty() ? "the rig answers with status " + std::to_string(status) : words;
}

std::string get(const PortAddress& address, const std::string& target, const std::string& token) {
  std::string body;
  const int status = get(address, target, token, body);
  if (status != 200) throw NoRigError(refusal(status, body));
  return body;
}

std::string url_encoded(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (std::isalnum(code) != 0 || c == '.' || c == '_' || c == '-' || c == ',' || c == '*') {
      result += c;
    } else {
      result += '%';
      result += kHex[code >> 4U];
      result += kHex[code & 15U];
    }
  }
  return result;
}

std::string read_token(const std::string& file) {
  std::string token;
  if (file.empty()) {
    const char* const set = std::getenv("TACTUS_TOKEN");  // NOLINT(concurrency-mt-unsafe): one thread
    token = set == nullptr ? "" : set;
  } else {
    std::ifstream in(file);
    if (!std::getline(in, token)) throw NoRigError("the token cannot be read from " + file);
  }
  token = config::trimmed(token);
  if (token.ends_with('\r')) token.pop_back();
  if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c < 127; }))
    throw NoRigError("a token is made of visible ASCII characters without blanks; this one is not");
  return token;
}

}  // namespace tactus::client
