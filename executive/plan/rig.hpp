#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/place.hpp"
#include "executive/driver/clock_driver.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/driver/link.hpp"
#include "executive/driver/live.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/statistics.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/model/model_library.hpp"
#include "executive/plan/plan.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/plan/thread_rules.hpp"
#include "executive/record/recorder.hpp"
#include "rtsync/clock/edge_clock_settings.hpp"

namespace tactus::executive {

/// What a command decides about the link, whatever the rig file says.
struct LinkOverrides {
  bool realtime = true;  ///< false: --no-realtime; a link that would be paced follows instead
  bool off = false;      ///< --link off: without it, and without what is recorded of it
  std::string replay{};  ///< a run folder: what came in there comes in again
};

/// A rig file made real (state Connect): libraries loaded, models constructed and declared, wires checked,
/// the plan laid. Nothing has been run yet.
///
/// Threads  setup: one thread. While the rig runs, its memory belongs to the frames.
class Rig {
 public:
  /// `base` is the folder that libraries with a '/' are relative to. Throws config::ConfigError with
  /// everything that is wrong, all in one go. @when setup
  Rig(RigSettings settings, const std::filesystem::path& base, config::Problems problems = {},
      LinkOverrides choice = {});
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
  ~Rig();

  /// As loaded, with the files of the libraries in full: what the run folder keeps.
  const RigSettings& settings() const { return settings_; }
  const Plan& plan() const { return plan_; }
  const std::deque<ModelInstance>& models() const { return models_; }
  /// The link to virtual-time participants; nullptr: the rig has none.
  Link* link() const { return link_.get(); }
  /// Servers of live access, in the order of the rig file.
  const std::vector<std::unique_ptr<LiveServer>>& live_servers() const { return live_servers_; }
  /// The date of simulated time 0, in ns since 1970-01-01T00:00:00Z.
  std::int64_t epoch_ns() const { return epoch_ns_; }
  /// The executive's own variables: rt.*, and clock.* and link.* where there are such.
  std::vector<const std::deque<Variable>*> executive_variables() const;
  /// Inputs that no wire and no link feeds and no parameter sets.
  std::vector<std::string> unconnected_inputs() const;

  /// Who answers the models' requests from now on. @when setup
  void serve(ModelServices& services);
  /// Sets the values of `parameters:`; after the default_data jobs. @when setup
  void apply_parameters();
  /// The recordings of `record:`, sampled by the plan's jobs.
  std::deque<Recording>& recordings() { return recordings_; }
  /// The log of all frames; nullptr when it is off or its driver is missing.
  Recording* frame_log() { return frame_log_ ? &*frame_log_ : nullptr; }
  /// What the executive keeps up to date for the variables rt.*.
  RealtimeVariables& realtime_variables() { return rt_; }
  /// What the external clock keeps up to date for the variables clock.*.
  rtsync::EdgeClockStatus& clock_status() { return clock_status_; }
  const rtsync::EdgeClockStatus& clock_status() const { return clock_status_; }

  /// Opens the devices of the models that drivers made; their outputs then stand at their safe values.
  /// Throws DeviceError. Once, before the first job. @when setup
  void open_devices();
  /// Opens the line of an external clock; nullptr when the clock is internal. Throws DeviceError. @when setup
  std::unique_ptr<rtsync::EdgeSource> open_clock();

 private:
  struct Value {  // of a parameter, ready to be copied
    void* data;
    std::vector<std::byte> bytes;
  };

  struct Driven {  // a model that a driver made
    std::string name;
    std::string driver;
    tactus_model description{};
    std::unique_ptr<DrivenModel> model;
  };

  void make_models(const std::filesystem::path& base);
  void make_from_library(ModelSettings& settings, const std::filesystem::path& base,
                         std::map<const tactus_model*, std::string>& single);
  void make_from_driver(const ModelSettings& settings);
  bool knows_its_source(const ModelSettings& settings);
  void read_clock();
  void declare_clock_variables();
  void check_patience();
  OpenRequest open_request() const;
  const ModelLibrary* library(const ModelSettings& model, const std::filesystem::path& base);
  void read_parameters(const ModelSettings& settings, const ModelInstance& model);
  void plan_threads();
  std::size_t thread(const Located<std::string>& name);
  bool asynchronous(std::size_t thread) const;
  void plan_jobs(const ModelSettings& settings, const ModelInstance& model);
  std::size_t thread_of(const DeclaredJob& declared, const JobSettings& changes, std::size_t home);
  void time_job(const DeclaredJob& declared, const JobSettings& changes, PlannedJob& job);
  const ModelInstance* find_model(const std::string& name) const;
  void plan_loops();
  void plan_loop(const LoopSettings& settings, std::map<const ModelInstance*, const LoopSettings*>& taken);
  void plan_orders();
  void check_switched(const Located<std::string>& name);
  void check_checkpoints();
  void resolve_dependencies();
  void declare_realtime_variables();
  const std::deque<Variable>* own_variables(const std::string& name) const;
  std::optional<VariableRef> find(const Located<std::string>& name);
  void connect();
  void refuse_direct_loops();
  void make_link(const LinkOverrides& choice, const std::filesystem::path& base);
  void check_linked(const VariableRef& input);
  void make_live(const std::filesystem::path& base);
  void make_recordings();
  std::shared_ptr<DriverLibrary> driver(const std::string& kind, const Located<std::string>& name);

  RigSettings settings_;
  config::Problems problems_;
  std::deque<ModelLibrary> libraries_;  // before the models: they are unloaded last
  std::vector<std::shared_ptr<DriverLibrary>> drivers_;
  std::unique_ptr<ClockDriver> clock_driver_;
  std::unique_ptr<Link> link_;
  std::vector<std::unique_ptr<LiveServer>> live_servers_;
  std::int64_t epoch_ns_ = 0;
  rtsync::EdgeClockStatus clock_status_;
  rtsync::Nanoseconds clock_delay_{0};  // what the external clock may add to a frame, or to its start
  std::deque<Driven> driven_;
  std::deque<ModelInstance> models_;
  std::vector<Value> values_;
  std::vector<const void*> set_;  // memory that a parameter has set
  RealtimeVariables rt_;
  std::deque<Variable> rt_variables_;
  std::deque<Variable> clock_variables_;
  Plan plan_;
  PlanOrigins origins_;                                // where the plan's parts stand
  std::map<const ModelInstance*, std::size_t> homes_;  // the threads of the models
  std::vector<WantedDependency> wanted_;
  bool threads_known_ = true;  // every name of a thread was right
  std::deque<Recording> recordings_;
  std::optional<Recording> frame_log_;
};

}  // namespace tactus::executive
