#include "rtsync/host_facts.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "rtsync/host_file.hpp"
#include "rtsync/pinned_thread.hpp"
#include "rtsync/provision.hpp"
#include "rtsync/rights.hpp"
#include "rtsync/throttle.hpp"

namespace tactus::rtsync {
namespace {

const std::string cpu_folder = "/sys/devices/system/cpu";
constexpr std::size_t kMostEntries = 100'000;  // of one folder: nothing here may take for ever

/// What several facts need, read once.
struct Host {
  ProbeRequest request;
  bool live = false;
  std::optional<CpuSet> online;
  CpuSet allowed;
  CpuSet rt;  // the rig's CPUs, or those we look at in their place
  bool rt_was_asked = false;
  FileText cmdline;
  KernelConfig config;
  Rights rights;
  ThrottleFacts throttle;

  FileText read(std::string_view file) const { return read_host_file(request.root, file); }
  std::filesystem::path path(std::string_view file) const { return request.root / file.substr(1); }
  bool exists(std::string_view file) const {
    std::error_code ignored;
    return std::filesystem::exists(path(file), ignored);
  }
};

/// What a fact is about: the same whatever was found.
struct Subject {
  const char* name;
  const char* needed;
  const char* why;
};

Fact fact(const Subject& subject, Grade grade, std::string found, std::string cure = {}) {
  return {.name = subject.name,
          .grade = grade,
          .found = std::move(found),
          .needed = subject.needed,
          .why = subject.why,
          .cure = grade == Grade::ok ? std::string{} : std::move(cure)};
}

Fact unknown(const Subject& subject, const std::string& problem, std::string cure = {}) {
  return fact(subject, Grade::warn, "unknown: " + problem, std::move(cure));
}

std::string joined(const std::vector<std::string>& pieces, std::size_t most = 8) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size() && i < most; ++i) text += (i == 0 ? "" : ", ") + pieces[i];
  if (pieces.size() > most) text += " and " + std::to_string(pieces.size() - most) + " more";
  return text;
}

/// Contents may be anything: on one line, without control characters, and not too long for a table.
std::string in_quotes(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 80))
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return "'" + shown + (text.size() > 80 ? "...'" : "'");
}

std::string cpu_file(int cpu, const std::string& file) {
  return cpu_folder + "/cpu" + std::to_string(cpu) + "/" + file;
}

/// One command that writes a value into a file of each of these CPUs.
std::string write_per_cpu(const CpuSet& cpus, const std::string& value, const std::string& file) {
  std::string list;
  for (const int cpu : cpus.cpus()) list += (list.empty() ? "" : " ") + std::to_string(cpu);
  return "for c in " + list + "; do echo " + value + " | sudo tee " + cpu_folder + "/cpu$c/" + file +
         "; done";
}

std::string sysctl_cure(const std::string& name, const std::string& value) {
  return "sudo sysctl -w " + name + "=" + value + "; to keep it: echo '" + name + " = " + value +
         "' | sudo tee -a /etc/sysctl.d/99-tactus.conf";
}

/// The names in a folder, sorted; an error when it cannot be listed.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error) {
  std::vector<std::string> names;
  std::filesystem::directory_iterator entry{folder, error};
  while (!error && entry != std::filesystem::directory_iterator{} && names.size() < kMostEntries) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// ---------------------------------------------------------------------------------------------- the kernel

/// The model between parentheses in "none voluntary (full) lazy".
std::optional<std::string> chosen(std::string_view text, char open, char close) {
  const std::size_t from = text.find(open);
  const std::size_t to = from == std::string_view::npos ? from : text.find(close, from);
  if (to == std::string_view::npos) return std::nullopt;
  return std::string{text.substr(from + 1, to - from - 1)};
}

Fact preemption(const Host& host) {
  constexpr Subject kSubject{"kernel preemption", "a PREEMPT_RT kernel",
                             "without it, drivers and interrupts may hold a frame up for milliseconds"};
  const std::string cure = "sudo apt install linux-image-rt-amd64 (linux-image-rt-arm64 on ARM), then reboot";
  if (const FileText realtime = host.read("/sys/kernel/realtime"); realtime.text == "1")
    return fact(kSubject, Grade::ok, "PREEMPT_RT (/sys/kernel/realtime is 1)");
  if (host.config.has("CONFIG_PREEMPT_RT").value_or(false))
    return fact(kSubject, Grade::ok, "PREEMPT_RT (" + host.config.file() + ")");
  // Only now by its name: a mainline kernel with PREEMPT_RT has neither file when it hides its configuration.
  const FileText version = host.read("/proc/version");
  for (const char* const name : {"PREEMPT_RT", "PREEMPT RT"}) {
    if (version.text.find(name) != std::string::npos)
      return fact(kSubject, Grade::ok, "PREEMPT_RT (by its name in /proc/version)");
  }
  const Grade bad = host.request.wants_fifo ? Grade::fail : Grade::warn;
  const auto graded = [&](const std::string& model, const std::string& source) {
    const bool stops = model == "none" || model == "voluntary";
    return fact(kSubject, stops ? bad : Grade::warn,
                "no PREEMPT_RT; preemption model " + in_quotes(model) + " (" + source + ")",
                stops ? cure + "; as long as there is none: " + boot_cure("preempt=full") : cure);
  };
  if (const FileText model = host.read("/sys/kernel/debug/sched/preempt"); model.readable()) {
    if (const auto name = chosen(model.text, '(', ')')) return graded(*name, model.file);
  }
  if (host.config.has("CONFIG_PREEMPT_DYNAMIC").value_or(false)) {
    if (const auto given = boot_parameter(host.cmdline.text, "preempt"); given && !given->empty())
      return graded(*given, "preempt= at boot");
  }
  constexpr std::pair<const char*, const char*> kModels[] = {{"CONFIG_PREEMPT_LAZY", "lazy"},
                                                             {"CONFIG_PREEMPT_VOLUNTARY", "voluntary"},
                                                             {"CONFIG_PREEMPT_NONE", "none"},
                                                             {"CONFIG_PREEMPT", "full"}};
  for (const auto& [option, model] : kModels) {
    if (host.config.has(option).value_or(false)) return graded(model, host.config.file());
  }
  if (version.readable() && version.text.find("PREEMPT") != std::string::npos)
    return fact(
        kSubject, Grade::warn,
        "no sign of PREEMPT_RT; the preemption model could not be read, but /proc/version says PREEMPT",
        cure);
  return unknown(
      kSubject,
      "neither /sys/kernel/realtime, /sys/kernel/debug/sched/preempt nor the kernel's configuration "
      "says which model it is",
      "sudo cat /sys/kernel/debug/sched/preempt; zgrep PREEMPT /proc/config.gz");
}

