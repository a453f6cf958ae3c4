// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "drivers/silkit/api/errors.hpp"
#include "drivers/silkit/api/labels.hpp"
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

/// Reads the topic of a service from what a call says, or the function in its place; the configuration wins, where it has
/// `settings` for the service. `parameter`, `member`: names of `spec` and of `text` in it; `word`: "topic", or
/// "function". Throws Refusal naming what is null or wrong.
template <class Spec>
TopicSpec topic_of(Participant& participant, const std::string& service, const ServiceSettings* settings,
                   const Spec& spec, const std::string& parameter, const char* text, const char* member,
                   const char* word) {
  require_text(text, (parameter + "->" + member).c_str());
  require_text(spec.mediaType, (parameter + "->mediaType").c_str());
  TopicSpec made{text, spec.mediaType, labels_of(spec.labelList, (parameter + "->labelList.labels").c_str())};
  if (settings == nullptr) return made;
  configure(participant, word, service, settings->topic, made.topic);
  configure(participant, "labels", service, settings->labels, made.labels);
  return made;
}

}  // namespace tactus::silkit
