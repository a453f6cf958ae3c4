// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/map_watch.hpp"

// Defined by map_interposer.cpp where that is linked in; a null address everywhere else.
extern "C" __attribute__((weak)) tactus::rtsync::MapLog* tactus_map_log_of_this_thread() noexcept;

namespace tactus::rtsync {

MapLog* MapLog::of_this_thread() {
  return &tactus_map_log_of_this_thread == nullptr ? nullptr : tactus_map_log_of_this_thread();
}

}  // namespace tactus::rtsync
