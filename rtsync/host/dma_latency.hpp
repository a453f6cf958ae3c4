// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Keeps the CPUs out of deep idle states while it lives, by way of /dev/cpu_dma_latency.
///
/// A CPU in a deep idle state takes 100 us and more to wake. The kernel keeps the promise for as long as the
/// file is open, also when the process dies.
///
/// Threads  one owner. RT: nothing here. @when setup.
#include <chrono>
#include <cstdint>
#include <filesystem>

#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync {

class DmaLatency {
 public:
  /// Asks that no CPU take longer than this to wake. Never throws for a refusal: see provision().
  explicit DmaLatency(std::chrono::duration<std::int32_t, std::micro> at_most,
                      const std::filesystem::path& device = "/dev/cpu_dma_latency");

  const Provision& provision() const { return provision_; }
  bool held() const { return file_.get() >= 0; }

 private:
  Descriptor file_;  // the kernel drops the request with it
  Provision provision_;
};

}  // namespace tactus::rtsync
