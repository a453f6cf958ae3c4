// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executive/model/model_instance.hpp"

namespace tactus::executive {

/// Declaration of a model, without its memory: as it passes from the model's process to the rig. Both place
/// the variables alike in a block of memory.
///
/// Threads  a value. @when setup
struct ModelDeclaration {
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;  ///< size of a block

  struct Variable {
    std::string name;  ///< name without the model's
    tactus_role role = TACTUS_STATE;
    tactus_type type = TACTUS_DOUBLE;
    std::uint32_t count = 0;
    std::uint32_t columns = 0;
    std::string unit{};
    std::string about{};
    std::vector<VariableLabel> labels{};
    double low = 0, high = 0;  ///< NaN: no bound
    std::string fixed{};
    std::size_t offset = 0;  ///< offset in the block
    std::size_t bytes = 0;
  };
  struct Job {
    std::string name;
    std::uint32_t job_class = TACTUS_SCHEDULED;
    std::uint32_t phase = 0;
    std::int64_t cycle_num = 0;  ///< numerator, or TACTUS_DYNAMIC
    std::int64_t cycle_den = 1;
  };

  std::vector<Variable> variables;
  std::vector<Job> jobs;
  std::vector<std::pair<std::string, std::string>> integrated;  ///< states and derivatives
  std::string restart_refusal;
  std::size_t bytes = 0;  ///< size of the block
};

/// Encodes a declaration as bytes for the same machine.
std::string encode(const ModelInstance& model);
/// Throws std::runtime_error when they are none, or too many for a block: whatever they are, it reads no further
/// than they reach.
ModelDeclaration decode(std::string_view bytes);

}  // namespace tactus::executive
