// SPDX-License-Identifier: Apache-2.0
/// The smallest rig there can be, for tests with a simulated GPIO chip: the drivers as the executive uses
/// them.
///
///     gpio_guest_rig out   RIG FILE [NAME=VALUE ...]    opens, prints "open", drives the values every 10 ms
///     gpio_guest_rig in    RIG FILE COUNT               prints the variables COUNT times, every 100 ms
///     gpio_guest_rig edges RIG FILE COUNT [SLEEP_MS]    sleeps, then prints the edges of COUNT waits of 500 ms
///     gpio_guest_rig facts FILE MEASURE_MS              what doctor would say
///     gpio_guest_rig calls CHIP PULL FRAMES             what that many frames ask of the kernel and the heap: each
///                                                       writes lines 0 to 2, reads 4 and 5, and takes the edges
///                                                       of 3, whose file PULL makes some beforehand
///
/// FILE is the section of the rig file. Ends at SIGTERM with 0; with 3 when a device cannot be had.
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "drivers/gpio/gpio_out.hpp"
#include "drivers/gpio/holder.hpp"
#include "drivers/gpio/lines.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/gpio/gpio_clock_driver.hpp"
#include "tests/drivers/gpio/gpio_in_driver.hpp"
#include "tests/drivers/gpio/model_host.hpp"
#include "tests/support/syscall_count.hpp"

namespace {

using namespace tactus;
using tactus::test::ModelHost;

volatile sig_atomic_t g_stop = 0;
executive::SafeOutput* g_safe = nullptr;

std::shared_ptr<const drivers::gpio::Gpio> gpio() { return drivers::gpio::system_gpio(); }

rtsync::TimePoint<rtsync::MonotonicTime> now() {
  timespec time{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &time);
  return rtsync::TimePoint<rtsync::MonotonicTime>(std::chrono::seconds(time.tv_sec) +
                                                  std::chrono::nanoseconds(time.tv_nsec));
}

int out(const std::vector<std::string>& words) {
  const executive::OpenRequest request{.rig = words.at(1),
                                       .guardian_timeout = std::chrono::milliseconds(200)};
  drivers::gpio::GpioOut driver(gpio());
  config::Problems problems;
  const config::Document document = config::Document::from_file(words.at(2));
  const auto model = driver.make(document.root(), "models.outputs", problems);
  if (model == nullptr) throw config::ConfigError(problems);
  ModelHost host(*model);
  model->open(request);
  g_safe = model->safe_output();
  (void)::signal(SIGTERM, [](int) { g_stop = 1; });
  (void)::signal(SIGSEGV, [](int number) {
    g_safe->drive_safe();
    (void)::signal(number, SIG_DFL);
    (void)::raise(number);
  });
  for (std::size_t i = 3; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    host.set(words[i].substr(0, equals), std::stoull(words[i].substr(equals + 1)));
  }
  std::cout << "open" << std::endl;
  for (int frame = 0; g_stop == 0; ++frame) {
    (void)::usleep(10'000);
    if (host.run("write") != 0) {
      g_safe->drive_safe();
      std::cout << "aborted: " << host.failure() << std::endl;
      return 5;
    }
    g_safe->frame_ended();
    if (frame == 0) std::cout << "running" << std::endl;
  }
  g_safe->drive_safe();
  std::cout << "ended" << std::endl;
  return 0;
}

int in(const std::vector<std::string>& words) {
  test::GpioIn driver(gpio());
  config::Problems problems;
  const config::Document document = config::Document::from_file(words.at(2));
  const auto model = driver.make(document.root(), "models.inputs", problems);
  if (model == nullptr) throw config::ConfigError(problems);
  ModelHost host(*model);
  model->open({.rig = words.at(1)});
  for (int i = 0; i < std::stoi(words.at(3)); ++i) {
    if (i > 0) (void)::usleep(100'000);
    if (host.run("read") != 0) {
      std::cout << "aborted: " << host.failure() << std::endl;
      return 5;
    }
    for (const auto& [name, variable] : host.all()) std::cout << name << "=" << host.get(name) << " ";
    std::cout << std::endl;
  }
  return 0;
}

int edges(const std::vector<std::string>& words) {
  test::GpioClock driver(gpio());
  config::Problems problems;
  driver.read(config::Document::from_file(words.at(2)).root(), "clock", problems);
  if (!problems.empty()) throw config::ConfigError(problems);
  const auto source = driver.open({.rig = words.at(1)});
  std::cout << "open: " << source->what() << std::endl;
  if (words.size() > 4) (void)::usleep(static_cast<useconds_t>(std::stoi(words[4])) * 1000);
  std::array<rtsync::TimePoint<rtsync::MonotonicTime>, 64> read;
  for (int i = 0; i < std::stoi(words.at(3)); ++i) {
    const auto begin = now();
    const rtsync::EdgeRead got = source->wait(begin + std::chrono::milliseconds(500), read);
    const auto end = now();
    const char* const names[] = {"edges", "timeout", "gone"};
    std::cout << names[static_cast<int>(got.status)] << " count " << got.count << " overflowed "
              << got.overflowed << " error " << got.error << " waited_us " << (end - begin).count() / 1000;
    if (got.count > 0)
      std::cout << " first_age_us " << (end - read[0]).count() / 1000 << " span_us "
                << (read.at(got.count - 1) - read[0]).count() / 1000;
    std::cout << std::endl;
  }
  return 0;
}

int facts(const std::vector<std::string>& words) {
  test::GpioClock driver(gpio());
  config::Problems problems;
  driver.read(config::Document::from_file(words.at(1)).root(), "clock", problems);
  if (!problems.empty()) throw config::ConfigError(problems);
  for (const rtsync::Fact& fact : driver.facts({std::chrono::milliseconds(std::stoi(words.at(2))), {}}))
    std::cout << rtsync::name_of(fact.grade) << " | " << fact.name << " | " << fact.found << " | "
              << fact.needed << " | " << fact.fix << std::endl;
  return 0;
}

char first_of(const std::string& file) {
  char text = '?';
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || ::read(fd, &text, 1) != 1) throw std::runtime_error("cannot read " + file);
  (void)::close(fd);
  return text;
}

/// SIGKILL to the guardian of that rig: the next one needs its lines.
void end_guardian(pid_t rig) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream in(entry.path() / "cmdline");
    const std::string line{std::istreambuf_iterator<char>(in), {}};
    const std::string begin = std::string(drivers::gpio::kGuardianProgram) + '\0';
    if (line.starts_with(begin) && line.find('\0' + std::to_string(rig) + '\0') != std::string::npos)
      (void)::kill(std::stoi(entry.path().filename()), SIGKILL);
  }
}

