// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/row.hpp"

#include <unordered_set>

namespace tactus::drivers::record {

const tactus_type* type_named(const std::string& word) {
  static constexpr tactus_type kTypes[] = {TACTUS_BOOL,   TACTUS_INT8,  TACTUS_UINT8,  TACTUS_INT16,
                                           TACTUS_UINT16, TACTUS_INT32, TACTUS_UINT32, TACTUS_INT64,
                                           TACTUS_UINT64, TACTUS_FLOAT, TACTUS_DOUBLE};
  for (const tactus_type& type : kTypes)
    if (executive::name_of(type) == word) return &type;
  return nullptr;
}

executive::RecordingHead packed(executive::RecordingHead head) {
  std::size_t offset = sizeof(std::int64_t);
  for (executive::RecordColumn& column : head.columns) {
    column.offset = offset;
    offset += executive::size_of(column.type);
  }
  return head;
}

std::vector<std::size_t> first_of_each_name(const executive::RecordingHead& head) {
  std::unordered_set<std::string> seen;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < head.columns.size(); ++i)
    if (seen.insert(head.columns[i].name).second) first.push_back(i);
  return first;
}

}  // namespace tactus::drivers::record
