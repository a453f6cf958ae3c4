// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "executive/frame/command_queue.hpp"
#include "executive/frame/program.hpp"
#include "executive/model/model_instance.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// Requests of models to the rig. A request of a job that runs beside others waits in its lane until the end
/// of the instant, or in its asynchronous worker until the rate transition: which thread is quicker changes
/// nothing.
///
/// Threads  ModelServices: any. set_lane(), set_async_worker(): the thread that runs jobs. The rest: the
///          rig's main thread.
/// RT       everything but the constructor.
class ModelRequests final : public ModelServices {
 public:
  ModelRequests(Program& program, CommandQueue& commands, rtsync::RealtimeSync& sync)
      : program_(program), commands_(commands), sync_(sync) {}

  /// Switches a job by its name; false when there is none. One of a cyclic class follows from the next
  /// instant on.
  bool enable_job(std::string_view name, bool on) TACTUS_RT override;
  bool call_at(std::string_view model, std::string_view job, std::int64_t sim_time_ns) TACTUS_RT override;
  bool command(tactus_command command, std::int64_t value) TACTUS_RT override;
  /// Real-time synchronization from the end of the frame on; ignored after forbid_realtime().
  void set_realtime(bool on) TACTUS_RT override;
  std::optional<std::int64_t> frame_of(const ModelInstance& model) TACTUS_RT override;
  /// --no-realtime: whatever a model asks for.                                                    @when setup
  void forbid_realtime() { realtime_allowed_ = false; }
  bool realtime_allowed() const TACTUS_RT { return realtime_allowed_; }
  /// A rig that begins paused: initialization jobs may not pause, resume or step it. @when setup, before any frame
  void hold_pace(bool yes) { pace_held_ = yes; }

  /// Sets the lane whose jobs this thread runs from here on; nullptr: none.
  static void set_lane(Lane* lane) TACTUS_RT { lane_ = lane; }
  static void set_async_worker(AsyncWorker* worker) TACTUS_RT { worker_ = worker; }
  /// Takes what waits in the lanes, in the order of the plan.
  void take_from_lanes() TACTUS_RT;
  /// Takes what waits in a worker that is idle.
  void take_from(AsyncWorker& worker) TACTUS_RT;

 private:
  bool apply(tactus_command command, std::int64_t value) TACTUS_RT;

  static constinit inline thread_local Lane* lane_ = nullptr;
  static constinit inline thread_local AsyncWorker* worker_ = nullptr;
  Program& program_;
  CommandQueue& commands_;
  rtsync::RealtimeSync& sync_;
  bool realtime_allowed_ = true;
  bool pace_held_ = false;
};

}  // namespace tactus::executive
