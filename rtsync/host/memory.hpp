// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Memory that is there before it is needed: locked, touched, and not given back.
///
/// Threads  call prepare_memory() once, from the initial thread, before any other thread is started.
/// RT       nothing here. @when setup.
#include <cstddef>
#include <vector>

#include "rtsync/host/provision.hpp"

namespace tactus::rtsync {

struct MemorySettings {
  bool lock = true;            ///< all memory, now and later (mlockall)
  std::size_t heap_bytes = 0;  ///< heap to touch beforehand, so that malloc finds it without a page fault
};

/// Locks, tunes the allocator and touches the heap; says what came of each request. Never throws for a
/// refusal. Under a finite RLIMIT_MEMLOCK without CAP_IPC_LOCK nothing is locked at all: a half-locked
/// process fails its allocations later, at the worst moment.
std::vector<Provision> prepare_memory(const MemorySettings& settings);

/// Amount of this process's memory that the kernel keeps from being paged out; 0 if it does not report it.
/// @when service
std::size_t locked_bytes();

/// Touches this many bytes of the calling thread's stack below the caller, as far as the stack goes; returns
/// how many were touched.
std::size_t prefault_stack(std::size_t bytes) noexcept;

}  // namespace tactus::rtsync
