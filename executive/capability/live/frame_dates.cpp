// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/frame_dates.hpp"

#include <utility>

#include "config/date.hpp"

namespace tactus::executive {

using rtsync::Wide;

std::string FrameDates::date_of(std::int64_t frame_number) const {
  return config::print_date(epoch_ns + frame.times(frame_number).count());
}

std::optional<std::int64_t> FrameDates::frame_of(const std::string& date, std::int64_t least,
                                                 std::int64_t most, std::string& problem) const {
  const auto refuse = [&problem](std::string why) {
    problem = std::move(why);
    return std::nullopt;
  };
  const config::ParsedDate parsed = config::parse_date(date);
  if (!parsed) return refuse(parsed.problem);
  const Wide since = static_cast<Wide>(*parsed.ns) - epoch_ns;
  if (since < 0) return refuse("'" + date + "' is before the epoch of the rig, " + date_of(0));
  const Wide nearest = (since * frame.den() + frame.num() / 2) / frame.num();
  if (nearest > INT64_MAX / 2) return refuse("'" + date + "' is later than any frame");
  const auto k = static_cast<std::int64_t>(nearest);
  // A frame whose start is no whole nanosecond may be named by the one before or after.
  const Wide start = static_cast<Wide>(k) * frame.num();
  const Wide floor = start / frame.den();
  const Wide ceil = (start + frame.den() - 1) / frame.den();
  if (since == floor || since == ceil) return k;
  const std::int64_t before = since < floor ? k - 1 : k;
  if (before + 1 < least) return before;
  if (before >= most) return before + 1;
  return refuse("'" + date + "' is between two frames; choose " +
                (before < least ? "" : date_of(before) + " or ") + date_of(before + 1));
}

}  // namespace tactus::executive
