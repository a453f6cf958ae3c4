// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <string>

#include "executive/driver/model_driver.hpp"
#include "executive/isolation/call_page.hpp"

namespace tactus::executive {

/// The messages of the model that this process serves: a thread, which ends with the process, hands them to the rig.
///
/// Threads  any; start(): the one that serves.
class ServedMessages {
 public:
  /// Nothing is handed on before open(). @when setup
  void start(DrivenModel& model, CallPage& page);
  /// The model is open: it may say something. @when setup
  void open();
  /// Hands messages to the rig as long as there is room; the last slot is kept for the end. `last`: no others come; waits
  /// for room a little, and counts those without. @when service
  void pass(bool last = false);

 private:
  void say(bool warning, const std::string& text);

  DrivenModel* model_ = nullptr;
  CallPage* page_ = nullptr;
  std::mutex mutex_;   // of all the rest
  bool open_ = false;  // false: not yet, it is being destroyed, or it failed to say a message
};

}  // namespace tactus::executive
