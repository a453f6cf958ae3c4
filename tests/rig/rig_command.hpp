// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What the tests of the whole program share: the command, the example rigs, and readers for what a run
/// leaves.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "tests/support/process.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/syscall_count.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test {

using config::Json;
using Arguments = std::vector<std::string>;

/// What a sanitizer does with its own memory is no call of the rig.
inline std::uint64_t without_sanitizer(const SyscallCount& count) {
  if (!kSanitized) return count.total;
  return count.total - count.of(SYS_mmap) - count.of(SYS_munmap) - count.of(SYS_madvise);
}
/// Nor are its locks.
inline std::uint64_t calls_of_the_rig(const SyscallCount& count) {
  return without_sanitizer(count) - (kSanitized ? count.of(SYS_futex) : 0);
}

/// Behind a late frame the rig reads how many page faults the kernel counted: a call or two for its beginning, and for its
/// work. A thread whose calls are counted is late by that, and a busy machine makes others late.
inline std::uint64_t looks_behind_late_frames(const SyscallCount& count) { return count.of(SYS_pread64); }
/// The calls of a thread that sleeps by `sleep` (-1: it does not), without those looks.
inline std::uint64_t calls_in_frames(const SyscallCount& count, long sleep) {
  const std::uint64_t looks = looks_behind_late_frames(count);
  return calls_of_the_rig(count) - looks - (sleep == SYS_read ? 0 : std::min(looks, count.of(SYS_read)));
}
/// There were no more looks than late frames have.
void expect_looks_of_late_frames_only(const SyscallCount& count, const Json& summary);

Arguments operator+(Arguments a, const Arguments& b);

/// `tactus` with these arguments in this folder, with defaults that suit tests: see `patient`. The process of
/// `tactus run` is the rig, not its witness: see Command::child. Throws std::logic_error for a run whose rig file says
/// nothing of real time.
Command tactus(const Arguments& arguments, const std::filesystem::path& cwd);
/// `tactus run` of an example rig, as late as it may be without ending early.
Command run_rig(const std::string& rig, const Arguments& arguments, const std::filesystem::path& cwd);
/// No lateness of the machine ends the run, nor is it written out as a trace, which takes seconds with a sanitizer. Nor
/// is memory locked then: its shadow cannot be.
Arguments patient();

/// Of what a busy machine may spoil, as where a log names the worst of a second alone: one, and more as long as there is
/// time.
class Tries {
 public:
  bool another() {
    const auto now = std::chrono::steady_clock::now();
    if (!first_) first_ = now;
    return now - *first_ < std::chrono::minutes{2};
  }

 private:
  std::optional<std::chrono::steady_clock::time_point> first_;
};

/// config/rigs/<name>.yaml
std::string example(const std::string& name);

/// The same command for a user without privileges. Nothing, and `why`, where that cannot be arranged.
std::optional<Command> without_privileges(Command command, const TempDir& dir, std::string& why);
bool is_root();

/// summary.json of a run folder; a failure of the test and an empty object when it cannot be read.
Json summary_of(const std::filesystem::path& folder);

/// A recording: complete lines only; `torn` is what follows the last newline.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::string torn;

  /// The values of the column whose header is `name` or begins with `name {`.
  std::vector<std::string> column(const std::string& name) const;
  std::vector<std::int64_t> integers(const std::string& name) const;
};
Table read_table(const std::filesystem::path& file);

/// In the status line on a terminal from the first frame in real time on, however late it is looked at.
constexpr const char* kStatusOfFrames = "  overruns ";

/// Until a signal that was sent to the process is no longer pending: a second one sent before that would
/// merge with it. False at the time limit.
bool wait_until_heard(const Process& process, int signal);

/// The CPU time of all threads of a process so far; nothing when it has ended.
std::optional<std::chrono::milliseconds> cpu_time_of(const Process& process);
/// Until the process has used so much CPU: what computes, however slow the machine is. False at the time limit, and when
/// the process has ended.
bool wait_for_cpu_time(const Process& process, std::chrono::milliseconds time);

/// "4.93 ms" as nanoseconds.
double nanoseconds(const std::string& text);
/// Whether a duration on the screen, which has three digits, stands for this number of nanoseconds.
::testing::AssertionResult same_duration(const std::string& screen, std::int64_t ns);

/// How often the file holds the text.
std::size_t count_in(const std::filesystem::path& file, const std::string& text);
/// Until the file holds the text so often; false at the time limit.
bool wait_for_text(const std::filesystem::path& file, const std::string& text,
                   std::chrono::milliseconds limit = kTimeout, std::size_t times = 1);

}  // namespace tactus::test
