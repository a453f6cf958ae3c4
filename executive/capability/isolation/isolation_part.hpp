// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/frame/executive.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/isolation/isolation.hpp"

namespace tactus::executive {

/// Handles the end of an isolated model's process that did not fail its job: `on_crash: freeze`,
/// `safe_state`, `replace`.
class IsolationPart final : public FramePart {
 public:
  /// Both must outlive it. @when setup
  IsolationPart(Isolation& isolation, Executive& executive) : isolation_(isolation), executive_(executive) {}

  const char* name() const TACTUS_RT override { return "isolated models"; }
  void end_frame(std::int64_t) TACTUS_RT override { take_lost(); }
  void freeze_frame(const Frozen&) TACTUS_RT override { take_lost(); }
  void resume() TACTUS_RT override {
    for (IsolatedModel& model : isolation_.models()) model.refuse_from_now();
  }
  const char* stays() const TACTUS_RT override {
    for (const IsolatedModel& model : isolation_.models())
      if (const char* const why = model.stays()) return why;
    return nullptr;
  }

 private:
  void take_lost() TACTUS_RT {
    for (IsolatedModel& model : isolation_.models()) {
      if (!model.take_lost()) [[likely]]
        continue;
      executive_.status().lose_model();
      if (model.on_crash() == OnCrash::safe_state) executive_.drive_outputs_safe();
      if (model.on_crash() != OnCrash::replace) executive_.request_pause();
    }
  }

  Isolation& isolation_;
  Executive& executive_;
};

}  // namespace tactus::executive
