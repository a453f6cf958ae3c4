// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "drivers/silkit/api/participant.hpp"

namespace tactus::silkit {

/// Applies the configuration, which wins over a call; the log names where they differ. `what`: "topic",
/// `service`: "publisher P".
template <class Value>
void configure(Participant& participant, const std::string& what, const std::string& service,
               const std::optional<Value>& configured, Value& value) {
  if (!configured || *configured == value) return;
  std::string text = what + ' ';
  if constexpr (std::is_same_v<Value, std::string>)
    text += value + " of " + service + " is " + *configured + " by configuration";
  else
    text += "of " + service + " are those of the configuration";
  participant.logger().say_about(LogTopic::participant, LogSink::Level::info, text);
  value = *configured;
}

}  // namespace tactus::silkit
