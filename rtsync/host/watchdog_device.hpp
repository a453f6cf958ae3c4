// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Has the machine reset when the frames stop, by way of /dev/watchdog.
///
///     WatchdogDevice watchdog{{.device = "/dev/watchdog", .timeout = 10s}};
///     watchdog.kick(wake);               // each frame: a comparison, and a write every 2.5 s
///     report(watchdog.close_cleanly());  // a clean stop: the only way to switch it off
///
/// The kernel's countdown begins when the device is opened, so open it last before the first frame, and kick
/// in a frozen rig too. Whatever ends the process otherwise closes the device without the magic letter, and
/// the machine is reset.
///
/// Threads  one owner; kick() on the paced thread; failed() and last_error() from any.
/// RT       kick(): at most one system call every quarter of the timeout. A watchdog behind a slow bus (I2C)
///          takes as long as its bus in that call.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

struct WatchdogSettings {
  std::filesystem::path device = "/dev/watchdog";
  Nanoseconds timeout{10'000'000'000};  ///< time from the last kick to the reset; rounded up to whole seconds
};

/// The kernel's side of it, for tests: what answers like open(2) and ioctl(2), and where /proc and /sys are.
struct WatchdogKernel {
  std::function<int(const char* device)> open = nullptr;
  std::function<int(int fd, unsigned long request, void* value)> ioctl = nullptr;
  std::filesystem::path root = "/";
};

/// The one that a machine has; empty: it has none. Opens nothing.                                @when setup
std::filesystem::path watchdog_here(const std::filesystem::path& root = "/");

class WatchdogDevice {
 public:
  /// Opens it and sets the timeout. Never throws for a refusal: see provision().               @when setup
  explicit WatchdogDevice(const WatchdogSettings& settings, WatchdogKernel kernel = {});

  /// Refused also when the device is armed, but not quite as asked: another timeout, or one that a crash
  /// would switch off.
  const Provision& provision() const { return provision_; }
  /// The countdown runs.
  bool armed() const { return file_.get() >= 0; }
  /// Timeout in force; 0 if the driver does not report it.
  Nanoseconds timeout() const { return timeout_; }

  /// Starts the countdown anew when a quarter of the timeout has passed since it last did.         @when rt
  void kick(TimePoint<RigTime> now) TACTUS_RT {
    if (now >= next_kick_) kick_device(now);
  }
  /// Kicks that the device did not take.                                                          @when any
  std::uint64_t failed() const TACTUS_RT { return failed_.load(std::memory_order_relaxed); }
  /// The errno of the newest of them; 0: none.                                                    @when any
  int last_error() const TACTUS_RT { return last_error_.load(std::memory_order_relaxed); }

  /// Switches it off and closes it; what came of it. After the last kick().                    @when service
  Provision close_cleanly();

 private:
  void arm(const WatchdogSettings& settings, const WatchdogKernel& kernel);
  void kick_device(TimePoint<RigTime> now) TACTUS_RT;

  const std::string device_;
  Descriptor file_;  // closed without the magic letter at the end: a rig that ends this way is reset
  bool nowayout_ = false;
  Nanoseconds timeout_{0};
  Nanoseconds between_kicks_{0};
  TimePoint<RigTime> next_kick_ = TimePoint<RigTime>::max();  // never, while it is not armed
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<int> last_error_{0};
  Provision provision_;
};

}  // namespace tactus::rtsync
