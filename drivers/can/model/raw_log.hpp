// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "drivers/can/model/settings.hpp"
#include "drivers/can/port/can_socket.hpp"
#include "drivers/can/port/port.hpp"
#include "drivers/can/port/ring.hpp"

namespace tactus::drivers::can {

/// The frames of a bus in a file, as candump or ASC has them, written by a thread of its own. Of a file that takes no more
/// the last line is whole.
///
/// Threads  put(): that of the frames. lost(), error(): any. The rest: setup, and after the frames.
/// RT       put().
class RawLog {
 public:
  /// Makes the file; one that is there is refused. `channel`: the interface. `origin`: time on the port's clock that is 0 in
  /// an ASC file; `realtime`: what is added to a stamp for candump. Throws std::runtime_error. @when setup
  RawLog(const std::string& file, RawFormat format, const std::string& channel, std::int64_t origin,
         std::int64_t realtime);
  ~RawLog() { finish(); }
  RawLog(const RawLog&) = delete;
  RawLog& operator=(const RawLog&) = delete;

  void put(const CanFrame& frame, std::int64_t stamp, bool is_sent) TACTUS_RT {
    if (!ring_.put({frame, stamp, is_sent})) lost_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Writes what waits, and the end. Makes system calls.
  void finish();
  /// Frames that are not in the file: the disk did not follow, or takes no more.
  std::uint64_t lost() const TACTUS_RT { return lost_.load(std::memory_order_acquire); }
  /// Reason why the file takes no more, an errno value; 0: it does. After lost(), which is seen with it.
  int error() const { return error_.load(std::memory_order_relaxed); }
  std::uint64_t written() const { return written_.load(std::memory_order_relaxed); }

 private:
  struct Seen {
    CanFrame frame{};
    std::int64_t stamp = 0;
    bool is_sent = false;
  };
  static constexpr std::size_t kRoom = 16384;

  void run();
  void drain();
  std::uint64_t write(std::string_view lines);
  std::string line_of(const Seen& seen) const;

  const RawFormat format_;
  const std::string channel_;
  const std::int64_t origin_, realtime_;
  Ring<Seen> ring_;
  Descriptor file_;
  std::int64_t size_ = 0;  // of the lines that are whole in the file, bytes
  std::atomic<int> error_{0};
  std::atomic<std::uint64_t> lost_{0}, written_{0};
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace tactus::drivers::can
