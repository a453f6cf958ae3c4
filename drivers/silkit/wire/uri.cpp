// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/uri.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "drivers/silkit/wire/items.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/text.hpp"

namespace tactus::silkit {

namespace {

enum class Family : std::uint8_t { v4, v6, other };

/// Family of a literal address; anything that has to be looked up is `other`.
Family family_of(std::string_view host) {
  const std::string address(host.substr(0, host.find('%')));  // without the zone
  std::array<unsigned char, 16> binary{};
  if (host.find('\0') != std::string_view::npos) return Family::other;
  if (host == address && ::inet_pton(AF_INET, address.c_str(), binary.data()) == 1) return Family::v4;
  if (::inet_pton(AF_INET6, address.c_str(), binary.data()) == 1) return Family::v6;
  return Family::other;
}

bool is_loopback_host(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  return host.starts_with("127.") && family_of(host) == Family::v4;
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Reads one URI, and knows how to complain about it.
class UriText {
 public:
  explicit UriText(std::string_view text, bool registry) : text_(text), registry_(registry) {}

  Uri read() {
    const std::size_t end = text_.find("://");
    if (end == std::string_view::npos) fault("has no scheme");
    const std::string_view scheme = text_.substr(0, end);
    const std::string_view rest = text_.substr(end + 3);
    if (scheme == "silkit") return read_silkit(rest);
    if (!registry_ && scheme == "tcp") return read_tcp(rest);
    if (!registry_ && scheme == "local") return read_local(rest);
    fault("has the scheme '" + std::string(scheme) + "', which is not " +
          (registry_ ? "a registry's" : "silkit, tcp or local"));
  }

 private:
  [[noreturn]] void fault(const std::string& what) const {
    throw std::invalid_argument("the URI '" + std::string(text_) + "' " + what + "; one looks like " +
                                (registry_ ? "silkit://localhost:8500 or silkit://[::1]:8500/simulation"
                                           : "silkit://localhost:8500/simulation, tcp://192.168.0.2:1234, "
                                             "tcp://[::1]:1234 or local:///tmp/name.silkit"));
  }

  Uri read_silkit(std::string_view rest) const {
    Uri uri{.port = kDefaultPort};
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    read_host(uri, rest.substr(0, slash));
    if (slash == rest.size()) return uri;
    const std::string_view path = rest.substr(slash);
    if (path.find("//") != std::string_view::npos) fault("has two slashes in a row after its host");
    for (const char c : path)
      if (!is_letter_or_digit(c) && std::string_view("_-.~/").find(c) == std::string_view::npos)
        fault("has a simulation name with other characters than A-Z a-z 0-9 _ - . ~ /");
    uri.simulation = path.substr(1);
    return uri;
  }

  Uri read_tcp(std::string_view rest) const {
    Uri uri{.scheme = Uri::Scheme::tcp};
    if (rest.find('/') != std::string_view::npos) fault("has a path, which is nothing for tcp");
    read_host(uri, rest);
    return uri;
  }

  Uri read_local(std::string_view rest) const {
    if (rest.empty()) fault("has no path");
    if (rest.find('\0') != std::string_view::npos) fault("has a path with a zero byte");
    return Uri{.scheme = Uri::Scheme::local, .path = std::string(rest)};
  }

  void read_host(Uri& uri, std::string_view authority) const {
    std::string_view host = authority;
    std::optional<std::string_view> port;
    if (authority.starts_with('[')) {
      const std::size_t end = authority.find(']');
      if (end == std::string_view::npos) fault("has no ']' after its '['");
      host = authority.substr(1, end - 1);
      if (family_of(host) != Family::v6) fault("has something other than an IPv6 address in its brackets");
      const std::string_view behind = authority.substr(end + 1);
      if (behind.starts_with(':')) port = behind.substr(1);
      if (!behind.empty() && !port) fault("has something other than a port after its ']'");
    } else {
      if (const std::size_t colon = authority.rfind(':'); colon != std::string_view::npos) {
        host = authority.substr(0, colon);
        port = authority.substr(colon + 1);
      }
      if (host.empty()) fault("has no host");
      check_name(host);
    }
    uri.host = host;
    if (port) uri.port = read_port(*port);
  }

  void check_name(std::string_view host) const {
    if (family_of(host) == Family::v6) return;
    if (host.find(':') != std::string_view::npos)
      fault("has a host with colons; an IPv6 address goes in brackets");
    for (const char c : host)
      if (!is_letter_or_digit(c) && c != '-' && c != '.' && c != '_')
        fault("has a host with other characters than A-Z a-z 0-9 - . _");
  }

  std::uint16_t read_port(std::string_view digits) const {
    const auto port = rtsync::read_number<std::uint16_t>(digits);
    if (!port) fault("has the port '" + std::string(digits) + "', which is not 0 .. 65535");
    return *port;
  }

  std::string_view text_;
  bool registry_;
};

std::string host_and_port(const std::string& host, std::uint16_t port) {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

}  // namespace

std::uint64_t hash64(std::string_view text) {
  std::uint64_t hash = 5381;
  for (const char c : text) {
    const std::uint64_t byte = static_cast<unsigned char>(c);
    hash = hash * 33 + byte - (byte < 0x80 ? 0U : 0x100U);
  }
  return hash;
}

std::string Uri::text() const {
  if (scheme == Scheme::local) return "local://" + path;
  const std::string where = host_and_port(host, port);
  if (scheme == Scheme::tcp) return "tcp://" + where;
  return "silkit://" + where + (simulation.empty() ? "" : "/" + simulation);
}

bool Uri::catches_all() const { return scheme != Scheme::local && (host == "0.0.0.0" || host == "::"); }

bool Uri::is_loopback() const { return scheme == Scheme::local || is_loopback_host(host); }

bool is_address(std::string_view host) { return family_of(host) != Family::other; }

Uri parse_uri(std::string_view text) { return UriText(text, false).read(); }

Uri parse_registry_uri(std::string_view text) { return UriText(text, true).read(); }

// ---- domain sockets

std::uint64_t path_hash(std::string_view text) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  const auto mix = [](std::uint64_t value) { return value ^ (value >> 47U); };
  std::uint64_t hash = 0xc70f6907U ^ (text.size() * kFactor);
  for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(text.size(), 8))) {
    std::uint64_t group = 0;
    std::memcpy(&group, text.data(), std::min<std::size_t>(text.size(), 8));
    if (text.size() >= 8) group = mix(group * kFactor) * kFactor;
    hash = (hash ^ group) * kFactor;
  }
  return mix(mix(hash) * kFactor);
}

