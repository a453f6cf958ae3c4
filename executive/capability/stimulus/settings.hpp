// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "config/fields.hpp"
#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The key of all stimuli, as it is in the rig file.
struct StimuliSettings {
  config::Node stimuli = config::Node::map({});
  bool operator==(const StimuliSettings&) const = default;
};

/// Settings of a stimulus as a whole.
struct StimulusSettings {
  Origin origin;
  Located<std::string> on;  ///< variable; empty: the entry's key is one
  config::Node segments{};
  std::optional<Nanoseconds> at;
  std::optional<std::int64_t> frame;
  bool switched = false;
  bool loop = false;
  Nanoseconds blend{0};
  bool releases = false;       ///< the variable has its own value again after the last segment
  Located<std::string> event;  ///< it begins each time when this event fires; empty: none
};

/// One segment: the words are as the keys.
struct SegmentSettings {
  Origin origin;
  config::Node hold{}, step{}, ramp{}, sine{}, chirp{}, square{}, prbs{}, noise{}, table{}, recording{},
      expression{};
  std::optional<Nanoseconds> lasting;
  bool holds = false;  ///< true: a value stays until the next point of a table or recording
};

/// The tables of a stimulus and of a segment.                                                 @when setup
const config::Fields<StimulusSettings>& stimulus_fields();
const config::Fields<SegmentSettings>& segment_fields();

/// Keys and checks of stimuli.
extern const CapabilitySection kStimulusSection;

}  // namespace tactus::executive