Fact rt_group_scheduling(const Host& host) {
  constexpr Subject kSubject{
      "real-time group scheduling", "a kernel without CONFIG_RT_GROUP_SCHED",
      "with it, a control group without budget refuses SCHED_FIFO although every right is "
      "there"};
  const RtGroup& group = host.throttle.group;
  const std::string cure = boot_cure("rt_group_sched=0") + " (from 6.16 on)";
  if (!group.in_kernel)
    return unknown(kSubject, "the kernel's configuration could not be read",
                   "zgrep RT_GROUP_SCHED /proc/config.gz");
  if (!*group.in_kernel) return fact(kSubject, Grade::ok, "not in this kernel");
  if (group.runtime_us) {
    const Grade grade = *group.runtime_us == 0 && host.request.wants_fifo ? Grade::fail : Grade::warn;
    const std::string found = "the control group " + group.path + " has " +
                              std::to_string(*group.runtime_us) + " us of every " +
                              std::to_string(group.period_us.value_or(1'000'000)) + " us";
    return fact(
        kSubject, grade, found,
        grade == Grade::fail ? "echo 950000 | sudo tee " + group.runtime_file + "; or " + cure : cure);
  }
  if (const auto given = boot_parameter(host.cmdline.text, "rt_group_sched"); given && *given == "0")
    return fact(kSubject, Grade::ok, "switched off at boot (rt_group_sched=0)");
  return fact(kSubject, Grade::warn,
              "in this kernel; the control group is " + (group.path.empty() ? "unknown" : group.path) +
                  " and its budget has no file to read",
              cure);
}

// ------------------------------------------------------------------------------------ what may be asked for

Fact realtime_scheduling(const Host& host) {
  constexpr Subject kSubject{"real-time scheduling", "SCHED_FIFO is granted",
                             "an ordinary thread waits for all other ordinary threads"};
  if (!host.request.wants_fifo) return fact(kSubject, Grade::ok, "not asked for by the rig");
  if (!host.live) return unknown(kSubject, "nothing was tried here");
  const std::string what = "SCHED_FIFO priority " + std::to_string(host.request.priority);
  try {
    PinnedThread scratch{{.name = "tactus-probe",
                          .policy = SchedPolicy::fifo,
                          .priority = host.request.priority,
                          .prefault_stack = false},
                         [] {}};
    scratch.join();
    for (const Provision& provision : scratch.provisions()) {
      if (provision.what != what) continue;
      if (provision.granted) return fact(kSubject, Grade::ok, "tried: " + what + " was granted");
      return fact(kSubject, Grade::fail, "tried " + what + ": " + provision.cause, provision.cure);
    }
  } catch (const std::exception& failure) {
    return unknown(kSubject, std::string{"no thread could be made to try it: "} + failure.what(),
                   "ulimit -u; free -m");
  }
  return unknown(kSubject, "nothing was tried here");
}

Fact timer_slack(const Host& host) {
  constexpr Subject kSubject{"timer slack", "1 ns or none can be set for a thread",
                             "an ordinary thread is woken 50 us late on purpose"};
  if (!host.live) return unknown(kSubject, "nothing was tried here");
  try {
    PinnedThread scratch{{.name = "tactus-probe", .prefault_stack = false}, [] {}};
    scratch.join();
    for (const Provision& provision : scratch.provisions()) {
      if (provision.what.find("timer slack") == std::string::npos) continue;
      if (provision.granted) return fact(kSubject, Grade::ok, "tried: " + provision.got);
      return fact(kSubject, Grade::warn, "tried: " + provision.got + "; " + provision.cause, provision.cure);
    }
  } catch (const std::exception& failure) {
    return unknown(kSubject, std::string{"no thread could be made to try it: "} + failure.what(),
                   "ulimit -u; free -m");
  }
  return unknown(kSubject, "nothing was tried here");
}

/// Whether a little memory can be locked; nothing but the answer remains. 0 or the errno.
int try_memory_lock() {
  const long page = ::sysconf(_SC_PAGESIZE);
  const auto bytes = static_cast<std::size_t>(page > 0 ? page : 4096);
  void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return errno;
  const int error = ::mlock(block, bytes) == 0 ? 0 : errno;
  ::munmap(block, bytes);  // unlocks it, too
  return error;
}

Fact memory_lock(const Host& host) {
  constexpr Subject kSubject{"memory lock", "all memory, now and later, can be locked",
                             "a page that is not in memory stops a frame until the kernel has found one"};
  if (!host.request.wants_memory_lock) return fact(kSubject, Grade::ok, "not asked for by the rig");
  if (!host.live) return unknown(kSubject, "nothing was tried here");
  if (!host.rights.may_lock_all()) {
    const Refusal why = why_no_memory_lock(host.rights, 0);
    return fact(kSubject, Grade::fail, why.cause, why.cure);
  }
  if (const int error = try_memory_lock(); error != 0) {
    const Refusal why = why_no_memory_lock(host.rights, error);
    return fact(kSubject, Grade::fail, "tried one page: " + why.cause, why.cure);
  }
  return fact(kSubject, Grade::ok,
              std::string{"tried one page; "} +
                  (host.rights.memlock_limit ? "CAP_IPC_LOCK is held" : "RLIMIT_MEMLOCK is unlimited"));
}

