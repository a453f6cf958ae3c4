// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A virtual participant that commands a rig by RPC, in this process, with a SIL Kit library that is given by path.
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/process.hpp"

namespace tactus::test {

/// "Commander": coordinated, with 1 ms steps. In the steps that the test names it calls functions.
class Commander {
 public:
  struct Call {
    std::int64_t step = 0;
    std::string function;
    std::string argument;
  };
  struct Answer {
    bool success = false;   ///< of the call itself
    std::string text;       ///< what the rig said
    std::int64_t step = 0;  ///< in which the rig sent it
    bool operator==(const Answer&) const = default;
  };

  Commander(const std::string& library, const std::string& uri, std::vector<Call> calls);
  ~Commander();
  Commander(const Commander&) = delete;
  Commander& operator=(const Commander&) = delete;

  /// Calls at once, from this thread; the answer is that of call `number`.
  void call(std::size_t number, const std::string& function, const std::string& argument);
  /// By the number of the call.
  std::map<std::size_t, Answer> answers();
  /// The answer of a call; fails the test when it does not come.
  Answer answer(std::size_t number, std::chrono::milliseconds limit = kTimeout);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tactus::test
