// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Labels of publishers and subscribers: as the text of an attribute, and whether two sides match.
///
/// Threads  functions without state.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::silkit {

enum class LabelKind : std::uint32_t { undefined = 0, optional = 1, mandatory = 2 };

struct Label {
  std::string key;
  std::string value;
  LabelKind kind = LabelKind::undefined;
  friend bool operator==(const Label&, const Label&) = default;
};
using Labels = std::vector<Label>;

/// One line, sorted by key, every key and value in double quotes: [{"key":"K","value":"V","kind":2}]
std::string labels_text(const Labels& labels);
/// Reads the flow and the block spelling; a plain scalar always stands for its own characters. Throws
/// WireError for what is neither.
Labels read_labels(std::string_view text);

/// A label of either side is looked up by key on the other: absent, a mandatory one fails the match; present,
/// the values have to be equal.
bool labels_match(const Labels& a, const Labels& b);

/// Topic, media type and labels that a subscriber wants of a publisher.
struct TopicSpec {
  std::string topic;
  std::string media_type;
  Labels labels;
};
/// Topics are equal; media types are equal or the subscriber's is empty; labels match.
bool topics_match(const TopicSpec& publisher, const TopicSpec& subscriber);

}  // namespace tactus::silkit
