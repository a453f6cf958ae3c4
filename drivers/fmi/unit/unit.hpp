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
  virtual void free() noexcept = 0;
  /// Makes a call that tells the unit nothing else: to enter and exit a mode, to terminate, to reset.
  virtual Status call(Call what) noexcept = 0;
  /// Names no stop time. A `tolerance` that is not positive: none.
  virtual Status enter_initialization(double start, double tolerance) = 0;

  /// Looks for the functions that set and get values of a type. Throws UnitError.                        @when setup
  virtual void need_set(Type type) = 0;
  virtual void need_get(Type type) = 0;
  /// Finds the function of a Set or Get whose type was needed.                                         @when setup
  virtual void find_function(Transfer& transfer, bool set) const = 0;

  /// Sets values of one type; `how`: set_start, set_structural, set_input, or handle_event in event mode. Finds the
  /// function itself.
  virtual Status set(Call how, Transfer values) noexcept = 0;
  virtual Status get(Transfer values) noexcept = 0;
  /// Sets one String, or Binary of 3.0, before or in initialization.                                     @when setup
  virtual Status set_text(Type type, std::uint32_t reference, const std::string& value) = 0;
  /// Sets, advances and gets, which the table allows in this order between two steps. The first answer that is not good
  /// ends it. `answer` is that of a step before, or new.
  virtual Status step(const FrameStep& frame, StepAnswer& answer) noexcept = 0;

  /// Uses event mode and allows early return, 3.0. Before instantiate(). Throws UnitError. A unit of 2.0 has nothing of
  /// what follows.                                                                                        @when setup
  virtual void use_event_mode() { life_.use_event_mode(); }
  /// Lets an input clock tick.
  virtual Status tick(std::uint32_t /*clock*/) noexcept { return Status::illegal; }
  /// Adds to `news` which output clocks tick now.
  virtual Status ask_ticks(ClockNews& /*news*/) noexcept { return Status::illegal; }
  virtual Status update_discrete(EventAnswer& /*answer*/) noexcept { return Status::illegal; }

  /// Looks for the functions that ask about clocks. Throws UnitError.                                    @when setup
  virtual void need_clocks(const ClockNews& news) { (void)news; }
  /// Looks for those that let clocks tick in event mode, and ask for or set their intervals. Throws UnitError. @when setup
  virtual void need_ticks(bool tick, bool ask, bool set) { (void)tick, (void)ask, (void)set; }
  /// Returns true if it has the function of set_interval(). @when any
  virtual bool takes_intervals() const noexcept { return false; }
  /// Activates the partition of a clock; adds to `news` when the unit says that its clocks have some. Other threads may
  /// be in activations of other clocks: class Preemption.
  virtual Status activate(std::uint32_t /*clock*/, double /*time*/, ClockNews& /*news*/) noexcept {
    return Status::illegal;
  }
  /// Asks for the intervals in initialization.
  virtual Status ask_intervals(ClockNews& /*news*/) noexcept { return Status::illegal; }
  /// Asks for the interval of one clock, in initialization or event mode. `seconds` is unset unless `qualifier` is
  /// abi3::kChanged or kUnchanged.
  virtual Status ask_interval(std::uint32_t /*clock*/, double& /*seconds*/,
                              abi3::Qualifier& /*qualifier*/) noexcept {
    return Status::illegal;
  }
  /// Asks for the shift of one periodic clock, in initialization.
  virtual Status ask_shift(std::uint32_t /*clock*/, double& /*seconds*/) noexcept { return Status::illegal; }
  /// Tells the unit the interval of a clock, in initialization or event mode.
  virtual Status set_interval(std::uint32_t /*clock*/, double /*seconds*/) noexcept {
    return Status::illegal;
  }

  /// Looks for the functions of the state. False: the unit has none, or cannot serialize it.             @when setup
  virtual bool prepare_state() = 0;
  /// Number of bytes of its state now; 0: it refused.
  virtual std::size_t state_bytes() noexcept = 0;
  /// Serializes the state. Returns its bytes; 0: it refused, or there is no room for the `needed` bytes.
  virtual std::size_t save_state(std::span<std::byte> room, std::size_t& needed) noexcept = 0;
  virtual Status load_state(std::span<const std::byte> bytes) noexcept = 0;

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

  const Interface& interface() const { return *description_.interface(execution_); }
  /// Does `work`, which calls the unit, if that may be called now.
  template <class Work>
  Status run(Call call, Work work) {
    if (!life_.may(call)) return Status::illegal;
    const Status status = work();
    life_.done(call, status);
    return status;
  }
  void note_failed_step(Status status, const StepAnswer& answer, bool set) noexcept;
  /// Keeps memory of a unit that must not be called again where whoever looks for leaks finds it.
  static void keep_reachable(void* memory);

  UnitLibrary library_;
  const std::filesystem::path folder_;
  const Description& description_;
  const Execution execution_;
  LogRing& log_;
  LifeCycle life_;
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
