// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Keeps threads that tactus did not create away from the frames: those that a model's library started
/// inherit the CPUs of the thread that started them, and those of a real-time job its CPU. They are known by
/// not being ours.
///
/// Threads  the service thread.
class ForeignThreads final : public Capability {
 public:
  explicit ForeignThreads(RunContext& run) : run_(run) {}

  void start() override { run_.add(move()); }
  void poll_seldom(RunVoice& voice) override;

 private:
  std::vector<rtsync::Provision> move() const;

  RunContext& run_;
};

}  // namespace tactus::executive
