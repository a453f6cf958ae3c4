// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/watchdog_device.hpp"

#include <fcntl.h>
#include <linux/watchdog.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <optional>
#include <system_error>

#include "rtsync/host/device_group.hpp"
#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kSecond{1'000'000'000};

std::string seconds_text(std::int64_t seconds) { return std::to_string(seconds) + " s"; }

/// /dev/watchdog is the first of the numbered ones; a link is followed.
std::string numbered_name(const fs::path& device) {
  std::error_code ignored;
  const fs::path real = fs::canonical(device, ignored);
  const std::string name = (real.empty() ? device : real).filename().string();
  return name == "watchdog" ? "watchdog0" : name;
}

/// A process that has the device open, as far as we may look.
struct Holder {
  std::string pid;
  std::string name;
};

bool holds(const fs::path& descriptors, const std::string& device) {
  for (const fs::path& entry : entries_of(descriptors)) {
    std::error_code gone;
    const fs::path target = fs::read_symlink(entry, gone);
    if (!gone && target.string().starts_with("/dev/watchdog") && numbered_name(target) == device) return true;
  }
  return false;
}

std::optional<Holder> holder_of(const fs::path& root, const std::string& device) {
  for (const fs::path& entry : entries_of(root / "proc")) {
    const std::string pid = entry.filename().string();
    if (!whole_number(pid) || !holds(entry / "fd", device)) continue;
    return Holder{pid, read_host_file(root, "/proc/" + pid + "/comm").text};
  }
  return std::nullopt;
}

Refusal why_busy(const fs::path& root, const fs::path& device) {
  const std::string path = device.string();
  const std::optional<Holder> holder = holder_of(root, numbered_name(device));
  if (!holder)
    return {
        path + " belongs to another process, which could not be seen from here",
        "sudo fuser -v " + path + "; systemd holds it when systemctl show -p RuntimeWatchdogUSec is not 0"};
  Refusal why{path + " belongs to process " + holder->pid + " (" + holder->name + ")", {}};
  if (holder->pid == "1") {
    why.fix =
        "leave it to systemd and set WatchdogSec in the rig's unit, or: RuntimeWatchdogSec=off in "
        "/etc/systemd/system.conf, then: sudo systemctl daemon-reexec";
  } else {
    why.fix = "stop it: sudo systemctl disable --now " + holder->name + ", or: sudo kill " + holder->pid;
  }
  return why;
}

Refusal not_a_watchdog(const fs::path& device) {
  return {device.string() +
              " is not a watchdog: it does not answer as one (WDIOC_GETSUPPORT); nothing was written",
          "name the watchdog of this machine in watchdog.device, such as /dev/watchdog0, or write auto"};
}

Refusal why_not_opened(const fs::path& root, const fs::path& device, int error) {
  const std::string path = device.string();
  if (error == EBUSY) return why_busy(root, device);
  if (error == ENOTTY) return not_a_watchdog(device);
  Refusal why{path + " could not be opened: " + error_words(error), {}};
  if (error == ENOENT || error == ENODEV || error == ENXIO) {
    why.fix =
        "load the driver of this machine's watchdog (x86: sudo modprobe iTCO_wdt or sp5100_tco; "
        "Raspberry Pi: bcm2835_wdt; any machine, in software: sudo modprobe softdog), or in a "
        "container: --device=" +
        path;
  } else if (error == EACCES || error == EPERM) {
    why.fix = give_to_realtime_group("watchdog*", "--subsystem-match=watchdog --subsystem-match=misc");
  } else {
    why.fix = "ls -l " + path + "; sudo dmesg | tail";
  }
  return why;
}

