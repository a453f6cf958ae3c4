#pragma once
#include <tactus/silkit.h>

#include <chrono>
#include <mutex>
#include <string>

#include "executive/app/commands.hpp"

namespace tactus::app {

/// Throws CommandError "<what>: <the library's words>" unless the code says success; a wrong name, URI or
/// configuration is wrong input.
void must(SilKit_ReturnCode code, const std::string& what);
/// "Running"; "?" for a number that is no state.
const char* state_name(SilKit_ParticipantState state);

/// The file of --configuration, or one that logs to stdout from --log on.
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

 private:
  std::string uri_;
  SilKit_ParticipantConfiguration* handle_ = nullptr;
};

/// A participant that has joined, with its system monitor. Leaves when it is destroyed.
class SilKitParticipant {
 public:
  /// Blocks until it has joined. Throws CommandError naming the URI and what to do.
  explicit SilKitParticipant(const SilKitArguments& arguments);
  SilKitParticipant(const SilKitParticipant&) = delete;
  SilKitParticipant& operator=(const SilKitParticipant&) = delete;
  ~SilKitParticipant() { leave(); }

  SilKit_Participant* get() const { return handle_; }
  SilKit_SystemMonitor* monitor() const { return monitor_; }
  /// No handler is called any more when this returns.
  void leave();

 private:
  SilKit_Participant* handle_ = nullptr;
  SilKit_SystemMonitor* monitor_ = nullptr;
};

/// SIGINT, SIGTERM and SIGHUP as something to wait for, beside a wish of another thread.
///
/// Threads  made before any other thread, so that all inherit what it blocks; wake() by any, else one thread.
class Attention {
 public:
  enum class Call { signal, woken, nothing };

  Attention();
  Attention(const Attention&) = delete;
  Attention& operator=(const Attention&) = delete;
  ~Attention();

  /// A signal is told before a wake; several wakes may be told as one.
  Call wait(std::chrono::milliseconds limit = std::chrono::hours(1));
  void wake();

 private:
  int signals_ = -1;
  int wakes_ = -1;
};

}  // namespace tactus::app
