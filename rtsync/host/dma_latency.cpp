// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/dma_latency.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "rtsync/host/device_group.hpp"

namespace tactus::rtsync {
namespace {

Refusal why_not(const std::string& device, const std::string& step, int error) {
  Refusal why{device + " could not be " + step + ": " + error_words(error), {}};
  if (error == ENOENT) {
    why.fix =
        "start the kernel with processor.max_cstate=1 (Intel: and intel_idle.max_cstate=0) instead, "
        "or in a container: --device=" +
        device;
  } else if (error == EACCES || error == EPERM) {
    why.fix = give_to_realtime_group("cpu_dma_latency", "--name-match=cpu_dma_latency");
    why.lacks = "idle states";
  } else {
    why.fix = "ls -l " + device;
  }
  return why;
}

}  // namespace

DmaLatency::DmaLatency(std::chrono::duration<std::int32_t, std::micro> at_most,
                       const std::filesystem::path& device) {
  const std::string what =
      "no idle state that takes longer than " + std::to_string(at_most.count()) + " us to leave";
  const std::string nothing = "any idle state that the kernel chooses";
  if (at_most.count() < 0) {
    provision_ = refused(what, nothing, {"a latency cannot be negative", "choose 0 us or more"});
    return;
  }
  file_ = Descriptor(::open(device.c_str(), O_RDWR | O_CLOEXEC));
  if (!held() && errno == EACCES) file_ = Descriptor(::open(device.c_str(), O_WRONLY | O_CLOEXEC));
  if (!held()) {
    provision_ = refused(what, nothing, why_not(device.string(), "opened", errno));
    return;
  }
  const std::int32_t wanted = at_most.count();
  const ssize_t written = ::write(file_.get(), &wanted, sizeof wanted);
  if (written != static_cast<ssize_t>(sizeof wanted)) {
    const int error = written < 0 ? errno : EIO;
    (void)file_.close();
    provision_ = refused(what, nothing, why_not(device.string(), "written", error));
    return;
  }
  // What is in force is the least of everybody's wishes; write-only holders have to believe the write.
  std::int32_t in_force = 0;
  const bool read =
      ::pread(file_.get(), &in_force, sizeof in_force, 0) == static_cast<ssize_t>(sizeof in_force);
  if (read && in_force > wanted) {
    provision_ = refused(what, "at most " + std::to_string(in_force) + " us",
                         {device.string() + " took " + std::to_string(wanted) + " us but says " +
                              std::to_string(in_force) + " us",
                          "ls -l " + device.string()});
    return;
  }
  provision_ =
      granted(what, "at most " + std::to_string(read ? in_force : wanted) + " us to leave an idle state");
}

}  // namespace tactus::rtsync
