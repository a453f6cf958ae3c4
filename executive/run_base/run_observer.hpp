// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <string>

#include "config/text.hpp"
#include "executive/run_base/run_log.hpp"

namespace tactus::executive {

class RigRun;
struct RigCpus;

/// Observer of a running rig, for people. All calls come from the service thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// The CPUs of all threads, and the rig that their names show. Before the run folder is opened.
  virtual void placed(const RigCpus& cpus) { (void)cpus; }
  /// Everything is in place; the first frame follows.
  virtual void started(const RigRun& run) = 0;
  /// The frames have ended; what follows may wait for code that does not return.
  virtual void ending() {}
  /// Waits at most for this time, less if something is to be done: a signal, a request. Called again and again, at least
  /// about twenty times a second; may also give commands: see RigRun::executive().
  virtual void tick(RigRun& run, std::chrono::nanoseconds at_most) = 0;
  /// A line for the log that a person at the terminal wants to see at once.
  virtual void say(const std::string& line) = 0;
  /// A line about the start that a script wants to see, too: where a server listens.
  virtual void announce(const std::string& line) { say(line); }
};

/// Receiver of lines for the log and for the observer.
class RunVoice {
 public:
  RunVoice(RunLog& log, RunObserver& observer) : log_(log), observer_(observer) {}
  RunLog& log() { return log_; }
  /// A warning, for both.
  void say(const std::string& line) { say(line, line); }
  /// A warning that is too long for a terminal: `brief` is what whoever watches sees of it.
  void say(const std::string& line, const std::string& brief) {
    log_.warn(line);
    observer_.say(config::one_line(brief));
  }
  /// Passes on a line that is not a warning, for people and scripts.
  void mention(const std::string& line) {
    log_.info(line);
    observer_.say(line);
  }
  /// Passes on a line that a script reads, too, for people and scripts.
  void announce(const std::string& line) {
    log_.info(line);
    observer_.announce(line);
  }

 private:
  RunLog& log_;
  RunObserver& observer_;
};

}  // namespace tactus::executive
