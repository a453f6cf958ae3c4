// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/rights.hpp"

#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <system_error>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

constexpr const char* kLimitsFile = "/etc/security/limits.d/99-tactus.conf";

std::optional<std::int64_t> limit_of(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return 0;  // unknown: promise nothing
  if (limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

std::string missing(const std::string& capability, bool held_in_vain) {
  return held_in_vain ? capability + " does not count in this user namespace" : capability + " is missing";
}

/// The command that gives the program its capabilities, or the way around when no file can give them.
std::string capability_fix(const Rights& rights, bool bounding, const std::string& limit_line,
                           const std::string& container_flags, const std::string& unit_lines) {
  const std::string by_limit = "sudo groupadd -f realtime && sudo usermod -aG realtime $USER && echo \"" +
                               limit_line + "\" | sudo tee -a " + kLimitsFile +
                               ", then log in again (a systemd unit: " + unit_lines + ")";
  if (rights.container || !bounding || !rights.initial_user_namespace)
    return "start the container with: " + container_flags;
  if (rights.no_new_privileges || rights.nosuid_program)
    return by_limit + "; setcap has no effect here: " +
           (rights.no_new_privileges ? "no_new_privs is set" : "the program lies on a nosuid mount");
  return "sudo setcap cap_sys_nice,cap_ipc_lock+ep " + rights.program + ", or: " + by_limit;
}

/// The alternative for this program alone, where a file can give a capability. setcap replaces those that it has.
std::string or_perfmon(const Rights& rights) {
  if (rights.no_new_privileges || rights.nosuid_program || !rights.initial_user_namespace) return "";
  return ", or: sudo setcap cap_perfmon,cap_sys_nice,cap_ipc_lock+ep " + rights.program;
}

}  // namespace

bool Rights::may_schedule(int priority) const {
  if (cap_sys_nice && initial_user_namespace) return true;
  return !rtprio_limit || *rtprio_limit >= priority;
}

bool Rights::may_lock_all() const {
  if (cap_ipc_lock && initial_user_namespace) return true;
  return !memlock_limit;
}

Rights read_rights(const std::filesystem::path& root) {
  Rights rights;
  if (cap_t const caps = ::cap_get_proc(); caps != nullptr) {
    const auto effective = [caps](cap_value_t value) {
      cap_flag_value_t flag = CAP_CLEAR;
      return ::cap_get_flag(caps, value, CAP_EFFECTIVE, &flag) == 0 && flag == CAP_SET;
    };
    rights.cap_sys_nice = effective(CAP_SYS_NICE);
    rights.cap_ipc_lock = effective(CAP_IPC_LOCK);
    rights.cap_net_admin = effective(CAP_NET_ADMIN);
    rights.cap_perfmon = effective(CAP_PERFMON) || effective(CAP_SYS_ADMIN);
    ::cap_free(caps);
  }
  rights.bounding_sys_nice = ::cap_get_bound(CAP_SYS_NICE) != 0;
  rights.bounding_ipc_lock = ::cap_get_bound(CAP_IPC_LOCK) != 0;
  rights.no_new_privileges = ::prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) == 1;
  rights.rtprio_limit = limit_of(RLIMIT_RTPRIO);
  rights.memlock_limit = limit_of(RLIMIT_MEMLOCK);

  // The initial user namespace maps every id to itself; whoever made another one maps less.
  if (const FileText map = read_host_file(root, "/proc/self/uid_map"); map.readable()) {
    const auto words = words_of(map.text);
    rights.initial_user_namespace =
        words.size() == 3 && words[0] == "0" && words[1] == "0" && words[2] == "4294967295";
  }

  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) {
    rights.program = program.string();
    struct statvfs mount {};
    rights.nosuid_program = ::statvfs(program.c_str(), &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0;
  }
  rights.container = std::filesystem::exists(root / ".dockerenv", ignored) ||
                     std::filesystem::exists(root / "run/.containerenv", ignored) ||
                     std::filesystem::exists(root / "run/systemd/container", ignored);
  rights.group = read_rt_group(root);
  rights.events_level = read_host_number(root, "/proc/sys/kernel/perf_event_paranoid");
  rights.seccomp_filter =
      read_host_file(root, "/proc/self/status").text.find("\nSeccomp:\t2") != std::string::npos;
  return rights;
}

std::string filter_name(const Rights& rights) {
  return rights.seccomp_filter ? "a filter of system calls (seccomp)"
                               : "a security module or a filter of system calls";
}

