// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/resource.h>

#include <csignal>

namespace tactus::test {

/// No file of this process grows beyond so many bytes, as if the disk were full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    before_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{bytes, limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    ::signal(SIGXFSZ, before_);
  }

 private:
  rlimit limit_{};
  void (*before_)(int) = nullptr;
};

}  // namespace tactus::test
