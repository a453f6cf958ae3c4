// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tactus/model_driver.hpp>
#include <utility>
#include <vector>

#include "drivers/fmi/archive/archive.hpp"
#include "drivers/fmi/description/description.hpp"
#include "drivers/fmi/model/contents.hpp"
#include "drivers/fmi/model/partition.hpp"
#include "drivers/fmi/model/shared_unit.hpp"
#include "drivers/fmi/model/surroundings.hpp"
#include "drivers/fmi/model/unit_times.hpp"
#include "drivers/fmi/model/values.hpp"
#include "drivers/fmi/unit/unit.hpp"

namespace tactus::drivers::fmi {

/// `driver: fmi`: a unit for co-simulation of FMI 2.0 or 3.0, or for scheduled execution of 3.0, as a model.
///
/// Job `step` brings the unit to the simulated time of the call: inputs are set, the unit steps, outputs are got. The first
/// call, at the time at which the unit was initialized, steps nothing. Without event mode and early return. Of scheduled
/// execution each partition is a job, which sets and gets what belongs to its clock around an activation.
///
/// Threads  as each model: setup, and the thread of its jobs; take_message(), histogram(): another.
class __attribute__((visibility("hidden"))) FmiModel : public ModelDriver {
 public:
  static constexpr const char* kExtension = ".fmu";
  /// Describes a unit for `tactus check x.fmu`. Throws ArchiveError. @when setup
  static void examine(const std::string& file, const Examination& to);

  FmiModel() = default;
  ~FmiModel() override;

  void keys(Keys& k) override;
  void located(const std::string& folder) override { folder_ = folder; }
  void given(const std::vector<GivenParameter>& parameters) override {
    for (const GivenParameter& each : parameters) given_[each.name] = each.text;
  }
  void check(const Problems& problems) override;
  void declare(Declare& d) override;
  void planned(const std::string& job, std::int64_t cycle_num, std::int64_t cycle_den) override;
  void open(const OpenRequest& request) override;
  bool take_message(Message& to) override;
  bool histogram(std::uint32_t number, MeasuredHistogram& to) override;
  /// Keeps what variables are declared to whose size is known only now. Before declare(). @when setup
  void use(const tactus_host& host) { host_ = &host; }

 private:
  enum class OnFailure : std::uint8_t { terminate, hold };
  enum class OnEnd : std::uint8_t { stop, hold };
  enum class Wanted : std::uint8_t { any, co_simulation, scheduled };
  static constexpr std::int32_t kRuns = 0, kIsHeld = 1, kHasEnded = 2;         // of status_
  static constexpr double kNoStep = std::numeric_limits<double>::quiet_NaN();  // equal to none
  struct Text {
    std::string name{};
    std::string value{};
  };
  /// Start value of an output or local variable, as the unit takes it.
  struct GivenStart {
    const Variable* of = nullptr;
    std::array<std::byte, 8> value{};
  };
  using Groups = std::vector<std::unique_ptr<Values>>;

  void check_texts(const Problems& problems) const;
  void claim_once(const Problems& problems);
  void sort_into(Groups& groups, const std::vector<RigVariable>& variables) const;
  void declare_group(Values& values, tactus_role role) const;
  void declare_fixed(const char* variable, const char* why) const;
  static void measure(const std::string& file, const Examination& to);
  void measure_jobs(const Examination& to, const std::string& failure);
  void load();
  void say_what_it_is();
  void prepare_functions();
  const Interface& interface() const { return *description_.interface(execution_); }

  bool is_part() const { return !part_of_.empty(); }
  bool is_split() const { return !chosen_.empty(); }
  void make_partitions(const Problems& problems);
  void choose_partitions(const Problems& problems);
  void refuse_keys_of_steps(const Problems& problems) const;
  void keep_chosen(std::vector<RigVariable>& variables, const Problems& problems) const;
  void join();
  void claim_partitions();
  void restart_counting();
  int set_start_values();
  void check_starts(const Problems& problems);
  int set_given_starts();
  void say_beyond_limits(Values& group);
  int get_outputs();
  void declare_partitions(Declare& d);
  void plan_partition(Partition& partition, std::int64_t num, std::int64_t den) const;
  void need_clocks();
  int initialize_clocks();
  void take_news(double now);
  void set_interval(Partition& partition, double now, double interval);
  bool ticks(Partition& partition, const tactus::Call& call, double& time);
  int activate(std::size_t number, const tactus::Call& call);
  void say_wait(const Partition& partition, const Preemption::Activation& activation);
  int partition_failed(const Partition& partition, const char* what, Status status);
  template <std::size_t kNumber>
  static int run_partition(void* self, const tactus_call* call);
  template <std::size_t... kNumbers>
  static tactus_job_function partition_function(std::size_t number, std::index_sequence<kNumbers...>);