Fact throttle(const Host& host) {
  constexpr Subject kSubject{
      "real-time throttle", "a SCHED_FIFO thread may use all of its CPU",
      "a thread that spins, or overruns for long, is stopped for tens of milliseconds"};
  const auto share = host.throttle.share(host.rt);
  if (!share)
    return unknown(kSubject, "neither sched_rt_runtime_us nor the kernel's release could be read",
                   "cat /proc/sys/kernel/sched_rt_runtime_us");
  std::array<char, 64> found{};
  std::snprintf(found.data(), found.size(), "%.4g %% of a CPU", *share * 100.0);
  // Everything that limits is named, though the rig may need less than all.
  std::string causes;
  std::string cures;
  for (const Refusal& stop : host.throttle.stops(1.0, host.rt)) {
    causes += (causes.empty() ? ": " : "; ") + stop.cause;
    cures += (cures.empty() ? "" : "; ") + stop.cure;
  }
  if (causes.empty()) return fact(kSubject, Grade::ok, found.data());
  const bool hurts = !host.throttle.stops(host.request.share_needed, host.rt).empty();
  return fact(kSubject, hurts ? Grade::fail : Grade::warn, found.data() + causes, cures);
}

// --------------------------------------------------------------------------------------------- the rig's
// CPUs

Fact cpus(const Host& host) {
  constexpr Subject kSubject{"CPUs", "the rig's CPUs are there, and one is left for everything else",
                             "helpers, interrupts and the desktop would share a CPU with the frames"};
  if (!host.online)
    return unknown(kSubject, host.read(cpu_folder + "/online").why(), "nproc; ls " + cpu_folder);
  const CpuSet offline = host.rt - *host.online;
  const CpuSet forbidden = host.rt - host.allowed;
  const std::string found = (host.rt_was_asked ? "the rig wants " : "no CPU was asked for; looked at ") +
                            host.rt.text() + "; online are " + host.online->text() + ", allowed are " +
                            host.allowed.text();
  if (host.rt.empty()) return unknown(kSubject, "there is no CPU to look at: " + found, "nproc");
  if (!offline.empty())
    return fact(kSubject, Grade::fail, found,
                "choose among the CPUs " + host.online->text() + " in the rig file, or: echo 1 | sudo tee " +
                    cpu_folder + "/cpu" + std::to_string(offline.first()) + "/online");
  if (!forbidden.empty())
    return fact(kSubject, Grade::fail, found,
                "start it with: taskset -c " + (host.allowed | host.rt).text() +
                    " ...; a systemd unit: AllowedCPUs=" + (host.allowed | host.rt).text() +
                    "; a container: --cpuset-cpus=" + (host.allowed | host.rt).text());
  if ((*host.online - host.rt).empty())
    return fact(kSubject, Grade::warn, found + ": none is left for everything else",
                "give the rig fewer CPUs, or: echo on | sudo tee " + cpu_folder + "/smt/control");
  return fact(kSubject, Grade::ok, found);
}

Fact isolation(const Host& host) {
  constexpr Subject kSubject{"isolated CPUs", "the scheduler puts nothing on the rig's CPUs by itself",
                             "an ordinary task on the CPU costs cache, migration and timer work in a frame"};
  const FileText read = host.read(cpu_folder + "/isolated");
  const std::string cure = boot_cure("isolcpus=managed_irq,domain," + host.rt.text());
  if (!read.readable()) return unknown(kSubject, read.why(), cure);
  auto isolated = CpuSet::try_parse(read.text);
  if (!isolated) return unknown(kSubject, read.file + " says " + in_quotes(read.text), cure);
  // An isolated partition of cgroup v2 does the same; older kernels list it in its own place only.
  const FileText partitions = host.read("/sys/fs/cgroup/cpuset.cpus.isolated");
  if (const auto more = CpuSet::try_parse(partitions.text); partitions.readable() && more) *isolated |= *more;
  const CpuSet open = host.rt - *isolated;
  const std::string found = isolated->empty() ? "none" : isolated->text();
  if (host.rt.empty())
    return unknown(kSubject, "isolated are: " + found + ", but there is no CPU to look at", cure);
  return open.empty() ? fact(kSubject, Grade::ok, found)
                      : fact(kSubject, Grade::warn, found + "; not isolated: " + open.text(), cure);
}

Fact tickless(const Host& host) {
  constexpr Subject kSubject{"tickless CPUs", "nohz_full covers the rig's CPUs",
                             "the scheduler's tick interrupts a busy CPU up to 1000 times a second"};
  const FileText read = host.read(cpu_folder + "/nohz_full");
  const std::string cure = boot_cure("nohz_full=" + host.rt.text());
  if (!read.readable()) {
    if (read.absent() && host.config.has("CONFIG_NO_HZ_FULL") == std::optional{false})
      return fact(kSubject, Grade::warn, "this kernel is built without CONFIG_NO_HZ_FULL",
                  "sudo apt install linux-image-rt-amd64 (its kernels have it), then " + cure);
    return unknown(kSubject, read.why(), cure);
  }
  if (read.text == "(null)" || read.text.empty()) return fact(kSubject, Grade::warn, "none", cure);
  const auto covered = CpuSet::try_parse(read.text);
  if (!covered || host.rt.empty())
    return unknown(kSubject, read.file + " says " + in_quotes(read.text), cure);
  const CpuSet open = host.rt - *covered;
  return open.empty() ? fact(kSubject, Grade::ok, covered->text())
                      : fact(kSubject, Grade::warn, covered->text() + "; ticking: " + open.text(), cure);
}

Fact rcu(const Host& host) {
  constexpr Subject kSubject{"RCU callbacks", "rcu_nocbs covers the rig's CPUs",
                             "the kernel's deferred frees would run on the rig's CPUs between two frames"};
  const std::string cure = boot_cure("rcu_nocbs=" + host.rt.text());
  if (!host.cmdline.readable()) return unknown(kSubject, host.cmdline.why(), cure);
  if (host.rt.empty()) return unknown(kSubject, "there is no CPU to look at", cure);
  CpuSet covered;
  // nohz_full brings rcu_nocbs with it; a bare rcu_nocbs only allows offloading later.
  for (const char* const name : {"rcu_nocbs", "nohz_full"}) {
    const auto given = boot_parameter(host.cmdline.text, name);
    if (!given || given->empty()) continue;
    if (*given == "all") return fact(kSubject, Grade::ok, std::string{name} + "=all");
    const auto cpus = CpuSet::try_parse(*given);
    if (!cpus)
      return unknown(kSubject, std::string{name} + "=" + in_quotes(*given) + " is no plain list of CPUs",
                     cure);
    covered |= *cpus;
  }
  const CpuSet open = host.rt - covered;
  if (open.empty()) return fact(kSubject, Grade::ok, covered.text());
  return fact(kSubject, Grade::warn,
              (covered.empty() ? "none" : covered.text()) + "; not covered: " + open.text(), cure);
}

