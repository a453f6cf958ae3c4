// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmark/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/benchmark/benchmark.hpp"

namespace tactus::benchmark {
namespace {

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

double peak_mib_of(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

}  // namespace

ProcessCost run_process(const std::vector<std::string>& words, bool watch) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const std::int64_t begun = now_ns();
  const int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  double watched = 0;
  while (error == 0 && watch && ::wait4(pid, &status, WNOHANG, &usage) == 0) {
    watched = std::max(watched, peak_mib_of(pid));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (error != 0 || (!watch && ::wait4(pid, &status, 0, &usage) != pid) || status != 0)
    throw std::runtime_error(words.front() + " could not be run, or failed");
  return {static_cast<double>(now_ns() - begun) / 1e6,
          milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
          watch ? watched : static_cast<double>(usage.ru_maxrss) / 1024};
}

}  // namespace tactus::benchmark
