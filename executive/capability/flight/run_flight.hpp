// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "executive/capability/flight/flight_part.hpp"
#include "executive/capability/flight/settings.hpp"
#include "executive/flight/flight_kernel.hpp"
#include "executive/flight/trace_writer.hpp"
#include "executive/frame/executive.hpp"
#include "executive/run_base/run_context.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// The flight recorder of one run: its memory, the thread that looks after it, and the one that writes traces.
///
/// Threads  the service thread.
class RunFlight final : public Capability {
 public:
  /// Has the memory made, and all threads of the executive recorded. Must outlive the executive's threads. Writes the
  /// traces of rigs that were killed before. @when setup
  explicit RunFlight(RunContext& run);
  ~RunFlight() override;

  /// nullptr: there is no recorder.
  FlightPart* part() { return part_ ? &*part_ : nullptr; }
  /// Writes a trace of some frames; `then` is called by the recorder's thread, or at once.          @when any
  void trace(const LiveTraceCall& call, std::function<void(LiveTrace)> then);
  void poll(RunVoice& voice) override;
  bool owns(pid_t tid) const override { return keeper_ && (keeper_->tid() == tid || writer_->tid() == tid); }
  /// Starts the threads.
  void start() override;
  /// Keeps what the kernel does to the frames' threads.
  void watch() override;
  /// Writes what is still to be written, and, unless it was an end in order, the last frames.
  void finish() override;

 private:
  FlightPlan plan_of(const Plan& plan, const FlightValues& values) const;
  /// A trace for a client.
  struct Asked {
    LiveTraceCall call;
    std::function<void(LiveTrace)> then;
  };
  void answer(const Asked& asked) const;
  void look_into_files(const LiveTraceCall& call, LiveTrace& trace) const;
  void refuse_asked();
  void ask(TraceRequest request);
  void hand_over();
  void serve();
  void report_written(RunVoice& voice);
  void write_overrun(RunVoice& voice);

  RunContext& run_;
  const FlightSection settings_;
  const bool realtime_;  // and the kernel's events are wanted
  const double ratio_;
  std::unique_ptr<FlightFile> file_;
  std::deque<FlightRing> rings_;
  std::optional<FlightPart> part_;
  std::unique_ptr<FlightKernel> kernel_;  // the keeper's
  std::optional<TraceWriter> writer_;

  std::optional<std::uint64_t> overrun_;  // to be written out when the time after it is over
  std::chrono::steady_clock::time_point noticed_{};
  std::int64_t written_ = 0;  // overruns

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<TraceRequest> wanted_;
  std::deque<Asked> asked_;
  bool serving_ = false;  // the keeper is there
  bool ended_ = false;
  std::unique_ptr<rtsync::PinnedThread> keeper_;
};

}  // namespace tactus::executive
