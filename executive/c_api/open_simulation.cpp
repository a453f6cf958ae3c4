// SPDX-License-Identifier: Apache-2.0
#include "executive/embed/open_simulation.hpp"

#include <tactus/open_simulation.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/place.hpp"
#include "executive/run/rig_run.hpp"

namespace {

using namespace std::chrono_literals;
using namespace tactus::executive;

constexpr auto kStopTimeout = 5s;  // before a stop becomes an abort
constexpr auto kLook = 1ms;        // whether calls have returned

thread_local std::string last_error;

/// An argument that is of no use.
class WrongCall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace

struct tactus_open_simulation {
  OpenSimulation simulation;
  mutable std::atomic<int> calls{0};  // that are under way
  mutable std::mutex mutex{};         // of what follows
  std::int64_t frame = -1;
  std::string date{};

  tactus_open_simulation(const char* file, SimulationOptions options)
      : simulation(file, std::move(options)) {}
};

namespace {

/// A call is under way: as long as it is, its simulation is not freed. The last to go.
class Inside {
 public:
  explicit Inside(const tactus_open_simulation* simulation) : simulation_(simulation) {
    if (simulation_ != nullptr) simulation_->calls.fetch_add(1);
  }
  ~Inside() {
    if (simulation_ != nullptr) simulation_->calls.fetch_sub(1);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const tactus_open_simulation* simulation_;
};

/// Ends the run, and with it calls that wait for it; returns when no call is under way any more.
void end_calls(tactus_open_simulation& open) noexcept {
  if (open.calls.load() == 0) return;
  const auto abort_at = std::chrono::steady_clock::now() + kStopTimeout;
  bool aborted = false;
  open.simulation.stop();
  const auto runs = [&] {  // not: was never started
    const State now = open.simulation.state();
    return now != State::connect && now != State::disconnect;
  };
  while (open.calls.load() > 0 || (runs() && !aborted)) {
    std::this_thread::sleep_for(kLook);
    if (aborted || std::chrono::steady_clock::now() < abort_at) continue;
    open.simulation.abort();
    aborted = true;
  }
}

/// Does something; what it throws becomes a result and a text.
template <class Does>
tactus_result guarded(Does does) noexcept {
  const auto failed = [](tactus_result result, const char* what) {
    try {
      last_error = what;
    } catch (const std::bad_alloc&) {
      last_error.clear();
    }
    return result;
  };
  try {
    last_error.clear();
    does();
    return TACTUS_OK;
  } catch (const WrongCall& error) {
    return failed(TACTUS_ERROR_ARGUMENT, error.what());
  } catch (const BusyError& error) {
    return failed(TACTUS_ERROR_ARGUMENT, error.what());
  } catch (const tactus::config::ConfigError& error) {
    return failed(TACTUS_ERROR_RIG_FILE, error.what());
  } catch (const MachineError& error) {
    return failed(TACTUS_ERROR_MACHINE, error.what());
  } catch (const EpisodeError& error) {
    return failed(TACTUS_ERROR_EPISODE, error.what());
  } catch (const SimulationError& error) {
    return failed(TACTUS_ENDED, error.what());
  } catch (const std::exception& error) {
    return failed(TACTUS_ERROR_INTERNAL, error.what());
  } catch (...) {
    return failed(TACTUS_ERROR_INTERNAL, "an exception without words");
  }
}

template <class T>
T& needed(T* argument, const char* name) {
  if (argument == nullptr) throw WrongCall(std::string(name) + " is NULL; it is needed");
  return *argument;
}

SimulationOptions options_of(const tactus_simulation_options* given) {
  SimulationOptions options;
  if (given == nullptr) return options;
  constexpr std::size_t kFirstSize = offsetof(tactus_simulation_options, drive_outputs);
  if (given->size < kFirstSize)
    throw WrongCall("options->size is " + std::to_string(given->size) +
                    "; set it to sizeof(tactus_simulation_options)");
  const auto text = [](const char* value) { return std::string(value == nullptr ? "" : value); };
  options.realtime = given->no_realtime == 0;
  options.drive_outputs = given->size >= sizeof(tactus_simulation_options) && given->drive_outputs != 0;
  options.out = text(given->out);
  options.until = text(given->until);
  if (given->set_count > 0) (void)needed(given->set, "options->set");
  for (std::size_t i = 0; i < given->set_count; ++i)
    options.set.emplace_back(&needed(given->set[i], "an element of options->set"));
  if (given->log != nullptr)
    options.log = [log = given->log, context = given->context](const std::string& line) {
      log(context, line.c_str());
    };
  return options;
}

/// Item i of an array whose items may be longer than ours: a later version's.
template <class Item>
Item& item_at(Item* items, std::size_t i) {
  using Byte = std::conditional_t<std::is_const_v<Item>, const std::byte, std::byte>;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): an array with a step of its own
  return *reinterpret_cast<Item*>(reinterpret_cast<Byte*>(items) + i * items->size);
}

/// Describes the mistakes in an array of items before their names are resolved; "in[2]: ..." each.
void check_items(const tactus_episode_item* items, std::size_t count, const std::string& which) {
  if (count == 0) return;
  (void)needed(items, which.c_str());
  std::string wrong;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string where = which + "[" + std::to_string(i) + "]";
    const auto complain = [&](const std::string& why) { wrong += (wrong.empty() ? "" : "\n") + where + why; };
    // The step to the next item is the size of the first.
    if (items->size < sizeof(tactus_episode_item) || items->size % alignof(tactus_episode_item) != 0)
      throw WrongCall(where + ".size is " + std::to_string(items->size) +
                      "; set it to sizeof(tactus_episode_item)");
    const tactus_episode_item& item = item_at(items, i);
    if (item.size != items->size)
      throw WrongCall(where + ".size is " + std::to_string(item.size) +
                      "; set it to sizeof(tactus_episode_item)");
    if (item.entity == nullptr) complain(".entity is NULL; name a model of the rig");
    if (item.descriptor == nullptr) complain(".descriptor is NULL; name a variable of the model");
    if (item.values == nullptr) complain(".values is NULL; it has to point to memory for the values");
    if (item.type < TACTUS_BOOL || item.type > TACTUS_DOUBLE)
      complain(".type is " + std::to_string(static_cast<int>(item.type)) +
               ", no tactus_type; ask tactus_open_simulation_describe");
  }
  if (!wrong.empty()) throw WrongCall(wrong);
}

std::size_t bytes_of(const tactus_episode_item& item) {
  return size_of(item.type) * (item.count == 0 ? 1 : item.count);
}

/// Entity, descriptor, date and type.
void read_item(const tactus_episode_item& item, EpisodeItem& to) {
  to.entity = item.entity;
  to.descriptor = item.descriptor;
  if (item.date != nullptr) to.date = item.date;
  to.typed = true;
  to.type = item.type;
  to.count = item.count;
}

void run_open(tactus_open_simulation& open, const char* stop_date, const tactus_episode_item* in,
              std::size_t in_count, tactus_episode_item* out, std::size_t out_count) {
  check_items(in, in_count, "in");
  check_items(out, out_count, "out");
  std::vector<EpisodeInput> inputs(in_count);
  for (std::size_t i = 0; i < in_count; ++i) {
    const tactus_episode_item& item = item_at(in, i);
    read_item(item, inputs[i]);
    inputs[i].data = static_cast<const std::byte*>(item.values);
  }
  std::vector<EpisodeOutput> outputs(out_count);
  for (std::size_t i = 0; i < out_count; ++i) {
    tactus_episode_item& item = item_at(out, i);
    item.filled = 0;
    read_item(item, outputs[i]);
  }
  std::optional<std::string> stop;
  if (stop_date != nullptr) stop = stop_date;
  const EpisodeEnd end = open.simulation.run_open(stop, inputs, outputs);
  for (std::size_t i = 0; i < out_count; ++i) {
    tactus_episode_item& item = item_at(out, i);
    if (outputs[i].bytes.size() != bytes_of(item)) continue;  // the run ended before
    std::memcpy(item.values, outputs[i].bytes.data(), outputs[i].bytes.size());
    item.filled = 1;
  }
  const std::lock_guard lock(open.mutex);
  open.frame = end.frame;
  open.date = end.date;
}

template <class T, class JobRequest>
T value_of(const tactus_open_simulation* simulation, T otherwise, JobRequest ask) noexcept {
  const Inside inside(simulation);
  try {
    return simulation == nullptr ? otherwise : ask();
  } catch (...) {
    return otherwise;
  }
}

/// A text that stays until the thread asks for the same again; "" when there is none.
template <class JobRequest>
const char* text_of(const tactus_open_simulation* simulation, std::string& kept, JobRequest ask) noexcept {
  kept = value_of(simulation, std::string(), ask);
  return kept.c_str();
}

}  // namespace

