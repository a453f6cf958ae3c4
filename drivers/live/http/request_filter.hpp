// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "drivers/live/http/address.hpp"
#include "drivers/live/http/refusals.hpp"
#include "drivers/live/http/request.hpp"
#include "drivers/live/http/token.hpp"

namespace tactus::drivers::live_http {

/// Filter of requests, by their headers: the token, pages of other origins, other names of the host (DNS
/// rebinding), and how long everything is.
///
/// Threads  immutable, but for the refusals it counts.
class RequestFilter {
 public:
  static constexpr std::size_t kLongestTarget = 16 << 10;
  static constexpr std::size_t kLongestHeaders = 16 << 10;

  RequestFilter(Address address, std::optional<Token> token, Refusals& refusals)
      : address_(std::move(address)), token_(std::move(token)), refusals_(refusals) {}

  /// Nothing: let it in. `reached`: the address of ours that the client connected to; empty by unix socket.
  std::optional<Reply> validate(const Request& request, const std::string& reached) const;

 private:
  std::optional<Reply> size_problem(const Request& request) const;
  bool is_own_host(const std::string& host, const std::string& reached) const;

  Address address_;
  std::optional<Token> token_;
  Refusals& refusals_;
};

}  // namespace tactus::drivers::live_http
