// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "config/place.hpp"
#include "executive/plan/rig_parts.hpp"
#include "executive/plan/thread_rules.hpp"

namespace tactus::executive {

/// Decisions of a command on the link, whatever the rig file says.
struct LinkOverrides {
  bool realtime = true;  ///< false: --no-realtime; a link that would be paced follows instead
  bool off = false;      ///< --link off: without it, and without what is recorded of it
  std::string replay{};  ///< a run folder: what came in there comes in again
};

/// A rig while it is built: its parts, and the data that the sections of the rig file exchange.
///
/// Threads  one thread at setup.
struct Draft {
  RigParts& rig;
  config::Problems& problems;
  const std::filesystem::path& base;  ///< folder to which files are relative
  const LinkOverrides& link_overrides;

  RigSettings& settings = rig.settings;
  Plan& plan = rig.plan;
  PlanOrigins origins{};                                ///< places of the plan's parts
  std::vector<WantedDependency> wanted{};               ///< `depends_on` of all jobs
  std::map<const ModelInstance*, std::size_t> homes{};  ///< the threads of the models
  bool threads_known = true;                            ///< every name of a thread was right
  bool names_link = false;                              ///< the rig file has a link, made or not
  rtsync::Nanoseconds clock_delay{0};  ///< time that an external clock may add to a frame, or to its start
  std::map<std::string, const ModelLibrary*> libraries{};  ///< libraries of models by their names in the file
  /// The models that find_model() has passed, by name: a rig of thousands asks for each of them several times.
  mutable std::unordered_map<std::string_view, const ModelInstance*> models{};

  /// nullptr: there is none, or it could not be made.
  const ModelInstance* find_model(const std::string& name) const;
  /// The rig file has such a model. When it could not be made, that was said.
  bool names_model(const std::string& name) const;
  /// 0 for main, 1 + index for a worker. Another name is complained of, and taken for main.
  std::size_t find_thread(const Located<std::string>& name);
  /// A variable of a model or of the executive; complains when there is none.
  std::optional<VariableRef> find_variable(const Located<std::string>& name);
  /// The same without the complaint: nothing, and `why`: "'motor.sped' is not ..."; empty: its model was complained of.
  std::optional<VariableRef> look_up(const std::string& name, std::string& why) const;
  /// Loads a driver, which the rig keeps. nullptr, with a problem, when that is not possible.
  std::shared_ptr<DriverLibrary> load_driver(const std::string& kind, const Located<std::string>& name);
  /// Loads a library of models, which the rig keeps, once. Throws LibraryError.
  const ModelLibrary& load_library(const std::string& name);
};

}  // namespace tactus::executive
