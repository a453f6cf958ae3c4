// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/message/run_messages.hpp"

#include <exception>
#include <optional>

namespace tactus::executive {
namespace {

constexpr int kAtATime = 200;
constexpr int kAtTheEnd = 10'000;

}  // namespace

void RunMessages::take(RunVoice& voice, int most) {
  for (DriverModel& made : run_.rig.driver_models()) {
    if (failed_.count(made.name) != 0) continue;
    try {
      for (int i = 0; i < most; ++i) {
        const std::optional<ModelMessage> message = made.model->take_message();
        if (!message) break;
        if (message->warning)
          voice.say(made.name + ": " + message->text);
        else
          voice.log().info(made.name + ": " + message->text);
      }
    } catch (const std::exception& error) {
      failed_.insert(made.name);
      voice.say(made.name + ": its messages are not read any more: " + error.what());
    }
  }
}

void RunMessages::poll(RunVoice& voice) { take(voice, kAtATime); }

void RunMessages::finish() {
  if (run_.voice && !run_.stuck) take(*run_.voice, kAtTheEnd);
}

}  // namespace tactus::executive
