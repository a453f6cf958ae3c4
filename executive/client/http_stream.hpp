// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "executive/client/port_address.hpp"
#include "rtsync/host/descriptor.hpp"

namespace tactus::client {

/// Decodes an HTTP/1.1 answer from bytes as they come: status, headers (names in small letters), body with or
/// without chunks.
class HttpAnswer {
 public:
  /// Gives each piece of the body to `body`. False: the bytes are no HTTP; `problem()` says why.
  bool take(std::string_view bytes, const std::function<void(std::string_view)>& body);

  bool has_head() const { return head_; }
  bool complete() const { return complete_; }
  /// The connection has ended: an answer without a length is complete by that.
  void end() { complete_ = complete_ || (head_ && !chunked_ && left_ == SIZE_MAX); }
  int status() const { return status_; }
  std::string header(const std::string& name) const;
  const std::string& problem() const { return problem_; }

 private:
  bool read_head();
  bool fail(const char* why);

  std::string buffer_;
  bool head_ = false;
  bool complete_ = false;
  bool chunked_ = false;
  int status_ = 0;
  std::map<std::string, std::string> headers_;
  /// Bytes left of the body or of the chunk; SIZE_MAX: until the end of the connection.
  std::size_t left_ = 0;
  bool in_chunk_ = false;
  std::string problem_;
};

/// A request to a control port, whose answer is read as it comes. Threads: one.
class HttpStream {
 public:
  /// Connects and asks. Throws NoRigError. `token`: empty, none. `json`: empty, a GET; else a POST of it.
  ///                                                                                           @when service
  HttpStream(const PortAddress& address, const std::string& target, const std::string& token,
             const std::string& json = "");

  enum class Got { bytes, nothing, end };
  /// Waits at most that long for more of the answer. `nothing`: time is up, or a signal came. Throws
  /// NoRigError: the connection broke.
  Got wait(int milliseconds, const std::function<void(std::string_view)>& body);
  const HttpAnswer& answer() const { return answer_; }

 private:
  void connect_to(const PortAddress& address);
  /// Returns false if none of the host's addresses answers; `error` says why.
  bool connect_tcp(const std::string& host, const std::string& port, int& error);
  void send_all(std::string_view text);
  /// Throws NoRigError: what became of the connection, and of the run, if that is known.
  [[noreturn]] void refuse_broken(const std::string& how) const;

  std::string name_;
  std::filesystem::path run_;
  rtsync::Descriptor socket_;
  HttpAnswer answer_;
};

/// The body of a short answer. Throws NoRigError: refused (with the reasons of the rig), broken, or nothing came
/// for 15 s.
std::string get(const PortAddress& address, const std::string& target, const std::string& token);
/// The same, but a refusal is an answer: its status.
int get(const PortAddress& address, const std::string& target, const std::string& token, std::string& body);
/// A POST; its status. `answer`: the body. `for_ever`: it may take any time, as a reset does.
int post(const PortAddress& address, const std::string& target, const std::string& token,
         const std::string& json, std::string& answer, bool for_ever = false);
/// Text of a rig's refusal.
std::string refusal(int status, const std::string& body);

/// Encodes for a query: "motor.speed" as it is, "[" as %5B.
std::string url_encoded(std::string_view text);

/// The token of a control port: of a file, else of TACTUS_TOKEN; empty: none. Throws NoRigError.
std::string read_token(const std::string& file);

}  // namespace tactus::client
