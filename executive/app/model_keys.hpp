// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "config/shape.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/driver/key_names.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::app {

/// Keys of the models of a rig file, with those of their drivers and the names that these can have. The file may have
/// mistakes, as one that is being written.
///
/// Threads  one, at setup.
class ModelKeys {
 public:
  struct Of {
    std::string model;
    std::shared_ptr<const config::Section> section;  ///< all keys of the model
    executive::KeyNames names;                       ///< those of its driver's keys
    std::string problem;  ///< reason why names or keys are not known; empty: they are, or there are none
  };
  /// Looks at the models of a file; with `only` at that of this name alone.
  explicit ModelKeys(const config::Document& document, const std::string& only = "");

  /// nullptr: there is no such model.
  const Of* find(const std::string& model) const;
  const std::vector<Of>& all() const { return all_; }
  /// The keys of the rig file, in which each model has its own.
  config::Section section_of_rig() const;

 private:
  Of keys_of(const executive::ModelSettings& settings);

  std::vector<std::unique_ptr<executive::DriverLibrary>> libraries_;  // outlive what came out of them
  std::vector<Of> all_;
};

}  // namespace tactus::app
