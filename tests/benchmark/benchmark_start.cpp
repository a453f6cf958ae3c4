// SPDX-License-Identifier: Apache-2.0
// What does it cost to start the servo rig and run one frame: CPU time and memory of all its processes?
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/benchmark/benchmark.hpp"
#include "tests/support/temp_dir.hpp"

namespace {

struct Process {
  double cpu_ms = 0;  ///< its own, and that of the processes that it waited for
  double peak_mib = 0;
};

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

/// Runs a command whose output nobody reads.
Process run_process(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  if (error != 0 || ::wait4(pid, &status, 0, &usage) != pid || status != 0)
    throw std::runtime_error(words.front() + " could not be run, or failed");
  return {milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / 1024};
}

void run(bool quick) {
  std::vector<double> cpu[3];
  std::vector<double> peak[3];
  constexpr int kWarmUp = 1;
  for (int round = -kWarmUp; round < (quick ? 3 : 10); ++round) {
    for (int i = 0; i < 3; ++i) {
      const int which = (i + round + kWarmUp) % 3;
      const tactus::test::TempDir dir;
      std::vector<std::string> words{TACTUS_COMMAND,        "run", TACTUS_SERVO, "--frames", "1", "--out",
                                     (dir / "out").string()};
      if (which == 1) words.emplace_back("--no-realtime");
      if (which == 2) words = {"bash", "-c", "true"};
      const Process process = run_process(words);
      if (round < 0) continue;
      cpu[which].push_back(process.cpu_ms);
      peak[which].push_back(process.peak_mib);
    }
  }
  const auto spread = [](const std::vector<double>& values) {
    return tactus::benchmark::to_json(tactus::benchmark::spread_of(values));
  };
  tactus::benchmark::answer("what does the start of the servo rig cost, up to its first frame and its end?",
                            {{"runs", cpu[0].size()},
                             {"realtime_cpu_ms", spread(cpu[0])},
                             {"no_realtime_cpu_ms", spread(cpu[1])},
                             {"bash_true_cpu_ms", spread(cpu[2])},
                             {"realtime_peak_mib", spread(peak[0])},
                             {"no_realtime_peak_mib", spread(peak[1])}});
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "What does it cost to start a rig?", &run);
}
