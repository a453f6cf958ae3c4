// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drivers/gpio/guardian_protocol.hpp"
#include "drivers/gpio/safe_write.hpp"
#include "executive/driver/safe_output.hpp"
#include "rtsync/rt.hpp"

namespace tactus::drivers::gpio {

/// The rig's side of its guardian: a process that drives the outputs safe when this one dies or hangs.
///
/// Threads setup functions: any. frames_begin() to frame_ended(), trouble(): the paced thread. disarm(): any,
/// also a signal
///          handler.
class Guardian {
 public:
  /// The guardian of this process: starts it at the first call, and returns the same one as long as it is
  /// kept. Throws DeviceError. @when setup
  static std::shared_ptr<Guardian> of_this_process(const executive::OpenRequest& request);

  /// Starts one from this program. Throws DeviceError. @when setup
  Guardian(const std::filesystem::path& program, const executive::OpenRequest& request);
  /// Reports to it that all outputs are safe, and waits for its end. While one is not forgotten it is left
  /// alone.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  pid_t pid() const { return pid_; }

  /// Lets it hold the lines too, to drive them safe. Returns the id for forget(). Throws DeviceError.
  /// @when setup
  std::int32_t watch(const SafeWrite& write);
  /// Forgets an output after it was driven safe; when this returns, the guardian no more holds the lines.
  /// @when setup
  void forget(std::int32_t id) noexcept;

  /// The calling thread runs the frames from here on: its death is the rig's. @when setup
  void frames_begin() noexcept;
  /// It may end from here on. By the same thread. @when setup
  void frames_ended() noexcept;
  /// Reports a frame. From the first one on, frames must continue to end.
  void frame_ended() TACTUS_RT;
  /// Arms the guardian: from now on frames must end.
  void arm() TACTUS_RT;
  /// No frames are to be expected, until the next one ends.
  void disarm() TACTUS_RT;
  /// It drove the outputs safe because no frame ended for too long. Stays so.
  bool tripped() const TACTUS_RT;
  /// Reason why no output may be written any more; nullptr: there is none. Call it every frame.
  const char* trouble() TACTUS_RT;

 private:
  /// 0, or the errno value of what went wrong on the way or over there.
  int ask(GuardianMessage message, int fd) noexcept;
  void end(bool released) noexcept;
  bool told_to_end() noexcept;

  pid_t pid_ = -1;
  int socket_ = -1;
  ino_t socket_inode_ = 0;
  GuardianPage* page_ = nullptr;
  std::mutex asking_;
  std::int32_t next_id_ = 1;
  int watched_ = 0;          ///< outputs that were not forgotten yet
  std::int64_t timeout_ns_;  ///< limit of trouble(): in that time the guardian must have woken
  std::int64_t seen_at_ = 0;
  std::uint64_t seen_wakes_ = 0;
  std::string tripped_text_;
  std::string dead_text_;
};

/// The program in the first of these folders that has it. Throws DeviceError. @when setup
std::filesystem::path guardian_program(const std::vector<std::filesystem::path>& folders);

}  // namespace tactus::drivers::gpio