  int initialize();
  int initialize_all();
  int step(const tactus::Call& call);
  int first_call(const tactus::Call& call);
  int any_step(const tactus::Call& call);
  int make_step(const tactus::Call& call);
  int event_step(const tactus::Call& call);
  int make_event_step(double wanted);
  int handle_event(double now, bool inputs);
  int begin_events();
  bool any_ticks(const std::vector<std::uint32_t>& clocks) const noexcept;
  OnFailure policy_of_events();
  int event_failed(const char* what, Status status);
  void sort_events();
  void declare_clocks(Declare& d);
  void need_ticks();
  void declare_tick_times(Declare& d, const ClockVariable& clock, Partition& partition) const;
  void take_given_interval(const ClockVariable& clock, Partition& partition, const Problems& problems) const;
  bool refuse_clocks(double step, std::span<char> why) const noexcept;
  int clock_failed(const Partition& partition, const char* what, double seconds) const;
  int initialize_tick_times();
  int ask_first_interval(Partition& partition);
  void say_interval(const Partition& partition, double interval);
  bool wants_interval() const noexcept;
  void say_refused(const Partition& partition, double wanted, bool fits);
  int change_intervals(double now);
  double next_tick() const noexcept;
  bool is_tick_due(double now) const noexcept;
  int tick_clocks(double now, bool asked);
  int end_ticks(double now);
  void declare_last_set();
  void declare_bytes(const char* name, std::span<std::byte> bytes, const char* about) const;
  int step_failed(double wanted, Status status);
  void end_of_simulation();
  void count_lag(bool ends) noexcept;
  void list_transfers();
  int save();
  int restore();
  int end();

  int set_structure();
  int set_texts();
  int take(const char* what, Status status);
  int failed(const char* what, Status status, OnFailure policy);
  int failed(const char* text, OnFailure policy);
  int fail_with(const char* text) const;
  void warn(const char* text) noexcept { log_.put(Status::warning, "tactus", text); }
  void look_at_lag(double wanted, Status status);

  // Keys.
  std::string unit_file_;
  Wanted wanted_ = Wanted::any;
  std::string part_of_;
  std::vector<std::string> chosen_;  // partitions
  std::vector<Text> texts_;
  std::vector<Text> starts_;
  std::vector<std::string> locals_;
  OnFailure on_discard_ = OnFailure::terminate, on_error_ = OnFailure::terminate;
  OnEnd on_end_ = OnEnd::stop;
  bool ignore_fixed_step_ = false;
  bool event_mode_ = false;
  bool unit_log_ = false;
  double tolerance_ = 0;

  const tactus_host* host_ = nullptr;
  std::string folder_;                        // of the rig file
  std::map<std::string, std::string> given_;  // parameters of the rig file, as texts
  std::string name_;                          // of the instance
  Description description_;
  Execution execution_ = Execution::co_simulation;
  std::vector<Partition> partitions_;  // of scheduled execution
  /// A countdown whose partition another model of the unit has.
  struct Foreign {
    ClockVariable clock;
    std::int64_t news = 0;
    double due = -1;
  };
  std::vector<Foreign> foreign_;
  std::vector<GivenStart> given_starts_;
  ClockNews news_;
  std::vector<std::int64_t> output_ticks_;
  std::string platform_;
  std::string claimed_;  // of a unit that may be there once in a process
  std::unique_ptr<Archive> archive_;
  Contents contents_;
  Groups inputs_, tunables_, parameters_, outputs_, constants_;
  std::vector<Transfer> to_set_, to_get_;              // of a step: inputs_, outputs_
  std::vector<Values*> converted_in_, converted_out_;  // of them those whose form in the rig is another

  LogRing log_;
  Surroundings surroundings_;
  UnitTimes measured_;
  std::vector<std::string> seen_;  // sentences of surroundings_ that wait for the log
  std::shared_ptr<SharedUnit> shared_ = std::make_shared<SharedUnit>();
  Unit* unit_ = nullptr;  // that of shared_, once it is loaded
  bool keeps_state_ = false;

  // Variables of its own, which checkpoints keep.
  std::int64_t steps_ = -1;
  double time_ = 0;
  double lag_ = 0;
  std::int32_t status_ = 0;
  std::int64_t state_bytes_ = 0;
  std::vector<std::uint8_t> state_;

  double start_ = 0;
  // Communication points are origin_ + n * dt_; the origin moves with the cycle.
  double origin_ = 0;
  std::int64_t origin_steps_ = 0;
  FrameStep frame_;
  StepAnswer answer_;
  /// The step at which a call has nothing to do but to set, step and get; kNoStep: it has.
  double plain_dt_ = kNoStep;
  bool is_plain_ = false;
  // With event mode: continuous inputs are set between steps, all others at events alone.
  std::vector<Values*> discrete_in_, clocked_in_, free_out_, clocked_out_;
  double next_event_ = -1;
  bool tunables_from_unit_ = false;  // a tunable clock's interval depends on parameters
  bool tunables_set_ = false;        // of such a unit, since the last event
  std::vector<std::byte> last_set_;  // values of discrete inputs that the unit has
  bool lag_said_ = false;
  bool interval_said_ = false;
  bool wait_said_ = false;
};

/// Its entry, for the plug-in and for tests.
const tactus_driver* fmi_entry();

}  // namespace tactus::drivers::fmi
