// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/holder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

#include "drivers/gpio/gpio.hpp"
#include "drivers/gpio/text.hpp"

namespace tactus::drivers::gpio {
namespace {

constexpr std::string_view kOurs = "tactus ";

std::optional<pid_t> number(std::string_view text) {
  pid_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

/// Nothing of a process that has ended meanwhile.
std::string contents(const std::filesystem::path& process, std::string_view file) {
  std::string text;
  const int fd = ::open((process / file).c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 4096> piece{};
  for (ssize_t size = 0; fd >= 0 && (size = ::read(fd, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(size));
  if (fd >= 0) (void)::close(fd);
  return text;
}

std::vector<std::string> command_line(const std::filesystem::path& process) {
  const std::string text = contents(process, "cmdline");
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// A zombie is dead: it holds nothing.
bool alive(const std::filesystem::path& process) {
  const std::string stat = contents(process, "stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return false;
  const char state = stat[name_end + 2];
  return state != 'Z' && state != 'X';
}

struct GuardianProcess {
  pid_t pid;
  bool rig_dead;
  bool rig_stands_still;
  bool driving;
};

std::optional<GuardianProcess> guardian_of(const Holder& holder, const std::filesystem::path& proc) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(proc, error)) {
    const std::optional<pid_t> pid = number(entry.path().filename().string());
    if (!pid) continue;
    const std::vector<std::string> words = command_line(entry.path());
    if (words.size() < 4 || std::filesystem::path(words[0]).filename() != kGuardianProgram) continue;
    if (words[2] != std::to_string(holder.pid) || !words[1].starts_with(holder.rig)) continue;
    return GuardianProcess{*pid, words[3] == kGuardianSafe, words[3] == kGuardianStalled,
                           words[3] == kGuardianDriving};
  }
  return std::nullopt;
}

}  // namespace

std::string consumer_of(const std::string& rig, pid_t pid) {
  const std::string end = " " + std::to_string(pid);
  return std::string(kOurs) + rig.substr(0, kMostName - kOurs.size() - end.size()) + end;
}

std::optional<Holder> holder_of(const std::string& consumer) {
  const std::size_t last = consumer.rfind(' ');
  if (!consumer.starts_with(kOurs) || last < kOurs.size()) return std::nullopt;
  const std::optional<pid_t> pid = number(std::string_view(consumer).substr(last + 1));
  if (!pid) return std::nullopt;
  return Holder{consumer.substr(kOurs.size(), last - kOurs.size()), *pid};
}

std::string held_by(const std::string& consumer, const std::filesystem::path& proc) {
  if (consumer.empty() || consumer == "?") return "is in use; the kernel does not say by whom";
  const std::optional<Holder> holder = holder_of(consumer);
  if (!holder)
    return "is held by " + in_quotes(consumer) +
           ", which is not a rig of tactus; end that program, or take another line";
  if (holder->pid == ::getpid())
    return "is held by this rig already: its clock or another of its models uses the line";
  const std::string pid = std::to_string(holder->pid);
  const std::string rig = "rig " + holder->rig + ", process " + pid;
  const std::optional<GuardianProcess> guardian = guardian_of(*holder, proc);
  if (alive(proc / pid) && guardian && guardian->rig_stands_still)
    return "is held at its safe value by " + rig + ", which hangs, and its guardian, process " +
           std::to_string(guardian->pid) + "; to release the line: kill -KILL " + pid + ", then kill " +
           std::to_string(guardian->pid);
  if (alive(proc / pid) && !(guardian && guardian->rig_dead))
    return "is held by " + rig + "; to stop it: kill " + pid;
  if (guardian && guardian->driving)
    return "is driven to its safe value, but reads otherwise, by process " + std::to_string(guardian->pid) +
           ", the guardian of " + rig + "; check the bench, then release the line: kill " +
           std::to_string(guardian->pid);
  if (guardian)
    return "is held at its safe value by process " + std::to_string(guardian->pid) + ", the guardian of " +
           rig + ", which has ended; to release the line: kill " + std::to_string(guardian->pid);
  return "is held by " + rig +
         ", which has ended; a process that it started still holds the line: end that process";
}

}  // namespace tactus::drivers::gpio
