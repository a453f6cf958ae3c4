// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Facts that keep this machine from hard real time, and the command that fixes each.
///
/// Things are tried rather than looked up by name wherever that can be done without leaving a trace. What
/// could not be found out is said to be unknown and graded warn: never ok.
///
/// Threads  re-entrant; starts and ends a scratch thread and a scratch process.
/// RT       nothing here. @when setup or service; takes some tens of milliseconds.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/host/cpu_set.hpp"

namespace tactus::rtsync {

enum class Grade {
  ok,    ///< good
  warn,  ///< the rig runs, later than it could; or not known
  fail,  ///< bad: the rig requests it and cannot have it
};
std::string_view name_of(Grade grade);  ///< "ok", "warn", "fail"

struct Fact {
  std::string name;  ///< stable, for people and scripts: "kernel preemption"
  Grade grade = Grade::warn;
  std::string found;   ///< finding: what was read or happened
  std::string needed;  ///< state that would be ok
  std::string why;     ///< consequence otherwise
  std::string fix;     ///< the exact command; empty when ok
};

struct ProbeRequest {
  CpuSet rt_cpus = {};  ///< CPUs of the rig; empty: the isolated CPUs, or else the last one allowed
  bool wants_fifo = true;
  int priority = 80;
  bool wants_memory_lock = true;
  double share_needed = 0.0;  ///< share of a CPU that it uses without sleeping: 1 for a rig that spins
  std::filesystem::path root =
      "/";           ///< folder of /proc, /sys, /dev and /boot; tests give a tree of their own
  bool live = true;  ///< true: things are tried in this process, too; only ever done below "/"
};

/// Every fact, in the order in which a person would fix them. Never throws for strange contents.
std::vector<Fact> probe_host(const ProbeRequest& request);

/// One of them: nothing else is looked at. Throws std::out_of_range for a name that no fact has.
Fact probe_fact(std::string_view name, const ProbeRequest& request);

}  // namespace tactus::rtsync
