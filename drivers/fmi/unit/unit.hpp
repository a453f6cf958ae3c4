// SPDX-License-Identifier: Apache-2.0
#pragma once
/// One instance of a unit, for co-simulation of FMI 2.0 or 3.0 or for scheduled execution of 3.0. Each call passes the table of life_cycle.hpp first: what
/// the standard forbids in the present phase is not called, and answers Status::illegal.
///
/// Threads  one at a time, any; activate() of different clocks and what belongs to them: several. step(), set(), get(), save_state(): no heap, lock or system call of ours; what the unit
///          does is its own.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "drivers/fmi/abi/fmi3.hpp"
#include "drivers/fmi/description/description.hpp"
#include "drivers/fmi/unit/life_cycle.hpp"
#include "drivers/fmi/unit/log_ring.hpp"
#include "drivers/fmi/unit/unit_library.hpp"

namespace tactus::drivers::fmi {

/// Answer to a step.
struct StepAnswer {
  bool terminate = false;      ///< the unit wants the simulation to end
  bool knows_reached = false;  ///< `reached` holds
  bool event = false;          ///< 3.0: it wants event mode
  bool early = false;          ///< 3.0: it stopped before the end of the step, at `reached`
  Call last = Call::step;      ///< the call that was answered last
  double reached = 0;          ///< last successful time, s
};

/// Answer to an update of discrete states.
struct EventAnswer {
  bool again = false;      ///< another one is needed at this time
  bool terminate = false;  ///< the unit wants the simulation to end
  double next = -1;        ///< time of its next event, s; below 0: it names none
};

/// One Set or Get of a frame: all values of a type, in the form of the unit.
struct Transfer {
  Type type = Type::float64;
  const std::uint32_t* references = nullptr;
  std::size_t reference_count = 0;
  void* values = nullptr;
  std::size_t count = 0;
  void (*function)() = nullptr;  ///< function of the unit: Unit::find_function()
};

/// A step of a frame: what is set before and got after it.
struct FrameStep {
  std::span<const Transfer> set{};
  std::span<const Transfer> get{};
  double time = 0;
  double step = 0;
  bool ask_reached = false;  ///< 2.0 is asked how far it came
};

/// Questions about the clocks of a unit for scheduled execution, and its answers since clear(). Each thread that
/// activates partitions has its own.
struct ClockNews {
  std::vector<std::uint32_t> outputs;  ///< output clocks
  std::vector<std::uint32_t> timed;    ///< input clocks whose intervals the unit gives
  Status status = Status::ok;          ///< worst answer of the unit when it was asked
  std::vector<char> ticked{};          ///< not 0: it has ticked; in the order of `outputs`
  std::vector<double> intervals{};     ///< seconds, in the order of `timed`
  std::vector<int> qualifiers{};       ///< abi3::Qualifier, likewise: kChanged, the interval is a new one
  // Room for one answer.
  std::unique_ptr<bool[]> ticks{};
  std::vector<double> asked{};
  std::vector<abi3::Qualifier> asked_qualifiers{};

  /// Makes the room for the answers.                                                                      @when setup
  void lay_out() {
    ticks = std::make_unique<bool[]>(outputs.size() + 1);
    ticked.resize(outputs.size());
    intervals.resize(timed.size());
    qualifiers.resize(timed.size());
    asked.resize(timed.size());
    asked_qualifiers.resize(timed.size());
  }
  void clear() noexcept {
    status = Status::ok;
    for (char& each : ticked) each = 0;
    for (int& each : qualifiers) each = 0;
  }
};

class Unit {
 public:
  /// Loads the library of an unpacked unit. `description` and `log` must outlive it. Throws UnitError. @when setup
  static std::unique_ptr<Unit> load(const std::filesystem::path& folder, const std::string& platform,
                                    const Description& description, Execution execution, LogRing& log);
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  virtual ~Unit() = default;

  Phase phase() const { return life_.phase(); }
  LogRing& log() { return log_; }

  /// Throws UnitError when the unit answers NULL.                                                       @when setup
  void instantiate(const std::string& name, bool logging);
  /// Frees the instance; after Fatal it calls nothing.                                                   @when setup
  void free() noexcept;
  Status enter_configuration() { return run(Call::enter_configuration, &Unit::do_enter_configuration); }
  Status exit_configuration() { return run(Call::exit_configuration, &Unit::do_exit_configuration); }
  /// Names no stop time. A `tolerance` that is not positive: none.
  Status enter_initialization(double start, double tolerance) {
    return run(Call::enter_initialization, &Unit::do_enter_initialization, start, tolerance);
  }
  Status exit_initialization() { return run(Call::exit_initialization, &Unit::do_exit_initialization); }
  Status terminate() noexcept { return run(Call::terminate, &Unit::do_terminate); }
  Status reset() noexcept { return run(Call::reset, &Unit::do_reset); }

