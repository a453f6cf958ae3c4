// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Rules that make a plan's results the same on any number of threads, and the dependencies that follow from
/// them.
///
/// Jobs of different scheduled threads run at the same time unless one waits for the other. So whatever two
/// of them share, a connection or a model's memory, is either ordered by a dependency or latched before the
/// instant. With the jobs of an asynchronous thread nothing is ever ordered: they share nothing but delayed
/// connections.
///
/// Threads  pure functions of setup time.                                                    @when setup
#include <cstddef>
#include <string>
#include <vector>

#include "config/place.hpp"
#include "executive/plan/plan.hpp"

namespace tactus::executive {

/// Places of the parts of a plan in the rig file; each list is as long as the plan's.
struct PlanOrigins {
  std::vector<config::Origin> threads;
  std::vector<config::Origin> jobs;
  std::vector<config::Origin> loops;
  std::vector<config::Origin> connections;
  /// False: a model could not be made, which was said; a thread without a job is then no news.
  bool complete = true;
};

/// `depends_on`, as the rig file has it: a job of the plan, and the name of one that it shall wait for.
struct WantedDependency {
  std::size_t job;
  config::Located<std::string> on;
};

/// Returns true if a job comes before another in the order of an instant: (class, phase, declaration).
/// Controller classes come after the others by their numbers.
bool comes_before(const Plan& plan, std::size_t a, std::size_t b);

/// Returns true if two cyclic jobs can be due at one instant: exact, on fractions. A dynamic job always can;
/// so can jobs whose times have no common tick, which the schedule refuses.
bool can_meet(const PlannedJob& a, const PlannedJob& b);

/// Fills PlannedJob::depends_on of all jobs: what `wanted` says, and what follows from direct connections and from
/// models on several threads. It only ever names cyclic jobs of other scheduled threads that come before, in
/// their order, none twice. What breaks a rule is added to `problems`.
void resolve_thread_dependencies(Plan& plan, const std::vector<WantedDependency>& wanted,
                                 const PlanOrigins& origins, config::Problems& problems);

}  // namespace tactus::executive
