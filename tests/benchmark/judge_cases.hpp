// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What benchmark_judge measures, a file for each part.
namespace tactus::benchmark {

/// Expressions and temporal operators, against the same compiled as C++.
void measure_expressions(bool quick);
/// 1000 stimuli, and 1000 faults, against a bare loop.
void measure_overlays(bool quick);
/// A rig with empty parts of all of them, against one without.
void measure_nothing(bool quick);
/// An event's condition, against those of NASA Trick where it is built.
void measure_trick(bool quick);

}  // namespace tactus::benchmark
