// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executive/driver/safe_output.hpp"
#include "executive/isolation/isolated_model.hpp"

namespace tactus::executive {

/// The outputs of a driver's model that is isolated: a thread of its process, which does nothing else, drives them
/// safe. One that does not answer within the guardian's timeout is killed: then the guardian drives them. Of a rig
/// that is killed another thread of that process hears, which does the same.
///
/// Threads  as SafeOutput; opened(): setup.
class IsolatedOutput final : public SafeOutput {
 public:
  explicit IsolatedOutput(IsolatedModel& model) : model_(model) {}

  /// Notes the request: from here on there are outputs to be driven. @when setup
  void opened(const OpenRequest& request);
  bool drive_safe() TACTUS_RT override;
  const char* frame_ended() TACTUS_RT override { return opened_.load() ? model_.frame_ended() : nullptr; }
  void frames_begin() noexcept override;
  void frames_ended() noexcept override;

 private:
  IsolatedModel& model_;
  std::atomic<bool> opened_{false};
  bool guarded_ = false;
  rtsync::Nanoseconds timeout_{};
};

}  // namespace tactus::executive
