// SPDX-License-Identifier: Apache-2.0
#pragma once
/// LTTng-UST as a flight recorder, the peer of ours: a session in snapshot mode, whose buffers are overwritten. It takes
/// an event for each job, on the CPU that the benchmark runs on.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/benchmark/lttng_peer.h"
#include "tests/support/temp_dir.hpp"

namespace tactus::benchmark {

class LttngSession {
 public:
  /// Starts a session daemon where none runs. Throws std::runtime_error where no session can be had.
  LttngSession() {
    (void)call("lttng-sessiond --daemonize --no-kernel --pidfile " + pid_file());
    if (!call("lttng create " + name_ + " --snapshot --output " + (dir_ / "out").string()) ||
        !call("lttng enable-channel -u -s " + name_ + " jobs --subbuf-size 4M --num-subbuf 4") ||
        !call("lttng enable-event -u -s " + name_ + " -c jobs tactus_peer:job") ||
        !call("lttng start " + name_)) {
      end();
      throw std::runtime_error("LTTng-UST has no session for this process");
    }
    using namespace std::chrono_literals;
    const auto end_of_patience = std::chrono::steady_clock::now() + 10s;
    while (tactus_lttng_wanted() == 0 && std::chrono::steady_clock::now() < end_of_patience)
      std::this_thread::sleep_for(10ms);
    if (tactus_lttng_wanted() == 0) {
      end();
      throw std::runtime_error("LTTng-UST did not find this process");
    }
  }
  ~LttngSession() { end(); }
  LttngSession(const LttngSession&) = delete;
  LttngSession& operator=(const LttngSession&) = delete;

 private:
  std::string pid_file() const { return (dir_ / "sessiond.pid").string(); }
  static bool call(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }
  void end() {
    (void)call("lttng destroy " + name_);
    pid_t pid = 0;
    if (std::ifstream(pid_file()) >> pid && pid > 1) (void)::kill(pid, SIGTERM);
  }

  const test::TempDir dir_;
  const std::string name_ = "tactus-peer-" + std::to_string(::getpid());
};

}  // namespace tactus::benchmark
