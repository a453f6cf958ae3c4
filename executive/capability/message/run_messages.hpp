// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "executive/capability/message/message_reader.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Passes messages of models that drivers make on to the log, also of isolated ones. A frame only leaves them in the driver's memory.
///
/// Threads  the service thread; the drivers are asked on another one.
class RunMessages final : public Capability {
 public:
  explicit RunMessages(RunContext& run) : run_(run) {}
  static bool is_needed(const RunContext& run) {
    return !run.rig.driver_models().empty() || run.rig.isolation() != nullptr;
  }

  void open() override;
  void poll(RunVoice& voice) override;
  void finish() override;
  void drop() override;
  bool owns(pid_t tid) const override { return reader_ && reader_->owns(tid); }

 private:
  void pass_on(RunVoice& voice);
  void tell_hanging(RunVoice& voice);
  std::vector<const MessageReader::Source*> note_hanging();
  void end_reader(RunVoice& voice);
  void give_up(const std::string& why);
  void take_isolated(RunVoice& voice, int most);

  RunContext& run_;
  std::optional<MessageReader> reader_;  // if a model may have messages
};

}  // namespace tactus::executive
