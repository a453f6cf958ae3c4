// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A set of CPUs, as a value: any size, printed and read the way the kernel does ("0-3,5").
///
/// Threads  a value; share it for reading.
/// RT       contains() and count() only.
#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

class CpuSet {
 public:
  static constexpr int kLimit = 65536;  ///< more CPUs than any Linux is built for

  CpuSet() = default;
  /// Throws std::invalid_argument for a CPU outside 0 .. kLimit - 1.                        @when setup
  CpuSet(std::initializer_list<int> cpus);
  explicit CpuSet(const std::vector<int>& cpus);
  /// Reads "0-3,5"; "" is the empty set. Throws std::invalid_argument saying what is wrong.  @when setup
  static CpuSet parse(std::string_view text);
  /// The same for text from a file, which may be anything: nothing instead of an exception.
  static std::optional<CpuSet> try_parse(std::string_view text);

  /// Throws std::invalid_argument for a CPU outside 0 .. kLimit - 1.                        @when setup
  void add(int cpu);
  void remove(int cpu);

  bool contains(int cpu) const TACTUS_RT;              // @when any
  bool contains(const CpuSet& other) const TACTUS_RT;  ///< every CPU of other is in this set
  bool intersects(const CpuSet& other) const TACTUS_RT;
  bool empty() const TACTUS_RT;
  int count() const TACTUS_RT;
  int first() const TACTUS_RT;  ///< the smallest CPU, -1 for the empty set
  int last() const TACTUS_RT;   ///< the greatest CPU, -1 for the empty set
  std::vector<int> cpus() const;
  std::string text() const;  ///< "0-3,5"; "" for the empty set

  CpuSet& operator|=(const CpuSet& other);
  CpuSet& operator&=(const CpuSet& other);
  CpuSet& operator-=(const CpuSet& other);
  friend CpuSet operator|(CpuSet a, const CpuSet& b) { return a |= b; }
  friend CpuSet operator&(CpuSet a, const CpuSet& b) { return a &= b; }
  friend CpuSet operator-(CpuSet a, const CpuSet& b) { return a -= b; }
  friend bool operator==(const CpuSet&, const CpuSet&) = default;

 private:
  friend std::optional<CpuSet> affinity_of(pid_t tid);
  friend int set_affinity(pid_t tid, const CpuSet& cpus);
  using Word = unsigned long;  // what sched_setaffinity takes
  void trim();                 // no zero words at the end: equal sets are equal vectors
  std::vector<Word> words_;
};

/// A list such as "0-3,5", as the kernel and rig files write it.
struct CpuList {
  enum class Fault { none, no_list, outside, backwards };
  std::vector<int> cpus;  ///< CPUs in their order, also those that are named twice
  Fault fault = Fault::none;
  std::string problem{};  ///< description of a fault: "expected a comma"
};
/// Reads it; numbers are below `limit`, and blanks may stand around them. @when setup
CpuList read_cpu_list(std::string_view text, int limit);
/// "0-3,5" for CPUs in their order. @when setup or service
std::string cpu_list_text(const std::vector<int>& list);

/// CPUs on which the kernel lets this thread run now; nothing when it does not exist. tid 0 is the caller.
std::optional<CpuSet> affinity_of(pid_t tid);
/// 0 or the errno. The kernel may grant fewer CPUs than asked (cgroup cpusets): look with affinity_of.
int set_affinity(pid_t tid, const CpuSet& cpus);

/// The environment variable by which who starts a process keeps it to CPUs, as "2-3": it does not ask for others.
inline constexpr const char* kCpusVariable = "TACTUS_CPUS";

/// CPUs on which this process was allowed to run at the first call, before any thread of the rig was pinned;
/// and the isolated CPUs, which no thread inherits, if it may ask for them; of both those that kCpusVariable names, if it
/// does. Call it first in main.
const CpuSet& allowed_cpus();
/// Default CPU of the frames: the last isolated one that is allowed, or else the last one.
CpuSet default_frame_cpu();
/// /sys/devices/system/cpu/online; nothing when that cannot be read.
std::optional<CpuSet> online_cpus(const std::filesystem::path& root = "/");
/// /sys/devices/system/cpu/isolated (isolcpus=, isolated cgroup partitions); nothing when unreadable.
std::optional<CpuSet> isolated_cpus(const std::filesystem::path& root = "/");

}  // namespace tactus::rtsync