/// Opens a device. Another file, or another device, may react to being opened.
int open_device(const char* device) {
  struct stat facts {};
  if (::stat(device, &facts) == 0 && !S_ISCHR(facts.st_mode)) {
    errno = ENOTTY;
    return -1;
  }
  return ::open(device, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int real_ioctl(int fd, unsigned long request, void* value) { return ::ioctl(fd, request, value); }

bool write_letter(int fd, char letter) TACTUS_RT { return ::write(fd, &letter, 1) == 1; }

}  // namespace

std::filesystem::path watchdog_here(const std::filesystem::path& root) {
  std::error_code error;
  for (const char* const device : {"dev/watchdog0", "dev/watchdog"})
    if (std::filesystem::exists(root / device, error)) return root / device;
  return {};
}

WatchdogDevice::WatchdogDevice(const WatchdogSettings& settings, WatchdogKernel kernel)
    : device_(settings.device.string()) {
  if (!kernel.open) kernel.open = open_device;
  if (!kernel.ioctl) kernel.ioctl = real_ioctl;
  arm(settings, kernel);
}

void WatchdogDevice::arm(const WatchdogSettings& settings, const WatchdogKernel& kernel) {
  const std::int64_t most = INT_MAX;
  const std::int64_t wanted =
      std::min(settings.timeout / kSecond + (settings.timeout % kSecond > Nanoseconds{0} ? 1 : 0), most);
  const std::string what = "a reset by " + device_ + " within " + seconds_text(wanted) + " of the last frame";
  if (wanted < 1) {
    provision_ = refused(what, "no watchdog", {"a timeout must be longer than 0", "choose 1 s or more"});
    return;
  }
  file_ = Descriptor(kernel.open(device_.c_str()));
  if (!armed()) {
    provision_ = refused(what, "no watchdog", why_not_opened(kernel.root, settings.device, errno));
    return;
  }
  watchdog_info info{};
  if (kernel.ioctl(file_.get(), WDIOC_GETSUPPORT, &info) != 0) {
    (void)file_.close();
    provision_ = refused(what, "no watchdog", not_a_watchdog(settings.device));
    return;
  }

  int seconds = static_cast<int>(wanted);
  const int set_error = kernel.ioctl(file_.get(), WDIOC_SETTIMEOUT, &seconds) == 0 ? 0 : errno;
  int in_force = 0;
  if (kernel.ioctl(file_.get(), WDIOC_GETTIMEOUT, &in_force) != 0 || in_force < 1)
    in_force = set_error == 0 ? seconds : 0;
  timeout_ = in_force * kSecond;
  // Nobody has watchdogs faster than a second: one that does not tell its timeout is kicked as if it were
  // that.
  between_kicks_ = (in_force > 0 ? timeout_ : std::min(kSecond, wanted * kSecond)) / 4;
  next_kick_ = TimePoint<RigTime>::min();

  nowayout_ = read_host_number(kernel.root,
                               "/sys/class/watchdog/" + numbered_name(settings.device) + "/nowayout") == 1;

  std::string driver = "the driver";
  std::string name;  // up to 32 bytes, and no promise that the last one is a zero
  for (const __u8 byte : info.identity) {
    if (byte == 0) break;
    name += byte < 0x20 || byte > 0x7e ? '?' : static_cast<char>(byte);
  }
  if (!name.empty()) driver += " '" + name + "'";
  std::string got = in_force > 0 ? seconds_text(in_force) : "a timeout that the driver does not report";
  if (nowayout_) got += "; nowayout: it cannot be switched off again, also not by a clean stop";

  if (in_force != wanted) {
    provision_ = refused(
        what, got,
        {driver + (set_error != 0 ? " cannot set it: " + error_words(set_error)
                                  : " took another timeout than asked"),
         in_force > 0 ? "set watchdog.timeout to " + seconds_text(in_force) : "sudo wdctl " + device_});
  } else if ((info.options & WDIOF_MAGICCLOSE) == 0 && !nowayout_) {
    provision_ =
        refused(what, got,
                {driver + " switches it off whenever the device is closed, so also when the rig dies",
                 "load the driver with nowayout=1: see modinfo -p on it"});
  } else {
    provision_ = granted(what, got);
  }
}

void WatchdogDevice::kick_device(TimePoint<RigTime> now) TACTUS_RT {
  next_kick_ = now + between_kicks_;
  if (write_letter(file_.get(), '\0')) return;
  last_error_.store(errno, std::memory_order_relaxed);
  failed_.store(failed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // one writer
}

Provision WatchdogDevice::close_cleanly() {
  const std::string what = "switching off " + device_;
  if (!armed()) return granted(what, "it was not armed");
  const std::string left =
      timeout_ > Nanoseconds{0} ? "at most " + seconds_text(timeout_ / kSecond) : std::string{"some time"};
  const bool written = write_letter(file_.get(), 'V');
  const int error = errno;
  (void)file_.close();
  next_kick_ = TimePoint<RigTime>::max();
  const std::string still = "still counting: the machine is reset in " + left;
  if (nowayout_)
    return refused(what, still,
                   {"its driver was loaded with nowayout, so it cannot be switched off",
                    "start the next rig, or another process that kicks it, before that"});
  if (!written)
    return refused(what, still,
                   {"the magic letter could not be written: " + error_words(error),
                    "start the next rig, or another process that kicks it, before that"});
  return granted(what, "off");
}

}  // namespace tactus::rtsync
