// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Reads what Slurm's programs print, and its file of completed jobs.
///
/// Threads  re-entrant.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executive/campaign/engine/engine.hpp"

namespace tactus::campaign::slurm {

/// "Key   = value" of each line of `scontrol show config`.
std::map<std::string, std::string> config_of(std::string_view text);
/// "Key=value" of the words of a line, as `scontrol -o show` and JobCompLoc have it.
std::map<std::string, std::string> words_of(std::string_view line);
/// "1-3,7,10-20:2%4" of an array: ranges with both ends. Empty: it is none.
std::vector<std::pair<std::int64_t, std::int64_t>> tasks_of(std::string_view text);
/// Seconds of "1-02:03:04", "02:03:04", "03:04", "5" (minutes); 0 of UNLIMITED.
double seconds_of(std::string_view text);
/// "1-02:03:00" for sbatch, whole minutes, rounded up.
std::string time_text(double seconds);

/// Lines of squeue -o kQueueFormat.
inline constexpr const char* kQueueFormat = "%F|%K|%T|%r|%N";
std::vector<QueuedTasks> queue_of(std::string_view text);
/// A line of JobCompLoc, or of `scontrol -o show job`, that is one of an array's tasks; nothing: it is another job.
std::optional<TaskEnd> end_of_task(std::string_view line);
/// The id that `sbatch --parsable` printed, with warnings before it: "12", or "12;cluster". Empty: there is none.
std::string job_of(std::string_view text);
/// The number of a generic resource: 2 in "gpu:a100:4(S:0-1),bench:2".
std::int64_t gres_of(std::string_view text, std::string_view name);

}  // namespace tactus::campaign::slurm
