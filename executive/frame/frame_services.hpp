// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "executive/driver/live.hpp"
#include "executive/frame/rate_transitions.hpp"
#include "executive/frame/switch_row.hpp"

namespace tactus::executive {

/// Services of the frames for their parts.
///
/// Threads  the rig's main thread, within a hook; plan() and view(): any time.
/// RT       everything but the constructor, view() and nap().
class FrameServices {
 public:
  FrameServices(Program& program, JobRunner& jobs, RateTransitions& transitions, CommandQueue& commands,
                RigStatus& status, rtsync::RealtimeSync& sync)
      : program_(program),
        jobs_(jobs),
        transitions_(transitions),
        commands_(commands),
        status_(status),
        sync_(sync) {}

  const Plan& plan() const TACTUS_RT { return program_.plan(); }
  /// Returns where the other threads' memory is read from between the frames; nullptr: where it lies.
  const void* view(const ModelInstance* model, const void* data, std::size_t bytes) {
    return program_.outside_view(model, data, bytes);
  }
  /// Returns where values are read between the frames, which may be where they lie.                 @when setup
  const void* place_of(const ModelInstance* model, const void* data, std::size_t bytes) {
    const void* const elsewhere = view(model, data, bytes);
    return elsewhere == nullptr ? data : elsewhere;
  }
  /// Counts up whenever the rig gets on.
  std::atomic<std::uint64_t>& progress_counter() { return status_.progress(); }
  /// Runs the jobs of a class. False: one failed.
  bool run_jobs(tactus_job_class job_class, const tactus_call& call) TACTUS_RT {
    return jobs_.run_jobs(job_class, call);
  }
  /// Returns what stimuli and faults make of a model's variables; nullptr: none of them.            @when setup
  ModelOverlay* overlay_of(const ModelInstance* model) { return program_.overlay_of(model); }
  /// Puts true values in place before variables of models are written, of these threads and the frames'.
  void hide_overlays(std::uint64_t threads) TACTUS_RT { program_.hide_overlays(threads); }
  /// A fault makes a job of the plan longer in frame k.
  void mark_injected(std::size_t job, std::int64_t k) TACTUS_RT { program_.mark_injected(job, k); }
  /// Adds memory of a part to the state of the rig, with names that begin with '@'.                 @when setup
  void keep(std::vector<Piece> pieces) { program_.keep(std::move(pieces)); }
  /// Adds things that are switched by name.                                                         @when setup
  void add(SwitchRow& row) { switches_.push_back(&row); }
  /// The things of that kind; nullptr: the rig has none.
  SwitchRow* switches(std::string_view kind) TACTUS_RT {
    for (SwitchRow* const row : switches_)
      if (kind == row->kind()) return row;
    return nullptr;
  }
  /// The asynchronous threads (bits) that are at rest before frame k.
  std::uint64_t idle_async_workers(std::int64_t k) TACTUS_RT { return transitions_.idle(k); }
  /// Publishes what these workers have written to the others.
  void publish_async(std::uint64_t workers) TACTUS_RT { transitions_.publish(workers); }
  /// Returns true if no thread is in the middle of a period before frame k, and nothing has failed: all state
  /// can be copied.
  bool state_complete(std::int64_t k) TACTUS_RT { return !jobs_.failed() && transitions_.state_complete(k); }
  /// Writes pending state of the executive before frame k into the memory that StateImage copies.
  void save_state(std::int64_t k) TACTUS_RT {
    commands_.give_to_state(k, [this](const CommandCall& call) TACTUS_RT {
      (void)program_.enable(call.name, call.command == Command::enable);
    });
    program_.save_state();
  }
  /// The next checkpoint that the rig file wants before frame k; nullptr: none.
  const TimedCommand* next_checkpoint(std::int64_t k) TACTUS_RT { return commands_.next_checkpoint(k); }
  /// Changes from outside were made; how often since the last call.
  void count_changes() TACTUS_RT { ++changes_; }
  std::uint32_t take_changes() TACTUS_RT { return std::exchange(changes_, 0U); }
  /// The commands that were taken since the last call: a bit for each Command.
  std::uint32_t take_taken_commands() TACTUS_RT { return commands_.take_taken(); }
  /// Returns true if the rig is paced, or ends: no wait is allowed.
  bool hurried() const TACTUS_RT { return sync_.active() || commands_.ending(); }
  /// Sleeps for a moment, while the watchdogs know that it waits. Not when hurried().
  void nap() TACTUS_RT {
    status_.mark_idle();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    status_.mark_busy();
  }
  /// A command of a client, taken at the end of the frame.
  void give(const CommandCall& call) TACTUS_RT { commands_.give(call.command, call.value, kByClient); }
  /// Returns true if a pause, resume, step or run_until from outside is still to be taken.
  bool command_waits() const TACTUS_RT { return commands_.waiting(); }
  /// Has a paused rig serve its parts again before its freeze frame ends, behind the commands that wait.
  void serve_again() TACTUS_RT { commands_.poll_while_paused(); }
  /// Switches a job, from the next frame on.
  void enable(std::string_view job, bool on) TACTUS_RT { (void)program_.enable(job, on); }
  /// Asks for a call of a job of class on_event in the next frame. False: there is none of that number.
  bool ask_event_job(std::uint32_t job) TACTUS_RT { return program_.event_jobs().ask(job); }
  /// Changes the ratio of simulated to real time at the end of the frame: 0.001 .. 1000.
  void set_ratio(double ratio) TACTUS_RT { sync_.set_ratio(ratio); }
  /// Takes a checkpoint at the next boundary that CheckpointPart sees. False: too many wait.
  bool take_checkpoint(const TimedCommand& command) TACTUS_RT { return commands_.give_checkpoint(command); }
  /// Drives all outputs to their safe values at once, and pauses the rig at the end of the frame.
  void safe_state() TACTUS_RT {
    for (SafeOutput* const output : plan().safe_outputs)
      if (!output->make_safe()) abort("an output could not be driven to its safe value");
    commands_.give(Command::pause, 0, kByClient);
  }
  /// Forces of a model; nullptr: it can have none.                                                  @when setup
  ModelForces* forces_of(const ModelInstance* model) { return program_.forces_of(model); }
  /// Asynchronous thread of a model, as a bit of idle_async_workers(); 0: none.                     @when setup
  std::uint64_t async_worker_bit(const ModelInstance* model) const {
    return program_.async_worker_bit(model);
  }
  /// Stop or abort at the end of the frame. The reason is kept as a pointer.
  void stop(const char* reason) TACTUS_RT { commands_.request_stop(reason); }
  /// Stops at the end of the frame as the rig file, its test or a model wants.
  void planned_stop(const char* reason) TACTUS_RT { commands_.request_planned_stop(reason); }
  void abort(const char* reason) TACTUS_RT { commands_.request_abort(reason); }

 private:
  Program& program_;
  JobRunner& jobs_;
  RateTransitions& transitions_;
  CommandQueue& commands_;
  RigStatus& status_;
  rtsync::RealtimeSync& sync_;
  std::uint32_t changes_ = 0;
  std::vector<SwitchRow*> switches_{};
};

}  // namespace tactus::executive
