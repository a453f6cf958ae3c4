// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/log_topic.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tactus::silkit {
namespace {

constexpr std::array<std::string_view, 23> kTopicNames{
    "None", "User",     "LifeCycle",   "SystemState", "MessageTracing", "ServiceDiscovery",
    "Asio", "TimeSync", "Participant", "TimeConfig",  "RequestReply",   "SystemMonitor",
    "Can",  "Ethernet", "Flexray",     "Lin",         "Metrics",        "Pubsub",
    "Rpc",  "Tracing",  "Dashboard",   "NetSim",      "Extension"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view name_of(LogTopic topic) {
  const auto index = static_cast<std::size_t>(topic);
  return index < kTopicNames.size() ? kTopicNames[index] : kTopicNames[0];
}

std::optional<LogTopic> log_topic(std::string_view name) {
  for (std::size_t i = 0; i < kTopicNames.size(); ++i)
    if (same_word(name, kTopicNames[i])) return static_cast<LogTopic>(i);
  return std::nullopt;
}

}  // namespace tactus::silkit
