// SPDX-License-Identifier: Apache-2.0
// The process of an isolated model: tactus-model INSTANCE LIBRARY MODEL PARENT model|driver, started by a rig.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "executive/isolation/model_server.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace {

/// Ends this process with its parent, where a filter of system calls forbids prctl(2). Throws std::system_error: there is no
/// thread for it.
void end_with(pid_t parent) {
  constexpr std::size_t kStackBytes = std::size_t{64} << 10;  // all of it is locked in real time
  static const auto* const kept = new tactus::rtsync::PinnedThread(
      {"end-guard", {}, tactus::rtsync::SchedPolicy::other, 0, kStackBytes, false}, [parent] {
        while (::getppid() == parent) std::this_thread::sleep_for(std::chrono::milliseconds(250));
        (void)::kill(::getpid(), SIGKILL);
      });
  (void)kept;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    (void)tactus::rtsync::print_plain(
        stderr, "tactus-model is started by a rig with isolated models, never by hand\n");
    return 2;
  }
  // It ends with the rig. That may have ended before this was said.
  try {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) end_with(::getppid());
  } catch (const std::system_error& error) {
    (void)tactus::rtsync::print_plain(
        stderr, "tactus: the process of model '%s' cannot end with its rig: %s\n", argv[1], error.what());
    return 1;
  }
  if (std::to_string(::getppid()) != argv[4]) return 1;
  (void)::prctl(PR_SET_NAME, argv[1]);  // as ps and core dumps name it
  tactus::executive::serve_model(argv[1], argv[2], argv[3], std::string_view(argv[5]) == "driver");
}
