// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include "rtsync/host/provision.hpp"
#include "rtsync/host/rights.hpp"

namespace tactus::rtsync {

/// One line on all rights that are missing, what that may cost, and the one command that grants them: "this user is not
/// given SCHED_FIFO and locked memory, so frames may be late; to grant it: sudo scripts/setup-bench --apply". What a
/// filter of system calls or a control group forbids is named with it, and with its own fix. Empty: none is missing.
/// @when setup
std::string missing_rights(std::span<const Provision> provisions, const Rights& rights);

}  // namespace tactus::rtsync
