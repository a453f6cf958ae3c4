// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/link/exchange.hpp"
#include "drivers/link/settings.hpp"
#include "drivers/link/signals.hpp"
#include "executive/driver/link.hpp"

namespace tactus::drivers::link {

class Ledger;
class PeerCommands;

/// State of the federation, for the log and summary.json.
struct ParticipantFacts {
  std::string library;  ///< file and version: "libtactus-silkit.so.5 5.0.7"
  std::string participant;
  std::string registry;            ///< address of the registry that is joined
  std::string state;               ///< the last state of the participant: "Running"
  std::string error;               ///< the library's last refusal, in words; empty: none
  std::int64_t refused_calls = 0;  ///< calls that returned an error
  std::int64_t steps_completed = 0;
  bool degraded = false;
};

/// Facts of a peer, as far as they are known.
struct PeerFacts {
  std::string name;
  std::string state;   ///< "Running"; empty: none was published, as by a participant without a life cycle
  std::string reason;  ///< reason of that state, in its own words
  std::uint64_t entered_ns = 0;  ///< date by its own clock, since 1970-01-01T00:00:00Z; 0: not known
  bool connected = true;         ///< false: it has gone
};

/// The federation's side of a link: a SIL Kit participant, by the C API of a library that is loaded at run
/// time.
///
/// Threads  join, ready, leave, tell, facts: one thread at a time. Inside, a courier thread makes all calls
/// of
///          the library once it has joined; the library's handlers come on its threads, any of them, at any
///          time, and only write things down.
class Participant {
 public:
  /// `frame` in simulated time; in real time it lasts `real_frame`, which says how often to look at the
  /// outbox. References must outlive it. @when setup
  Participant(const LinkSettings& settings, std::string rig, const rtsync::Period& frame,
              const rtsync::Period& real_frame, const Signals& signals, Exchange& exchange);
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;
  /// Leaves, if leave() was not called.
  ~Participant();

  /// Loads the library, joins, creates all services, starts the lifecycle and the courier. Throws
  /// executive::DeviceError with the library's words and what to do.
  void join(executive::LinkCommands& commands, const rtsync::ThreadSettings& helper);
  /// Commands of peers, and their answers.                                                       @when any
  PeerCommands& commands() const;
  void cancel();
  void ready();
  void leave(const executive::LinkEnd& how) noexcept;
  std::vector<std::string> take_log_lines();
  ParticipantFacts facts() const;
  /// Peers by name: the present ones, and the last that have gone.                                  @when any
  std::vector<PeerFacts> peers() const;
  std::vector<pid_t> threads() const;

 private:
  struct Remains;
  static Remains& keep(std::unique_ptr<Remains> remains);
  std::string end(std::chrono::milliseconds longest_call, std::chrono::milliseconds longest);

  Remains& remains_;
  Ledger& ledger_;
  pid_t tid_ = 0;
  bool left_ = false;
  bool cancelled_ = false;  // with the ledger's mutex
};

}  // namespace tactus::drivers::link
