// SPDX-License-Identifier: Apache-2.0
/// Models that do their worst in one of their jobs: what `isolated: yes` is for. Beside them one that asks the rig for
/// all that a model may ask.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <tactus/model.hpp>
#include <thread>
#include <vector>

namespace {

enum class Deed : std::int32_t {
  none,
  exit,
  abort,
  segfault,
  stray_write,
  close_all,
  loop,
  sleep,
  exec,
  chdir,
  fork,
  throws,
  throws_in_thread,
  overwrite,
  touch,
  replace,
  at_exit,
  killed,
  ends_thread,
  no_files,
  no_memory,
  fail
};

/// All memory of the process that can be written, but for its stack.
[[noreturn]] void write_everywhere() {
  struct Range {
    unsigned long begin, end;
  };
  std::vector<Range> ranges;
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  for (char line[512]; maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr;) {
    Range range{};
    char rights[8] = "";
    if (std::sscanf(line, "%lx-%lx %7s", &range.begin, &range.end, rights) != 3 || rights[1] != 'w' ||
        std::strstr(line, "[stack]") != nullptr)
      continue;
    // What is shared with somebody comes first: the process does not live to see the end of the rest.
    ranges.insert(std::strstr(line, "memfd:") != nullptr ? ranges.begin() : ranges.end(), range);
  }
  for (const Range& range : ranges) {
    auto* const at = reinterpret_cast<volatile unsigned char*>(range.begin);
    for (unsigned long i = 0; i < range.end - range.begin; ++i) at[i] = 0xEE;
  }
  std::abort();
}

/// The library that this is a part of.
std::string own_file() {
  Dl_info found{};
  static const char here = 0;
  return ::dladdr(&here, &found) == 0 ? "" : found.dli_fname;
}

class Hostile : public tactus::Model {
 public:
  ~Hostile() override {
    if (at_frame_ == -3) (void)act();
  }
  void declare(tactus::Declare& d) override {
    d.parameter("deed", deed_, "", "what it does",
                {{"none", Deed::none},
                 {"exit", Deed::exit},
                 {"abort", Deed::abort},
                 {"segfault", Deed::segfault},
                 {"stray_write", Deed::stray_write},
                 {"close_all", Deed::close_all},
                 {"loop", Deed::loop},
                 {"sleep", Deed::sleep},
                 {"exec", Deed::exec},
                 {"chdir", Deed::chdir},
                 {"fork", Deed::fork},
                 {"throws", Deed::throws},
                 {"throws_in_thread", Deed::throws_in_thread},
                 {"overwrite", Deed::overwrite},
                 {"touch", Deed::touch},
                 {"replace", Deed::replace},
                 {"at_exit", Deed::at_exit},
                 {"killed", Deed::killed},
                 {"ends_thread", Deed::ends_thread},
                 {"no_files", Deed::no_files},
                 {"no_memory", Deed::no_memory},
                 {"fail", Deed::fail}});
    d.parameter(
        "at_frame", at_frame_, "1",
        "in which frame; -1: in the initialization job; -2: in the shutdown job; -3: in the destructor");
    d.output("frames", frames_, "1", "frames begun");
    d.output("half", half_, "1", "half of that");
    d.job<&Hostile::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Hostile::step>("step", tactus::JobClass::scheduled);
    d.job<&Hostile::shut_down>("shutdown", tactus::JobClass::shutdown);
  }
  void initialize() {
    if (at_frame_ == -1) (void)act();
  }
  int shut_down() { return at_frame_ == -2 ? act() : 0; }
  int step(const tactus::Call& call) {
    ++frames_;
    half_ = static_cast<double>(frames_) / 2;
    return call.frame == at_frame_ ? act() : 0;
  }

 private:
  int act() {
    switch (deed_) {
      case Deed::none:
        break;
      case Deed::exit:
        ::_exit(0);
      case Deed::abort:
        std::abort();
      case Deed::segfault:
        *static_cast<volatile int*>(nullptr) = 1;
        break;
      case Deed::stray_write:
        write_everywhere();
      case Deed::close_all:
        (void)::close_range(0, ~0U, 0);
        break;
      case Deed::loop:
        for (;;) asm volatile("" ::: "memory");
      case Deed::sleep:
        for (;;) (void)::pause();
      case Deed::exec:
        (void)::execlp("true", "true", static_cast<char*>(nullptr));
        break;
      case Deed::chdir:
        (void)::chdir("/");
        break;
      case Deed::fork:
        (void)::fork();  // and both go on
        break;
      case Deed::throws:
        throw std::runtime_error("no table for this axis");
      case Deed::throws_in_thread:
        std::thread([] { throw std::runtime_error("nobody catches this"); }).join();
        break;
      case Deed::overwrite:
        (void)!::truncate(own_file().c_str(), 0);
        break;
      case Deed::touch:
        (void)::utimensat(AT_FDCWD, own_file().c_str(), nullptr, 0);
        break;
      case Deed::replace: {
        const std::string other = own_file() + ".new";
        std::ofstream(other) << "another file";
        (void)std::rename(other.c_str(), own_file().c_str());
        break;
      }
      case Deed::at_exit:
        (void)std::atexit([] { std::abort(); });  // when the library is unloaded
        break;
      case Deed::killed:
        (void)::kill(::getpid(), SIGKILL);
        break;
      case Deed::ends_thread:  // as the kernel ends one thread of a killed process after the other
        (void)::syscall(SYS_exit, 0);
        break;
      case Deed::no_files:
      case Deed::no_memory: {
        const rlimit none{0, 0};
        (void)::setrlimit(deed_ == Deed::no_files ? RLIMIT_FSIZE : RLIMIT_AS, &none);
        break;
      }
      case Deed::fail:
        return fail("the axis is not referenced"), 7;
    }
    return 0;
  }

