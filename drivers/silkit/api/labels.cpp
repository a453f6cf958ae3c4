// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/labels.hpp"

#include <string>

#include "drivers/silkit/api/errors.hpp"

namespace tactus::silkit {

Labels labels_of(const SilKit_LabelList& list, const char* name) {
  if (list.numLabels > 0) require(list.labels, name);
  Labels labels;
  for (std::size_t i = 0; i < list.numLabels; ++i) {
    const SilKit_Label& label = list.labels[i];
    require_text(label.key, "the key of a label");
    require_text(label.value, "the value of a label");
    if (label.kind != SilKit_LabelKind_Optional && label.kind != SilKit_LabelKind_Mandatory)
      throw Refusal(Code::configuration, std::string("label ") + label.key + ": its kind is " +
                                             std::to_string(label.kind) +
                                             ", not optional (1) or mandatory (2)");
    labels.push_back({label.key, label.value, static_cast<LabelKind>(label.kind)});
  }
  return labels;
}

}  // namespace tactus::silkit
