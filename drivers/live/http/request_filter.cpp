// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/request_filter.hpp"

#include <string_view>

#include "config/text.hpp"
#include "drivers/live/http/page.hpp"

namespace tactus::drivers::live_http {
namespace {

/// The name or address of "name:80", "[::1]:80", "name".
std::string host_of(const std::string& text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    return end == std::string::npos ? text : text.substr(1, end - 1);
  }
  return text.substr(0, text.find(':'));
}

/// Text after "Bearer"; nothing when it is another scheme.
std::optional<std::string_view> bearer(const std::string& text) {
  constexpr std::string_view kScheme = "bearer ";
  if (text.size() < kScheme.size() || lower(text.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  return config::trimmed(std::string_view(text).substr(kScheme.size()));
}

}  // namespace

std::optional<Reply> RequestFilter::size_problem(const Request& request) const {
  if (request.target.size() > kLongestTarget)
    return refusal(414, "the target has " + std::to_string(request.target.size()) + " characters; at most " +
                            std::to_string(kLongestTarget) + " are read: ask for fewer names at once");
  std::size_t size = 0;
  for (const auto& [key, value] : request.headers) size += key.size() + value.size() + 4;
  if (size > kLongestHeaders)
    return refusal(431, "the headers have " + std::to_string(size) + " characters; at most " +
                            std::to_string(kLongestHeaders) + " are read");
  for (const char* const once : {"Host", "Origin", "Authorization", "Content-Type", "Sec-Fetch-Site"})
    if (request.count(once) > 1) return refusal(400, std::string("the header '") + once + "' is there twice");
  return std::nullopt;
}

bool RequestFilter::is_own_host(const std::string& host, const std::string& reached) const {
  const std::string name = lower(host_of(host));
  if (name == "localhost") return true;
  const auto canonical = canonical_host(name);
  if (!canonical) return false;
  const std::string numeric = unmapped(*canonical);
  return is_loopback(numeric) || numeric == unmapped(address_.host) || numeric == reached;
}

std::optional<Reply> RequestFilter::validate(const Request& request, const std::string& reached) const {
  if (auto too_long = size_problem(request)) return too_long;
  const std::string* const host = request.header("Host");
  if (!address_.is_unix() && host != nullptr && !is_own_host(*host, reached)) {
    refusals_.count(Refusals::Why::host, request.who);
    return refusal(403, "the header 'Host' says " + config::show(*host) +
                            ": use the numeric address, or localhost (a page could have led here)");
  }
  const std::string* const origin = request.header("Origin");
  const std::string* const site = request.header("Sec-Fetch-Site");
  const bool foreign_origin = origin != nullptr && (address_.is_unix() || host == nullptr ||
                                                    lower(*origin) != "http://" + lower(*host));
  const bool foreign_site = site != nullptr && lower(*site) != "same-origin" && lower(*site) != "none";
  if (foreign_origin || foreign_site) {
    refusals_.count(Refusals::Why::origin, request.who);
    return refusal(403, "a page of another origin " +
                            (origin == nullptr ? "" : "(" + config::show(*origin) + ") ") +
                            "may not ask this rig");
  }
  if (!token_ || is_page(request.target)) return std::nullopt;
  const std::string* const shown = request.header("Authorization");
  const auto text = shown == nullptr ? std::nullopt : bearer(*shown);
  // Compared in any case: how long it takes says nothing.
  if (token_->matches(text.value_or("")) && text) return std::nullopt;
  refusals_.count(Refusals::Why::token, request.who);
  Reply reply =
      refusal(401, shown == nullptr
                       ? "a token is needed: send the header 'Authorization: Bearer TOKEN', with the line of "
                         "the rig's live.http.token_file"
                       : "this is not the token of the rig's live.http.token_file");
  reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

}  // namespace tactus::drivers::live_http
