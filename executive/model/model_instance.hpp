// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executive/model/variable.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// A job as its model declared it.
struct DeclaredJob {
  std::string name;  ///< name without the model's
  tactus_job_class job_class = TACTUS_SCHEDULED;
  unsigned phase = 60000;
  tactus_job_function run = nullptr;
  rtsync::Period cycle;  ///< zero: once every frame
  bool dynamic = false;  ///< chooses its own next time
};

/// A continuous state of a model, and where its derivative is. Both are double, of one size.
struct IntegratedPair {
  const Variable* state;
  const Variable* derivative;
};

/// Description of a model whose object is there already. The name must outlive it.                  @when setup
inline tactus_model described(const std::string& name, decltype(tactus_model::declare) declare) {
  return {TACTUS_ABI_VERSION, sizeof(tactus_model), name.c_str(), "", nullptr, declare, nullptr};
}

class ModelInstance;

/// Services for a running model; see tactus_host.                                                   @when any
class ModelServices {
 public:
  virtual ~ModelServices() = default;
  virtual void set_realtime(bool on) TACTUS_RT = 0;
  virtual bool enable_job(std::string_view name, bool on) TACTUS_RT = 0;
  /// False when there is no dynamic job of that name ("model.job", in two parts).
  virtual bool call_at(std::string_view model, std::string_view job, std::int64_t sim_time_ns) TACTUS_RT = 0;
  /// False when the number is no command.
  virtual bool command(tactus_command command, std::int64_t value) TACTUS_RT = 0;
  /// The frame in which a job of the model runs now; nothing: it is not known.
  virtual std::optional<std::int64_t> frame_of(const ModelInstance& /*model*/) TACTUS_RT {
    return std::nullopt;
  }
};

/// One model of a rig: constructed, declared, and destroyed again.
///
/// Threads  setup: one thread. failure(), fail(): the thread that runs the model's jobs, and after it has
/// ended any.
class ModelInstance {
 public:
  /// Constructs the model and lets it declare itself. Throws std::runtime_error with what the model or the
  /// host objected to (a constructor that throws, a name twice, a unit that cannot be read). An object `self`
  /// that is there already is not constructed and stays the caller's. @when setup
  ModelInstance(const tactus_model& model, std::string name, void* self = nullptr);
  ModelInstance(const ModelInstance&) = delete;
  ModelInstance& operator=(const ModelInstance&) = delete;
  ~ModelInstance();

  const std::string& name() const { return name_; }
  void* self() const { return self_; }
  std::deque<Variable>& variables() { return variables_; }
  const std::deque<Variable>& variables() const { return variables_; }
  const std::vector<DeclaredJob>& jobs() const { return jobs_; }
  const std::vector<IntegratedPair>& integrated() const { return integrated_; }
  /// Reason why the model can neither be reset nor continued from a checkpoint; empty: it can.
  const std::string& restart_refusal() const { return restart_refusal_; }
  /// nullptr when there is none; `name` without the model's name.
  const Variable* find_variable(const std::string& name) const;
  /// Sets the object that answers the model's requests from now on. @when setup
  void set_services(ModelServices& services) { services_.store(&services, std::memory_order_relaxed); }
  /// They end before the model does: what it asks for from here on is refused. @when setup
  void drop_services() { services_.store(nullptr, std::memory_order_relaxed); }
  /// Last text that the model passed to tactus_host::fail; empty if none.
  const char* failure() const { return failure_.data(); }
  /// The same, and forgets it: the text of one job is not reported for the next that fails. Empty as well for a text
  /// that was passed in another frame than the given one, by a job that did not fail then. @when service
  std::string take_failure(std::optional<std::int64_t> frame = std::nullopt) const;

 private:
  struct HostCalls;
  void add(const tactus_variable& variable);
  void add(const tactus_job& job);

  const tactus_model& model_;
  std::string name_;
  tactus_host host_{};
  void* self_ = nullptr;
  bool created_ = false;
  std::deque<Variable> variables_;  // a deque: the addresses stay
  std::vector<DeclaredJob> jobs_;
  std::vector<IntegratedPair> integrated_;
  std::string restart_refusal_;
  bool declaring_ = false;
  std::string refusal_;
  std::atomic<ModelServices*> services_{nullptr};
  mutable std::array<char, 256> failure_{};
  std::optional<std::int64_t> failure_frame_{};  // in which it was passed, as far as known
};

}  // namespace tactus::executive
