// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executive/driver/record_sink.hpp"
#include "executive/frame/frame_services.hpp"
#include "executive/model/variable.hpp"

namespace tactus::executive {

/// The values of some variables in the last frames, and copies of those around failures.
///
/// A copy takes two records a frame out of the ring, so a failure costs its frame nothing that grows with the time kept.
///
/// RT  take(), fail(), begin_anew(); the constructor allocates.
class FailureRing {
 public:
  static constexpr std::size_t kMostKept = 8;  ///< number of failures
  static constexpr std::size_t kMostLonger = std::size_t{64} * 1024 * 1024;
  static constexpr std::size_t kMostBytes =
      std::size_t{256} * 1024 * 1024;  ///< most bytes of the ring and its copies

  /// Size of a ring for one failure.                                                             @when setup
  static std::size_t bytes_of(const std::vector<VariableRef>& variables, std::int64_t frames_around);

  /// `frames_around`: kept before, and after, the frame of a failure. `longest`: frames from there until it may be known,
  /// as many of them as kMostLonger bytes hold. `failures`: at most that many come.
  FailureRing(const std::vector<VariableRef>& variables, std::int64_t frames_around, std::int64_t longest,
              std::size_t failures);

  /// Reads the variables of other threads where frames may.                                       @when setup
  void joined(FrameServices& services);
  /// Takes the values of a frame that begins at that simulated time.                              @when rt
  void take(std::int64_t time_ns) TACTUS_RT;
  /// Keeps what is around a failure under `id`, if there is room for one more: from before the frame in which it began,
  /// `frames_ago`, until after the one just taken.                                               @when rt
  void fail(std::size_t id, std::int64_t frames_ago) TACTUS_RT;
  /// A reset: frames before it are not around those after it.                                     @when rt
  void begin_anew() TACTUS_RT;

  /// Completes the copies, after the frames.                                                      @when service
  void finish();

  struct Kept {
    std::size_t id;
    std::vector<const std::byte*> records;
  };
  std::vector<Kept> kept() const;
  /// Description of the records.
  RecordingHead head() const;

 private:
  struct Source {
    const ModelInstance* model;
    const void* data;
    std::uint32_t bytes, offset;
  };
  struct Copy {
    std::size_t id = 0;
    std::int64_t first = 0, next = 0, end = 0;  // numbers of records
    std::vector<std::byte> bytes{};
  };
  std::byte* record(std::int64_t number) TACTUS_RT {
    return ring_.data() + static_cast<std::size_t>(number % rows_) * bytes_;
  }
  void copy_one(Copy& copy) TACTUS_RT;

  std::vector<VariableRef> variables_;
  std::int64_t around_, longest_, rows_;
  std::size_t bytes_ = 0;
  std::vector<Source> sources_;
  std::vector<std::byte> ring_;
  std::vector<Copy> copies_;
  std::size_t used_ = 0;
  std::int64_t taken_ = 0, begun_ = 0;  // records since the start, and before the last reset
};

}  // namespace tactus::executive
