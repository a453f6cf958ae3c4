// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "config/json.hpp"
#include "executive/run_base/run_log.hpp"
#include "rtsync/crash/witness_page.hpp"

namespace tactus::executive {

/// Gives the witness what is known of a run so far: how summary.json begins if the rig is killed. Nothing happens, and
/// no facts are made, where `page` is nullptr.                                                 @when service
void tell_witness(const std::function<config::Json()>& facts, RunLog& log,
                  rtsync::WitnessPage* page = rtsync::witness_page());

/// Returns what a rig told last, whole, whenever it was killed; an empty object: nothing.        @when service
config::Json told_facts(const rtsync::WitnessPage& page);

}  // namespace tactus::executive
