// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// The type that a word names ("int32"); nothing: none does.
const tactus_type* type_named(const std::string& word);

/// Puts the values of records one after another, without gaps, as the files hold them: a bool is 0 or 1, even
/// where a model wrote another byte.
class RowPacker {
 public:
  explicit RowPacker(const executive::RecordingHead& head);

  /// Size of a row without the time.
  std::size_t bytes() const { return bytes_; }
  /// Appends the values of a record. @when service
  void append(std::string& to, const std::byte* record) const;

 private:
  struct Run {
    std::size_t offset, bytes;
  };
  std::vector<Run> runs_;           // what stands one behind another in the record
  std::vector<std::size_t> bools_;  // in the row
  std::size_t bytes_ = 0;
};

/// The same head, with columns one after another.  @when service
executive::RecordingHead packed(executive::RecordingHead head);

/// The columns whose names are there for the first time: formats with names as keys write those.
std::vector<std::size_t> first_of_each_name(const executive::RecordingHead& head);

}  // namespace tactus::drivers::record
