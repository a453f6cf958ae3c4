// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// A record as a protobuf message, "motor.speed" as field `speed` of field `motor`. All fields are of fixed
/// width and always there, so that each message of a recording is as long as the others: a record is copied
/// into the same bytes at the same places.
///
/// A name that protobuf does not allow is changed: `force[2]` becomes force_2, `r[0][1]` r_0_1. Of a name
/// that occurs twice there is one field.
class McapMessage {
 public:
  explicit McapMessage(const executive::RecordingHead& head);

  /// "tactus.motion"
  const std::string& type_name() const { return type_name_; }
  /// A FileDescriptorSet, which describes the type.
  const std::string& schema() const { return schema_; }
  std::size_t bytes() const { return pattern_.size(); }
  /// Place in a message of the value of each column of the head.
  const std::vector<std::size_t>& places() const { return places_; }
  /// Appends the message of a record. @when service
  void append(std::string& to, const std::byte* record) const;

 private:
  struct Value {
    std::size_t from, to;  // in the record, in the message
    tactus_type type;
  };
  std::string type_name_;
  std::string schema_;
  std::string pattern_;  // a message with zeros for all values
  std::vector<Value> values_;
  std::vector<std::size_t> places_;
};

/// Width of a value in a message: at least as wide as the variable.
std::size_t mcap_width(tactus_type type);
/// Puts it where a record holds it. False: it is beyond the variable's type.
bool mcap_value(tactus_type type, const char* from, std::byte* to);

}  // namespace tactus::drivers::record
