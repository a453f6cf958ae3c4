// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tactus/model.hpp>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "config/node.hpp"
#include "config/place.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/key_names.hpp"
#include "executive/driver/safe_output.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// Output outside of the process that one of a model's variables drives.
struct DrivenOutput {
  std::string variable;  ///< name as the model declares it
  std::string what;      ///< "line 17 of /dev/gpiochip0"
  config::Json safe{};   ///< its safe value; null: it has none
};

/// Message of a model for the rig's log.
struct ModelMessage {
  bool warning;
  std::string text;  ///< one line
};

/// Disturbance that a model offers of something of its device.
struct OfferedFault {
  std::string target;   ///< "EngineData"
  std::string kind;     ///< "wrong_checksum"
  std::string meaning;  ///< one line
  bool has_amount = false;
  std::string unit;  ///< unit of the amount
  double least = 0, most = 0;
  std::optional<double> fallback{};  ///< amount without one in the rig file; nothing: it must have one
  std::string refused;               ///< reason why it cannot be had; empty: it can
};

/// Distribution that a model has measured.
struct ModelHistogram {
  struct Class {
    double end;  ///< largest value of the class
    std::uint64_t count;
  };
  struct Share {
    std::string cause;  ///< "bus"
    std::uint64_t count;
  };
  std::string name{};          ///< "EngineData.late"
  std::string about{};         ///< one line
  std::string unit{};          ///< "s"
  std::string not_measured{};  ///< reason to doubt it; empty: none
  std::uint64_t count = 0;
  double longest = 0;
  std::vector<Class> classes{};  ///< those that are not empty, the smallest end first
  double limit = 0;              ///< values above it are too large; 0: none are
  std::vector<Share> shares{};   ///< those too large, by cause
};

/// Receiver of lines about a file; `finding`: the line says what is wrong with it.
using FileLine = std::function<void(bool finding, const std::string& text)>;

/// Model that a driver makes from its section of the rig file, on which its variables depend.
class DrivenModel : public tactus::Model {
 public:
  /// Argument of its jobs, and the function that declares them.
  struct Face {
    void* self;
    int (*declare)(const tactus_host* host, void* self);
  };
  /// Its own; of a model behind another interface, that one's. Constant after construction. @when setup
  virtual Face face() { return {static_cast<Model*>(this), &tactus::detail::declare_model}; }
  /// Names its code for messages: "driver 'can' (libtactus-model-can.so)"; empty: code of tactus. @when setup
  virtual std::string code() const { return {}; }
  /// Opens its device, before any job runs and never for `tactus check`. Throws DeviceError. @when setup
  virtual void open(const OpenRequest& request) = 0;
  /// Part that must be driven safe; nullptr: none. Constant after construction.     @when setup
  virtual SafeOutput* safe_output() { return nullptr; }
  /// Outputs that it drives, for people who are about to move it. Constant after construction. @when setup
  virtual std::vector<DrivenOutput> outputs() const { return {}; }
  /// Looks at the cycle that a job of a cyclic class has in the rig. Throws std::runtime_error with the reason why the
  /// rig cannot have it.                                                            @when setup
  virtual void planned(const std::string& job, const rtsync::Period& cycle) { (void)job, (void)cycle; }
  /// Returns false if take_message() never has one. Constant after construction.           @when setup
  virtual bool has_messages() const { return false; }
  /// Takes the oldest message that waits for the rig's log, one call at a time. Throws std::runtime_error. @when service
  virtual std::optional<ModelMessage> take_message() { return std::nullopt; }
  /// Disturbances that it offers. Constant after declare(). Throws std::runtime_error. @when setup
  virtual std::vector<OfferedFault> faults() { return {}; }
  /// Begins the disturbance with this place in faults(), or ends it; the same may be said again.     @when rt
  virtual void disturb(std::uint32_t /*number*/, bool /*acts*/, double /*amount*/) TACTUS_RT {}
  /// Returns how often it has had its effect. After the frames.                                         @when service
  virtual std::uint64_t disturbed(std::uint32_t /*number*/) { return 0; }
  /// Returns the histograms that it has now. Throws std::runtime_error.                         @when service
  virtual std::vector<ModelHistogram> histograms() { return {}; }
  /// Returns what a person should know before it runs; it is never opened then. Throws std::runtime_error. @when setup
  virtual std::vector<ModelMessage> remarks() { return {}; }
};

/// Options of `tactus check` for files that models are made of.
struct ExamineOptions {
  struct Option {
    std::string name;   ///< "bit-rate"
    std::string value;  ///< empty: not given
    bool is_asked = false;
  };
  std::vector<Option> all{};

  /// The value of an option; nullptr: not given. It counts as one that the driver knows.
  const char* ask(const std::string& name) {
    for (Option& each : all)
      if (each.name == name) {
        each.is_asked = true;
        return each.value.empty() ? nullptr : each.value.c_str();
      }
    return nullptr;
  }
  /// The first option that was given and that the driver did not ask for; nullptr: none.
  const Option* unknown() const {
    for (const Option& each : all)
      if (!each.value.empty() && !each.is_asked) return &each;
    return nullptr;
  }
};

/// Adds the parameters of a rig file to the section of a driver that takes them.
config::Node with_parameters(const config::Node& settings, const config::Node& parameters);
/// Takes them out again: {section, parameters}.
std::pair<config::Node, config::Node> without_parameters(const config::Node& settings);

/// A driver of kind "model", named by `driver:` instead of `model:` and `library:`.
///
/// Threads  one thread at setup.
class ModelDriver : public Driver {
 public:
  static constexpr const char* kKind = "model";

  /// Makes a model from its section: `settings` is a map of all keys that the common table does not know.
  /// What is wrong is added to `problems`, and the model is then nullptr. Touches no device. @when setup
  virtual std::unique_ptr<DrivenModel> make(const config::Node& settings, const std::string& path,
                                            config::Problems& problems) = 0;
  /// Takes the map of the rig file's parameters as entry 'parameters' of `settings`, too.   @when setup
  virtual bool takes_parameters() const { return false; }
  /// Says which names the keys of a model's section can have, whatever is wrong with the section. Touches no device.
  /// Throws std::runtime_error: they cannot be known.                                   @when setup
  virtual KeyNames names(const config::Node& /*settings*/, const std::string& /*path*/) const { return {}; }
  /// End of the names of files that its models are made of; empty: none.            @when setup
  virtual std::string extension() const { return ""; }
  /// Describes such a file. Throws std::runtime_error if it cannot be read.         @when setup
  virtual void examine(const std::string& /*file*/, const FileLine& /*line*/,
                       ExamineOptions& /*options*/) const {}
};

}  // namespace tactus::executive
