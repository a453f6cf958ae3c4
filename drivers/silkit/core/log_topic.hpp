// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus::silkit {

/// Topic of a log line; the numbers and names are SIL Kit's.
enum class LogTopic : std::uint32_t {
  none = 0,
  user = 1,
  life_cycle = 2,
  system_state = 3,
  message_tracing = 4,
  service_discovery = 5,
  asio = 6,
  time_sync = 7,
  participant = 8,
  time_config = 9,
  request_reply = 10,
  system_monitor = 11,
  can = 12,
  ethernet = 13,
  flexray = 14,
  lin = 15,
  metrics = 16,
  pubsub = 17,
  rpc = 18,
  tracing = 19,
  dashboard = 20,
  netsim = 21,
  extension = 22,
};

/// "LifeCycle"; "None" for a number that is no topic.
std::string_view name_of(LogTopic topic);
/// Topic of a name in any case; nothing: there is none of it.
std::optional<LogTopic> log_topic(std::string_view name);

/// Returns true if two words differ in the case of their letters at most.
bool same_word(std::string_view a, std::string_view b);

}  // namespace tactus::silkit
