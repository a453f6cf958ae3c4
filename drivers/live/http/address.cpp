// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>

#include "config/number.hpp"
#include "config/text.hpp"

namespace tactus::drivers::live_http {
namespace {

constexpr const char* kForms = "; write unix:PATH, 127.0.0.1:PORT or [::1]:PORT (port 0: one that is free)";

}  // namespace

std::optional<std::string> canonical_host(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> raw{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  for (const int family : {AF_INET, AF_INET6})
    if (::inet_pton(family, host.c_str(), raw.data()) == 1)
      return ::inet_ntop(family, raw.data(), text.data(), text.size());
  return std::nullopt;
}

std::string unmapped(std::string canonical) {
  constexpr std::string_view kMapped = "::ffff:";
  const bool mapped = canonical.starts_with(kMapped) && canonical.find('.') != std::string::npos;
  return mapped ? canonical.substr(kMapped.size()) : canonical;
}

bool is_loopback(const std::string& canonical) {
  return canonical == "::1" || canonical.starts_with("127.") || canonical.starts_with("::ffff:127.");
}

bool Address::is_local() const { return is_unix() || is_loopback(host); }

std::string Address::text() const {
  if (is_unix()) return "unix:" + path;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string Address::url() const { return "http://" + (is_unix() ? "rig" : text()); }

std::optional<Address> parse_address(std::string_view text, std::string& problem) {
  const auto fail = [&](std::string_view shown, const std::string& why) {
    problem = config::show(shown) + why;
    return std::nullopt;
  };
  Address address;
  if (text.starts_with("unix:")) {
    address.path = text.substr(5);
    if (!address.path.empty() && address.path.back() != '/') return address;
    return fail(text, " has no file name after 'unix:'");
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']'))
    return fail(text, std::string(" has no port") + kForms);
  if (canonical_host(std::string(text)))
    return fail(text, std::string(" has no port, and an IPv6 address is written in brackets") + kForms);
  std::string host(text.substr(0, colon));
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  address.by_name = host == "localhost";
  if (address.by_name) host = bracketed ? "::1" : "127.0.0.1";
  const auto canonical = canonical_host(host);
  if (!canonical || (canonical->find(':') != std::string::npos) != bracketed)
    return fail(host, std::string(" is not a numeric address") + kForms);
  address.host = *canonical;
  address.v6 = bracketed;
  const std::string digits(text.substr(colon + 1));
  const auto port = config::parse_integer(digits);
  if (digits.find_first_not_of("0123456789") != std::string::npos || !port || *port.value > 65535)
    return fail(digits, std::string(" is not a port: 0 .. 65535") + kForms);
  address.port = static_cast<std::uint16_t>(*port.value);
  return address;
}

}  // namespace tactus::drivers::live_http
