// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Things of one kind that are switched by name in the frames: faults, stimuli, recordings. The part of a capability
/// that has such things is one, and says so in joined(); events, sequences and clients turn them.
///
/// Threads  the rig's main thread, within a hook.
/// RT       turn().
class SwitchRow {
 public:
  /// `kind`: "fault". A text that stays.
  explicit SwitchRow(const char* kind) : kind_(kind) {}
  SwitchRow(const SwitchRow&) = delete;
  SwitchRow& operator=(const SwitchRow&) = delete;
  virtual ~SwitchRow() = default;

  const char* kind() const TACTUS_RT { return kind_; }
  /// Switches a thing on or off, from the next frame's StepBegin on. `number`: its place in Plan::switches.  @when rt
  virtual void turn(std::uint32_t number, bool on) TACTUS_RT = 0;

 private:
  const char* const kind_;
};

}  // namespace tactus::executive
