// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// The type that a word names ("int32"); nothing: none does.
const tactus_type* type_named(const std::string& word);

/// The same head, with columns one after another.  @when service
executive::RecordingHead packed(executive::RecordingHead head);

/// The columns whose names are there for the first time: formats with names as keys write those.
std::vector<std::size_t> first_of_each_name(const executive::RecordingHead& head);

}  // namespace tactus::drivers::record
