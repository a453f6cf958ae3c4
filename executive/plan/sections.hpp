// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/plan/draft.hpp"

/// The sections of a rig file, as far as they become parts of the rig: a file each in sections/. Those of a
/// capability are in its folder (CapabilitySection).
namespace tactus::executive {

/// Reads its section in draft.settings, adds to the rig, and complains. @when setup
using RigSection = void(Draft& draft);

RigSection read_frame, plan_threads, read_clock, read_libraries, make_models, declare_capabilities,
    plan_loops, make_connections, plan_budgets, plan_capabilities, check_realtime, plan_commands,
    resolve_dependencies;

/// Sections in the order in which they need each other.
inline constexpr RigSection* kRigSections[] = {
    read_frame,           plan_threads,  read_clock,           read_libraries, make_models,
    declare_capabilities, plan_loops,    make_connections,     plan_budgets,   plan_capabilities,
    check_realtime,       plan_commands, resolve_dependencies,
};

/// Reads the parameters in the section of a model.
void read_parameters(Draft& draft, const ModelSettings& settings, const ModelInstance& model);
/// `isolated`: caller of the model's jobs in a process of their own; nullptr: they are called here.
void plan_jobs(Draft& draft, const ModelSettings& settings, const ModelInstance& model,
               IsolatedModel* isolated = nullptr);

}  // namespace tactus::executive