  Deed deed_ = Deed::none;
  std::int64_t at_frame_ = 20;
  std::int64_t frames_ = 0;
  double half_ = 0;
};
TACTUS_MODEL("hostile", Hostile, "does its worst in one of its jobs")

/// Asks from its job, and from a thread of its own.
class Asks : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.output("answers", answers_, "", "of the requests: 1 refused");
    d.output("late", late_, "1", "calls of the dynamic job");
    d.output("off", off_, "1", "calls of the job that is switched off");
    d.job<&Asks::step>("step", tactus::JobClass::scheduled);
    d.job<&Asks::switched>("switched", tactus::JobClass::effector);
    d.job<&Asks::late>("late", tactus::JobClass::sensor, tactus::kDynamic);
  }
  void step(const tactus::Call& call) {
    if (call.frame == 3) {
      answers_[0] = enable_job("it.switched", false) ? 0 : 1;
      answers_[1] = enable_job("it.nothing", false) ? 0 : 1;
      answers_[2] = call_at("late", call.sim_time_ns + 4'000'000) ? 0 : 1;
      answers_[3] = call_at("late", 0) ? 0 : 1;
    }
    if (call.frame == 6) std::thread([this] { (void)enable_job("it.switched", true); }).join();
    if (call.frame == 12) stop();
  }
  void switched() { ++off_; }
  void late() { ++late_; }

 private:
  std::uint8_t answers_[4] = {9, 9, 9, 9};
  std::int64_t late_ = 0;
  std::int64_t off_ = 0;
};
TACTUS_MODEL("asks", Asks, "asks the rig for what a model may ask")

/// A continuous state, for an integration loop.
class Decay : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.state("x", x_);
    d.output("rate", rate_);
    d.integrated("x", "rate");
    d.job<&Decay::derivative>("derivative", tactus::JobClass::derivative);
  }
  void derivative() { rate_ = -3 * x_; }

 private:
  double x_ = 1;
  double rate_ = 0;
};
TACTUS_MODEL("decay", Decay, "x' = -3 x")

/// Sends SIGCONT to the process above it all the time, as a rig does once at its end.
class NudgesItsWitness : public tactus::Model {
 public:
  ~NudgesItsWitness() override {
    if (thread_.joinable()) thread_.request_stop();
  }
  void declare(tactus::Declare& d) override {
    d.job<&NudgesItsWitness::begin>("begin", tactus::JobClass::initialization);
  }
  void begin() {
    thread_ = std::jthread([](const std::stop_token& stop) {
      while (!stop.stop_requested()) (void)::kill(::getppid(), SIGCONT);
    });
  }

 private:
  std::jthread thread_;
};
TACTUS_MODEL("nudges_its_witness", NudgesItsWitness, "sends SIGCONT to the process above it")

class DiesWhileMade : public tactus::Model {
 public:
  DiesWhileMade() { std::abort(); }
  void declare(tactus::Declare&) override {}
};
TACTUS_MODEL("dies_while_made", DiesWhileMade, "calls abort() in its constructor")

class StaysWhenDestroyed : public tactus::Model {
 public:
  ~StaysWhenDestroyed() override {
    pause();  // of the rig, which has ended
    for (;;) (void)::pause();
  }
  void declare(tactus::Declare&) override {}
};
TACTUS_MODEL("stays_when_destroyed", StaysWhenDestroyed, "has a destructor that does not return")

class DiesWhileDestroyed : public tactus::Model {
 public:
  ~DiesWhileDestroyed() override { std::abort(); }
  void declare(tactus::Declare&) override {}
};
TACTUS_MODEL("dies_while_destroyed", DiesWhileDestroyed, "calls abort() in its destructor")

class SharesMemory : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.state("x", x_);
    d.state("y", x_);
  }

 private:
  double x_ = 0;
};
TACTUS_MODEL("shares_memory", SharesMemory, "declares two names for one value")

}  // namespace
