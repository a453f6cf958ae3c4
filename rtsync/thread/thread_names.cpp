// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/thread_names.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <utility>

namespace tactus::rtsync {
namespace {

constexpr char kBetween = '@';  // no name of a kernel thread has it

struct Roles {
  std::mutex mutex;
  std::map<pid_t, std::string> of;
  std::map<std::string, std::string> by_name;  // in the kernel: as many as there are roles of this process
};

/// Lives as long as the process: threads that were left behind may end after all destructors.
Roles& roles() {
  static auto* const all = new Roles;
  return *all;
}

}  // namespace

std::string kernel_thread_name(std::string_view role, std::string_view owner) {
  constexpr std::size_t kLeast = 3;
  std::string name(role);
  if (owner.empty() || name.size() + 1 + std::min(owner.size(), kLeast) > kLongestThreadName) return name;
  name += kBetween;
  name += owner.substr(0, kLongestThreadName - name.size());
  return name;
}

std::optional<OwnedThreadName> split_thread_name(std::string_view name) {
  const std::size_t at = name.find(kBetween);
  if (at == 0 || at == std::string_view::npos || at + 1 == name.size()) return std::nullopt;
  return OwnedThreadName{std::string(name.substr(0, at)), std::string(name.substr(at + 1))};
}

void name_thread(pid_t thread, const std::string& role, std::string_view owner) {
  const std::string name = kernel_thread_name(role, owner);
  if (std::ofstream("/proc/self/task/" + std::to_string(thread) + "/comm") << name << std::flush)
    note_thread_role(thread, role, name);
}

void note_thread_role(pid_t thread, std::string role, const std::string& kernel_name) {
  const std::lock_guard lock(roles().mutex);
  roles().by_name[kernel_name] = role;
  roles().of[thread] = std::move(role);
}

void forget_thread_role(pid_t thread) {
  const std::lock_guard lock(roles().mutex);
  roles().of.erase(thread);
}

std::string role_of_thread(pid_t thread) {
  const std::lock_guard lock(roles().mutex);
  const auto found = roles().of.find(thread);
  return found == roles().of.end() ? "" : found->second;
}

std::string role_of_name(const std::string& kernel_name) {
  const std::lock_guard lock(roles().mutex);
  const auto found = roles().by_name.find(kernel_name);
  return found == roles().by_name.end() ? kernel_name : found->second;
}

}  // namespace tactus::rtsync
