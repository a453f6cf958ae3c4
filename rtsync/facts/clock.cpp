// SPDX-License-Identifier: Apache-2.0
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <iterator>

#include "rtsync/facts/fact_probe.hpp"
#include "rtsync/host/provision.hpp"

// The scratch process does nothing a sanitizer could follow.
#define TACTUS_UNWATCHED __attribute__((noinline, no_sanitize("address", "thread", "undefined")))

namespace tactus::rtsync::probes {
namespace {

constexpr const char* kFolder = "/sys/devices/system/clocksource/clocksource0/";

enum class ClockRead { in_process, system_call, unknown };

// How the scratch process ends.
constexpr long kWorked = 0;
constexpr long kRefused = 1;
constexpr long kNoFilter = 2;

/// The scratch process: gives up every system call but exit, reads the clock, and ends.
[[noreturn]] TACTUS_UNWATCHED void read_clock_and_exit(const sock_fprog& filter) {
  long end = kNoFilter;
  if (::syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0 &&
      ::syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0L, 0L) == 0) {
    timespec now{};
    end = ::clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? kWorked : kRefused;
  }
  for (;;) ::syscall(SYS_exit, end);
}

/// The scratch process, or -1.
// A bare clone: no fork handler of anybody's library runs, and without an exit signal nobody's SIGCHLD
// handler hears of it.
TACTUS_UNWATCHED pid_t start_scratch_process() {
  std::array<sock_filter, 4> rules = {{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_exit},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
  }};
  const sock_fprog filter{static_cast<unsigned short>(rules.size()), rules.data()};
  const long child = ::syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
  if (child == 0) read_clock_and_exit(filter);
  return static_cast<pid_t>(child);
}

ClockRead meaning_of(int status) {
  if (!WIFEXITED(status)) return ClockRead::unknown;
  if (WEXITSTATUS(status) == kWorked) return ClockRead::in_process;
  return WEXITSTATUS(status) == kRefused ? ClockRead::system_call : ClockRead::unknown;
}

/// Reads the clock in a scratch process to which every system call but exit is refused: if that works, the
/// clock is read without the kernel. A filter, not seccomp's strict mode, which forbids the time stamp
/// counter as well.
ClockRead try_clock() {
  const pid_t child = start_scratch_process();
  if (child < 0) return ClockRead::unknown;
  int status = 0;
  for (int turn = 0; turn < 400; ++turn) {  // two seconds for four system calls: something is very wrong
    const pid_t ended = ::waitpid(child, &status, WNOHANG | __WALL);
    if (ended == child) return meaning_of(status);
    if (ended < 0 && errno != EINTR) return ClockRead::unknown;
    const timespec pause{0, turn < 20 ? 200'000 : 5'000'000};
    ::nanosleep(&pause, nullptr);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, __WALL);
  return ClockRead::unknown;
}

bool is_slow(std::string_view source) {
  constexpr std::string_view kSlow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
  return std::ranges::find(kSlow, source) != std::end(kSlow);
}

bool is_good(std::string_view source) {
  constexpr std::string_view kGood[] = {
      "tsc",      "arch_sys_counter",  "kvm-clock", "hyperv_clocksource_tsc_page",
      "timebase", "riscv_clocksource", "tod"};
  return std::ranges::find(kGood, source) != std::end(kGood);
}

std::string use_counter_fix(const Host& host) {
  const FileText others = host.read(std::string{kFolder} + "available_clocksource");
  const auto available = words_of(others.text);
  for (const std::string counter : {"tsc", "arch_sys_counter"})
    if (std::ranges::find(available, counter) != available.end())
      return "echo " + counter + " | sudo tee " + kFolder + "current_clocksource";
  return boot_fix("clocksource=tsc tsc=reliable") + "; sudo dmesg | grep -i tsc says why it is not used";
}

std::string in_words(ClockRead tried) {
  if (tried == ClockRead::in_process) return "; tried: clock_gettime needs no system call";
  if (tried == ClockRead::system_call) return "; tried: clock_gettime is a real system call";
  return "";
}

}  // namespace

Fact clock_source(const Host& host) {
  constexpr Subject kSubject{
      "clock source", "a counter of the CPU (tsc, arch_sys_counter), read without the kernel",
      "reading hpet or acpi_pm takes a microsecond and more, several times in each frame"};
  const FileText source = host.read(std::string{kFolder} + "current_clocksource");
  const ClockRead tried = host.live ? try_clock() : ClockRead::unknown;
  const std::string found = (source.readable() ? source.text : source.why()) + in_words(tried);
  const std::string fix = use_counter_fix(host);
  if (is_slow(source.text)) return fact(kSubject, Grade::fail, found, fix);
  if (tried == ClockRead::system_call) return fact(kSubject, Grade::warn, found, fix);
  if (tried == ClockRead::in_process) return fact(kSubject, Grade::ok, found);
  if (!source.readable()) return unknown(kSubject, source.why(), fix);
  if (is_good(source.text)) return fact(kSubject, Grade::ok, found);
  return unknown(kSubject, "a clock source called " + in_quotes(source.text), fix);
}

}  // namespace tactus::rtsync::probes
