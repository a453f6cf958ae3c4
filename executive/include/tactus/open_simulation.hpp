// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A rig in this process, run in episodes, in C++20. docs/episodes.md has the words, and what becomes of each date.
///
///     tactus::OpenSimulation rig("servo.yaml", {.realtime = false});
///     std::vector<tactus::EpisodeOut> out{{"motor", "speed"}};
///     std::vector<tactus::EpisodeIn> in{{"motor", "load_torque", {0.0}}};
///     while (!rig.run_open(next_stop(), in, out).ended) in[0].values = {regulate(out[0].number())};
///
/// All of it is inline code over the C API of libtactus.so (link tactus::open_simulation). So a program needs neither the
/// compiler nor the standard library that tactus was built with.
///
/// Threads  constructor, run_open(), run(), load_checkpoint(), reset(): one thread at a time. The rest: any; the
///          destructor: when no call is under way.
#include <tactus/open_simulation.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {

/// A call was refused or failed; what() has a line for each problem.
class OpenSimulationError : public std::runtime_error {
 public:
  OpenSimulationError(tactus_result result, const std::string& what)
      : std::runtime_error(what), result_(result) {}
  /// Kind of the problem; never TACTUS_OK.
  tactus_result result() const { return result_; }

 private:
  tactus_result result_;
};

struct OpenSimulationOptions {
  bool realtime = true;        ///< false: as fast as it can; true: in real time unless the rig file says no
  bool drive_outputs = false;  ///< true: without real time, drive real outputs all the same
  std::string out{};           ///< the run folder, new or empty; empty: runs/<rig>-<start time>
  std::string until{};         ///< simulated time, "10 s"; empty: as the rig file says
  std::vector<std::string> set{};  ///< changes of the rig file: "path=value"
  /// Called with lines that a person would want to see at once, on a thread of the simulation's. It must
  /// neither throw nor call the simulation.
  std::function<void(const std::string& line)> log{};
};

/// Values for a variable ("speed") or one of its elements ("force[2]") of a model. They become the variable's type: a
/// bool takes 0 and 1, an integer whole numbers of its range, of 64 bits up to 2^53.
struct EpisodeIn {
  std::string entity{};
  std::string descriptor{};
  std::vector<double> values{};  ///< one, or as many as the array has
  std::string date{};            ///< ISO 8601 with zone; empty: the first frame of the episode
};

/// Values that are wanted; run_open() writes them. Integers beyond 2^53 are rounded.
struct EpisodeOut {
  std::string entity{};
  std::string descriptor{};
  std::string date{};            ///< ISO 8601 with zone; empty: the last frame of the episode
  std::vector<double> values{};  ///< none: the run ended before its date

  /// One of them. Throws std::out_of_range when there is none.
  double number(std::size_t element = 0) const { return values.at(element); }
};

struct EpisodeResult {
  bool ended = false;       ///< the run is over
  std::int64_t frame = -1;  ///< the last one that was run, -1: none
  std::string date{};       ///< its date; empty: none
};

struct VariableFacts {
  tactus_type type = TACTUS_DOUBLE;
  std::uint32_t count = 0;  ///< 0: a scalar, or one element
  std::string unit{};
};

class OpenSimulation {
 public:
  /// Loads a rig file and its models. Throws OpenSimulationError with all that is wrong.
  explicit OpenSimulation(const std::string& rig_file, OpenSimulationOptions options = {})
      : log_(std::make_unique<std::function<void(const std::string&)>>(std::move(options.log))) {
    std::vector<const char*> set;
    for (const std::string& change : options.set) set.push_back(change.c_str());
    tactus_simulation_options given{};
    given.size = sizeof given;
    given.no_realtime = options.realtime ? 0 : 1;
    given.drive_outputs = options.drive_outputs ? 1 : 0;
    given.out = text_or_null(options.out);
    given.until = text_or_null(options.until);
    given.set = set.empty() ? nullptr : set.data();
    given.set_count = set.size();
    if (*log_) {
      given.log = [](void* log, const char* line) {
        (*static_cast<std::function<void(const std::string&)>*>(log))(line);
      };
      given.context = log_.get();
    }
    tactus_open_simulation* made = nullptr;
    check(tactus_open_simulation_create(rig_file.c_str(), &given, &made));
    simulation_.reset(made);
  }

  /// Runs every frame whose date is not after `stop` (ISO 8601 with zone; empty: to the end of the run), and returns
  /// when the rig is in Pause or its run is over. Throws OpenSimulationError: nothing has run then, or the run is over
  /// since an earlier call (TACTUS_ENDED).
  EpisodeResult run_open(const std::string& stop = {}, std::span<const EpisodeIn> in = {},
                         std::span<EpisodeOut> out = {}) {
    std::vector<Cells> cells(in.size() + out.size());
    std::vector<tactus_episode_item> items(cells.size());
    for (std::size_t i = 0; i < in.size(); ++i)
      if (make_item(in[i], cells[i], items[i])) store(in[i], items[i]);
    for (std::size_t i = 0; i < out.size(); ++i)
      (void)make_item(out[i], cells[in.size() + i], items[in.size() + i]);
    tactus_episode_item* const wanted = items.data() + in.size();
    check(tactus_open_simulation_run_open(simulation_.get(), text_or_null(stop), items.data(), in.size(),
                                          wanted, out.size()));
    for (std::size_t i = 0; i < out.size(); ++i) load(wanted[i], out[i]);
    return {over(), tactus_open_simulation_frame(simulation_.get()),
            tactus_open_simulation_date(simulation_.get())};
  }
  /// Runs to the end of the run.
  EpisodeResult run() { return run_open(); }

