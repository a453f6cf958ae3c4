// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/silkit.h>

#include <string>

#include "config/json.hpp"
#include "drivers/silkit/command/signal_waiter.hpp"
#include "executive/driver/command_driver.hpp"

namespace CLI {
class Option;
}

namespace tactus::silkit::command {

using executive::CommandError;
using enum executive::ExitStatus;

inline constexpr const char* kDefaultUri = "silkit://localhost:8500";

/// -v, --version: the SIL Kit that this stands in for.
void declare_version(CLI::App& app);
/// -l, --log. Returns the option.
CLI::Option* declare_log(CLI::App& app, std::string& level);
/// An option that is understood, and does nothing.
void declare_ignored(CLI::App& app, const char* option, bool& given);
/// "Warn" of "warn" or "WARNING". Throws CommandError for what is not a level.
std::string level_key(std::string level);

/// Common arguments of the commands that take part.
struct Arguments {
  std::string uri = kDefaultUri;
  std::string name{};
  std::string configuration{};  ///< a YAML or JSON file; empty: none
  std::string log = "info";     ///< trace, debug, info, warn, error, critical, off

  /// `log_or_configuration`: not both.
  void declare(CLI::App& app, const char* default_name, bool log_or_configuration);
};

/// Throws CommandError "<what>: <the library's words>" unless the code says success; a wrong name, URI or
/// configuration is wrong input.
void must(SilKit_ReturnCode code, const std::string& what);
/// "Running"; "?" for a number that is no state.
const char* state_name(SilKit_ParticipantState state);

/// The file of --configuration, or one that logs from --log on. Log lines go to stderr: stdout is the
/// command's.
class Configuration {
 public:
  /// Throws CommandError for a file that cannot be read or a level that is none.
  explicit Configuration(const Arguments& arguments);
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;
  ~Configuration();

  SilKit_ParticipantConfiguration* get() const { return handle_; }
  /// Middleware.RegistryUri of the file, which wins over the command line; else that of the command line.
  std::string uri() const;
  /// ParticipantName of the file, which wins as well; else that of the command line.
  std::string name() const;

 private:
  const Arguments& arguments_;
  config::Json json_;  ///< the file
  SilKit_ParticipantConfiguration* handle_ = nullptr;
};

/// A participant that has joined, with its system monitor. Leaves when it is destroyed.
class Participant {
 public:
  /// Blocks until it has joined; a signal meanwhile ends the process with status 1. Throws CommandError
  /// naming the URI and what to do. The configuration is only read.
  Participant(const Configuration& configuration, SignalWaiter& attention);
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;
  ~Participant() { leave(); }

  SilKit_Participant* get() const { return handle_; }
  const std::string& name() const { return name_; }
  /// Address of the registry.
  const std::string& uri() const { return uri_; }
  SilKit_SystemMonitor* monitor() const { return monitor_; }
  /// No handler is called any more when this returns.
  void leave();

 private:
  std::string name_;
  std::string uri_;
  SilKit_Participant* handle_ = nullptr;
  SilKit_SystemMonitor* monitor_ = nullptr;
};

}  // namespace tactus::silkit::command
