// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Calendar dates: ISO 8601, strictly `YYYY-MM-DDThh:mm:ss`, a fraction of up to nine digits or none, and a
/// zone: `Z` or `+hh:mm` or `-hh:mm`, up to 23:59 either way (no zone of the world is that far from UTC).
///
/// Units    nanoseconds since 1970-01-01T00:00:00Z, without leap seconds (a second 60 is refused).
/// Range    1678-01-01T00:00:00Z .. 2261-12-31T23:59:59.999999999Z: what 64 bits of nanoseconds hold.
/// Threads  any.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::config {

struct ParsedDate {
  std::optional<std::int64_t> ns;
  std::string problem{};  ///< reason why it is not a date: what is wrong where, and how one is written
  explicit operator bool() const { return ns.has_value(); }
};
ParsedDate parse_date(std::string_view text);

/// `2005-02-15T00:00:00.5+00:00`: in UTC, with as many digits as it needs; reads back to the same.
std::string print_date(std::int64_t ns);

}  // namespace tactus::config
