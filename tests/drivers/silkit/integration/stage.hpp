// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A simulation of real processes: a registry, participants, the commands. All on loopback, in a folder of
/// its own, which also holds the domain sockets.
///
///     Stage stage;
///     Process& a = stage.play("A", {"steps=100", "workflow=A,B"});
///     Process& b = stage.play("B");
///     expect_lock_step(end_of(a), 100);
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test {

using config::Json;
using Arguments = std::vector<std::string>;

/// Whose programs: ours, or those of a genuine installation.
struct Side {
  std::string name;
  std::string library;
  Arguments registry;
  Arguments workflow;
  Arguments monitor;
  std::string root;  ///< of the genuine installation
  Arguments host{};  ///< what starts a program there, in front of its name; empty: here
};
Side ours();
/// What TACTUS_SILKIT_ROOT names; nothing when it is not set.
std::optional<Side> theirs();

enum class Sockets { any, tcp, domain };

class Stage {
 public:
  explicit Stage(const std::string& listen_uri = "silkit://127.0.0.1:0", const Side& side = ours());

  const std::string& uri() const { return uri_; }
  const TempDir& dir() const { return dir_; }
  Process& registry() { return *registry_; }
  /// Where the registry is, from now on, for the participants of play().
  void set_uri(const std::string& uri) { uri_ = uri; }
  /// What the participants of play() use from now on.
  void set_sockets(Sockets sockets) { sockets_ = sockets; }
  /// The simulation that play() joins from now on; empty: the default one.
  void set_simulation(const std::string& name) { simulation_ = name.empty() ? "" : "/" + name; }

  /// Starts a participant: see programs/participant.cpp for the arguments.
  Process& play(const std::string& name, const Arguments& arguments = {}, const Side& side = ours());
  /// Calls many functions of a library, and prints their return codes: programs/calls.cpp.
  Process& calls(const Side& side = ours());
  Process& workflow(const Arguments& names, const Side& side = ours());
  Process& monitor(const Arguments& arguments, const Side& side = ours(), bool terminal = false);
  /// Whether the log file of a participant, with "LogName": "log", holds one of these texts.
  bool logs(const std::string& name, const Arguments& texts) const;
  /// The same, as either side words it: the registry relays what it says; it has asked for a connection.
  bool is_relayed(const std::string& name) const { return logs(name, {"registry relays", "as a proxy"}); }
  bool has_asked(const std::string& name) const {
    return logs(name, {"is asked to connect", "ConnectRequest::CONNECTING"});
  }
  /// Any program, in the folder of the stage.
  Process& start(const Command& command);

 private:
  Command command_of(Arguments argv) const;
  std::string configuration(const std::string& name) const;

  TempDir dir_;
  Process* registry_ = nullptr;
  std::string uri_;
  std::string simulation_;
  Sockets sockets_ = Sockets::any;
  std::deque<std::unique_ptr<Process>> processes_;
};

/// How often a text stands in another.
int count(const std::string& text, const std::string& word);
/// Until a process has said something so often; false when that has not come in time.
bool says(Process& process, const std::string& word, int times);
/// Waits for the end of a participant, which has to be a good one; its last line. Throws std::runtime_error
/// with all it said when there is none.
Json end_of(Process& participant);
/// It has made so many steps, or one less when somebody else stopped, from 0 on and without a gap, and heard
/// everything in time and in order.
void expect_lock_step(const Json& end, std::int64_t steps);

}  // namespace tactus::test
