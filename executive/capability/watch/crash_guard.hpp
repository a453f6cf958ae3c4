// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/frame/executive.hpp"
#include "rtsync/crash/crash_handler.hpp"

namespace tactus::executive {

/// Drives the outputs safe in a crash, as long as it lives, and names what ran, before the crash ends the
/// process.
class CrashGuard {
 public:
  /// The executive must outlive it. @when setup
  explicit CrashGuard(Executive& executive) {
    if (!executive.plan().safe_outputs.empty())
      handler_.add([](void* rig) TACTUS_RT { return static_cast<Executive*>(rig)->end_outputs_safe(); },
                   &executive);
    handler_.set_place(
        [](void* runner) TACTUS_RT {
          const auto& jobs = *static_cast<const JobRunner*>(runner);
          return rtsync::CrashHandler::Ran{jobs.running_job(), jobs.in_foreign_thread()};
        },
        &executive.jobs());
  }

 private:
  rtsync::CrashHandler handler_;
};

}  // namespace tactus::executive
