// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Longest time that counts as a page fault without a wait for the disk: 4 us, or a quarter more than most of
/// these took, and 50 us at most. `took`: of one page each, in any order; they are sorted. @when setup
Nanoseconds longest_fault(std::span<Nanoseconds> took);

/// The same of this machine, measured: a hypervisor may have its part in each. Takes some 100 us, or some ms where
/// faults are slow.                                                                             @when setup
Nanoseconds longest_fault();

/// Measures how long a page fault that does not wait for the disk takes here. Takes as long itself.
/// @when setup
Nanoseconds usual_fault();

}  // namespace tactus::rtsync
