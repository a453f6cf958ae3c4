// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "executive/campaign/store/database.hpp"

namespace tactus::campaign {

/// The needs of an array of tasks.
struct ArrayNeeds {
  int cpus = 1;
  std::int64_t memory_mb = 0;
  double time_limit_s = 0;
  bool bench = false;  ///< real time: each task has a bench for itself
  bool operator==(const ArrayNeeds&) const = default;
};

/// The places of attempts that another engine runs: the tables `arrays` and `placed` of campaign.sqlite.
///
///     array = add_array(...)              state `claimed`: nothing of it may run yet
///     place(array, task, number, ...)     each attempt, claimed by Store::claim() before
///     ready(array, tasks)                 all are placed, and its files are written
///     submitted(array, job)               the engine has it
///     ended(array)                        none of its attempts is open
///
/// Threads  any one. All functions throw DatabaseError.
class Placement {
 public:
  /// Makes the tables if they are not there.
  explicit Placement(Database& database);

  struct Array {
    int array = 0;
    std::string name;   ///< the name of the job, by which it is found again
    std::string job;    ///< the id that the engine gave it; empty: not known
    std::string state;  ///< claimed, ready, submitted, ended
    std::int64_t tasks = 0;
    ArrayNeeds needs;
  };
  struct Placed {
    std::int64_t task = 0;
    std::int64_t number = 0;
    int attempt = 0;
    bool open = false;  ///< its end is not known
  };

  int add_array(const std::string& name_begin, std::int64_t tasks, const ArrayNeeds& needs);
  void place(int array, std::int64_t task, std::int64_t number, int attempt);
  void ready(int array, std::int64_t tasks);
  void submitted(int array, const std::string& job);
  void ended(int array);
  /// Notes what the engine says of an attempt, and the node.
  void says(std::int64_t number, int attempt, const std::string& state, const std::string& node);

  /// Arrays whose end is not known.
  std::vector<Array> open_arrays();
  /// Attempts of an array in the order in which its tasks run them.
  std::vector<Placed> placed(int array);
  /// Returns true if the attempt is in an array whose end is not known.
  bool has(std::int64_t number, int attempt);
  /// Returns when the campaign was begun.
  std::string begun();
  /// Mean time of the cases that have a result, and their number.
  std::int64_t times(double& mean_s);

 private:
  Database& database_;
  Statement place_, says_, machine_;
};

}  // namespace tactus::campaign