  /// Looks for the functions that set and get values of a type. Throws UnitError.                        @when setup
  virtual void need_set(Type type) = 0;
  virtual void need_get(Type type) = 0;

  /// Sets values of one type; `how`: set_start, set_structural or set_input. `values` is an array of what storage_of()
  /// says, of `count` elements in all.
  Status set(Call how, Type type, std::span<const std::uint32_t> references, const void* values,
             std::size_t count) noexcept {
    return run(how, &Unit::do_set, type, references, values, count);
  }
  /// Sets one String, or Binary of 3.0, before or in initialization.                                     @when setup
  Status set_text(Type type, std::uint32_t reference, const std::string& value) {
    return run(Call::set_start, &Unit::do_set_text, type, reference, value);
  }
  Status get(Type type, std::span<const std::uint32_t> references, void* values, std::size_t count) noexcept {
    return run(Call::get, &Unit::do_get, type, references, values, count);
  }
  /// Uses event mode and allows early return, 3.0. Before instantiate(). Throws UnitError.              @when setup
  virtual void use_event_mode() { life_.use_event_mode(); }
  Status enter_event() noexcept { return run(Call::enter_event, &Unit::do_enter_event); }
  Status enter_step() noexcept { return run(Call::enter_step, &Unit::do_enter_step); }
  /// Sets values in event mode.
  Status set_in_event(Type type, std::span<const std::uint32_t> references, const void* values,
                      std::size_t count) noexcept {
    return run(Call::handle_event, &Unit::do_set, type, references, values, count);
  }
  /// Lets an input clock tick.
  Status tick(std::uint32_t clock) noexcept { return run(Call::handle_event, &Unit::do_tick, clock); }
  /// Adds to `news` which output clocks tick now.
  Status ask_ticks(ClockNews& news) noexcept { return run(Call::handle_event, &Unit::do_ask_ticks, news); }
  Status update_discrete(EventAnswer& answer) noexcept {
    return run(Call::handle_event, &Unit::do_update_discrete, answer);
  }

  /// Finds the function of a Set or Get whose type was needed.                                         @when setup
  virtual void find_function(Transfer& transfer, bool set) const = 0;
  /// Sets, advances and gets, which the table allows in this order between two steps. The first answer that is not good
  /// ends it. `answer` is that of a step before, or new.
  Status step(const FrameStep& frame, StepAnswer& answer) noexcept {
    if (!life_.may_step()) return Status::illegal;
    const Status status = do_frame(frame, answer);
    if (!is_good(status)) [[unlikely]]
      note_failed_step(status, answer, !frame.set.empty());
    else
      life_.stepped();
    return status;
  }

  /// Looks for the functions that ask about clocks. Throws UnitError.                                    @when setup
  virtual void need_clocks(const ClockNews& news) { (void)news; }
  /// Looks for those that let clocks tick in event mode, and ask for or set their intervals. Throws UnitError. @when setup
  virtual void need_ticks(bool tick, bool ask, bool set) { (void)tick, (void)ask, (void)set; }
  /// Returns true if it has the function of set_interval(). @when any
  virtual bool takes_intervals() const noexcept { return false; }
  /// Activates the partition of a clock; adds to `news` when the unit says that its clocks have some. Other threads may
  /// be in activations of other clocks: class Preemption.
  Status activate(std::uint32_t clock, double time, ClockNews& news) noexcept {
    return run(Call::activate, &Unit::do_activate, clock, time, news);
  }
  /// Asks for the intervals in initialization.
  Status ask_intervals(ClockNews& news) noexcept { return run(Call::clocks, &Unit::do_ask_intervals, news); }
  /// Asks for the interval of one clock, in initialization or event mode. `seconds` is unset unless `qualifier` is
  /// abi3::kChanged or kUnchanged.
  Status ask_interval(std::uint32_t clock, double& seconds, abi3::Qualifier& qualifier) noexcept {
    return run(Call::clocks, &Unit::do_ask_interval, clock, seconds, qualifier);
  }
  /// Asks for the shift of one periodic clock, in initialization.
  Status ask_shift(std::uint32_t clock, double& seconds) noexcept {
    return run(Call::clocks, &Unit::do_ask_shift, clock, seconds);
  }
  /// Tells the unit the interval of a clock, in initialization or event mode.
  Status set_interval(std::uint32_t clock, double seconds) noexcept {
    return run(Call::set_interval, &Unit::do_set_interval, clock, seconds);
  }

  /// Looks for the functions of the state. False: the unit has none, or cannot serialize it.             @when setup
  bool prepare_state();
  /// Number of bytes of its state now; 0: it refused.
  std::size_t state_bytes() noexcept;
  /// Serializes the state. Returns its bytes; 0: it refused, or there is no room for the `needed` bytes.
  std::size_t save_state(std::span<std::byte> room, std::size_t& needed) noexcept;
  Status load_state(std::span<const std::byte> bytes) noexcept;

