// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/page.hpp"
#include "rtsync/interface.hpp"

namespace tactus::rtsync {

/// Whole pages of memory.
struct Pages {
  std::byte* begin = nullptr;
  std::byte* end = nullptr;

  std::size_t bytes() const { return static_cast<std::size_t>(end - begin); }
};

/// Finds which pages were written, while others write them.
///
/// The first write to a watched page costs its thread a page fault, about a microsecond; it ends the watch of
/// that page. A page that is not watched counts as written.
///
/// Threads  one at a time. The memory may be written by any thread meanwhile: a write that happens before a
///          call is seen by it, one beside it by this call or the next.
/// RT       nothing here.
class WriteTracker : public Interface {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  /// Watches these pages from here on. Each of the three throws std::system_error when the kernel refuses.
  virtual void watch(Pages pages) = 0;
  /// Puts those of `pages` that were written into `found`, `most` pages at most. `pages` is what is left to be
  /// looked at. `again`: those found are watched from here on.
  virtual void written(Pages& pages, bool again, std::size_t most, std::vector<Pages>& found) = 0;
  /// Watches these pages no more.
  virtual void release(Pages pages) = 0;
  /// Cost of the first write to a watched page.
  virtual std::chrono::nanoseconds fault_cost() const = 0;
};

/// Tracker by userfaultfd in asynchronous write-protect mode, and PAGEMAP_SCAN: Linux 6.7 or newer (ARM64:
/// 6.10), no privilege.
class KernelWriteTracker final : public WriteTracker {
 public:
  /// Only pages of `memory` may be watched; watches none yet. Throws std::runtime_error with the reason when
  /// this kernel cannot. @when setup
  explicit KernelWriteTracker(const std::vector<Pages>& memory);
  ~KernelWriteTracker() override;

  void watch(Pages pages) override;
  void written(Pages& pages, bool again, std::size_t most, std::vector<Pages>& found) override;
  void release(Pages pages) override;
  std::chrono::nanoseconds fault_cost() const override { return fault_cost_; }

 private:
  struct Region;
  void add(Pages pages);
  void protect(Pages pages, bool on);
  std::chrono::nanoseconds measure_fault();

  Descriptor faults_;   // userfaultfd; its end ends every watch
  Descriptor pagemap_;  // /proc/self/pagemap
  std::vector<Region> regions_;
  std::chrono::nanoseconds fault_cost_{0};
};

}  // namespace tactus::rtsync
