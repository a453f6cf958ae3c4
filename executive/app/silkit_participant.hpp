#pragma once
#include <tactus/silkit.h>

#include <chrono>
#include <mutex>
#include <string>

#include "config/json.hpp"
#include "executive/app/commands.hpp"

namespace tactus::app {

/// Throws CommandError "<what>: <the library's words>" unless the code says success; a wrong name, URI or
/// configuration is wrong input.
void must(SilKit_ReturnCode code, const std::string& what);
/// "Running"; "?" for a number that is no state.
const char* state_name(SilKit_ParticipantState state);

/// "Address already in use".
std::string error_text(int error);
/// Puts a line out at once. Returns what errno says when stdout cannot be written, else 0.
int print_line(const std::string& line);

/// The file of --configuration, or one that logs from --log on. Log lines go to stderr: stdout is the
/// command's.
class SilKitConfiguration {
 public:
  /// Throws CommandError for a file that cannot be read or a level that is none.
  explicit SilKitConfiguration(const SilKitArguments& arguments);
  SilKitConfiguration(const SilKitConfiguration&) = delete;
  SilKitConfiguration& operator=(const SilKitConfiguration&) = delete;
  ~SilKitConfiguration();

  SilKit_ParticipantConfiguration* get() const { return handle_; }
  /// Middleware.RegistryUri of the file, which wins over the command line; else that of the command line.
  std::string uri() const;
  /// ParticipantName of the file, which wins as well; else that of the command line.
  std::string name() const;

 private:
  const SilKitArguments& arguments_;
  config::Json json_;  ///< the file
  SilKit_ParticipantConfiguration* handle_ = nullptr;
};

/// SIGINT, SIGTERM and SIGHUP as something to wait for, beside a add_provision of another thread. What was
/// ignored when the program started, as with nohup, stays ignored; so does SIGPIPE from here on: a write
/// fails instead.
///
/// Threads  made before any other thread, so that all inherit what it blocks; wake() by any, else one thread.
class SignalWaiter {
 public:
  enum class Call { signal, woken, resized, nothing };

  SignalWaiter();
  SignalWaiter(const SignalWaiter&) = delete;
  SignalWaiter& operator=(const SignalWaiter&) = delete;
  ~SignalWaiter();

  /// A signal is told before a wake; several wakes may be told as one. `resized`: the terminal was.
  Call wait(std::chrono::milliseconds limit = std::chrono::hours(1));
  void wake();

 private:
  int signals_ = -1;
  int wakes_ = -1;
};

/// A participant that has joined, with its system monitor. Leaves when it is destroyed.
class SilKitParticipant {
 public:
  /// Blocks until it has joined; a signal meanwhile ends the process with status 1. Throws CommandError
  /// naming the URI and what to do.
  SilKitParticipant(const SilKitArguments& arguments, SignalWaiter& attention);
  SilKitParticipant(const SilKitParticipant&) = delete;
  SilKitParticipant& operator=(const SilKitParticipant&) = delete;
  ~SilKitParticipant() { leave(); }

  SilKit_Participant* get() const { return handle_; }
  const std::string& name() const { return name_; }
  /// Where the registry is.
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

}  // namespace tactus::app
