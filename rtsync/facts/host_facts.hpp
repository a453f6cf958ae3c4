// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What on this machine stands between a rig and hard real time, and the command that mends each.
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
  ok,    ///< as it should be
  warn,  ///< the rig runs, later than it could; or nobody knows
  fail,  ///< what the rig asks for cannot be had
};
std::string_view name_of(Grade grade);  ///< "ok", "warn", "fail"

struct Fact {
  std::string name;  ///< stable, for people and scripts: "kernel preemption"
  Grade grade = Grade::warn;
  std::string found;   ///< what was read or happened
  std::string needed;  ///< what would be ok
  std::string why;     ///< what goes wrong otherwise
  std::string fix;     ///< the exact command; empty when ok
};

struct ProbeRequest {
  CpuSet rt_cpus = {};  ///< of the rig; empty: the isolated CPUs, or else the last one allowed
  bool wants_fifo = true;
  int priority = 80;
  bool wants_memory_lock = true;
  double share_needed = 0.0;  ///< of a CPU, without sleeping: 1 for a rig that spins
  std::filesystem::path root =
      "/";           ///< where /proc, /sys, /dev and /boot are; tests give a tree of their own
  bool live = true;  ///< also try things in this process; only ever done below "/"
};

/// Every fact, in the order in which a person would mend them. Never throws for strange contents.
std::vector<Fact> probe_host(const ProbeRequest& request);

/// One of them: nothing else is looked at. Throws std::out_of_range for a name that no fact has.
Fact probe_fact(std::string_view name, const ProbeRequest& request);

/// The worst of them; ok for none.
Grade worst(const std::vector<Fact>& facts);

}  // namespace tactus::rtsync
