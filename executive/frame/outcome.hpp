// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "rtsync/word_of.hpp"

namespace tactus::executive {

/// End of a run, by kind.
enum class Outcome {
  completed,   ///< all planned frames were run
  stopped,     ///< stopped by a command
  overrun,     ///< a maximum of the overrun policy was reached
  clock_lost,  ///< the external clock was at fault, and the policy of that fault says terminate
  link_lost,   ///< the link's policy about late or old data says terminate
  failed,      ///< a job failed: Abort
  aborted,     ///< aborted by a command, or because the sleeper broke
};

/// "completed", as summary.json has it.
constexpr std::string_view name_of(Outcome outcome) {
  using enum Outcome;
  constexpr rtsync::Worded<Outcome> kWords[] = {
      {completed, "completed"}, {stopped, "stopped"}, {overrun, "overrun"}, {clock_lost, "clock_lost"},
      {link_lost, "link_lost"}, {failed, "failed"},   {aborted, "aborted"}};
  return rtsync::word_of(kWords, outcome);
}

/// The outcome in the summary.json of a run whose end is not known: it still runs, was killed together with its witness,
/// or could not write its end.
inline constexpr const char* kUnfinished = "unfinished";

struct RunEnd {
  Outcome outcome = Outcome::completed;
  std::string reason;  ///< a whole sentence; empty when completed
  std::int64_t frames = 0;
  std::string brief{};  ///< the reason without what was seen, for a terminal; empty: the reason is short

  bool planned = false;  ///< stopped: by the rig file, its test or a model

  /// Returns true if the run ended as it was meant to.
  bool in_order() const { return outcome == Outcome::completed || outcome == Outcome::stopped; }
};

}  // namespace tactus::executive
