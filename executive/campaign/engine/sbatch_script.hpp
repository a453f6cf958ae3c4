// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "executive/campaign/engine/engine.hpp"
#include "executive/campaign/file/slurm_settings.hpp"

namespace tactus::campaign::slurm {

/// Places that a task needs on its node: all in file systems that the nodes share.
struct TaskPlaces {
  std::filesystem::path campaign;   ///< folder of the campaign
  std::filesystem::path directory;  ///< working directory of the cases
  std::filesystem::path program;    ///< tactus
};

/// The words of sbatch, without the script and without its own name.
std::vector<std::string> sbatch_options(const SlurmSettings& settings, const ArrayJob& array);
/// The script that each task of the array runs: it looks whether the places are there, and becomes tactus.
std::string sbatch_script(const SlurmSettings& settings, const ArrayJob& array, const TaskPlaces& places);

}  // namespace tactus::campaign::slurm
