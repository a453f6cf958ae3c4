#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "executive/frame/rate_transitions.hpp"

namespace tactus::executive {

/// Answers what the parts of a frame ask.
class PartServices final : public FrameServices {
 public:
  PartServices(Program& program, JobRunner& jobs, RateTransitions& transitions, CommandQueue& commands,
               RigStatus& status, rtsync::RealtimeSync& sync)
      : program_(program),
        jobs_(jobs),
        transitions_(transitions),
        commands_(commands),
        status_(status),
        sync_(sync) {}

  const Plan& plan() const TACTUS_RT override { return program_.plan(); }
  const void* view(const ModelInstance* model, const void* data, std::size_t bytes) override {
    return program_.outside_view(model, data, bytes);
  }
  std::atomic<std::uint64_t>& progress_counter() override { return status_.progress(); }
  bool run_jobs(tactus_job_class job_class, const tactus_call& call) TACTUS_RT override {
    return jobs_.run_jobs(job_class, call);
  }
  std::uint64_t idle_async_workers(std::int64_t k) TACTUS_RT override { return transitions_.idle(k); }
  void publish_async(std::uint64_t workers) TACTUS_RT override { transitions_.publish(workers); }
  bool state_complete(std::int64_t k) TACTUS_RT override {
    return !jobs_.failed() && transitions_.state_complete(k);
  }
  void save_state() TACTUS_RT override { program_.save_state(); }
  const TimedCommand* next_checkpoint(std::int64_t k) TACTUS_RT override {
    return commands_.next_checkpoint(k);
  }
  bool hurried() const TACTUS_RT override { return sync_.active() || commands_.ending(); }
  void nap() TACTUS_RT override {
    status_.mark_idle();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    status_.mark_busy();
  }
  void abort(const char* reason) TACTUS_RT override { commands_.request_abort(reason); }

 private:
  Program& program_;
  JobRunner& jobs_;
  RateTransitions& transitions_;
  CommandQueue& commands_;
  RigStatus& status_;
  rtsync::RealtimeSync& sync_;
};

}  // namespace tactus::executive