int late(const std::vector<std::string>& words) {
  const std::string& value = words.at(3);
  std::vector<std::string> command{"gpio_guest_rig", "out", words.at(1), words.at(2)};
  command.insert(command.end(), words.begin() + 6, words.end());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  for (int i = 0; i < std::stoi(words.at(4)); ++i) {
    const char before = first_of(value);
    const pid_t child = ::fork();
    if (child == 0) {
      (void)::execv("/proc/self/exe", arguments.data());
      ::_exit(127);
    }
    while (first_of(value) == before) (void)::usleep(1000);
    (void)::usleep(50'000);
    const auto begin = now();
    (void)::kill(child, std::stoi(words.at(5)));
    while (first_of(value) != before) (void)::usleep(20);
    std::cout << "safe after_us " << (now() - begin).count() / 1000 << std::endl;
    (void)::kill(child, SIGKILL);
    (void)::waitpid(child, nullptr, 0);
    end_guardian(child);
    (void)::usleep(50'000);
  }
  return 0;
}

struct FramesDone {
  std::uint64_t heap_calls = 0;
  std::size_t edges = 0;
  int error = 0;
};

/// In a process of its own: opens the lines, says so by a byte, waits for another, runs the frames.
[[noreturn]] void count_frames(const std::string& chip_name, int frames, int begin, int end) {
  const auto chip = drivers::gpio::open_chip(*gpio(), chip_name);
  const auto outputs = chip->request_outputs({0, 1, 2}, drivers::gpio::Drive::push_pull, 0, "calls");
  const auto inputs = chip->request_inputs({4, 5}, drivers::gpio::Bias::as_is, "calls");
  const auto line = chip->request_edges(3, drivers::gpio::Edges::rising, drivers::gpio::Bias::as_is, "calls");
  char byte = 'o';
  (void)!::write(end, &byte, 1);
  (void)!::read(begin, &byte, 1);
  FramesDone done;
  std::array<std::int64_t, 16> stamps{};
  const rtsync::HeapWatch heap;
  for (int frame = 0; frame < frames; ++frame) {
    std::uint64_t levels = 0;
    done.error |= outputs->write(static_cast<std::uint64_t>(frame) & 7U) | inputs->read(levels);
    const auto taken = line->take(stamps);
    done.error |= taken.error;
    done.edges += taken.count;
  }
  done.heap_calls = heap.calls();
  (void)!::write(end, &done, sizeof done);
  ::_exit(0);
}

int calls(const std::vector<std::string>& words) {
  std::array<int, 2> begin{};
  std::array<int, 2> end{};
  if (::pipe2(begin.data(), O_CLOEXEC) != 0 || ::pipe2(end.data(), O_CLOEXEC) != 0) return 2;
  const pid_t child = ::fork();
  if (child == 0) try {
      count_frames(words.at(1), std::stoi(words.at(3)), begin[0], end[1]);
    } catch (const std::exception& error) {
      std::cout << error.what() << std::endl;
      ::_exit(3);
    }
  (void)::close(end[1]);
  char byte = 0;
  if (::read(end[0], &byte, 1) != 1) return 3;
  for (int i = 0; i < 10; ++i) {
    std::ofstream(words.at(2)) << (i % 2 == 0 ? "pull-up" : "pull-down");
    (void)::usleep(20'000);
  }
  const test::SyscallCount count =
      test::count_syscalls(child, {.until = {}, .limit = std::chrono::seconds(120), .watching = [&] {
                                     (void)!::write(begin[1], &byte, 1);
                                   }});
  FramesDone done;
  if (::read(end[0], &done, sizeof done) != sizeof done) return 3;
  (void)::waitpid(child, nullptr, 0);
  // The child's last two calls are no frame's: it reports, and ends.
  const std::uint64_t others =
      count.total - count.of(SYS_ioctl) - count.of(SYS_read) - count.of(SYS_write) - count.of(SYS_exit_group);
  std::cout << "ioctl " << count.of(SYS_ioctl) << " read " << count.of(SYS_read) << " others "
            << others + count.of(SYS_write) - 1 << " heap "
            << (rtsync::HeapWatch::available() ? std::to_string(done.heap_calls) : "is not counted")
            << " error " << done.error << " edges " << (done.edges > 0 ? "yes" : "none") << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.at(0) == "out") return out(words);
  if (words.at(0) == "in") return in(words);
  if (words.at(0) == "edges") return edges(words);
  if (words.at(0) == "facts") return facts(words);
  if (words.at(0) == "late") return late(words);
  if (words.at(0) == "calls") return calls(words);
  return 2;
} catch (const tactus::executive::DeviceError& error) {
  std::cout << "device: " << error.what() << std::endl;
  return 3;
} catch (const std::exception& error) {
  std::cout << "error: " << error.what() << std::endl;
  return 2;
}
