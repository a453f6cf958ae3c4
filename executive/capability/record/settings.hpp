// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.hpp"
#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/record/record_decimation.hpp"

namespace tactus::executive {

/// `trigger` of a recording: around which records it writes.
struct TriggerSection {
  Origin origin;
  bool present = false;
  Located<std::string> when;
  Nanoseconds before{0};
  Nanoseconds after{0};
  bool operator==(const TriggerSection&) const = default;
};

/// `decimate` of a recording: what becomes of many records.
struct DecimateSection {
  Origin origin;
  bool present = false;
  Located<Period> to{};
  RecordDecimation::Keep keep = RecordDecimation::Keep::min_max;
  bool operator==(const DecimateSection&) const = default;
};

struct RecordingSettings {
  std::string name;
  Origin origin;
  Located<std::string> driver{"csv"};
  std::optional<Period> every;
  std::vector<Located<std::string>> variables;
  bool on_change = false;
  TriggerSection trigger;
  DecimateSection decimate;
  Budget budget{};  ///< budget of a record
  std::optional<Located<std::int64_t>> optional;
  config::Node device = config::Node::map({});  ///< the driver's own keys
  bool operator==(const RecordingSettings&) const = default;
};

/// The keys of recordings.
struct RecordSettings {
  std::vector<RecordingSettings> recordings;  ///< `record`
  Nanoseconds flush_every{200'000'000};       ///< interval of flushing recordings to the operating system
  bool frame_log = true;
  bool operator==(const RecordSettings&) const = default;
};

/// The table of a recording.                                                                   @when setup
const config::Fields<RecordingSettings>& recording_fields();

/// Keys and plan of recordings and of the frame log.
extern const CapabilitySection kRecordSection;

}  // namespace tactus::executive
