// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Addresses: where a registry listens, where participants accept; and the hashes in names and paths.
///
/// Threads  functions without state.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::silkit {

/// Id of a participant's name: h = 5381; h = h * 33 + each byte as signed char, modulo 2^64.
std::uint64_t hash64(std::string_view text);

inline constexpr std::uint16_t kDefaultPort = 8500;
inline constexpr std::string_view kRegistryName = "SilKitRegistry";

struct Uri {
  enum class Scheme : std::uint8_t { silkit, tcp, local };
  Scheme scheme = Scheme::silkit;
  std::string host{};        ///< silkit, tcp; IPv6 without brackets
  std::uint16_t port = 0;    ///< silkit: 8500 if none is given
  std::string simulation{};  ///< silkit: "" is the default simulation
  std::string path{};        ///< local

  std::string text() const;  ///< IPv6 hosts in brackets
  /// 0.0.0.0 or ::
  bool catches_all() const;
  /// localhost, 127.x.x.x, ::1, or a path.
  bool is_loopback() const;
  friend bool operator==(const Uri&, const Uri&) = default;
};
/// Returns true if a host is an IP address, not a name that has to be looked up.
bool is_address(std::string_view host);
/// Throws std::invalid_argument naming the URI, what is wrong with it, and how one looks.
Uri parse_uri(std::string_view text);
/// The same with only one scheme allowed.
Uri parse_registry_uri(std::string_view text);

/// A text as part of a file's name: of other characters than letters, digits and _-.~ the number, in hex.
std::string in_file_name(std::string_view text);
/// Number of a text in the names of domain sockets: that of the GNU standard library on 64 bit.
std::uint64_t path_hash(std::string_view text);

/// The domain socket of a participant or the registry: temporary folder, the beginning of the name, and a
/// hash of the participant and the place. `unique`: the registry's URI as the user wrote it; for the registry
/// its own with the real port. Throws nothing; a name of any bytes is allowed.
std::filesystem::path socket_path(std::string_view name, std::uint64_t id, std::string_view unique,
                                  const std::filesystem::path& working_folder);
/// First non-empty of TMPDIR, TMP, TEMP, TEMPDIR; else /tmp.
std::filesystem::path temporary_folder();

/// URIs in the order to try them: domain sockets, IPv4, IPv6, others; stable. Invalid texts are left out.
std::vector<Uri> in_connect_order(const std::vector<std::string>& acceptors);

/// Acceptors of a participant as the registry announces them to another: a catch-all address becomes those
/// under which the first can be reached. `advertised_from`: the remote address of the advertised one's
/// stream; `audience_at`: the registry's own address on the audience's stream; nothing: a domain socket.
std::vector<std::string> rewritten_acceptors(const std::vector<std::string>& acceptors,
                                             const std::optional<std::string>& advertised_from,
                                             const std::optional<std::string>& audience_at);

/// Capabilities as announced: a JSON array of objects with a name.
std::string capabilities_text(const std::vector<std::string>& names);
/// Returns true if such a text names the capability; a text that cannot be read names none.
bool has_capability(std::string_view capabilities, std::string_view name);

}  // namespace tactus::silkit
