// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "executive/isolation/call_page.hpp"
#include "executive/isolation/driver_section.hpp"
#include "executive/isolation/model_declaration.hpp"
#include "executive/isolation/setup_channel.hpp"
#include "rtsync/crash/thread_life.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// A model could not be made in a process of its own; `kind` says what refused it. what() is for the user.
class ModelRefused : public std::runtime_error {
 public:
  ModelRefused(Letter::Kind refused, const std::string& what) : std::runtime_error(what), kind(refused) {}
  const Letter::Kind kind;
};

/// Thrown if a driver's model refused its section.
class SectionRefused : public ModelRefused {
 public:
  explicit SectionRefused(config::Problems what)
      : ModelRefused(Letter::Kind::settings_refused, what.text()), problems(std::move(what)) {}
  const config::Problems problems;
};

/// Settings with which a process of a model starts.
struct ModelOrigin {
  std::string instance;  ///< the model's name in the rig
  std::string library;   ///< a file
  std::string model;     ///< name of the model in the library; for a driver: the driver's name
  std::optional<DriverSection> driver{};  ///< section of a driver's model
};

/// The process of one model, as the rig sees it.
///
/// Threads  spawn(), look(), reap(): the one that watches, whose end the process does not survive. introduce(),
///          begin(), end(), place(): setup. exchange(): one at a time. The rest: any.
class ModelProcess {
 public:
  explicit ModelProcess(ModelOrigin origin) : origin_(std::move(origin)) {}
  ~ModelProcess();
  ModelProcess(const ModelProcess&) = delete;
  ModelProcess& operator=(const ModelProcess&) = delete;

  const ModelOrigin& origin() const { return origin_; }
  pid_t pid() const { return pid_; }
  /// Throws std::runtime_error. @when setup
  void spawn();
  /// Readable once it has ended. -1: there is none, and reap() has to be asked now and then. Another one after reap().
  int descriptor() const { return process_.load(); }
  /// Called 16 times in the timeout there is with it: a call that lasts longer ends it. Its own end may last a second in
  /// any case, as no frame waits for it. every: from one call to the next. @when service
  void look(std::chrono::nanoseconds every);
  /// Looks at one call that end its process. ending: it is the call that destroys the model.
  static std::int64_t most_looks(bool ending, std::chrono::nanoseconds every);
  /// Once it has ended: finds out how, and wakes the threads that wait for it. False: it continues, and the
  /// descriptor is not what it was, as a model closed it. @when service
  bool reap();

  /// Returns the declaration of its model. Throws ModelRefused, SectionRefused. @when setup
  ModelDeclaration introduce();
  /// Its model has outputs that must be driven safe. Once it was introduced.
  bool has_outputs() const { return has_outputs_; }
  /// Settings of its driver with whole paths of files; nothing: as origin() has them. Once it was introduced.
  const std::optional<config::Node>& whole_settings() const { return whole_settings_; }
  /// Shares a block of that many bytes with it, which then holds the variables' first values. Throws
  /// ModelRefused. @when setup
  void begin(std::size_t bytes);
  /// Places its thread: the CPUs, policy and priority of the thread that calls it; one priority below, so
  /// that a loop in it never keeps the CPU from the rig. @when setup
  std::vector<rtsync::Provision> place(const rtsync::ThreadSettings& caller);
  /// Destroys the model; the process ends. @when setup
  void end();
  /// Kills the process at once. @when any
  void kill() TACTUS_RT;
  /// The same, by the rig itself, for what is dealt with otherwise: no crash of the model. @when any
  void give_up() TACTUS_RT {
    given_up_.store(true);
    kill();
  }

  /// Makes the call that is in the page. False: the process has ended, and how() says how.        @when rt
  bool exchange() TACTUS_RT;
  /// Switches the limit on or off: while on, a call that lasts too long ends the process.         @when rt
  void set_limited(bool on) TACTUS_RT { limited_.store(on ? ++calls_ : 0, std::memory_order_relaxed); }
  CallPage& page() TACTUS_RT { return *page_.load(std::memory_order_relaxed); }
  std::byte* block() TACTUS_RT { return block_; }
  /// The process drives its outputs safe when the thread that holds it dies. Once begin() has returned.
  rtsync::ThreadLife& frames_thread() { return *frames_thread_; }

  bool ended() const TACTUS_RT { return ended_.load(std::memory_order_acquire); }
  /// Otherwise than end() asked for. Once ended().
  bool crashed() const { return crashed_; }
  /// "its process (libplant.so, pid 123) was ended by SIGSEGV". Once ended().                     @when rt
  const char* how() const TACTUS_RT { return how_.data(); }

 private:
  bool open_descriptor();
  Letter await_letter();
  [[noreturn]] void refuse_dead();
  void set_how(const std::string& text);
  std::string who() const;

  const ModelOrigin origin_;
  pid_t pid_ = -1;
  std::atomic<int> process_{-1};  // a pidfd; the watcher's to replace
  int socket_ = -1;
  int memory_ = -1;
  std::string cwd_;
  std::string stage_ = "it was started";
  bool has_outputs_ = false;
  std::optional<config::Node> whole_settings_;
  std::size_t mapped_ = 0;
  std::atomic<CallPage*> page_{nullptr};
  std::byte* block_ = nullptr;
  rtsync::ThreadLife* frames_thread_ = nullptr;
  std::uint32_t turn_ = 0;
  std::uint32_t calls_ = 0;
  std::atomic<std::uint32_t> limited_{0};  // the call that is limited; 0: none
  std::uint32_t looked_ = 0;               // the call that was seen last, and how often
  int looks_ = 0;
  bool overdue_ = false;
  std::atomic<bool> ending_{false};
  bool crashed_ = false;
  std::array<char, 1024> how_{};
  std::atomic<bool> given_up_{false};
  std::atomic<bool> ended_{false};
};

}  // namespace tactus::executive
