// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/cpu_claims.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "rtsync/thread/thread_list.hpp"
#include "rtsync/thread/thread_names.hpp"

namespace tactus::rtsync {
namespace {

/// Binds a socket to the abstract name: a descriptor, or -1 with errno.
int bind_name(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);  // the first byte stays 0
  const int made = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  if (::bind(made, static_cast<const sockaddr*>(static_cast<const void*>(&address)),
             static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length)) == 0)
    return made;
  const int error = errno;
  (void)::close(made);
  errno = error;
  return -1;
}

/// Takes a number and the '/' behind it off the beginning of the text; nothing: it does not begin so.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != '/') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return number;
}

/// The number of the PID namespace of this process; 0: not known.
std::int64_t pid_namespace() {
  struct stat facts {};
  return ::stat("/proc/self/ns/pid", &facts) == 0 ? static_cast<std::int64_t>(facts.st_ino) : 0;
}

/// One claim as the name of its socket says.
struct Claim {
  int cpu = -1;
  pid_t process = 0;  // 0: in another PID namespace
  std::string_view rig;
};

std::optional<Claim> read_claim(std::string_view text) {
  const auto cpu = take_number(text);
  const auto process = cpu ? take_number(text) : std::nullopt;
  const auto space = process ? take_number(text) : std::nullopt;
  if (!space || !take_number(text) || *cpu < 0 || *cpu >= CpuSet::kLimit) return std::nullopt;
  return Claim{static_cast<int>(*cpu), *space == pid_namespace() ? static_cast<pid_t>(*process) : 0, text};
}

std::string prefix_of(const std::string& domain) { return "tactus/" + domain + "/cpu/"; }

/// Calls `use` with what follows the prefix in the name of each abstract socket of this network namespace.
template <class Use>
void each_socket(const std::string& prefix, Use use) {
  std::ifstream list("/proc/net/unix");
  const std::string wanted = " @" + prefix;
  for (std::string line; std::getline(list, line);)
    if (const std::size_t at = line.find(wanted); at != std::string::npos)
      use(std::string_view(line).substr(at + wanted.size()));
}

/// Adds the holder's thread on that CPU: main, else the most urgent one.
void add_thread(CpuHolder& holder, int cpu) {
  for (const ThreadFacts& thread : threads_of(holder.process)) {
    if (!thread.cpus.contains(cpu)) continue;
    const auto name = split_thread_name(thread.name);
    const std::string role = name ? name->role : thread.name;
    if (!holder.thread.empty() && role != "main" && thread.priority <= holder.priority) continue;
    holder.thread = role;
    holder.policy = thread.policy_name;
    holder.priority = thread.priority;
    if (role == "main") return;
  }
}

}  // namespace

std::string CpuHolder::text() const {
  std::string text = "rig '" + rig + "' (";
  text += process > 0 ? "process " + std::to_string(process) : "in another container";
  if (!thread.empty()) text += ", thread '" + thread + "' with " + policy;
  if (priority > 0) text += " " + std::to_string(priority);
  return text + ")";
}

CpuClaims::CpuClaims(std::string rig, std::string domain) : rig_(std::move(rig)), prefix_(prefix_of(domain)) {
  static std::atomic<int> count{0};
  own_ = std::to_string(::getpid()) + "/" + std::to_string(pid_namespace()) + "/" + std::to_string(++count) +
         "/";
}

std::string CpuClaims::default_domain() {
  const char* const given = std::getenv("TACTUS_CPU_CLAIMS");  // NOLINT(concurrency-mt-unsafe): setup
  return given == nullptr ? "" : given;
}

Descriptor CpuClaims::begin_choice(std::chrono::milliseconds longest) const {
  const auto until = std::chrono::steady_clock::now() + longest;
  for (;;) {
    Descriptor choice(bind_name(prefix_ + "choice"));
    if (choice.get() >= 0 || errno != EADDRINUSE || std::chrono::steady_clock::now() >= until) return choice;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void CpuClaims::take(const CpuSet& cpus) {
  for (const int cpu : cpus.cpus())
    if (!held_.contains(cpu))
      held_.emplace(cpu, Descriptor(bind_name(prefix_ + std::to_string(cpu) + "/" + own_ + rig_)));
}

template <class Use>
void CpuClaims::each_of_others(Use use) const {
  each_socket(prefix_, [&](std::string_view text) {
    if (text.find("/" + own_) != std::string_view::npos) return;
    if (const auto claim = read_claim(text)) use(*claim);
  });
}

CpuSet CpuClaims::others() const {
  CpuSet others;
  each_of_others([&](const Claim& claim) { others.add(claim.cpu); });
  return others;
}

std::optional<CpuHolder> CpuClaims::holder(int cpu) const {
  std::optional<CpuHolder> holder;
  each_of_others([&](const Claim& claim) {
    if (claim.cpu != cpu) return;
    CpuHolder found{.process = claim.process, .rig = std::string(claim.rig), .thread = {}, .policy = {}};
    if (found.process > 0) add_thread(found, cpu);
    if (!holder || found.priority > holder->priority) holder = std::move(found);
  });
  return holder;
}

std::string rig_with_claims(pid_t process) {
  std::string rig;
  each_socket(prefix_of(CpuClaims::default_domain()), [&](std::string_view text) {
    const auto claim = read_claim(text);
    if (claim && claim->process == process && process > 0) rig = claim->rig;
  });
  return rig;
}

}  // namespace tactus::rtsync
