// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace tactus::rtsync {
namespace {

/// Returns the words as posix_spawn takes them, which leaves them as they are.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

}  // namespace

pid_t spawn(const Spawn& child, void (*cannot)(const std::string& what, int error)) {
  const auto ok = [&](int error) {
    if (error != 0) cannot(std::string("cannot prepare ") + child.prepared, error);
  };
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
  ok(::posix_spawn_file_actions_init(&files));
  const std::unique_ptr<posix_spawn_file_actions_t, int (*)(posix_spawn_file_actions_t*)> end_files(
      &files, ::posix_spawn_file_actions_destroy);
  ok(::posix_spawnattr_init(&attributes));
  const std::unique_ptr<posix_spawnattr_t, int (*)(posix_spawnattr_t*)> end_attributes(
      &attributes, ::posix_spawnattr_destroy);
  for (int fd = 0; fd < 3 && !child.streams; ++fd)
    ok(::posix_spawn_file_actions_addopen(&files, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0));
  int highest = 2;
  for (const auto& [ours, theirs] : child.descriptors) {
    ok(::posix_spawn_file_actions_adddup2(&files, ours, theirs));
    highest = std::max(highest, theirs);
  }
  if (child.closes) ok(::posix_spawn_file_actions_addclosefrom_np(&files, highest + 1));
  sigset_t all;
  (void)::sigfillset(&all);
  ok(::posix_spawnattr_setsigdefault(&attributes, &all));
  ok(::posix_spawnattr_setsigmask(&attributes, &child.blocked));
  ok(::posix_spawnattr_setflags(
      &attributes, static_cast<short>(child.flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)));
  const std::vector<char*> argv = pointers_to(child.words), environment = pointers_to(child.environment);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, child.program.c_str(), &files, &attributes, argv.data(),
                                  child.environment.empty() ? environ : environment.data());
  if (error != 0) cannot("cannot start " + child.program.string(), error);
  return pid;
}

}  // namespace tactus::rtsync