std::string in_file_name(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_letter_or_digit(c) || c == '_' || c == '-' || c == '.' || c == '~')
      name += c;
    else
      name += {kDigits[byte >> 4U], kDigits[byte & 0xFU]};
  }
  return name;
}

std::filesystem::path temporary_folder() {
  for (const char* const name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here writes the environment
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return "/tmp";
}

std::filesystem::path socket_path(std::string_view name, std::uint64_t id, std::string_view unique,
                                  const std::filesystem::path& working_folder) {
  constexpr std::size_t kShort = 10;
  std::string file = in_file_name(name).substr(0, kShort);
  const std::string who_and_where =
      std::string(name) + std::to_string(id) + std::string(unique) + working_folder.string();
  std::array<char, 16> hex{};
  const auto [end, error] = std::to_chars(hex.data(), hex.data() + hex.size(), path_hash(who_and_where), 16);
  file.append(hex.data(), end);
  return temporary_folder() / (file + ".silkit");
}

// ---- acceptors

namespace {

std::optional<Uri> uri_or_nothing(const std::string& text) {
  try {
    return parse_uri(text);
  } catch (const std::invalid_argument&) {  // a peer's affair: it may have others
    return std::nullopt;
  }
}

}  // namespace

std::vector<Uri> in_connect_order(const std::vector<std::string>& acceptors) {
  std::vector<Uri> uris;
  for (const std::string& acceptor : acceptors)
    if (std::optional<Uri> uri = uri_or_nothing(acceptor)) uris.push_back(*std::move(uri));
  const auto rank = [](const Uri& uri) {
    return uri.scheme == Uri::Scheme::local ? 0 : 1 + static_cast<int>(family_of(uri.host));
  };
  std::ranges::stable_sort(uris, [&](const Uri& a, const Uri& b) { return rank(a) < rank(b); });
  return uris;
}

namespace {

/// One end of a stream as the registry sees it: an address, or nothing for a domain socket.
class End {
 public:
  explicit End(const std::optional<std::string>& address) : address_(address.value_or("")) {
    // An IPv4 peer of a socket for both families.
    if (address_.starts_with("::ffff:") && family_of(std::string_view(address_).substr(7)) == Family::v4)
      address_.erase(0, 7);
    local_ = !address || is_loopback_host(address_);
  }
  bool local() const { return local_; }
  /// The URI of a port there, when the address is of this family.
  void add_to(std::vector<std::string>& uris, Family family, std::uint16_t port) const {
    if (family_of(address_) == family) uris.push_back("tcp://" + host_and_port(address_, port));
  }

 private:
  std::string address_;
  bool local_;
};

}  // namespace

std::vector<std::string> rewritten_acceptors(const std::vector<std::string>& acceptors,
                                             const std::optional<std::string>& advertised_from,
                                             const std::optional<std::string>& audience_at) {
  const End advertised(advertised_from);
  const End audience(audience_at);
  std::vector<std::string> uris;
  for (const std::string& acceptor : acceptors) {
    const std::optional<Uri> uri = uri_or_nothing(acceptor);
    if (!uri || uri->scheme != Uri::Scheme::tcp || !uri->catches_all()) {
      uris.push_back(acceptor);
      continue;
    }
    const Family family = family_of(uri->host);
    if (advertised.local()) {
      if (audience.local()) End(family == Family::v4 ? "127.0.0.1" : "::1").add_to(uris, family, uri->port);
      audience.add_to(uris, family, uri->port);
    }
    advertised.add_to(uris, family, uri->port);
  }

  // Sorted by when to try them: sockets, then loopback for those who are local, and last for the others.
  std::vector<std::pair<int, std::string>> ranked;
  for (std::string& text : uris) {
    const std::optional<Uri> uri = uri_or_nothing(text);
    const bool socket = uri && uri->scheme == Uri::Scheme::local;
    const bool loopback = uri && uri->is_loopback();
    ranked.emplace_back(socket ? 0 : loopback == audience.local() ? 1 : 2, std::move(text));
  }
  std::ranges::sort(ranked);
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
  uris.clear();
  for (auto& [rank, text] : ranked) uris.push_back(std::move(text));
  return uris;
}

// ---- capabilities

std::string capabilities_text(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const auto text_of = [](const std::string& name) { return "{\"name\":" + json_quoted(name) + "}"; };
  return "[" + rtsync::joined(names, ",", text_of) + "]";
}

bool has_capability(std::string_view capabilities, std::string_view name) {
  try {
    for (const Item& item : read_items(capabilities))
      for (const auto& [member, value] : item)
        if (member == "name" && value == name) return true;
  } catch (const WireError&) {
  }
  return false;
}

}  // namespace tactus::silkit