tactus_result tactus_open_simulation_create(const char* rig_file, const tactus_simulation_options* options,
                                            tactus_open_simulation** made) {
  return guarded([&] {
    tactus_open_simulation*& to = needed(made, "made");
    to = nullptr;
    const char* const file = &needed(rig_file, "rig_file");
    to = std::make_unique<tactus_open_simulation>(file, options_of(options)).release();
  });
}

tactus_result tactus_open_simulation_run_open(tactus_open_simulation* simulation, const char* stop_date,
                                              const tactus_episode_item* in, size_t in_count,
                                              tactus_episode_item* out, size_t out_count) {
  const Inside inside(simulation);
  return guarded(
      [&] { run_open(needed(simulation, "simulation"), stop_date, in, in_count, out, out_count); });
}

tactus_result tactus_open_simulation_run(tactus_open_simulation* simulation) {
  return tactus_open_simulation_run_open(simulation, nullptr, nullptr, 0, nullptr, 0);
}

tactus_result tactus_open_simulation_load_checkpoint(tactus_open_simulation* simulation, const char* name) {
  const Inside inside(simulation);
  return guarded([&] {
    needed(simulation, "simulation").simulation.load_checkpoint(std::string(&needed(name, "name")));
  });
}

tactus_result tactus_open_simulation_reset(tactus_open_simulation* simulation) {
  const Inside inside(simulation);
  return guarded([&] {
    tactus_open_simulation& open = needed(simulation, "simulation");
    open.simulation.reset();
    const std::lock_guard lock(open.mutex);
    open.frame = -1;
    open.date.clear();
  });
}