Fact frequency(const Host& host) {
  constexpr Subject kSubject{"frequency governor", "'performance' on the rig's CPUs",
                             "a CPU that was slowed down while idle starts the next frame slowly"};
  const std::string file = "cpufreq/scaling_governor";
  std::vector<std::string> found;
  CpuSet wrong;
  std::string problem;
  for (const int cpu : host.rt.cpus()) {
    const FileText read = host.read(cpu_file(cpu, file));
    if (!read.readable()) {
      problem = read.why();
      if (read.absent()) problem += " (the frequency is left to the firmware or the hypervisor)";
    } else {
      found.push_back("CPU " + std::to_string(cpu) + " " + in_quotes(read.text));
      if (read.text != "performance") wrong.add(cpu);
    }
  }
  if (!wrong.empty())
    return fact(kSubject, Grade::warn, joined(found), write_per_cpu(wrong, "performance", file));
  if (!problem.empty() || found.empty())
    return unknown(kSubject, problem.empty() ? "there is no CPU to look at" : problem,
                   "choose the performance profile in the firmware's setup");
  return fact(kSubject, Grade::ok, joined(found));
}

Fact energy_preference(const Host& host) {
  constexpr Subject kSubject{"energy preference", "'performance', or hardware without such a preference",
                             "with intel_pstate and amd-pstate the processor itself may still slow down"};
  const std::string file = "cpufreq/energy_performance_preference";
  std::vector<std::string> found;
  CpuSet wrong;
  std::string problem;
  for (const int cpu : host.rt.cpus()) {
    const FileText driver = host.read(cpu_file(cpu, "cpufreq/scaling_driver"));
    const FileText read = host.read(cpu_file(cpu, file));
    if (!driver.readable()) {
      problem = driver.why();
      continue;
    }
    const std::string who = "CPU " + std::to_string(cpu) + " " + in_quotes(driver.text);
    if (read.absent()) {
      found.push_back(who + " has none");
    } else if (!read.readable()) {
      problem = read.why();
    } else {
      found.push_back(who + " prefers " + in_quotes(read.text));
      if (read.text != "performance" && read.text != "0") wrong.add(cpu);
    }
  }
  if (!wrong.empty())
    return fact(kSubject, Grade::warn, joined(found), write_per_cpu(wrong, "performance", file));
  if (!problem.empty() || found.empty())
    return unknown(kSubject, problem.empty() ? "there is no CPU to look at" : problem,
                   "choose the performance profile in the firmware's setup");
  return fact(kSubject, Grade::ok, joined(found));
}

