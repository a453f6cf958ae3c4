// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace tactus::rtsync {

pid_t spawn(const Spawn& child, void (*cannot)(const std::string& what, int error)) {
  const auto ok = [cannot](int error) {
    if (error != 0) cannot("cannot prepare its start", error);
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
  ok(::posix_spawn_file_actions_addclosefrom_np(&files, highest + 1));
  sigset_t all;
  (void)::sigfillset(&all);
  ok(::posix_spawnattr_setsigdefault(&attributes, &all));
  ok(::posix_spawnattr_setsigmask(&attributes, &child.blocked));
  ok(::posix_spawnattr_setflags(
      &attributes, static_cast<short>(child.flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)));
  std::vector<std::string> words = child.words;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, child.program.c_str(), &files, &attributes, argv.data(), environ);
  if (error != 0) cannot("cannot start " + child.program.string(), error);
  return pid;
}

}  // namespace tactus::rtsync
