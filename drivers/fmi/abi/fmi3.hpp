// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The C interface of FMI 3.0, co-simulation and scheduled execution, as far as a rig calls it. Booleans are bool, bytes are uint8_t.
///
/// Threads  declarations.
#include <cstddef>
#include <cstdint>

namespace tactus::drivers::fmi::abi3 {

using Instance = void*;
using Reference = std::uint32_t;
using Text = const char*;

enum Status : int { kOk, kWarning, kDiscard, kError, kFatal };

using LogMessage = void(void* environment, Status status, Text category, Text message);
using IntermediateUpdate = void(void* environment, double time, bool set_requested, bool get_allowed,
                                bool step_finished, bool can_return_early, bool* early_requested,
                                double* early_time);

using InstantiateCoSimulation = Instance(Text name, Text token, Text resources, bool visible, bool logging,
                                         bool event_mode, bool early_return, const Reference* intermediate,
                                         std::size_t intermediate_count, void* environment, LogMessage* log,
                                         IntermediateUpdate* update);
using ClockUpdate = void(void* environment);
using Preemption = void();
using InstantiateScheduledExecution = Instance(Text name, Text token, Text resources, bool visible,
                                               bool logging, void* environment, LogMessage* log,
                                               ClockUpdate* clock_update, Preemption* lock,
                                               Preemption* unlock);
using FreeInstance = void(Instance);
using EnterInitialization = Status(Instance, bool has_tolerance, double tolerance, double start,
                                   bool has_stop, double stop);
/// ExitInitializationMode, EnterConfigurationMode, ExitConfigurationMode, EnterEventMode, EnterStepMode, Terminate, Reset.
using Plain = Status(Instance);

template <class T>
using Get = Status(Instance, const Reference*, std::size_t, T*, std::size_t);
template <class T>
using Set = Status(Instance, const Reference*, std::size_t, const T*, std::size_t);
using SetBinary = Status(Instance, const Reference*, std::size_t, const std::size_t* sizes,
                         const std::uint8_t* const* values, std::size_t);

using DoStep = Status(Instance, double time, double step, bool no_set_state_before, bool* event_needed,
                      bool* terminate, bool* early, double* last_time);

using UpdateDiscreteStates = Status(Instance, bool* again, bool* terminate, bool* nominals_changed,
                                    bool* values_changed, bool* has_next, double* next);
using SetClock = Status(Instance, const Reference*, std::size_t, const bool* ticks);

/// Says whether a clock has an interval, and whether it is a new one.
enum Qualifier : int { kNotYetKnown, kUnchanged, kChanged };
using ActivateModelPartition = Status(Instance, Reference clock, double time);
using GetClock = Status(Instance, const Reference*, std::size_t, bool* ticks);
using GetInterval = Status(Instance, const Reference*, std::size_t, double* seconds, Qualifier*);
using GetShift = Status(Instance, const Reference*, std::size_t, double* seconds);
using SetInterval = Status(Instance, const Reference*, std::size_t, const double* seconds);

}  // namespace tactus::drivers::fmi::abi3
