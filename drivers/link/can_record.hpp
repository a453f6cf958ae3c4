// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "drivers/can/port/port.hpp"
#include "rtsync/exchange/block_ring.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/rt.hpp"

namespace tactus::drivers::link {

/// Name of the file of a run folder with the frames of peers that buses were given.
inline constexpr const char* kCanRecord = "link-can.csv";

/// A frame of a peer, and the frame of the rig in which a bus was given it.
struct GivenCan {
  std::int64_t frame = 0;
  std::uint32_t network = 0;  ///< index
  can::CanFrame can{};
};

/// "200#0A00", "00000123#", "123##1AABB", "123#R8": as candump has a frame.
std::string can_text(const can::CanFrame& frame);
/// Returns the text up to the next comma, which is taken off `line`. The last one leaves a view of nothing at all.
std::string_view next_cell(std::string_view& line);
/// Reads such a text. False: it is none.
bool read_can_text(std::string_view text, can::CanFrame& to);

/// The file link-can.csv of a run folder: the frames of peers that buses were given. It ends with a line that says how many
/// there were, so that a replay knows it to be whole.
///
/// Threads  one at a time.
class CanRecordFile {
 public:
  /// Makes it. Throws std::runtime_error. @when setup
  CanRecordFile(const std::filesystem::path& folder, const std::vector<std::string>& networks);
  /// Adds a frame, in order of the frames of the rig.
  void add(const GivenCan& given);
  /// Writes what was added. Returns the number of frames that the disk did not take.
  std::int64_t flush();
  /// Writes the last line. `lost`: frames that are missing.
  void end(std::int64_t lost);

 private:
  void write();

  const std::vector<std::string> networks_;
  rtsync::Descriptor file_;
  bool failed_ = false;
  std::string text_;
  std::int64_t waiting_ = 0, written_ = 0;  // frames
};

/// Writes the frames of peers that buses are given, for a replay. A thread of its own writes.
///
/// Threads  put(), put_in_time(): the rig's main thread. The rest: setup, and the thread that leaves.
/// RT       put_in_time().
class CanRecorder {
 public:
  /// Makes the file. Throws std::runtime_error. @when setup
  CanRecorder(const std::filesystem::path& folder, const std::vector<std::string>& networks);
  /// Ends it.
  ~CanRecorder();
  CanRecorder(const CanRecorder&) = delete;
  CanRecorder& operator=(const CanRecorder&) = delete;

  void put_in_time(std::int64_t frame, std::uint32_t network, const can::CanFrame& can) TACTUS_RT {
    if (!ring_.push({frame, network, can})) lost_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Waits for room, 60 s at most while the disk takes nothing: for frames outside of real time.
  void put(std::int64_t frame, std::uint32_t network, const can::CanFrame& can);
  /// Writes what waits, and the last line. After the last put().
  void end();
  /// Frames that are not in the file: the disk did not follow, or took no more.
  std::int64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kRoom = 16'384;

  void run();
  void drain();

  CanRecordFile file_;  // of the thread that writes, then of end()
  rtsync::SpscRing<GivenCan> ring_;
  std::atomic<std::int64_t> lost_{0};
  bool is_stuck_ = false;  // put() has waited in vain
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

/// "7 CAN frames missing in the record: it cannot be replayed"; empty: none is.
inline std::string missing_in_record(std::int64_t frames) {
  return frames == 0 ? ""
                     : std::to_string(frames) + " CAN frames missing in the record: it cannot be replayed";
}

/// Reads what a CanRecorder has written: in order of the frames of the rig. Throws std::runtime_error with file, line and what
/// is wrong: a file that is not there or not whole, frames that were lost, a network that is not among `networks`.
/// @when setup
std::vector<GivenCan> read_can_record(const std::filesystem::path& folder,
                                      const std::vector<std::string>& networks);

}  // namespace tactus::drivers::link
