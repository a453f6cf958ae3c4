// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include "rtsync/host/provision.hpp"
#include "rtsync/host/rights.hpp"

namespace tactus::rtsync {

/// One line on all rights that this user is not given, with the one command that grants them: "no SCHED_FIFO, no locked
/// memory: frames may be late; `sudo scripts/setup-bench --apply` grants it". Empty: none is missing. @when setup
std::string missing_rights(std::span<const Provision> provisions, const Rights& rights);

}  // namespace tactus::rtsync