/// 0 when /dev/cpu_dma_latency can be opened for writing; nothing is asked of it.
int try_dma_latency(const Host& host) {
  const int fd =
      ::open(host.path("/dev/cpu_dma_latency").c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

std::string dma_latency_cure() {
  return "echo 'KERNEL==\"cpu_dma_latency\", MODE=\"0666\"' | sudo tee /etc/udev/rules.d/99-tactus.rules && "
         "sudo "
         "udevadm control --reload && sudo udevadm trigger --name-match=cpu_dma_latency";
}

Fact dma_latency(const Host& host) {
  constexpr Subject kSubject{"cpu_dma_latency", "/dev/cpu_dma_latency can be opened for writing",
                             "it is how a rig keeps the CPUs out of deep idle states while it runs"};
  const int error = try_dma_latency(host);
  if (error == 0) return fact(kSubject, Grade::ok, "tried: it can");
  const std::string found = "tried: " + error_words(error);
  if (error == EACCES || error == EPERM) return fact(kSubject, Grade::warn, found, dma_latency_cure());
  return fact(kSubject, Grade::warn, found,
              boot_cure("processor.max_cstate=1 intel_idle.max_cstate=0") +
                  "; a container: --device=/dev/cpu_dma_latency");
}

Fact idle_states(const Host& host) {
  constexpr Subject kSubject{"idle states",
                             "none that takes more than 10 us to leave, or the rig can forbid them",
                             "a CPU in a deep idle state wakes 100 us and more after its timer"};
  constexpr std::int64_t kMostUs = 10;
  std::vector<std::string> deep;
  std::string problem;
  bool any = false;
  for (const int cpu : host.rt.cpus()) {
    std::error_code error;
    const std::string folder = cpu_file(cpu, "cpuidle");
    const auto names = names_in(host.path(folder), error);
    if (error) {
      problem = folder + " could not be read: " + error.message() +
                " (idle states are left to the firmware or the hypervisor)";
      continue;
    }
    for (const std::string& name : names) {
      if (!name.starts_with("state")) continue;
      std::string state = folder;
      state.append("/").append(name);
      const auto latency = whole_number(host.read(state + "/latency").text);
      const auto disabled = whole_number(host.read(state + "/disable").text);
      if (!latency || !disabled) {
        problem = state + "/latency or disable could not be read";
        continue;
      }
      any = true;
      if (*disabled == 0 && *latency > kMostUs)
        deep.push_back("CPU " + std::to_string(cpu) + " " + in_quotes(host.read(state + "/name").text) + " " +
                       std::to_string(*latency) + " us");
    }
  }
  const bool can_forbid = try_dma_latency(host) == 0;
  if (!deep.empty() && can_forbid)
    return fact(kSubject, Grade::ok, joined(deep) + "; the rig forbids them through /dev/cpu_dma_latency");
  if (!deep.empty())
    return fact(kSubject, Grade::warn, joined(deep) + "; and /dev/cpu_dma_latency cannot be opened",
                "sudo cpupower idle-set -D 10, or: " + dma_latency_cure());
  if (!problem.empty() || !any)
    return unknown(kSubject, problem.empty() ? "the kernel lists no idle state" : problem,
                   boot_cure("processor.max_cstate=1 intel_idle.max_cstate=0"));
  return fact(kSubject, Grade::ok, "no deep one is enabled");
}

Fact siblings(const Host& host) {
  constexpr Subject kSubject{"SMT siblings", "each of the rig's CPUs has its core to itself",
                             "two hyper-threads of one core take the execution units from each other"};
  std::vector<std::string> shared;
  CpuSet others;
  std::string problem;
  for (const int cpu : host.rt.cpus()) {
    const FileText read = host.read(cpu_file(cpu, "topology/thread_siblings_list"));
    const auto core = read.readable() ? CpuSet::try_parse(read.text) : std::nullopt;
    if (!core || !core->contains(cpu)) {
      problem = read.readable() ? read.file + " says " + in_quotes(read.text) : read.why();
      continue;
    }
    const CpuSet rest = *core - CpuSet{cpu};
    if (rest.empty()) continue;
    shared.push_back("CPU " + std::to_string(cpu) + " shares its core with " + rest.text());
    others |= rest;
  }
  if (!shared.empty()) {
    const CpuSet idle = others - host.rt;
    return fact(kSubject, Grade::warn, joined(shared),
                idle.empty() ? "give the rig one CPU of each core, or: echo off | sudo tee " + cpu_folder +
                                   "/smt/control"
                             : write_per_cpu(idle, "0", "online"));
  }
  if (!problem.empty() || host.rt.empty())
    return unknown(kSubject, problem.empty() ? "there is no CPU to look at" : problem, "lscpu --extended");
  return fact(kSubject, Grade::ok, "none");
}

// ------------------------------------------------------------------------------------------ who interrupts
// it

/// How often each interrupt came on the CPUs of a set, and its last word in the table: who asked for it.
struct Interrupt {
  std::uint64_t count = 0;
  std::string name;
};

std::map<std::string, Interrupt> interrupts_on(const CpuSet& cpus, const std::string& table) {
  std::map<std::string, Interrupt> found;
  const auto lines = lines_of(table);
  if (lines.empty()) return found;
  std::vector<int> columns;
  for (const std::string_view word : words_of(lines.front())) {
    const auto cpu = word.starts_with("CPU") ? whole_number(word.substr(3)) : std::nullopt;
    if (!cpu || *cpu < 0 || *cpu >= CpuSet::kLimit) return found;
    columns.push_back(static_cast<int>(*cpu));
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto words = words_of(lines[i]);
    if (words.empty() || !words.front().ends_with(':')) continue;
    Interrupt& interrupt = found[std::string{words.front().substr(0, words.front().size() - 1)}];
    for (std::size_t c = 0; c < columns.size() && c + 1 < words.size(); ++c) {
      const auto count = whole_number(words[c + 1]);
      if (count && *count > 0 && cpus.contains(columns[c]))
        interrupt.count += static_cast<std::uint64_t>(*count);
    }
    if (words.size() > columns.size() + 1) interrupt.name = std::string{words.back()};
  }
  return found;
}

Fact interrupts(const Host& host) {
  constexpr Subject kSubject{"interrupts", "no device interrupt is delivered to the rig's CPUs",
                             "each one takes microseconds out of a frame, at no moment anybody chose"};
  std::error_code error;
  auto names = names_in(host.path("/proc/irq"), error);
  if (error)
    return unknown(kSubject, "/proc/irq could not be read: " + error.message(), "cat /proc/interrupts");
  if (host.rt.empty()) return unknown(kSubject, "there is no CPU to look at", "cat /proc/interrupts");
  const auto counted = interrupts_on(host.rt, host.read("/proc/interrupts").text);
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair{a.size(), a} < std::pair{b.size(), b};  // 4 before 24
  });
  std::vector<std::string> here;
  std::string numbers;
  std::string problem;
  int seen = 0;
  for (const std::string& name : names) {
    if (!whole_number(name)) continue;
    const std::string folder = "/proc/irq/" + name;
    // Effective: where it is really delivered. Not every interrupt controller knows.
    FileText read = host.read(folder + "/effective_affinity_list");
    if (!read.readable() || read.text.empty()) read = host.read(folder + "/smp_affinity_list");
    const auto cpus = read.readable() ? CpuSet::try_parse(read.text) : std::nullopt;
    if (!cpus) {
      if (problem.empty())
        problem = read.readable() ? read.file + " says " + in_quotes(read.text) : read.why();
      continue;
    }
    ++seen;
    if (!cpus->intersects(host.rt)) continue;
    const auto entry = counted.find(name);
    std::string text = name;
    if (entry != counted.end()) {
      if (!entry->second.name.empty()) text.append(" ").append(entry->second.name);
      text += " (" + std::to_string(entry->second.count) + " times)";
    }
    here.push_back(text);
    numbers += (numbers.empty() ? "" : " ") + name;
  }
  const CpuSet rest = host.online.value_or(host.allowed) - host.rt;
  if (!here.empty())
    return fact(kSubject, Grade::warn,
                std::to_string(here.size()) + " on CPUs " + host.rt.text() + ": " + joined(here),
                rest.empty() ? "leave a CPU to the interrupts: give the rig fewer"
                             : "for i in " + numbers + "; do echo " + rest.text() +
                                   " | sudo tee /proc/irq/$i/smp_affinity_list; done; for those to come: " +
                                   boot_cure("irqaffinity=" + rest.text()));
  if (!problem.empty() || seen == 0)
    return unknown(kSubject, problem.empty() ? "/proc/irq lists no interrupt" : problem,
                   "cat /proc/interrupts");
  return fact(kSubject, Grade::ok, "none of " + std::to_string(seen));
}

Fact irq_balancer(const Host& host) {
  constexpr Subject kSubject{"irqbalance", "not running",
                             "it moves interrupts back onto the rig's CPUs every ten seconds"};
  std::error_code error;
  const auto names = names_in(host.path("/proc"), error);
  if (error) return unknown(kSubject, "/proc could not be read: " + error.message(), "pgrep irqbalance");
  bool kernel_threads = false;
  for (const std::string& name : names) {
    if (!whole_number(name)) continue;
    const std::string comm = host.read("/proc/" + name + "/comm").text;
    if (comm == "irqbalance")
      return fact(kSubject, Grade::warn, "running as process " + name,
                  "sudo systemctl disable --now irqbalance");
    kernel_threads |= comm == "kthreadd";
  }
  // Who does not see the kernel's threads looks out of a container, and sees no daemon of the host either.
  if (!kernel_threads)
    return unknown(kSubject, "the host's processes are not visible from here",
                   "pgrep irqbalance, on the host");
  return fact(kSubject, Grade::ok, "not running");
}