tactus_result tactus_open_simulation_describe(const tactus_open_simulation* simulation, const char* entity,
                                              const char* descriptor, tactus_type* type, uint32_t* count,
                                              const char** unit) {
  static thread_local std::string kept;
  const Inside inside(simulation);
  return guarded([&] {
    EpisodeVariable found =
        needed(simulation, "simulation")
            .simulation.describe(&needed(entity, "entity"), &needed(descriptor, "descriptor"));
    if (type != nullptr) *type = found.type;
    if (count != nullptr) *count = found.count;
    if (unit == nullptr) return;
    kept = std::move(found.unit);
    *unit = kept.c_str();
  });
}

tactus_result tactus_open_simulation_stop(tactus_open_simulation* simulation) {
  const Inside inside(simulation);
  return guarded([&] { needed(simulation, "simulation").simulation.stop(); });
}

const char* tactus_open_simulation_state(const tactus_open_simulation* simulation) {
  static thread_local std::string kept;
  return text_of(simulation, kept, [&] { return std::string(name_of(simulation->simulation.state())); });
}

int64_t tactus_open_simulation_frame(const tactus_open_simulation* simulation) {
  return value_of(simulation, std::int64_t{-1}, [&] {
    const std::lock_guard lock(simulation->mutex);
    return simulation->frame;
  });
}

const char* tactus_open_simulation_date(const tactus_open_simulation* simulation) {
  static thread_local std::string kept;
  return text_of(simulation, kept, [&] {
    const std::lock_guard lock(simulation->mutex);
    return simulation->date;
  });
}

int tactus_open_simulation_over(const tactus_open_simulation* simulation) {
  return value_of(simulation, 0, [&] { return simulation->simulation.over() ? 1 : 0; });
}

const char* tactus_open_simulation_outcome(const tactus_open_simulation* simulation) {
  static thread_local std::string kept;
  return text_of(simulation, kept, [&] {
    return simulation->simulation.over() ? std::string(name_of(simulation->simulation.end().outcome)) : "";
  });
}

const char* tactus_open_simulation_reason(const tactus_open_simulation* simulation) {
  static thread_local std::string kept;
  return text_of(simulation, kept, [&] { return simulation->simulation.end().reason; });
}

int tactus_open_simulation_exit_status(const tactus_open_simulation* simulation) {
  return value_of(simulation, 1, [&] { return simulation->simulation.exit_status(); });
}

void tactus_open_simulation_destroy(tactus_open_simulation* simulation) {
  if (simulation == nullptr) return;
  end_calls(*simulation);
  delete simulation;
}

const char* tactus_open_simulation_last_error(void) { return last_error.c_str(); }
