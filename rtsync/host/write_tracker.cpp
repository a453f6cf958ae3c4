// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/write_tracker.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tactus::rtsync {
namespace {

// Of newer headers than those of Debian 12: linux/userfaultfd.h, linux/fs.h.
constexpr std::uint64_t kUserModeOnly = 1;
constexpr std::uint64_t kFaultFlagWp = 1U << 0;
constexpr std::uint64_t kWpAsync = 1U << 15;
constexpr std::uint64_t kScanWatches = 1U << 0;    // PM_SCAN_WP_MATCHING
constexpr std::uint64_t kScanIsWatched = 1U << 1;  // PM_SCAN_CHECK_WPASYNC
constexpr std::uint64_t kIsWritten = 1U << 1;      // PAGE_IS_WRITTEN
struct PagemapScan {
  std::uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, category_inverted, category_mask,
      category_anyof_mask, return_mask;
};
constexpr std::size_t kRegions = 1024;

std::uint64_t number(const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address); }

[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}
[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

struct KernelWriteTracker::Region {
  std::uint64_t start, end, categories;
};

KernelWriteTracker::KernelWriteTracker(const std::vector<Pages>& memory) : regions_(kRegions) {
  faults_ = Descriptor(
      static_cast<int>(::syscall(SYS_userfaultfd, std::uint64_t{O_CLOEXEC | O_NONBLOCK} | kUserModeOnly)));
  if (faults_.get() < 0) refuse("userfaultfd");
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kFaultFlagWp | kWpAsync;
  if (::ioctl(faults_.get(), UFFDIO_API, &api) != 0)
    refuse("it takes Linux 6.7 or newer, on ARM64 6.10 (userfaultfd WP_ASYNC)");
  pagemap_ = Descriptor(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (pagemap_.get() < 0) refuse("/proc/self/pagemap");
  for (const Pages& pages : memory) add(pages);
  fault_cost_ = measure_fault();
}

KernelWriteTracker::~KernelWriteTracker() = default;

void KernelWriteTracker::add(Pages pages) {
  uffdio_register request{};
  request.range = {number(pages.begin), pages.bytes()};
  request.mode = UFFDIO_REGISTER_MODE_WP;
  if (::ioctl(faults_.get(), UFFDIO_REGISTER, &request) != 0) refuse("userfaultfd of the state's memory");
}

void KernelWriteTracker::protect(Pages pages, bool on) {
  uffdio_writeprotect request{};
  request.range = {number(pages.begin), pages.bytes()};
  request.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0;
  while (::ioctl(faults_.get(), UFFDIO_WRITEPROTECT, &request) != 0)
    if (errno != EAGAIN && errno != EINTR) fail("UFFDIO_WRITEPROTECT");
}

void KernelWriteTracker::watch(Pages pages) { protect(pages, true); }
void KernelWriteTracker::release(Pages pages) { protect(pages, false); }

void KernelWriteTracker::written(Pages& pages, bool again, std::size_t most, std::vector<Pages>& found) {
  found.clear();
  while (pages.begin != pages.end && most > 0) {
    PagemapScan scan{};
    scan.size = sizeof scan;
    scan.flags = kScanIsWatched | (again ? kScanWatches : 0);
    scan.start = number(pages.begin);
    scan.end = number(pages.end);
    scan.vec = reinterpret_cast<std::uintptr_t>(regions_.data());
    scan.vec_len = regions_.size();
    scan.max_pages = most == kAll ? 0 : most;
    scan.category_mask = scan.return_mask = kIsWritten;
    const int count = ::ioctl(pagemap_.get(), _IOWR('f', 16, PagemapScan), &scan);
    if (count < 0) {
      if (errno == EINTR) continue;
      fail("PAGEMAP_SCAN");
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      std::byte* const begin = pages.begin + (regions_[i].start - scan.start);
      found.push_back({begin, begin + (regions_[i].end - regions_[i].start)});
      if (most != kAll) most -= std::min(most, found.back().bytes() / page_bytes());
    }
    pages.begin += scan.walk_end - scan.start;
  }
}

std::chrono::nanoseconds KernelWriteTracker::measure_fault() {
  constexpr std::size_t kMany = 64;
  const std::size_t bytes = kMany * page_bytes();
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) refuse("memory to measure a page fault");
  const Mapping kept(memory, {bytes});
  auto* const begin = static_cast<volatile unsigned char*>(memory);
  const Pages pages{static_cast<std::byte*>(memory), static_cast<std::byte*>(memory) + bytes};
  add(pages);
  watch(pages);
  const auto before = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kMany; ++i) begin[i * page_bytes()] = 1;
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - before;
  return std::max(took / static_cast<std::int64_t>(kMany), std::chrono::nanoseconds{1});
}

}  // namespace tactus::rtsync