/// A CPU mask as the kernel prints it, "f" or "ffffffff,00000003".
std::optional<CpuSet> read_mask(std::string_view text) {
  CpuSet cpus;
  int bit = 0;
  if (text.empty() || text.size() > static_cast<std::size_t>(CpuSet::kLimit) / 4) return std::nullopt;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ',') continue;
    const std::string_view digits = "0123456789abcdef";
    const std::size_t value = digits.find(text[i]);
    if (value == std::string_view::npos) return std::nullopt;
    for (unsigned b = 0; b < 4; ++b) {
      if ((value >> b & 1U) != 0) cpus.add(bit + static_cast<int>(b));
    }
    bit += 4;
  }
  return cpus;
}

std::string mask_text(const CpuSet& cpus) {
  std::string text;
  for (int at = 0; at <= std::max(cpus.last(), 0); at += 4) {
    if (at > 0 && at % 32 == 0) text.insert(0, ",");
    unsigned value = 0;
    for (int b = 0; b < 4; ++b) value |= cpus.contains(at + b) ? 1U << b : 0U;
    text.insert(0, 1, "0123456789abcdef"[value]);
  }
  return text;
}

Fact work_queues(const Host& host) {
  constexpr Subject kSubject{"kernel work queues", "unbound work stays off the rig's CPUs",
                             "the kernel's own background work would run between two frames"};
  const std::string file = "/sys/devices/virtual/workqueue/cpumask";
  const CpuSet rest = host.online.value_or(host.allowed) - host.rt;
  const std::string cure = rest.empty() ? "leave a CPU to the kernel: give the rig fewer"
                                        : "echo " + mask_text(rest) + " | sudo tee " + file;
  const FileText read = host.read(file);
  if (!read.readable()) return unknown(kSubject, read.why(), cure);
  const auto cpus = read_mask(read.text);
  if (!cpus || host.rt.empty()) return unknown(kSubject, file + " says " + in_quotes(read.text), cure);
  return cpus->intersects(host.rt)
             ? fact(kSubject, Grade::warn, "they may use the CPUs " + cpus->text(), cure)
             : fact(kSubject, Grade::ok, "they use the CPUs " + cpus->text());
}

Fact watchdogs(const Host& host) {
  constexpr Subject kSubject{"watchdogs", "no lockup detector on the rig's CPUs",
                             "its timer and its stopper thread run on each CPU every few seconds"};
  const FileText hard = host.read("/proc/sys/kernel/nmi_watchdog");
  const FileText soft = host.read("/proc/sys/kernel/watchdog");
  const FileText mask = host.read("/proc/sys/kernel/watchdog_cpumask");
  const CpuSet rest = host.online.value_or(host.allowed) - host.rt;
  const std::string cure = rest.empty() ? sysctl_cure("kernel.watchdog", "0")
                                        : sysctl_cure("kernel.watchdog_cpumask", rest.text());
  const auto any = whole_number(soft.text);
  const auto nmi = whole_number(hard.text);
  const std::string found = "nmi_watchdog " + in_quotes(hard.text) + ", watchdog " + in_quotes(soft.text);
  if (any == 0 && nmi.value_or(0) == 0) return fact(kSubject, Grade::ok, found);
  const auto cpus = mask.readable() ? CpuSet::try_parse(mask.text) : std::nullopt;
  if (cpus && !host.rt.empty() && !cpus->intersects(host.rt))
    return fact(kSubject, Grade::ok, found + " on the CPUs " + (cpus->empty() ? "none" : cpus->text()));
  if (!any && !nmi)
    return unknown(kSubject, soft.readable() ? soft.file + " says " + in_quotes(soft.text) : soft.why(),
                   cure);
  if (any.value_or(0) != 0 || nmi.value_or(0) != 0)
    return fact(kSubject, Grade::warn, found + (cpus ? " on the CPUs " + cpus->text() : ""), cure);
  return unknown(kSubject, soft.readable() ? soft.file + " says " + in_quotes(soft.text) : soft.why(), cure);
}

/// A setting under /proc/sys that should be 0.
Fact should_be_zero(const Host& host, const Subject& subject, const std::string& sysctl) {
  std::string file = "/proc/sys/" + sysctl;
  std::replace(file.begin() + 10, file.end(), '.', '/');
  const FileText read = host.read(file);
  const std::string cure = sysctl_cure(sysctl, "0");
  if (!read.readable()) return unknown(subject, read.why(), cure);
  const auto value = whole_number(read.text);
  if (!value) return unknown(subject, file + " says " + in_quotes(read.text), cure);
  const std::string found = sysctl + " is " + std::to_string(*value);
  return *value == 0 ? fact(subject, Grade::ok, found) : fact(subject, Grade::warn, found, cure);
}

Fact timer_migration(const Host& host) {
  return should_be_zero(host,
                        {"timer migration", "kernel.timer_migration is 0",
                         "timers of idle CPUs are handed to a busy one, which may be the rig's"},
                        "kernel.timer_migration");
}

// -------------------------------------------------------------------------------------------------- the
// clock

enum class ClockRead { in_process, system_call, unknown };

/// Reads the clock in a scratch process to which every system call but exit is refused: if that works, the
/// clock is read without the kernel. A filter, not seccomp's strict mode, which forbids the time stamp
/// counter as well.
// A bare clone: no fork handler of anybody's library runs, and without an exit signal nobody's SIGCHLD
// handler hears of it. The child does nothing a sanitizer could follow.
__attribute__((noinline, no_sanitize("address", "thread", "undefined"))) ClockRead try_clock() {
  constexpr long kWorked = 0;
  constexpr long kRefused = 1;
  constexpr long kNoFilter = 2;
  std::array<sock_filter, 4> rules = {{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_exit},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
  }};
  const sock_fprog filter{static_cast<unsigned short>(rules.size()), rules.data()};
  const long child = ::syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
  if (child < 0) return ClockRead::unknown;
  if (child == 0) {
    if (::syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0 ||
        ::syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0L, 0L) != 0)
      ::syscall(SYS_exit, kNoFilter);
    timespec now{};
    const bool worked = ::clock_gettime(CLOCK_MONOTONIC, &now) == 0;
    for (;;) ::syscall(SYS_exit, worked ? kWorked : kRefused);
  }
  const auto pid = static_cast<pid_t>(child);
  int status = 0;
  for (int turn = 0; turn < 400; ++turn) {  // two seconds for four system calls: something is very wrong
    const pid_t ended = ::waitpid(pid, &status, WNOHANG | __WALL);
    if (ended == pid) {
      if (!WIFEXITED(status)) return ClockRead::unknown;
      if (WEXITSTATUS(status) == kWorked) return ClockRead::in_process;
      return WEXITSTATUS(status) == kRefused ? ClockRead::system_call : ClockRead::unknown;
    }
    if (ended < 0 && errno != EINTR) return ClockRead::unknown;
    const timespec pause{0, turn < 20 ? 200'000 : 5'000'000};
    ::nanosleep(&pause, nullptr);
  }
  ::kill(pid, SIGKILL);
  ::waitpid(pid, &status, __WALL);
  return ClockRead::unknown;
}

