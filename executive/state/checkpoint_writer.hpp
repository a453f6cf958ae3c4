// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "executive/state/checkpoint_file.hpp"
#include "executive/state/gradual_copy.hpp"
#include "executive/state/state_image.hpp"
#include "rtsync/exchange/stop_bell.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// Result of a request.
struct CheckpointResult {
  std::string path;
  std::string error{};      ///< reason why there is no file; empty: there is
  std::int64_t frame = -1;  ///< frame at whose end it was taken; -1: it never was
  std::int64_t sim_time_ns = 0;
  std::uint64_t bytes = 0;           ///< size of the file
  std::chrono::nanoseconds took{0};  ///< the writing, not the frame's copy
};

/// Brings checkpoints from the frames to files: asked for by anyone, copied by the frame into a buffer,
/// written by a helper thread.
///
///     CheckpointWriter writer("pendulum", frame, TACTUS_VERSION);    // setup
///     writer.reserve(image);                                         // the buffer: as large as the state
///     writer.start(helper);
///     writer.request("out/at-noon.ckpt");                            // anyone
///     if (writer.due()) { ...; writer.take(frame, sim_time_ns); }    // end of a frame
///     for (const CheckpointResult& done : writer.poll()) ...         // service thread
///     writer.stop();                                                 // after the last frame
///
/// One request waits while another is being written; a third is refused. A state that is too large for the
/// slack of a frame is copied by the helper before it is asked for: gradual()->begin(), and take_gradually()
/// as soon as that is ready().
///
/// Threads  request, due: any. take: the frame's. poll: any but the frame's. The rest: one owner.
/// RT       request, due and take: wait-free, no system call; the writer's thread looks every 5 ms.
class CheckpointWriter {
 public:
  static constexpr std::size_t kLongestPath = 4095;
  enum class Request {
    accepted,
    busy,      ///< one that came before was not taken yet
    too_long,  ///< path longer than kLongestPath, or empty
    closed,    ///< nothing is reserved, or the writer was stopped
  };

  /// Rig, period and version are for the files' headers. @when setup
  CheckpointWriter(std::string rig, rtsync::Period period, std::string version);
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  ~CheckpointWriter();

  /// Makes and touches the buffer: image.bytes() of memory. The image must outlive stop(). Without it every
  /// request is refused, and no thread is made. With a tracker, which must outlive stop() too, the state can
  /// be copied gradually. Once. @when setup
  void reserve(const StateImage& image, rtsync::WriteTracker* tracker = nullptr);
  void start(const rtsync::ThreadSettings& helper);  // @when setup
  /// Writes what was taken, ends the thread. A request that no frame took is among the results, with an
  /// error. `wait`: asked again and again meanwhile, with the time so far; once it answers no, the thread is left to
  /// itself, and this must stay. False then.
  /// @when service
  bool stop(const std::function<bool(std::chrono::nanoseconds)>& wait = {});

  /// Asks for a checkpoint at the end of a frame. A relative path is one of the process.      @when any
  Request request(std::string_view path) TACTUS_RT;
  /// Returns true if take() would take: a request waits and the buffer is free.                    @when rt
  bool due() const TACTUS_RT {
    return slot_.load(std::memory_order_relaxed) == Slot::asked && !full_.load(std::memory_order_acquire);
  }
  /// Returns true if a request made now could be taken at once.                                    @when rt
  bool ready() const TACTUS_RT {
    return slot_.load(std::memory_order_relaxed) == Slot::open && !full_.load(std::memory_order_acquire) &&
           (gradual_ == nullptr || !gradual_->under_way());
  }
  /// Returns true if one that was asked for is not in its file yet.                                 @when any
  bool busy() const TACTUS_RT {
    return slot_.load(std::memory_order_acquire) == Slot::asked || full_.load(std::memory_order_acquire);
  }
  /// Copies the state for the request that waits. False, and nothing is done, when it is not due().  @when rt
  bool take(std::int64_t frame, std::int64_t sim_time_ns) TACTUS_RT;

  /// nullptr: the state can only be copied at once. begin() only when ready().                      @when rt
  GradualCopy* gradual() const TACTUS_RT { return gradual_.get(); }
  /// The same as take() for a gradual copy that is ready: waits for it, as GradualCopy::stand(). False: the
  /// request still waits. @when rt
  template <class GiveUp>
  bool take_gradually(std::int64_t frame, std::int64_t sim_time_ns, GiveUp give_up) TACTUS_RT {
    if (slot_.load(std::memory_order_acquire) != Slot::asked || !gradual_->stand(give_up)) return false;
    return close_request() && hand_over(frame, sim_time_ns);
  }
  /// Takes a request back that was not taken.                                                       @when rt
  void withdraw() TACTUS_RT {
    Slot found = Slot::asked;
    (void)slot_.compare_exchange_strong(found, Slot::open, std::memory_order_release);
  }

  /// Those that ended since the last call, in their order. @when service
  std::vector<CheckpointResult> poll();
  std::vector<rtsync::Provision> provisions() const;
  pid_t tid() const { return thread_ ? thread_->tid() : 0; }  ///< 0: there is nothing to write

 private:
  enum class Slot : std::uint8_t { closed, open, filling, asked };
  struct Path {
    std::array<char, kLongestPath + 1> text{};
    std::size_t length = 0;
    std::string_view view() const { return {text.data(), length}; }
  };
  bool close_request() TACTUS_RT;
  bool hand_over(std::int64_t frame, std::int64_t sim_time_ns) TACTUS_RT;
  std::chrono::microseconds work_gradually();
  void release_gradually();
  void write_until_stopped();
  void write_one();
  void add(CheckpointResult result);

  const CheckpointHead head_;
  const StateImage* image_ = nullptr;

  // open -> filling -> asked by who requests, asked -> open by the frame; closed by the owner.
  std::atomic<Slot> slot_{Slot::closed};
  Path asked_;  // of who made it `filling`; of the frame while `asked`

  // False: the four below are the frame's; true: the writer's.
  std::atomic<bool> full_{false};
  std::vector<std::byte> buffer_;  // while a gradual copy is under way the writer's, too
  Path path_;
  std::int64_t frame_ = 0;
  std::int64_t sim_time_ns_ = 0;

  std::unique_ptr<GradualCopy> gradual_;

  std::mutex results_lock_;  // no frame takes it
  std::vector<CheckpointResult> results_;
  rtsync::StopBell stopping_;
  std::atomic<bool> done_{false};
  std::unique_ptr<rtsync::PinnedThread> thread_;
};

}  // namespace tactus::executive
