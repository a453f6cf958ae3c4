// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/tracepoint.hpp"

#include <cerrno>
#include <string>
#include <string_view>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

constexpr const char* kEvents = "/sys/kernel/tracing/events/irq/";
// Since 5.16 its files are for their owner and group alone: mode=755 opens folders, and no file.
constexpr const char* kMount = "-t tracefs -o mode=750,gid=realtime nodev";
constexpr const char* kOpen = "-o remount,mode=750,gid=realtime";

std::string mount_fix(const std::string& options) {
  return "sudo scripts/setup-bench --apply; or: sudo groupadd -f realtime && sudo usermod -aG realtime $USER && "
         "sudo mount " +
         options + " /sys/kernel/tracing, and log in again";
}

/// "field:int irq;	offset:8;": 8.
std::optional<std::uint32_t> offset_of(std::string_view format, std::string_view field) {
  const std::size_t at = format.find(" " + std::string(field) + ";");
  if (at == std::string_view::npos) return std::nullopt;
  constexpr std::string_view kOffset = "offset:";
  const std::size_t offset = format.find(kOffset, at);
  if (offset == std::string_view::npos) return std::nullopt;
  const std::string_view rest = format.substr(offset + kOffset.size());
  const auto number = whole_number(rest.substr(0, rest.find(';')));
  if (!number || *number < 0 || *number > 4096) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::optional<Tracepoint> find(const std::filesystem::path& root, const std::string& name,
                               std::string_view field) {
  const auto id = read_host_number(root, kEvents + name + "/id");
  const FileText format = read_host_file(root, kEvents + name + "/format");
  if (!id || *id <= 0 || !format.readable()) return std::nullopt;
  const auto offset = offset_of(format.text, field);
  if (!offset) return std::nullopt;
  return Tracepoint{static_cast<std::uint64_t>(*id), *offset};
}

bool softirqs_are_threads(const std::filesystem::path& root) {
  return read_host_number(root, "/sys/kernel/realtime").value_or(0) == 1;
}

}  // namespace

TracepointSearch find_interrupt_tracepoints(const std::filesystem::path& root) {
  const auto irq_begin = find(root, "irq_handler_entry", "irq");
  const auto irq_end = find(root, "irq_handler_exit", "irq");
  const auto softirq_begin = find(root, "softirq_entry", "vec");
  const auto softirq_end = find(root, "softirq_exit", "vec");
  if (!irq_begin || !irq_end || !softirq_begin || !softirq_end) {
    const FileText id = read_host_file(root, std::string(kEvents) + "irq_handler_entry/id");
    const bool closed = id.error == EACCES || id.error == EPERM;
    return {std::nullopt, {"the kernel's tracepoints: " + id.why(), mount_fix(closed ? kOpen : kMount)}};
  }
  InterruptTracepoints found{*irq_begin, *irq_end, softirq_begin, softirq_end};
  if (softirqs_are_threads(root)) found.softirq_begin = found.softirq_end = std::nullopt;
  return {found, {}};
}

}  // namespace tactus::rtsync