Fact clock_source(const Host& host) {
  constexpr Subject kSubject{
      "clock source", "a counter of the CPU (tsc, arch_sys_counter), read without the kernel",
      "reading hpet or acpi_pm takes a microsecond and more, several times in each frame"};
  const FileText read = host.read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  const FileText others = host.read("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  const ClockRead tried = host.live ? try_clock() : ClockRead::unknown;
  std::string found = read.readable() ? read.text : read.why();
  if (tried == ClockRead::in_process) found += "; tried: clock_gettime needs no system call";
  if (tried == ClockRead::system_call) found += "; tried: clock_gettime is a real system call";
  const auto available = words_of(others.text);
  const bool has_tsc = std::find(available.begin(), available.end(), "tsc") != available.end();
  const std::string cure =
      has_tsc
          ? "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"
          : boot_cure("clocksource=tsc tsc=reliable") + "; sudo dmesg | grep -i tsc says why it is not used";
  constexpr std::string_view kGood[] = {
      "tsc",      "arch_sys_counter",  "kvm-clock", "hyperv_clocksource_tsc_page",
      "timebase", "riscv_clocksource", "tod"};
  constexpr std::string_view kSlow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
  if (std::find(std::begin(kSlow), std::end(kSlow), read.text) != std::end(kSlow))
    return fact(kSubject, Grade::fail, found, cure);
  if (tried == ClockRead::system_call) return fact(kSubject, Grade::warn, found, cure);
  if (tried == ClockRead::in_process) return fact(kSubject, Grade::ok, found);
  if (!read.readable()) return unknown(kSubject, read.why(), cure);
  if (std::find(std::begin(kGood), std::end(kGood), read.text) != std::end(kGood))
    return fact(kSubject, Grade::ok, found);
  return unknown(kSubject, "a clock source called " + in_quotes(read.text), cure);
}

// ------------------------------------------------------------------------------------------------- the
// memory

Fact swap(const Host& host) {
  constexpr Subject kSubject{"swap", "no swap",
                             "memory that is not locked may have to be read back from a disk"};
  const FileText read = host.read("/proc/swaps");
  if (!read.readable()) return unknown(kSubject, read.why(), "sudo swapoff -a");
  const auto lines = lines_of(read.text);
  if (lines.empty() || !lines.front().starts_with("Filename"))
    return unknown(kSubject, "/proc/swaps says " + in_quotes(read.text), "sudo swapoff -a");
  std::vector<std::string> devices;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (const auto words = words_of(lines[i]); !words.empty()) devices.emplace_back(words.front());
  }
  return devices.empty() ? fact(kSubject, Grade::ok, "none")
                         : fact(kSubject, Grade::warn, joined(devices), "sudo swapoff -a");
}

Fact huge_pages(const Host& host) {
  constexpr Subject kSubject{"transparent huge pages", "'madvise' or 'never'",
                             "khugepaged moves memory and stalls whoever uses it"};
  const std::string cure = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled";
  const FileText read = host.read("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!read.readable()) {
    if (read.absent() && host.config.has("CONFIG_TRANSPARENT_HUGEPAGE") == std::optional{false})
      return fact(kSubject, Grade::ok, "not in this kernel");
    return unknown(kSubject, read.why(), cure);
  }
  const auto mode = chosen(read.text, '[', ']');
  if (!mode) return unknown(kSubject, read.file + " says " + in_quotes(read.text), cure);
  return fact(kSubject, *mode == "madvise" || *mode == "never" ? Grade::ok : Grade::warn, in_quotes(*mode),
              cure);
}

Fact compaction(const Host& host) {
  return should_be_zero(
      host,
      {"memory compaction", "vm.compact_unevictable_allowed is 0",
       "the kernel may move locked pages, and a frame faults on a page that is on the move"},
      "vm.compact_unevictable_allowed");
}

Fact numa_balancing(const Host& host) {
  constexpr Subject kSubject{"NUMA balancing", "kernel.numa_balancing is 0",
                             "the kernel unmaps pages to see who faults on them: also on those of a frame"};
  if (!host.exists("/proc/sys/kernel/numa_balancing") &&
      host.config.has("CONFIG_NUMA_BALANCING") == std::optional{false})
    return fact(kSubject, Grade::ok, "not in this kernel");
  return should_be_zero(host, kSubject, "kernel.numa_balancing");
}

// --------------------------------------------------------------------------------------------- what lies
// below

enum class Virtual { yes, no, unknown };

Virtual is_virtual(const Host& host) {
#if defined(__x86_64__) || defined(__i386__)
  if (host.live) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) != 0) return (c >> 31 & 1U) != 0 ? Virtual::yes : Virtual::no;
  }
#endif
  if (host.exists("/sys/hypervisor/type") || host.exists("/proc/device-tree/hypervisor")) return Virtual::yes;
  const FileText info = host.read("/proc/cpuinfo");
  for (const std::string_view line : lines_of(info.text)) {
    if (!line.starts_with("flags")) continue;
    const auto flags = words_of(line);
    return std::find(flags.begin(), flags.end(), "hypervisor") != flags.end() ? Virtual::yes : Virtual::no;
  }
  return host.exists("/proc/device-tree/model") ? Virtual::no : Virtual::unknown;  // a board, not a guest
}

