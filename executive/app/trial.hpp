// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Trials of a driver, each in a process of its own, for `tactus test driver`.
///
/// Threads  the process's first one.                                                        @when service
#include <sys/resource.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "config/place.hpp"
#include "executive/driver/driver_library.hpp"

namespace tactus::app {

/// The driver under test.
struct TriedDriver {
  std::filesystem::path file{};
  std::string kind{};
  std::string name{};
  config::Node keys{};  ///< a map with its keys

  executive::DriverLibrary load() const { return {file, kind, name}; }
};

/// A mistake of the driver: a sentence that continues "the driver ...". Thrown by a trial.
class Mistake : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// A reason why a trial is not possible here. Thrown by a trial.
class NotTried : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// The driver's keys are missing, or do not fit, so that it is not made. Thrown by a trial.
class KeysMisfit : public NotTried {
 public:
  using NotTried::NotTried;
};

struct Trial {
  std::string name;                               ///< "a full disk"
  std::function<void(const TriedDriver&)> run{};  ///< runs in a process of its own, in an empty folder
};

struct TrialResult {
  enum class Outcome { good, wrong, skipped } outcome = Outcome::good;
  std::string text{};        ///< the mistake, or why it was skipped
  bool keys_misfit = false;  ///< skipped because keys of the driver are missing or do not fit
};

/// Runs a trial in a process of its own, which ends when it takes longer than `patience`.
TrialResult run_trial(const Trial& trial, const TriedDriver& driver, std::chrono::nanoseconds patience);

std::vector<Trial> common_trials();
std::vector<Trial> format_trials();
std::vector<Trial> model_trials();
std::vector<Trial> clock_trials();

/// Open files and threads of this process, to compare later. Throws Mistake when there are more then.
class Holdings {
 public:
  Holdings();
  void expect_same(const std::string& after) const;

 private:
  std::size_t files_, threads_;
};

/// Sets a limit of this process while it lives.
class Limited {
 public:
  /// Sets it to `most`; 0 of RLIMIT_NOFILE makes open() fail for want of descriptors.
  Limited(decltype(RLIMIT_NOFILE) resource, rlim_t most);
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;
  ~Limited();

 private:
  const decltype(RLIMIT_NOFILE) resource_;
  rlimit before_{};
};

/// Memory for a record, between bytes that must stay as they are and a page that nobody may touch: a driver that writes
/// around its room, or reads far past it, is caught.
class GuardedRoom {
 public:
  /// Throws std::system_error.
  explicit GuardedRoom(std::size_t bytes);
  GuardedRoom(const GuardedRoom&) = delete;
  GuardedRoom& operator=(const GuardedRoom&) = delete;
  ~GuardedRoom();

  std::byte* data() { return data_; }
  std::size_t size() const { return bytes_; }
  /// Throws Mistake if a byte around it is another.
  void expect_kept() const;

 private:
  std::size_t bytes_, mapped_, page_;
  std::byte* begin_ = nullptr;
  std::byte* data_ = nullptr;
};

/// Throws the reason why a driver made nothing of its keys: Mistake when it failed, NotTried when it needs other keys.
[[noreturn]] void throw_not_made(const config::Problems& problems);

/// Throws Mistake unless the text of a refusal says something.
void expect_reason(const std::string& text, const std::string& of);

}  // namespace tactus::app
