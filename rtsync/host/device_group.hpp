// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "rtsync/host/installed.hpp"

namespace tactus::rtsync {

/// The command that gives a device of the kernel to the group realtime: as scripts/udev/60-tactus.rules does, which
/// scripts/setup-bench installs. `kernel`: its name there, "cpu_dma_latency", "watchdog*".
inline std::string give_to_realtime_group(const std::string& kernel, const std::string& trigger) {
  return "sudo " + setup_bench() +
         " --apply; or: sudo groupadd -f realtime && sudo usermod -aG realtime $USER && "
         "echo 'KERNEL==\"" +
         kernel +
         "\", GROUP=\"realtime\", MODE=\"0660\"' | sudo tee -a /etc/udev/rules.d/60-tactus.rules && "
         "sudo udevadm control --reload && sudo udevadm trigger " +
         trigger + ", and log in again";
}

}  // namespace tactus::rtsync