Fact virtual_machine(const Host& host) {
  constexpr Subject kSubject{"virtual machine", "a real machine",
                             "a hypervisor takes the CPU away and nothing in here can prevent it"};
  const std::string cure =
      "run the rig on real hardware; else give the guest pinned CPUs of its own on the host "
      "(virsh vcpupin), with QEMU in SCHED_FIFO";
  std::uint64_t stolen = 0;
  bool counted = false;
  const FileText stat = host.read("/proc/stat");
  for (const std::string_view line : lines_of(stat.text)) {
    const auto words = words_of(line);
    if (words.size() < 9 || !words.front().starts_with("cpu")) continue;
    const auto cpu = whole_number(words.front().substr(3));
    const auto steal = whole_number(words[8]);
    if (!cpu || !steal || *steal < 0 || *cpu < 0 || *cpu >= CpuSet::kLimit) continue;
    if (!host.rt.contains(static_cast<int>(*cpu))) continue;
    counted = true;
    stolen += static_cast<std::uint64_t>(*steal);
  }
  const std::string steal =
      counted ? "; stolen from the rig's CPUs since boot: " + std::to_string(stolen) + " ticks"
              : "; stolen time could not be read from /proc/stat";
  switch (is_virtual(host)) {
    case Virtual::yes:
      return fact(kSubject, Grade::warn, "a virtual machine" + steal, cure);
    case Virtual::no:
      return counted && stolen > 0 ? fact(kSubject, Grade::warn, "no sign of a hypervisor" + steal, cure)
                                   : fact(kSubject, Grade::ok, "no sign of a hypervisor" + steal);
    case Virtual::unknown:
      break;
  }
  return unknown(kSubject, "whether this is one could not be told" + steal, "systemd-detect-virt");
}

Fact container(const Host& host) {
  constexpr Subject kSubject{"container", "none, or one that is given real time",
                             "capabilities, limits and CPUs are then those of the container"};
  if (!host.rights.container && host.rights.initial_user_namespace)
    return fact(kSubject, Grade::ok, "no sign of one");
  return fact(kSubject, Grade::warn,
              host.rights.initial_user_namespace ? "inside a container" : "inside a user namespace",
              "start it with: docker run --cap-add=SYS_NICE --cap-add=IPC_LOCK --ulimit rtprio=99 --ulimit "
              "memlock=-1 --device=/dev/cpu_dma_latency");
}

Fact mitigations(const Host& host) {
  constexpr Subject kSubject{"CPU mitigations",
                             "none in force, where nobody untrusted runs code on the machine",
                             "they make each system call and each interrupt dearer"};
  std::error_code error;
  const std::string folder = cpu_folder + "/vulnerabilities";
  const std::string cure = "only on a closed rig: " + boot_cure("mitigations=off");
  const auto names = names_in(host.path(folder), error);
  if (error) return unknown(kSubject, folder + " could not be read: " + error.message(), cure);
  std::vector<std::string> active;
  std::string problem = names.empty() ? folder + " is empty" : "";
  for (const std::string& name : names) {
    std::string file = folder;
    file.append("/").append(name);
    const FileText read = host.read(file);
    if (!read.readable()) problem = read.why();
    if (read.text.find("Mitigation") != std::string::npos) active.push_back(name);
  }
  if (!active.empty()) return fact(kSubject, Grade::warn, joined(active), cure);
  return problem.empty() ? fact(kSubject, Grade::ok, "none in force") : unknown(kSubject, problem, cure);
}

}  // namespace

std::string_view name_of(Grade grade) {
  switch (grade) {
    case Grade::ok:
      return "ok";
    case Grade::fail:
      return "fail";
    case Grade::warn:
      break;
  }
  return "warn";
}

std::vector<Fact> probe_host(const ProbeRequest& request) {
  Host host;
  host.request = request;
  host.live = request.live && request.root == "/";
  host.online = online_cpus(request.root);
  host.allowed = host.live ? allowed_cpus() : host.online.value_or(CpuSet{});
  host.rt = request.rt_cpus;
  host.rt_was_asked = !request.rt_cpus.empty();
  if (!host.rt_was_asked) {
    host.rt = isolated_cpus(request.root).value_or(CpuSet{}) & host.allowed;
    if (host.rt.empty() && !host.allowed.empty()) host.rt = CpuSet{host.allowed.last()};
  }
  host.cmdline = host.read("/proc/cmdline");
  host.config = read_kernel_config(request.root);
  host.rights = read_rights(request.root);
  host.throttle = read_throttle(request.root);

  // In the order in which a person would mend them: without the first, the later ones matter little.
  using Probe = Fact (*)(const Host&);
  constexpr std::pair<const char*, Probe> kProbes[] = {
      {"kernel preemption", preemption},
      {"real-time scheduling", realtime_scheduling},
      {"real-time group scheduling", rt_group_scheduling},
      {"real-time throttle", throttle},
      {"memory lock", memory_lock},
      {"CPUs", cpus},
      {"isolated CPUs", isolation},
      {"tickless CPUs", tickless},
      {"RCU callbacks", rcu},
      {"SMT siblings", siblings},
      {"cpu_dma_latency", dma_latency},
      {"idle states", idle_states},
      {"frequency governor", frequency},
      {"energy preference", energy_preference},
      {"interrupts", interrupts},
      {"irqbalance", irq_balancer},
      {"kernel work queues", work_queues},
      {"watchdogs", watchdogs},
      {"timer migration", timer_migration},
      {"timer slack", timer_slack},
      {"clock source", clock_source},
      {"swap", swap},
      {"transparent huge pages", huge_pages},
      {"memory compaction", compaction},
      {"NUMA balancing", numa_balancing},
      {"virtual machine", virtual_machine},
      {"container", container},
      {"CPU mitigations", mitigations},
  };
  std::vector<Fact> facts;
  for (const auto& [name, probe] : kProbes) {
    try {
      facts.push_back(probe(host));
    } catch (const std::exception& failure) {  // one strange file must not hide the other facts
      facts.push_back({.name = name,
                       .grade = Grade::warn,
                       .found = std::string{"unknown: "} + failure.what(),
                       .needed = {},
                       .why = {},
                       .cure = {}});
    }
  }
  return facts;
}

Grade worst(const std::vector<Fact>& facts) {
  Grade grade = Grade::ok;
  for (const Fact& fact : facts) grade = std::max(grade, fact.grade);
  return grade;
}

}  // namespace tactus::rtsync
