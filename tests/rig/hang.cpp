// SPDX-License-Identifier: Apache-2.0
/// A model that never returns from one of its jobs: what a second Ctrl-C is for; or makes a copy of the process,
/// or closes all its files. It also says, in files of the current folder, which jobs have run, and that it hangs.
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <tactus/model.hpp>
#include <thread>

namespace {

enum class Where : std::int32_t { nowhere, initialization, frame, shutdown, fork, close };

class Hang : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("where", where_, "", "the job that does not return",
                {{"nowhere", Where::nowhere},
                 {"initialization", Where::initialization},
                 {"frame", Where::frame},
                 {"shutdown", Where::shutdown},
                 {"fork", Where::fork},
                 {"close", Where::close}});
    d.parameter("at_frame", at_frame_, "1", "in which frame, for `frame`");
    d.parameter("spin", spin_, "", "yes: uses the CPU for ever; no: sleeps for ever");
    d.output("frames", frames_, "1", "frames begun");
    d.job<&Hang::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Hang::step>("step", tactus::JobClass::scheduled);
    d.job<&Hang::shutdown>("shutdown", tactus::JobClass::shutdown);
  }

  void initialize() {
    leave("initialized");
    if (where_ == Where::initialization) hang();
  }

  void step(const tactus::Call& call) {
    ++frames_;
    if (where_ == Where::frame && call.frame == at_frame_) hang();
    if (where_ == Where::fork && call.frame == at_frame_) (void)::fork();  // and both go on
    if (where_ == Where::close && call.frame == at_frame_) (void)::close_range(3, ~0U, 0);
  }

  void shutdown() {
    leave("shut-down");
    if (where_ == Where::shutdown) hang();
  }

 private:
  static void leave(const char* name) {
    if (std::FILE* const file = std::fopen(name, "w")) (void)std::fclose(file);
  }

  [[noreturn]] void hang() const {
    leave("hangs");
    const timespec hour{3600, 0};
    for (;;) {
      if (spin_) {
        asm volatile("" ::: "memory");
      } else {
        (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, nullptr);
      }
    }
  }

  Where where_ = Where::nowhere;
  std::int64_t at_frame_ = 50;
  bool spin_ = false;
  std::int64_t frames_ = 0;
};
TACTUS_MODEL("hang", Hang, "never returns from one of its jobs")

/// Ends the process with status 0 where no job runs.
class ExitsWhileMade : public tactus::Model {
 public:
  ExitsWhileMade() { std::exit(0); }
  void declare(tactus::Declare&) override {}
};
TACTUS_MODEL("exits_while_made", ExitsWhileMade, "calls exit(0) in its constructor")

class ExitsWhileDestroyed : public tactus::Model {
 public:
  ~ExitsWhileDestroyed() override { std::_Exit(0); }
  void declare(tactus::Declare&) override {}
};
/// Fails with a text that is no UTF-8 and moves the cursor of a terminal.
class Mumbles : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override { d.job<&Mumbles::step>("step", tactus::JobClass::scheduled); }
  int step(const tactus::Call& call) {
    if (call.frame < 3) return 0;
    fail("ung\xfcltig\n\x1b[31m2026-01-01 00:00:00.000 info    all is well");
    return 1;
  }
};
TACTUS_MODEL("mumbles", Mumbles, "fails with bytes that nobody can print")

/// Starts a thread of its own in frame 9, which throws what nobody catches.
class ThrowsInThread : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.job<&ThrowsInThread::step>("step", tactus::JobClass::scheduled);
  }
  void step(const tactus::Call& call) {
    if (call.frame != 9) return;
    std::thread([] {
      (void)::pthread_setname_np(::pthread_self(), "reader");
      throw std::runtime_error("nobody catches this");
    }).join();
  }
};
TACTUS_MODEL("throws_in_thread", ThrowsInThread, "throws in a thread of its own")

/// Takes real time away from its own thread in frame 100.
class GivesRealTimeUp : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.job<&GivesRealTimeUp::step>("step", tactus::JobClass::scheduled);
  }
  void step(const tactus::Call& call) {
    const sched_param none{};
    if (call.frame == 100) (void)::sched_setscheduler(0, SCHED_OTHER, &none);
  }
};
TACTUS_MODEL("gives_real_time_up", GivesRealTimeUp, "becomes SCHED_OTHER in frame 100")

/// Ends the process with status 0 in frame 20, by a call that nobody can stand in front of.
class Leaves : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override { d.job<&Leaves::step>("step", tactus::JobClass::scheduled); }
  void step(const tactus::Call& call) {
    if (call.frame == 20) (void)::syscall(SYS_exit_group, 0);
  }
};
TACTUS_MODEL("leaves", Leaves, "makes the system call exit_group(0) in frame 20")

class CrashesWhileDestroyed : public tactus::Model {
 public:
  ~CrashesWhileDestroyed() override { (void)std::raise(SIGSEGV); }
  void declare(tactus::Declare&) override {}
};
TACTUS_MODEL("crashes_while_destroyed", CrashesWhileDestroyed, "crashes in its destructor")

TACTUS_MODEL("exits_while_destroyed", ExitsWhileDestroyed, "calls _Exit(0) in its destructor")

}  // namespace
