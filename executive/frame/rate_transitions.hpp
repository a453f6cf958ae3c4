// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "executive/frame/stuck_mark.hpp"

namespace tactus::executive {

/// The data exchange of asynchronous workers at the boundaries of frames. Workers are bits here, in the order
/// of Program::async_workers(). A worker that fails, or is stuck, fails the JobRunner.
///
/// Threads  the rig's main thread.
/// RT       what is marked so.
class RateTransitions {
 public:
  RateTransitions(Program& program, JobRunner& jobs, ModelRequests& requests, RigStatus& status,
                  const StuckMark& stuck, const FrameRow& row)
      : program_(program), jobs_(jobs), requests_(requests), status_(status), stuck_(stuck), row_(row) {}

  /// Publishes the outputs of the workers that are due before frame k, latches their inputs and releases
  /// them. False: one has failed.                                                                   @when rt
  bool run(std::int64_t k) TACTUS_RT;
  /// The workers whose memory may be touched while the rig stands before frame k.                   @when rt
  std::uint64_t idle(std::int64_t k) TACTUS_RT;
  /// Publishes what these workers have written to the others.                                       @when rt
  void publish(std::uint64_t workers) TACTUS_RT;
  /// Publishes the outputs of all workers before the first frame.                                @when setup
  void publish_all() TACTUS_RT;
  /// Returns true if the state is complete before frame k: no worker is in the middle of its period. One that
  /// must finish there is waited for. @when rt
  bool state_complete(std::int64_t k) TACTUS_RT;
  /// Explains why the state is not complete after the last frame, before frame k; empty: it is. @when service
  std::string incomplete(std::int64_t k) const;
  /// All workers have ended what they were released for.                                            @when rt
  bool all_idle() TACTUS_RT;
  /// Waits until they have. False: one has failed, or is stuck.                            @when rt
  bool join() TACTUS_RT;
  /// Releases at which a thread was still busy; 0 of one that is not asynchronous. After the last frame.
  std::int64_t skipped(std::size_t thread) const {
    const AsyncWorker* const worker = program_.async_worker(thread);
    return worker == nullptr ? 0 : worker->skipped;
  }

 private:
  bool find_due(std::int64_t k, std::uint64_t& due) TACTUS_RT;
  bool wait_for(AsyncWorker& worker) TACTUS_RT;
  bool fail() TACTUS_RT {
    jobs_.set_failed();
    return false;
  }

  Program& program_;
  JobRunner& jobs_;
  ModelRequests& requests_;
  RigStatus& status_;
  const StuckMark& stuck_;
  const FrameRow& row_;
};

}  // namespace tactus::executive