Refusal why_no_fifo(const Rights& rights, int priority, int error) {
  if (error == EINVAL)
    return {"priority " + std::to_string(priority) + " is outside 1 .. 99 for a real-time policy",
            "choose a priority in 1 .. 99"};
  if (error != EPERM)
    return {"sched_setscheduler answered " + error_words(error), "see sched_setscheduler(2)"};

  if (!rights.may_schedule(priority)) {
    return {"RLIMIT_RTPRIO is " + std::to_string(*rights.rtprio_limit) + " where " +
                std::to_string(priority) + " is needed, and " + missing("CAP_SYS_NICE", rights.cap_sys_nice),
            capability_fix(rights, rights.bounding_sys_nice, "@realtime - rtprio 99",
                           "--cap-add=SYS_NICE --ulimit rtprio=99", "LimitRTPRIO=99"),
            "SCHED_FIFO"};
  }
  const RtGroup& group = rights.group;
  const std::string right = rights.cap_sys_nice ? "CAP_SYS_NICE is held" : "RLIMIT_RTPRIO suffices";
  if (group.runtime_us && *group.runtime_us == 0) {
    return {right + ", but the control group " + group.path +
                " has no real-time budget: cpu.rt_runtime_us is 0 (CONFIG_RT_GROUP_SCHED)",
            "echo 950000 | sudo tee " + group.runtime_file +
                ", for its parent groups first; or start the kernel with rt_group_sched=0 (from 6.16 on)",
            "SCHED_FIFO", "the control group " + group.path};
  }
  if (group.unified && group.path != "/" && group.in_kernel.value_or(false)) {
    return {right + ", but the kernel has CONFIG_RT_GROUP_SCHED and this process is in the control group " +
                group.path + ": in cgroup v2 only the root group has a real-time budget",
            "echo $$ | sudo tee /sys/fs/cgroup/cgroup.procs, and start again from that shell; or start the "
            "kernel with rt_group_sched=0 (from 6.16 on)",
            "SCHED_FIFO", "the control group " + group.path};
  }
  std::string cause = right + ", and still the kernel refused (EPERM): ";
  cause += group.in_kernel.has_value() && !*group.in_kernel
               ? "a security module or a seccomp filter forbids sched_setscheduler"
               : "a seccomp filter or security module, or a control group without real-time budget "
                 "(CONFIG_RT_GROUP_SCHED; the kernel's configuration " +
                     std::string{group.in_kernel ? "has it" : "could not be read"} + ")";
  const bool may_be_group = group.in_kernel.value_or(true) && !rights.seccomp_filter;
  return {cause,
          rights.container ? "start the container with: --cap-add=SYS_NICE --ulimit rtprio=99 "
                             "--security-opt seccomp=unconfined"
                           : "grep -E 'Seccomp|NoNewPrivs' /proc/self/status; sudo dmesg | grep -iE "
                             "'apparmor|audit|seccomp'",
          "SCHED_FIFO",
          may_be_group
              ? "a control group without real-time budget, a security module or a filter of system calls"
              : filter_name(rights),
          may_be_group ? "" : "sched_setscheduler"};
}

Refusal why_no_cpus(const Rights& rights, int error) {
  const std::string answer = "sched_setaffinity answered " + error_words(error);
  if (error != EPERM && error != EACCES && error != ENOSYS) return {answer, "see sched_setaffinity(2)"};
  return {answer + ": " + filter_name(rights) + " forbids it",
          rights.container
              ? "start the container with: --security-opt seccomp=unconfined"
              : "grep Seccomp /proc/self/status; a systemd unit: SystemCallFilter=sched_setaffinity "
                "beside its other filters",
          "CPUs of its own", filter_name(rights), "sched_setaffinity"};
}

Refusal why_no_memory_lock(const Rights& rights, int error) {
  if (!rights.may_lock_all()) {
    return {"RLIMIT_MEMLOCK is " + std::to_string(*rights.memlock_limit / 1024) + " KiB and " +
                missing("CAP_IPC_LOCK", rights.cap_ipc_lock) +
                ": memory locked under a finite limit would make later allocations fail",
            capability_fix(rights, rights.bounding_ipc_lock, "@realtime - memlock unlimited",
                           "--cap-add=IPC_LOCK --ulimit memlock=-1", "LimitMEMLOCK=infinity"),
            "locked memory"};
  }
  if (error == ENOMEM || error == EAGAIN)
    return {"the machine has not enough free memory to hold all of this process (" + error_words(error) + ")",
            "free -m; then stop something else, or raise the container's memory limit"};
  Refusal why{"the kernel answered " + error_words(error) + " although the rights suffice",
              rights.container ? "start the container with: --cap-add=IPC_LOCK --ulimit memlock=-1 "
                                 "--security-opt seccomp=unconfined"
                               : "grep Seccomp /proc/self/status; see mlockall(2)"};
  if (error == EPERM || error == EACCES || error == ENOSYS) {
    why.lacks = "locked memory";
    why.forbidden_by = filter_name(rights);
    why.forbidden_call = "mlockall";
  }
  return why;
}

Refusal why_no_events(const Rights& rights, std::int64_t level, int error) {
  const std::string answer = "perf_event_open answered " + error_words(error);
  const bool refused = error == EPERM || error == EACCES || error == ENOSYS;
  if (!refused) return {answer, "see perf_event_open(2)"};
  const std::string setting =
      rights.events_level ? "kernel.perf_event_paranoid is " + std::to_string(*rights.events_level) : "";
  // The kernel's own answer is EACCES, and only where the setting does not allow it; of raw records at level 0, EPERM
  // (perf_allow_kernel and perf_allow_tracepoint in its include/linux/perf_event.h).
  const bool allowed = rights.cap_perfmon || (rights.events_level && *rights.events_level <= level);
  const bool raw_records = level < 0 && rights.events_level == 0 && error == EPERM;
  if ((error == EACCES || raw_records) && !allowed)
    return {answer + (setting.empty() ? "" : ": " + setting),
            rights.container
                ? "start the container with: --cap-add=PERFMON, as its user root; or on its host: sudo "
                  "sysctl -w kernel.perf_event_paranoid=-1"
                : "sudo sysctl -w kernel.perf_event_paranoid=-1" + or_perfmon(rights),
            "kernel events"};
  return {answer + (setting.empty() || error == ENOSYS || !allowed ? ": " : " though " + setting + ": ") +
              filter_name(rights) + " forbids it" + (allowed || setting.empty() ? "" : ", and " + setting),
          rights.container ? "start the container with: --cap-add=PERFMON --security-opt seccomp=unconfined "
                             "(Docker's own filter "
                             "allows it with CAP_PERFMON alone, since 20.10.10)"
                           : "grep Seccomp /proc/self/status; a systemd unit: "
                             "SystemCallFilter=perf_event_open beside its other "
                             "filters; else: sudo dmesg | grep -iE 'apparmor|audit|seccomp'",
          "kernel events", filter_name(rights), "perf_event_open"};
}

}  // namespace tactus::rtsync
