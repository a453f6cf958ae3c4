// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "config/json.hpp"
#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// Describes a recording as JSON, for formats that have no place for all of it:
///
///     {"recording": "motion", "epoch": "1970-01-01T00:00:00+00:00", "columns": [
///       {"name": "motor.state", "type": "int32", "unit": "", "about": "...", "labels": {"idle": 0, "run": 1}}]}
///
/// `about` and `labels` are left out where there are none; `words`: true where text holds the names. @when
/// service
config::Json head_json(const executive::RecordingHead& head);

/// Reads it back. Throws std::runtime_error with what is wrong.
executive::RecordingHead head_from_json(const config::Json& json);
executive::RecordingHead head_from_text(std::string_view text);

}  // namespace tactus::drivers::record