  /// Continues from a checkpoint of this run, by its name in the run's folder for checkpoints, between two
  /// episodes.
  void load_checkpoint(const std::string& name) {
    check(tactus_open_simulation_load_checkpoint(simulation_.get(), name.c_str()));
  }
  /// Back to the initial state, between two episodes; returns when the rig is there.
  void reset() { check(tactus_open_simulation_reset(simulation_.get())); }

  /// Type, size and unit of a variable or one of its elements. Throws OpenSimulationError when there is none.
  VariableFacts describe(const std::string& entity, const std::string& descriptor) const {
    VariableFacts facts;
    const char* unit = "";
    check(tactus_open_simulation_describe(simulation_.get(), entity.c_str(), descriptor.c_str(), &facts.type,
                                          &facts.count, &unit));
    facts.unit = unit;
    return facts;
  }

  /// Ends the run in order, also one that has not begun, and wakes run_open(); a second stop aborts.
  void stop() { check(tactus_open_simulation_stop(simulation_.get())); }

  /// "Connect", "Pause", "StepEnd" ..., "Disconnect" when it is over.
  std::string state() const { return tactus_open_simulation_state(simulation_.get()); }
  /// The run is over and has been reported.
  bool over() const { return tactus_open_simulation_over(simulation_.get()) != 0; }
  /// "completed", "stopped" ... as in summary.json, and why; empty as long as it is not over.
  std::string outcome() const { return tactus_open_simulation_outcome(simulation_.get()); }
  std::string reason() const { return tactus_open_simulation_reason(simulation_.get()); }
  /// Exit status, as that of `tactus run`; 1 as long as it is not over.
  int exit_status() const { return tactus_open_simulation_exit_status(simulation_.get()); }

  /// Handle for the C API.
  tactus_open_simulation* handle() const { return simulation_.get(); }

 private:
  struct Destroy {
    void operator()(tactus_open_simulation* simulation) const { tactus_open_simulation_destroy(simulation); }
  };
  using Cells = std::vector<std::uint64_t>;  // room for values, as aligned as the widest

  static void check(tactus_result result) {
    if (result != TACTUS_OK) throw OpenSimulationError(result, tactus_open_simulation_last_error());
  }
  static const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

  /// Calls `does` with the address of the values, as their type.
  template <class Does>
  static void with_type(const tactus_episode_item& item, Does does) {
    switch (item.type) {
      case TACTUS_BOOL:
      case TACTUS_UINT8:
        return does(static_cast<std::uint8_t*>(item.values));
      case TACTUS_INT8:
        return does(static_cast<std::int8_t*>(item.values));
      case TACTUS_INT16:
        return does(static_cast<std::int16_t*>(item.values));
      case TACTUS_UINT16:
        return does(static_cast<std::uint16_t*>(item.values));
      case TACTUS_INT32:
        return does(static_cast<std::int32_t*>(item.values));
      case TACTUS_UINT32:
        return does(static_cast<std::uint32_t*>(item.values));
      case TACTUS_INT64:
        return does(static_cast<std::int64_t*>(item.values));
      case TACTUS_UINT64:
        return does(static_cast<std::uint64_t*>(item.values));
      case TACTUS_FLOAT:
        return does(static_cast<float*>(item.values));
      case TACTUS_DOUBLE:
        return does(static_cast<double*>(item.values));
    }
  }

  /// Makes the item, with room for its values. Returns false if there is no such name: run_open() complains of it,
  /// together with all others.
  template <class Named>
  bool make_item(const Named& named, Cells& cells, tactus_episode_item& item) const {
    item.size = sizeof item;
    item.entity = named.entity.c_str();
    item.descriptor = named.descriptor.c_str();
    item.date = text_or_null(named.date);
    item.type = TACTUS_DOUBLE;
    const tactus_result found = tactus_open_simulation_describe(
        simulation_.get(), item.entity, item.descriptor, &item.type, &item.count, nullptr);
    cells.resize(std::max<std::size_t>(item.count, 1));
    item.values = cells.data();
    return found == TACTUS_OK;
  }

  static void store(const EpisodeIn& from, const tactus_episode_item& item) {
    const auto refuse = [&](const std::string& why) {
      throw OpenSimulationError(TACTUS_ERROR_EPISODE,
                                "in: " + from.entity + "." + from.descriptor + ": " + why);
    };
    const std::size_t count = std::max<std::size_t>(item.count, 1);
    if (from.values.size() != count)
      refuse(std::to_string(from.values.size()) + " values; it takes " + std::to_string(count));
    with_type(item, [&]<class T>(T* values) {
      for (const double value : from.values) {
        if constexpr (std::is_integral_v<T>) {
          const double least = std::max(static_cast<double>(std::numeric_limits<T>::min()), -0x1p53);
          double most = std::min(static_cast<double>(std::numeric_limits<T>::max()), 0x1p53);
          if (item.type == TACTUS_BOOL) most = 1;
          if (!(value >= least && value <= most) || std::trunc(value) != value)
            refuse(std::to_string(value) + " is not a value of its type; a whole number from " +
                   std::to_string(static_cast<std::int64_t>(least)) + " to " +
                   std::to_string(static_cast<std::int64_t>(most)) + " is expected");
        }
        *values++ = static_cast<T>(value);
      }
    });
  }

  static void load(const tactus_episode_item& item, EpisodeOut& to) {
    to.values.clear();
    if (item.filled == 0) return;
    with_type(item, [&](const auto* values) {
      for (std::size_t i = 0; i < std::max<std::size_t>(item.count, 1); ++i)
        to.values.push_back(static_cast<double>(values[i]));
    });
  }

  std::unique_ptr<std::function<void(const std::string&)>> log_;  // outlives the simulation, which calls it
  std::unique_ptr<tactus_open_simulation, Destroy> simulation_;
};

}  // namespace tactus
