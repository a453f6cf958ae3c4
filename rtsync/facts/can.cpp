// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <map>

#include "rtsync/facts/can_links.hpp"
#include "rtsync/facts/fact_probe.hpp"
#include "rtsync/joined.hpp"

namespace tactus::rtsync::probes {
namespace {

constexpr const char* kNetFolder = "/sys/class/net";
constexpr std::int64_t kCanHardware = 280;  // ARPHRD_CAN
constexpr std::int64_t kFdMtu = 72;
constexpr std::uint32_t kBusOff = 3;

/// An interface as it was found, and the command that mends the worst of it.
struct Found {
  std::string text;
  std::string fix;  ///< empty: nothing is wrong
};

std::string rate_text(std::uint32_t rate) {
  if (rate >= 1'000'000 && rate % 1'000'000 == 0) return std::to_string(rate / 1'000'000) + " Mbit/s";
  if (rate >= 1'000 && rate % 1'000 == 0) return std::to_string(rate / 1'000) + " kbit/s";
  return std::to_string(rate) + " bit/s";
}

/// Reads a file of 0x41, as `flags`; 0 where there is none.
unsigned long flags_of(const Host& host, const std::string& folder) {
  const FileText flags = host.read(folder + "/flags");
  return std::strtoul(flags.text.c_str(), nullptr, 16);
}

/// The number under which a device of this name stands in /proc/interrupts; empty: it has none.
std::string interrupt_of(const Host& host, const std::string& device) {
  const std::string table = host.read("/proc/interrupts").text;
  for (const std::string_view line : lines_of(table)) {
    const auto words = words_of(line);
    if (words.size() > 2 && words.front().ends_with(':') && words.back() == device)
      return std::string{words.front().substr(0, words.front().size() - 1)};
  }
  return {};
}

std::string controller_text(const CanLink& link) {
  std::string text = link.bit_rate.value_or(0) == 0 ? "no bit rate" : rate_text(*link.bit_rate);
  if (link.data_bit_rate.value_or(0) != 0) text += ", data " + rate_text(*link.data_bit_rate);
  if (link.state) text += ", " + can_state_text(*link.state);
  if (link.sent_errors && link.received_errors)
    text += ", error counters " + std::to_string(*link.sent_errors) + " sent and " +
            std::to_string(*link.received_errors) + " received";
  return text;
}

Found look_at(const Host& host, const std::string& name, const CanLink* link) {
  const std::string folder = std::string{kNetFolder} + "/" + name;
  const bool hardware = host.exists(folder + "/device");
  const bool up = (flags_of(host, folder) & 1U) != 0;
  Found found{name + ": " + (up ? "up" : "down"), {}};
  if (!hardware) found.text += ", virtual";
  if (link != nullptr)
    found.text +=
        ", " + controller_text(*link) + qdisc_text(link->qdisc, host.read("/proc/sys/kernel/osrelease").text);
  if (read_host_number(host.request.root, folder + "/mtu") == kFdMtu) found.text += ", CAN FD";
  if (!up)
    found.fix = hardware ? "sudo ip link set " + name +
                               " up type can bitrate RATE, with the rate of its bus; at each start: " +
                               "sudo scripts/setup-bench --apply --can " + name + "=RATE"
                         : "sudo ip link set " + name + " up";
  if (link != nullptr && link->state == kBusOff)
    found.fix = "once its wiring is right: sudo ip link set " + name + " type can restart";
  const std::string number = hardware ? interrupt_of(host, name) : "";
  if (number.empty()) return found;
  const auto cpus = cpus_in(delivery_of(host, number));
  found.text += ", interrupt " + number + " on CPUs " + (cpus ? cpus->text() : "that are not known");
  if (found.fix.empty() && cpus && cpus->intersects(host.rt) && !host.rest().empty())
    found.fix = "echo " + host.rest().text() + " | sudo tee /proc/irq/" + number + "/smp_affinity_list";
  return found;
}

}  // namespace

Fact can_interfaces(const Host& host) {
  constexpr Subject kSubject{"CAN interfaces", "all up, and their interrupts not on the rig's CPUs",
                             "a rig does not start on one that is down; to set one up, or to restart it "
                             "after bus-off, takes CAP_NET_ADMIN"};
  const FolderNames folder = host.list(kNetFolder);
  if (!folder.problem.empty()) return unknown(kSubject, folder.problem, "ip -details link show type can");
  const std::map<std::string, CanLink> links = host.live ? can_links() : std::map<std::string, CanLink>{};
  std::vector<std::string> texts;
  std::string fix;
  bool hardware = false;
  for (const std::string& name : folder.names) {
    const std::string file = std::string{kNetFolder} + "/" + name;
    if (read_host_number(host.request.root, file + "/type") != kCanHardware) continue;
    const auto link = links.find(name);
    Found found = look_at(host, name, link == links.end() ? nullptr : &link->second);
    hardware |= host.exists(file + "/device");
    texts.push_back(std::move(found.text));
    if (fix.empty()) fix = std::move(found.fix);
  }
  if (texts.empty()) return fact(kSubject, Grade::ok, "none");
  std::string all = rtsync::joined(texts, "; ");
  if (hardware && host.live && !host.rights().cap_net_admin)
    all += "; no CAP_NET_ADMIN here: no restart after bus-off";
  return fact(kSubject, fix.empty() ? Grade::ok : Grade::warn, all, fix);
}

}  // namespace tactus::rtsync::probes
