// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executive/driver/model_driver.hpp"
#include "executive/driver/safe_output.hpp"
#include "executive/isolation/isolated_job.hpp"
#include "executive/isolation/model_process.hpp"
#include "executive/isolation/on_crash.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// A model that runs in a process of its own, with its variables as the rig has them. Each call copies them all to
/// the process, and back when the job has returned: what the model writes elsewhere, or between its calls, never
/// reaches the rig.
///
/// Threads  run(): the rig's threads, one at a time. take_lost(), refuse_from_now(): main. lost(),
///          take_log_lines(): service. The rest: setup.
/// RT       run(), and what is marked so; see CallPage.
class IsolatedModel {
 public:
  /// `process`: its place among Isolation::models().
  IsolatedModel(std::size_t process, ModelOrigin origin, OnCrash on_crash);
  IsolatedModel(const IsolatedModel&) = delete;
  IsolatedModel& operator=(const IsolatedModel&) = delete;

  ModelProcess& process() { return process_; }
  const ModelProcess& process() const { return process_; }
  const std::string& name() const { return process_.origin().instance; }
  OnCrash on_crash() const { return on_crash_; }
  /// Once its process was spawned: takes what it declares. Throws ModelRefused.
  void begin();
  /// Description for a ModelInstance with this object as `self`.
  const tactus_model& description() const { return description_; }
  /// Argument of run() for a job, by its place in the declaration.
  void* job(std::size_t index) { return &jobs_.at(index); }
  IsolatedJob& did(std::size_t index) { return jobs_.at(index).did; }
  static int run(void* job, const tactus_call* call) TACTUS_RT;
  /// Opens the device of a driver's model. Throws DeviceError. @when setup
  void open(const OpenRequest& request);
  /// Shows a driver's model the cycle of the job with this place in the declaration. Throws std::runtime_error if it
  /// refuses it. @when setup
  void planned(std::size_t job, const rtsync::Period& cycle);
  /// Reports the end of a frame to its outputs; why the rig must not continue, a text that stays; nullptr:
  /// nothing is wrong, or `on_crash` says what is done about it. @when rt
  const char* frame_ended() TACTUS_RT;
  /// Locks its memory, as the rig's. Nothing: its process has ended.
  std::optional<rtsync::Provision> prepare_memory(bool lock, std::size_t heap);

  /// Its process has ended, and a call has found out.                                              @when any
  bool lost() const TACTUS_RT { return lost_.load(std::memory_order_acquire); }
  /// It was lost since the last time.                                                               @when rt
  bool take_lost() TACTUS_RT { return news_.exchange(false, std::memory_order_relaxed); }
  /// Calls fail from here on if it was lost: the rig was resumed.                                   @when rt
  void refuse_from_now() TACTUS_RT;
  /// Reason why the rig cannot return to an earlier state, a text that stays; nullptr: it can.      @when rt
  const char* stays() const TACTUS_RT;

  /// Name of the job, without the model's, whose call noticed the loss of the process; empty: it was not
  /// lost.
  std::string_view lost_job() const;
  std::int64_t lost_frame() const { return lost_frame_; }
  /// "model 'a', job 'step', frame 7: its process (liba.so, pid 4711) was ended by SIGSEGV (on_crash: freeze)". Only if
  /// it was lost.
  std::string lost_text() const;
  /// Takes the oldest message of a driver's model that waits for the rig's log; also when its process has ended.
  /// @when service
  std::optional<ModelMessage> take_message();
  /// Takes the log lines on the process since the last call.                                   @when service
  std::vector<std::string> take_log_lines();

 private:
  struct Job {
    Job(IsolatedModel* of, std::uint32_t number, tactus_job_class its_class, std::size_t process)
        : model(of), index(number), job_class(its_class), did(process) {}
    IsolatedModel* model;
    std::uint32_t index;
    tactus_job_class job_class;
    IsolatedJob did;
  };
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  static constexpr std::uint32_t kNoJob = UINT32_MAX;
  /// Values of turn_, the turn to call its process, which serves one call at a time. kAwaited: the end of a frame has it,
  /// and a job waits for that.
  static constexpr std::uint32_t kFree = 0, kJob = 1, kEndOfFrame = 2, kAwaited = 3;

  static int declare(const tactus_host* host, void* self);
  int call(Job& job, const tactus_call& call) TACTUS_RT;
  int without(const tactus_call& call) TACTUS_RT;
  bool take_turn() TACTUS_RT;
  void end_turn() TACTUS_RT;
  void lose(std::uint32_t job, std::int64_t frame) TACTUS_RT;
  std::int32_t serve(const CallPage::Request& asked) TACTUS_RT;
  void serve_posts() TACTUS_RT;

  const std::size_t index_;
  const OnCrash on_crash_;
  ModelProcess process_;
  tactus_model description_{};
  ModelDeclaration declaration_;
  std::vector<Line> memory_;  // the variables, as the rig has them
  std::deque<Job> jobs_;
  const tactus_host* host_ = nullptr;
  std::atomic<std::uint32_t> turn_{kFree};
  std::atomic<bool> lost_{false};
  std::atomic<bool> news_{false};
  std::atomic<bool> refuses_{false};
  std::uint32_t lost_job_ = 0;
  std::int64_t lost_frame_ = -1;
  std::int64_t frame_ = -1;  // of the last call
  CallPage::LongText wrong_{};
  bool told_ = false;
};

}  // namespace tactus::executive
