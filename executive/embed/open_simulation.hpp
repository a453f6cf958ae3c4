// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "executive/driver/live.hpp"
#include "executive/embed/simulation.hpp"

namespace tactus::executive {

/// Every mistake in an episode; nothing has run. what() has one line each.
class EpisodeError : public std::runtime_error {
 public:
  explicit EpisodeError(std::vector<std::string> problems);
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<std::string> problems_;
};

/// A value that is wanted, and what run_open has written into it.
/// Then `type` and `count` are those of the variable. If they were given (`typed`), they have to be them.
struct EpisodeOutput : EpisodeItem {
  std::vector<std::byte> bytes{};  ///< none: the run ended before its date

  /// One element, as a number. Throws std::out_of_range when there is none.
  double number(std::size_t element = 0) const;
};

/// Facts of a variable, for use before an item names it.
struct EpisodeVariable {
  tactus_type type = TACTUS_DOUBLE;
  std::uint32_t count = 0;  ///< 0: a scalar
  std::string unit;
};

/// A rig that a client program runs in episodes, from one stop date to the next; in between it is paused, and
/// values are given and taken.
///
///     OpenSimulation simulation("servo.yaml", options);
///     std::vector<EpisodeOutput> out{{{"motor", "speed"}}};
///     while (!simulation.run_open(next_stop_date(), in, out).ended) regulate(out, in);
///
/// Dates are ISO 8601 with zone, those of frames: the rig's `epoch:` and a whole number of periods. Each
/// frame whose date is not after the stop date is run. docs/episodes.md has what becomes of every other date.
///
/// Threads  as of Simulation; run_open() like run().
class OpenSimulation final : public Simulation {
 public:
  using Simulation::Simulation;

  /// Runs an episode, and returns when the rig is in Pause or its run is over. Without a stop date: to the
  /// end of the run.
  ///
  /// `in`: values, written before any job of the frame of their date; without a date, of the first frame of
  /// the episode. `out`: variables, read after all jobs of the frame of their date; without one, of the
  /// last frame of the episode.
  ///
  /// Throws EpisodeError when anything is wrong with the request: nothing has run then, and the rig is
  /// unchanged. The first call starts the run, and throws what keeps it from that (MachineError,
  /// config::ConfigError). The end of the run is reported by the call that meets it, be it that the rig ended
  /// since the last call; after that SimulationError.
  EpisodeEnd run_open(const std::optional<std::string>& stop = {}, std::span<const EpisodeInput> in = {},
                      std::span<EpisodeOutput> out = {});

  /// Continues from a checkpoint of this run, "name" or "name.tck" in its folder for checkpoints: the next
  /// episode begins after the frame it was taken at. Returns when it is loaded. Throws EpisodeError with the
  /// reason when it cannot be, and the rig is unchanged; SimulationError as run_open() does.
  void load_checkpoint(const std::string& name);

  /// Back to the state before the initialization jobs, which run again. Returns when the rig is in Pause
  /// before frame 0, and the next episode begins there; the first call starts the run. Throws EpisodeError
  /// with the reason when it cannot be: refused (a model that cannot go back, a linked rig), and the rig is
  /// unchanged; or the run ended on the way, as with an initialization job that failed. Else SimulationError
  /// as run_open() does.
  void reset();

  /// Runs to the end of the run: run_open() without a stop date.
  RunEnd run() override;

  /// Type, size and unit of a variable or one of its elements ("force[2]"). Throws EpisodeError when there is
  /// none.
  EpisodeVariable describe(const std::string& entity, const std::string& descriptor) const;

 private:
  void get_ready(HostedRun& run);
  std::optional<EpisodeEnd> ask(HostedRun& run, EpisodeRequest request);
  void restore_state(const CommandCall& call);
};

}  // namespace tactus::executive
