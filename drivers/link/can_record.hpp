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
/// Reads such a text. False: it is none.
bool read_can_text(std::string_view text, can::CanFrame& to);

/// Writes the frames of peers that buses are given, for a replay: link-can.csv of a run folder. A thread of its own writes;
/// the file ends with a line that says how many there were, so that a replay knows it to be whole.
///
/// Threads  put(): the rig's main thread. The rest: setup, and the thread that leaves.
/// RT       put().
class CanRecorder {
 public:
  /// Makes the file. Throws std::runtime_error. @when setup
  CanRecorder(const std::filesystem::path& folder, const std::vector<std::string>& networks);
  /// Ends it.
  ~CanRecorder();
  CanRecorder(const CanRecorder&) = delete;
  CanRecorder& operator=(const CanRecorder&) = delete;

  void put(std::int64_t frame, std::uint32_t network, const can::CanFrame& can) TACTUS_RT {
    if (!ring_.push({frame, network, can})) lost_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Writes what waits, and the last line. After the last put().
  void end();
  /// Frames that are not in the file: the disk did not follow, or took no more.
  std::int64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kRoom = 16'384;

  void run();
  void drain();
  void write(const std::string& text);

  const std::vector<std::string> networks_;
  rtsync::Descriptor file_;
  bool failed_ = false;  // of the thread that writes, then of end()
  std::int64_t written_ = 0;
  rtsync::SpscRing<GivenCan> ring_;
  std::atomic<std::int64_t> lost_{0};
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

/// Reads what a CanRecorder has written: in order of the frames of the rig. Throws std::runtime_error with file, line and what
/// is wrong: a file that is not there or not whole, frames that were lost, a network that is not among `networks`.
/// @when setup
std::vector<GivenCan> read_can_record(const std::filesystem::path& folder,
                                      const std::vector<std::string>& networks);

}  // namespace tactus::drivers::link
