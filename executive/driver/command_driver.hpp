// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "config/shape.hpp"
#include "executive/driver/driver.hpp"

namespace CLI {
class App;
}

namespace tactus::executive {

/// Exit status of the process; the contract of docs/command-line.md.
enum ExitStatus : int {
  kOk = 0,           ///< the run ended as planned
  kEndedEarly = 1,   ///< overrun policy, abort, failed model
  kWrongInput = 2,   ///< the command line or the rig file: nothing was started
  kWrongMachine = 3  ///< the machine cannot do what the rig requires
};

/// Thrown when a command cannot do its work; what() says what to do about it.
class CommandError : public std::runtime_error {
 public:
  CommandError(ExitStatus status, const std::string& what) : runtime_error(what), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// A sub-command of `tactus`: one of the executive's own, or a driver of kind "command", named by the command
/// line. Its library is loaded when it is named, and for `tactus --help`.
///
/// Threads  the process's first one; run() may have threads of its own.
class CommandDriver : public Driver {
 public:
  static constexpr const char* kKind = "command";

  /// Declares its description, options and arguments, which are read into this object. @when setup
  virtual void declare(CLI::App& app) = 0;
  /// Returns the long form of an argument that the command line's rules cannot express, as -ni. @when setup
  virtual std::string spelled_out(const std::string& argument) const { return argument; }
  /// Returns words that an option or an argument can be, for completion; empty: it does not know. `option`: "--database", or
  /// the name of an argument. `words`: the command line behind `tactus`, the last one being written. @when setup
  virtual std::vector<config::Word> words_for(const std::string& /*option*/,
                                              const std::vector<std::string>& /*words*/) const {
    return {};
  }
  /// Does what it is for, once the options are read. Returns the exit status. Throws CommandError.
  virtual int run() = 0;
  /// Returns true if it was run for its output: one that is not whole must not look like success. Asked after run().
  virtual bool is_for_its_output() const { return false; }
};

}  // namespace tactus::executive
