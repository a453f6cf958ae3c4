// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/tracepoint.hpp"

#include <event-parse.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <system_error>

#include "rtsync/evidence/tracefs_file.h"
#include "rtsync/host/host_file.hpp"
#include "rtsync/host/installed.hpp"

namespace tactus::rtsync {
namespace {

constexpr const char* kTracing = "/sys/kernel/tracing";
/// Not irq_work: a sample of it would ask for the next one, so the kernel permits none.
constexpr std::array<const char*, kMostVectors> kVectors{"call_function", "call_function_single",
                                                         "reschedule"};
// Since 5.16 its files are for their owner and group alone: mode=755 opens folders, and no file.
constexpr const char* kMount = "-t tracefs -o mode=750,gid=realtime nodev";
constexpr const char* kOpen = "-o remount,mode=750,gid=realtime";

std::string mount_fix(const std::string& options) {
  return "sudo " + setup_bench() +
         " --apply; or: sudo groupadd -f realtime && sudo usermod -aG realtime $USER && sudo mount " +
         options + " /sys/kernel/tracing, and log in again";
}

struct Release {
  void operator()(tep_handle* tep) const { tep_free(tep); }
  void operator()(char* text) const { std::free(text); }
};

/// Its number, and the place of each field in the bytes of a record.
struct Places {
  std::uint64_t id = 0;
  std::vector<std::uint32_t> fields;
};

std::optional<Places> find_places(const std::filesystem::path& root, const std::string& group,
                                  const std::string& name, std::initializer_list<const char*> fields) {
  int size = 0;
  const std::unique_ptr<char, Release> format(tactus_read_tracefs_file(
      (root.string() + kTracing).c_str(), group.c_str(), name.c_str(), "format", &size));
  const std::unique_ptr<tep_handle, Release> tep(tep_alloc());
  if (format == nullptr || tep == nullptr) return std::nullopt;
  tep_set_loglevel(TEP_LOG_NONE);
  tep_event* event = nullptr;
  if (tep_parse_format(tep.get(), &event, format.get(), static_cast<unsigned long>(size), group.c_str()) !=
      TEP_ERRNO__SUCCESS)
    return std::nullopt;
  if (event->id <= 0) return std::nullopt;
  Places places{static_cast<std::uint64_t>(event->id), {}};
  for (const char* const field : fields) {
    const tep_format_field* const found = tep_find_any_field(event, field);
    if (found == nullptr || found->offset < 0) return std::nullopt;
    places.fields.push_back(static_cast<std::uint32_t>(found->offset));
  }
  return places;
}

/// `field`: whose place in the bytes of a record is asked for.
std::optional<Tracepoint> find(const std::filesystem::path& root, const std::string& group,
                               const std::string& name, const char* field) {
  const auto found = find_places(root, group, name, {field});
  if (!found) return std::nullopt;
  return Tracepoint{found->id, found->fields.front()};
}

std::vector<VectorTracepoints> find_vectors(const std::filesystem::path& root) {
  std::vector<VectorTracepoints> found;
  for (std::size_t i = 0; i < kVectors.size(); ++i) {
    const auto begin = find(root, "irq_vectors", std::string(kVectors[i]) + "_entry", "vector");
    const auto end = find(root, "irq_vectors", std::string(kVectors[i]) + "_exit", "vector");
    if (begin && end) found.push_back({static_cast<std::int32_t>(i), *begin, *end});
  }
  return found;
}

bool softirqs_are_threads(const std::filesystem::path& root) {
  return read_host_number(root, "/sys/kernel/realtime").value_or(0) == 1;
}

}  // namespace

const char* name_of_vector(std::int32_t vector) {
  const auto number = static_cast<std::size_t>(vector);
  return number < kVectors.size() ? kVectors[number] : "?";
}

std::optional<SwitchTracepoint> find_switch_tracepoint(const std::filesystem::path& root) {
  constexpr const char* kInitial = "pid:[4026531836]";  // PROC_PID_INIT_INO, a part of the kernel's ABI
  std::error_code error;
  const auto space = std::filesystem::read_symlink(root.string() + "/proc/self/ns/pid", error);
  if (error || space.string() != kInitial) return std::nullopt;
  const auto found =
      find_places(root, "sched", "sched_switch",
                  {"prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio", "next_comm", "prev_comm"});
  if (!found) return std::nullopt;
  const std::vector<std::uint32_t>& at = found->fields;
  return SwitchTracepoint{found->id, at[0], at[1], at[2], at[3], at[4], at[5], at[6]};
}

TracepointSearch find_interrupt_tracepoints(const std::filesystem::path& root) {
  const auto irq_begin = find(root, "irq", "irq_handler_entry", "irq");
  const auto irq_end = find(root, "irq", "irq_handler_exit", "irq");
  const auto softirq_begin = find(root, "irq", "softirq_entry", "vec");
  const auto softirq_end = find(root, "irq", "softirq_exit", "vec");
  if (!irq_begin || !irq_end || !softirq_begin || !softirq_end) {
    const FileText id = read_host_file(root, std::string(kTracing) + "/events/irq/irq_handler_entry/id");
    const bool closed = id.error == EACCES || id.error == EPERM;
    return {std::nullopt, {"the kernel's tracepoints: " + id.why(), mount_fix(closed ? kOpen : kMount)}};
  }
  InterruptTracepoints found{*irq_begin, *irq_end, softirq_begin, softirq_end, find_vectors(root)};
  if (softirqs_are_threads(root)) found.softirq_begin = found.softirq_end = std::nullopt;
  return {found, {}};
}

}  // namespace tactus::rtsync
