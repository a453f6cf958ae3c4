// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "executive/record/record_filter.hpp"

namespace tactus::executive {

/// Lets a record pass when a value is another than in the record before: the bytes are compared, as Trick
/// does. The first one always passes.
class RecordChanges final : public RecordFilter {
 public:
  std::vector<RecordColumn> columns(std::vector<RecordColumn> before) override;
  void take(const std::byte* record) override;

 private:
  std::size_t bytes_ = 0;          // of all columns
  std::vector<std::byte> last_{};  // their values; empty: none yet
};

}  // namespace tactus::executive
