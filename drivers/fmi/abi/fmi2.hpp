// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The C interface of FMI 2.0 co-simulation, as far as a rig calls it. Booleans are int, value references unsigned int.
///
/// Threads  declarations.
#include <cstddef>

namespace tactus::drivers::fmi::abi2 {

using Component = void*;
using Reference = unsigned int;
using Text = const char*;

enum Status : int { kOk, kWarning, kDiscard, kError, kFatal, kPending };
enum StatusKind : int { kDoStepStatus, kPendingStatus, kLastSuccessfulTime, kTerminated };
enum Kind : int { kModelExchange, kCoSimulation };

/// Functions of the importer. Must live as long as the instance.
struct Callbacks {
  void (*logger)(void* environment, Text instance, Status status, Text category, Text format, ...);
  void* (*allocate_memory)(std::size_t count, std::size_t size);
  void (*free_memory)(void* memory);
  void (*step_finished)(void* environment, Status status);
  void* environment;
};

using Instantiate = Component(Text name, Kind kind, Text guid, Text resources, const Callbacks* callbacks,
                              int visible, int logging);
using FreeInstance = void(Component);
using SetupExperiment = Status(Component, int has_tolerance, double tolerance, double start, int has_stop,
                               double stop);
using Plain = Status(Component);  ///< EnterInitializationMode, ExitInitializationMode, Terminate, Reset

template <class T>
using Get = Status(Component, const Reference*, std::size_t, T*);
template <class T>
using Set = Status(Component, const Reference*, std::size_t, const T*);

using DoStep = Status(Component, double time, double step, int no_set_state_before);
using GetRealStatus = Status(Component, StatusKind, double*);
using GetBooleanStatus = Status(Component, StatusKind, int*);

}  // namespace tactus::drivers::fmi::abi2
