// SPDX-License-Identifier: Apache-2.0
/// A stand-in for a rig with outputs, for the guardian's tests: the outputs are terminals.
///
///     gpio_stand_in MODE TIMEOUT_MS TERMINAL ...
///
/// Prints "guardian PID", then, after the first frame, "frames". Drives 1000 + i in each frame, and has asked
/// the guardian for 1 + i as the safe value of terminal i.
///
///     frames     until SIGTERM; then drives 500 + i safe by itself, ends cleanly, and says whether a child is left
///     idle       as frames, but without a frame
///     disarm     one frame, then disarmed: no more frames until SIGTERM
///     forget     the first output ends cleanly after the first frame, the others go on
///     fork       a child of it that does nothing keeps all its descriptors; prints "child PID"
///     nothing    watches no output
///     close      closes all its descriptors before it drives safe
///     elsewhere  a child of it has the thread of the frames, and makes one; prints "child PID"
///     thread     as frames, but SIGTERM ends the thread of the frames alone; another one stays for ever
///
/// A SIGTERM that is sent before "guardian" was printed ends it as any program.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "drivers/gpio/guardian.hpp"
#include "tests/drivers/gpio/terminal_line.hpp"

namespace {

using tactus::drivers::gpio::Guardian;
using tactus::test::terminal_write;

volatile sig_atomic_t g_stop = 0;

/// Lets a child have what the guardian shares with its rig, which a rig keeps from its children.
void share_with_children() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::size_t begin = 0, end = 0;
    if (line.find("memfd:") != std::string::npos && std::sscanf(line.c_str(), "%zx-%zx", &begin, &end) == 2)
      (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DOFORK);
  }
}

struct Output {
  int fd;
  std::uint64_t number;
  std::int32_t id;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) return 2;
  const std::string mode = argv[1];
  tactus::executive::OpenRequest request{.rig = "stand-in"};
  request.guardian_timeout = std::chrono::milliseconds(std::atoi(argv[2]));
  auto guardian = std::make_unique<Guardian>(GUARDIAN, request);
  std::vector<Output> outputs;
  for (int i = 3; i < argc; ++i) {
    const int fd = ::open(argv[i], O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return 2;
    const auto number = static_cast<std::uint64_t>(i - 3);
    outputs.push_back({fd, number, mode == "nothing" ? 0 : guardian->watch(terminal_write(fd, 1 + number))});
  }
  (void)::signal(SIGTERM, [](int) { g_stop = 1; });
  if (mode == "fork") {
    const pid_t child = ::fork();
    if (child == 0)
      for (;;) (void)::pause();
    std::printf("child %d\n", child);
  }
  pid_t other = 0;
  int told[2] = {-1, -1};  // a byte: the numbers are printed, and "frames" may follow
  char byte = 0;
  if (mode == "elsewhere") {
    share_with_children();
    if (::pipe(told) != 0) return 3;
    other = ::fork();
    if (other == 0) (void)!::read(told[0], &byte, 1);
  }
  if (other > 0) std::printf("child %d\n", other);
  if (mode != "elsewhere" || other > 0) std::printf("guardian %d\n", guardian->pid());
  std::fflush(stdout);
  if (other > 0) (void)!::write(told[1], &byte, 1);
  while (other > 0) (void)::pause();

  if (mode == "thread")
    std::thread([] {
      for (;;) (void)::pause();
    }).detach();
  guardian->frames_begin();
  for (int frame = 0; g_stop == 0; ++frame) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (mode == "idle" || ((mode == "disarm" || mode == "elsewhere") && frame > 0)) continue;
    // The guardian is not a child of the other process, which cannot look after it.
    if (const char* why = mode == "elsewhere" ? nullptr : guardian->trouble(); why != nullptr) {
      std::printf("trouble: %s\n", why);
      return 5;
    }
    for (const Output& output : outputs) (void)terminal_write(output.fd, 1000 + output.number).issue();
    guardian->frame_ended();
    if (frame > 0) continue;
    if (mode == "disarm") guardian->disarm();
    if (mode == "forget") {
      guardian->forget(outputs.front().id);
      outputs.erase(outputs.begin());
    }
    std::printf("frames\n");
    std::fflush(stdout);
  }

  if (mode == "thread") (void)::syscall(SYS_exit, 0);
  if (mode == "close") (void)::close_range(3, ~0U, 0);
  for (const Output& output : outputs) {
    const bool safe = terminal_write(output.fd, 500 + output.number).issue() == 0;
    if (safe && output.id != 0) guardian->forget(output.id);
  }
  guardian->frames_ended();
  guardian.reset();
  std::printf("ended, %s\n",
              ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD ? "no child" : "a child is left");
  return 0;
} catch (const std::exception& error) {
  std::printf("error: %s\n", error.what());
  return 3;
}
