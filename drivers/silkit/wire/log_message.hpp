// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "drivers/silkit/wire/members.hpp"

namespace tactus::silkit {

namespace message_type {
inline constexpr std::string_view kLogMessage = "LOGMSG";
}  // namespace message_type

/// A place in a source. This library leaves it empty.
struct SourcePlace {
  std::string file{};
  std::uint32_t line = 0;
  std::string function{};
  static auto members(auto& self) { return std::tie(self.file, self.line, self.function); }
};
/// A line for the log of another participant.
struct LogMessage {
  std::string owner;         ///< the participant whose line it is
  std::uint32_t level = 2;   ///< 0 trace .. 5 critical
  std::int64_t wall_us = 0;  ///< time since 1970
  std::string text;
  std::vector<std::pair<std::string, std::string>> values;  ///< trailing
  std::string topic;                                        ///< trailing
  SourcePlace place{};
  static auto members(auto& self) {
    return std::tie(self.owner, self.level, self.wall_us, self.place, self.text);
  }
  static auto trailing(auto& self) { return std::tie(self.values, self.topic); }
};

}  // namespace tactus::silkit
