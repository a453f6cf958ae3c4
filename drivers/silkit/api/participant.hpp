// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A participant as the C API has it: the engine and its streams behind one lock, and the user's calls.
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

#include "drivers/silkit/api/configuration.hpp"
#include "drivers/silkit/api/lifecycle_end.hpp"
#include "drivers/silkit/api/logger.hpp"
#include "drivers/silkit/core/engine.hpp"
#include "drivers/silkit/net/mesh.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::silkit {

/// Joined from construction to destruction. User's functions run on the I/O thread, without the lock.
///
/// Threads  any; constructed and destroyed by one that is not the I/O thread.
class Participant final : private MeshOwner {
 public:
  /// Joins. Throws Refusal, see Mesh::join(); Code::configuration for a bad name or URI.
  Participant(Configuration configuration, const std::string& name, const std::string& registry_uri);
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;
  ~Participant() override;

  const Configuration& configuration() const { return configuration_; }
  Logger& logger() { return logger_; }
  /// A line of the user's.
  void log(std::uint32_t level, const char* text);
  bool on_io_thread() const { return mesh_->on_io_thread(); }
  bool reaches_registry() const { return mesh_->reaches_registry(); }
  /// Throws Refusal with Code::logic when this thread runs one of the participant's handlers.
  void refuse_in_handler(const char* what) const;

  /// Marks, while it lives, that its thread runs a handler of the participant that is not called by the I/O
  /// thread.
  class InHandler {
   public:
    explicit InHandler(const Participant& participant) : participant_(participant), outer_(innermost_) {
      innermost_ = this;
    }
    InHandler(const InHandler&) = delete;
    InHandler& operator=(const InHandler&) = delete;
    ~InHandler() { innermost_ = outer_; }

   private:
    friend Participant;
    const Participant& participant_;
    const InHandler* const outer_;
    static thread_local const InHandler* innermost_;
  };

  /// Does `work` with the engine, under the lock, and sends what came of it.
  template <class Work>
  auto with_engine(Work&& work) {
    const std::unique_lock held = lock();
    const std::optional<std::int64_t> wake_before = engine_.wake_at();
    if constexpr (std::is_void_v<std::invoke_result_t<Work, Engine&>>) {
      work(engine_);
      worked(wake_before);
    } else {
      auto result = work(engine_);
      worked(wake_before);
      return result;
    }
  }

  /// Waits until all peers know of the bus controllers and RPC clients made so far, so that the user misses
  /// nothing of what they send from here on; a participant that does not answer for as long as a connect may
  /// take is not waited for. In a handler of the I/O thread it does not wait. @when lock not held
  void wait_until_known();
  /// Removes a handler: `remove` does it, with the engine, and returns it. Waits until it is not called any more; in a
  /// handler of this participant, which may be that one, it does not wait. False: there was none. @when lock not held
  template <class Remove>
  bool remove_handler(Remove remove) {
    const RemovedHandler removed = with_engine(remove);
    wait_until_not_called(removed);
    return removed != nullptr;
  }
  /// Not from inside the handler that it completes.
  void complete_communication_ready();
  void start_lifecycle();
  /// End of the lifecycle, for which threads wait. They are woken when the participant is destroyed.
  std::shared_ptr<LifecycleEnd> end() const { return end_; }

 private:
  std::unique_lock<std::mutex> lock() override { return std::unique_lock(mutex_); }
  Engine& engine() override { return engine_; }
  void serve() override;
  bool in_handler() const;
  void wait_until_not_called(const RemovedHandler& handler);
  /// Sends the log. The caller holds the lock.
  void send_log();
  void worked(std::optional<std::int64_t> wake_before);
  void watch_steps();
  void add_metrics(Metrics& metrics) const;

  const Configuration configuration_;
  Logger logger_;
  std::mutex mutex_;
  std::condition_variable changed_;  // leaving, or something that a thread waits for
  int waiting_until_known_ = 0;
  int waiting_until_not_called_ = 0;
  const std::shared_ptr<LifecycleEnd> end_ = std::make_shared<LifecycleEnd>(*this);
  MetricsFiles metrics_files_;
  const std::unique_ptr<Mesh> mesh_;
  Engine engine_;
  std::optional<Call::What> running_;
  bool leaving_ = false;
  std::unique_ptr<rtsync::PinnedThread> watchdog_;
};

}  // namespace tactus::silkit
