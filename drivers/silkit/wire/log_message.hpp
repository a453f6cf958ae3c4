// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drivers/silkit/wire/bytes.hpp"

namespace tactus::silkit {

namespace message_type {
inline constexpr std::string_view kLogMessage = "LOGMSG";
}  // namespace message_type

/// A line for the log of somebody else.
struct LogMessage {
  std::string owner;         ///< the participant whose line it is
  std::uint32_t level = 2;   ///< 0 trace .. 5 critical
  std::int64_t wall_us = 0;  ///< since 1970
  std::string text;
  std::vector<std::pair<std::string, std::string>> values;  ///< trailing
  std::string topic;                                        ///< trailing
};
void encode_body(Bytes& out, const LogMessage& message);
LogMessage decode_log_message(ByteView body);

}  // namespace tactus::silkit
