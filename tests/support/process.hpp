// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Runs a command the way a user does: arguments, a current directory, perhaps a terminal, signals.
///
///     const Finished done = run({.argv = {command, "check", "rig.yaml"}, .cwd = dir.path()});
///     EXPECT_EQ(done.status, 0) << done;
///
///     Process rig({.argv = {command, "run", "rig.yaml"}, .terminal = true});
///     ASSERT_TRUE(rig.wait_for_output("running")) << rig.out();
///     rig.type("\x03");                                     // Ctrl-C, as the terminal sends it
///     EXPECT_EQ(rig.wait().status, 0);
///
/// Threads  one object, one thread.
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::test {

enum class Input {
  empty,   ///< /dev/null: there, and at its end
  closed,  ///< no file descriptor 0 at all, as after `<&-`
};

struct Command {
  std::vector<std::string> argv{};           ///< argv[0] is looked for in PATH unless it holds a '/'
  std::map<std::string, std::string> env{};  ///< on top of ours
  std::vector<std::string> without_env{};    ///< names the command does not inherit
  std::filesystem::path cwd{};               ///< empty: ours
  Input input = Input::empty;                ///< ignored on a terminal
  /// stdin, stdout and stderr are a terminal of its own, of 24 lines; all output is then in `out`.
  bool terminal = false;
  unsigned short columns = 400;  ///< of the terminal: so many that no sentence is broken
  /// The process that is meant is the child that it makes: the rig of `tactus run`, whose parent is its witness.
  bool child = false;
  /// run() starts a process in any case: the test is about the process, or the command may end it.
  bool own_process = false;
};

/// How it ended, and all it said.
struct Finished {
  int status = -1;         ///< exit status; 128 + signal, as a shell says it, when a signal ended it
  int signal = 0;          ///< the signal that ended it, or 0
  bool timed_out = false;  ///< it was still running at the time limit and was killed
  std::string out;         ///< stdout; on a terminal everything, lines ending in "\r\n"
  std::string err;         ///< stderr
  std::chrono::milliseconds took{0};
};
std::ostream& operator<<(std::ostream& stream, const Finished& finished);

/// How long a test waits for what must come: 60 s, or $TACTUS_TEST_PATIENCE seconds on a slow machine.
extern const std::chrono::seconds kTimeout;

class Process {
 public:
  /// Starts it. Throws std::system_error naming the command when it cannot be started.
  explicit Process(const Command& command);
  /// Kills it if it still runs: this process only, never its children or its group.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// With Command::child that of the child; it stays the started one's if that ended without a child.
  pid_t pid() const { return child_ > 0 ? child_ : pid_; }
  /// Of the process that was started, in any case.
  pid_t started_pid() const { return pid_; }
  /// What it said so far, as of the last wait.
  const std::string& out() const { return finished_.out; }
  const std::string& err() const { return finished_.err; }

  /// Sends a signal to it alone. Does nothing once it has ended. After SIGSTOP all of its threads stand: on a
  /// busy machine some would run on for a while.
  void signal(int number);
  /// Types into its terminal. Throws std::logic_error without one.
  void type(std::string_view keys);
  /// Waits until its stdout or stderr holds the text; false when it ended or the time limit came first.
  bool wait_for_output(std::string_view text, std::chrono::milliseconds limit = kTimeout);
  /// Waits for its end and for the end of its output; kills it at the time limit. Output that a child of it
  /// still holds open is not waited for.
  const Finished& wait(std::chrono::milliseconds limit = kTimeout);

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  bool pump(Deadline until);  // takes what there is to read, or the end; false at the deadline
  bool drain(int& descriptor, std::string& into);
  void reap();
  void find_child();
  void wait_until_stopped() const;

  pid_t pid_ = -1;
  pid_t child_ = -1;
  int process_ = -1;  // a pidfd: readable once the process has ended
  int out_ = -1;      // the terminal, when there is one
  int err_ = -1;
  bool terminal_ = false;
  bool ended_ = false;
  std::chrono::steady_clock::time_point started_;
  Finished finished_;
};

/// Start to end. Without a process, where the program has a RunHere that takes the command; it knows no limit.
Finished run(const Command& command, std::chrono::milliseconds limit = kTimeout);

/// Does a command in this process, from start to end. Nothing: it needs a process of its own.
using RunHere = std::optional<Finished> (*)(const Command& command);
/// run() asks it first from now on. @when setup
void set_run_here(RunHere run_here);

}  // namespace tactus::test
