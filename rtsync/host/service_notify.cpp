// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/service_notify.hpp"

#include <dlfcn.h>
#include <systemd/sd-daemon.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace tactus::rtsync {
namespace {

constexpr const char* kWhat = "messages to systemd (sd_notify)";

/// libsystemd, with the five libraries that it needs: loaded where a service is to be spoken for, and kept.
struct Systemd {
  decltype(&::sd_notify) notify = nullptr;
  decltype(&::sd_watchdog_enabled) watchdog_enabled = nullptr;
  std::string problem{};  ///< reason why it could not be loaded; empty: it is there

  static const Systemd& loaded() {
    static const Systemd made;
    return made;
  }

 private:
  Systemd() {
    void* const library = ::dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) {
      notify = function<decltype(notify)>(library, "sd_notify");
      watchdog_enabled = function<decltype(watchdog_enabled)>(library, "sd_watchdog_enabled");
    }
    if (notify != nullptr && watchdog_enabled != nullptr) return;
    const char* const said = ::dlerror();
    problem = said == nullptr ? "libsystemd.so.0 has no sd_notify" : said;
  }
  template <class Function>
  static Function function(void* library, const char* name) {
    return reinterpret_cast<Function>(::dlsym(library, name));  // NOLINT(*-reinterpret-cast): as POSIX has it
  }
};

/// A line of the protocol ends at a newline: what follows one would be an order of its own.
std::string status_line(std::string_view text) {
  constexpr std::size_t kLongestStatus = 200;
  text = text.substr(0, text.find_first_of("\n\r"));
  if (text.size() > kLongestStatus) {
    std::size_t end = kLongestStatus;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // no half letter
    text = text.substr(0, end);
  }
  return "STATUS=" + std::string{text};
}

}  // namespace

ServiceNotify::ServiceNotify() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): setup; nobody changes the environment
  const char* const socket = std::getenv("NOTIFY_SOCKET");
  present_ = socket != nullptr && *socket != '\0';
  if (!present_) {
    provision_ = refused(kWhat, "no process listens",
                         {"NOTIFY_SOCKET is not set: not started by systemd as a service of Type=notify",
                          "sudo systemctl start tactus@RIG, or Type=notify in the unit that starts it"});
    return;
  }
  const Systemd& systemd = Systemd::loaded();
  if (!systemd.problem.empty()) {
    present_ = false;
    provision_ =
        refused(kWhat, "no messages to systemd", {systemd.problem, "sudo apt-get install libsystemd0"});
    return;
  }
  std::uint64_t usec = 0;
  const int enabled = systemd.watchdog_enabled(0, &usec);
  if (enabled > 0 && usec > 0 && usec < static_cast<std::uint64_t>(INT64_MAX / 1000)) {
    watchdog_ = Nanoseconds{static_cast<std::int64_t>(usec) * 1000};
    provision_ = granted(kWhat, "watchdog of " + std::to_string(usec / 1000) + " ms");
  } else if (enabled < 0) {
    provision_ = refused(kWhat, "no watchdog",
                         {"WATCHDOG_USEC or WATCHDOG_PID is not usable: " + error_words(-enabled),
                          "set WatchdogSec in the unit, not the variables"});
  } else {
    provision_ = granted(kWhat, "without a watchdog: the unit sets no WatchdogSec for this process");
  }
}

bool ServiceNotify::send(const std::string& message) {
  if (!present_) return false;
  const int sent = Systemd::loaded().notify(0, message.c_str());
  if (sent > 0) return true;
  ++failed_;
  last_error_ = sent < 0 ? -sent : ENOTCONN;  // 0: somebody took NOTIFY_SOCKET out of the environment
  return false;
}

void ServiceNotify::ready(const std::string& status) { (void)send("READY=1\n" + status_line(status)); }

void ServiceNotify::status(const std::string& text) { (void)send(status_line(text)); }

void ServiceNotify::stopping() { (void)send("STOPPING=1"); }

bool ServiceNotify::alive(std::uint64_t progress, TimePoint<RigTime> now) {
  if (!watchdog_ || now < next_answer_ || progress == answered_for_) return false;
  if (!send("WATCHDOG=1")) return false;
  answered_for_ = progress;
  next_answer_ = now + *watchdog_ / 3;
  return true;
}

}  // namespace tactus::rtsync