 protected:
  Unit(const std::filesystem::path& file, std::filesystem::path folder, const Description& description,
       Execution execution, LogRing& log)
      : library_(file),
        folder_(std::move(folder)),
        description_(description),
        execution_(execution),
        log_(log),
        life_(description.version, execution) {}

  virtual bool do_instantiate(const std::string& name, bool logging) = 0;
  virtual void do_free() = 0;
  virtual Status do_enter_configuration() = 0;
  virtual Status do_exit_configuration() = 0;
  virtual Status do_enter_initialization(double start, double tolerance) = 0;
  virtual Status do_exit_initialization() = 0;
  virtual Status do_terminate() = 0;
  virtual Status do_reset() = 0;
  virtual Status do_set(Type type, std::span<const std::uint32_t> references, const void* values,
                        std::size_t count) noexcept = 0;
  virtual Status do_set_text(Type type, std::uint32_t reference, const std::string& value) = 0;
  virtual Status do_get(Type type, std::span<const std::uint32_t> references, void* values,
                        std::size_t count) noexcept = 0;
  /// Fills `answer` but for what it has from a step before and is the same.
  virtual Status do_frame(const FrameStep& frame, StepAnswer& answer) noexcept = 0;
  virtual Status do_activate(std::uint32_t /*clock*/, double /*time*/, ClockNews& /*news*/) noexcept {
    return Status::illegal;
  }
  virtual Status do_enter_event() noexcept { return Status::illegal; }
  virtual Status do_enter_step() noexcept { return Status::illegal; }
  virtual Status do_tick(std::uint32_t /*clock*/) noexcept { return Status::illegal; }
  virtual Status do_ask_ticks(ClockNews& /*news*/) noexcept { return Status::illegal; }
  virtual Status do_update_discrete(EventAnswer& /*answer*/) noexcept { return Status::illegal; }
  virtual Status do_ask_intervals(ClockNews& /*news*/) noexcept { return Status::illegal; }
  virtual Status do_ask_interval(std::uint32_t /*clock*/, double& /*seconds*/,
                                 abi3::Qualifier& /*qualifier*/) noexcept {
    return Status::illegal;
  }
  virtual Status do_ask_shift(std::uint32_t /*clock*/, double& /*seconds*/) noexcept {
    return Status::illegal;
  }
  virtual Status do_set_interval(std::uint32_t /*clock*/, double /*seconds*/) noexcept {
    return Status::illegal;
  }
  virtual bool find_state_functions() = 0;
  virtual Status do_get_state(void** state) noexcept = 0;
  virtual Status do_set_state(void* state) noexcept = 0;
  virtual Status do_free_state(void** state) noexcept = 0;
  virtual Status do_state_size(void* state, std::size_t* bytes) noexcept = 0;
  virtual Status do_serialize(void* state, std::byte* bytes, std::size_t size) noexcept = 0;
  virtual Status do_deserialize(const std::byte* bytes, std::size_t size, void** state) noexcept = 0;

  const Interface& interface() const { return *description_.interface(execution_); }
  /// Leaves an instance that must not be called again where it is, with its library.
  void abandon(void* instance);
  /// Returns true if an earlier state may be set again.
  bool may_go_back() const { return has_state_; }
  /// Folder of its resources; empty: there is none.
  std::filesystem::path resources() const;

  UnitLibrary library_;
  const std::filesystem::path folder_;
  const Description& description_;
  const Execution execution_;
  LogRing& log_;

 private:
  /// Makes a call of the unit, if it may be made now.
  template <class Work, class... Arguments>
  Status run(Call call, Work work, Arguments&&... arguments) {
    if (!life_.may(call)) return Status::illegal;
    const Status status = (this->*work)(std::forward<Arguments>(arguments)...);
    life_.done(call, status);
    return status;
  }

  void note_failed_step(Status status, const StepAnswer& answer, bool set) noexcept;

  LifeCycle life_;
  void* state_ = nullptr;  // kept, so that the unit allocates once
  bool has_state_ = false;
};

/// Bytes of one element as set() and get() take it: those of the C interface, but int32_t for booleans and enumerations
/// of 2.0, int64_t for enumerations of 3.0.
std::size_t storage_of(Type type, Version version);

std::unique_ptr<Unit> make_unit2(const std::filesystem::path& file, const std::filesystem::path& folder,
                                 const Description& description, LogRing& log);
std::unique_ptr<Unit> make_unit3(const std::filesystem::path& file, const std::filesystem::path& folder,
                                 const Description& description, Execution execution, LogRing& log);

/// Folders of binaries for this machine, the one of the version first.
std::vector<std::string> platforms_here(Version version);

}  // namespace tactus::drivers::fmi
