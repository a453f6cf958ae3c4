// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/message/run_messages.hpp"

#include <exception>
#include <optional>

namespace tactus::executive {
namespace {

constexpr int kAtATime = 200;
constexpr int kAtTheEnd = 10'000;

}  // namespace

template <class Model>
void RunMessages::take_of(const std::string& name, Model& model, RunVoice& voice, int most) {
  if (failed_.count(name) != 0) return;
  try {
    for (int i = 0; i < most; ++i) {
      const std::optional<ModelMessage> message = model.take_message();
      if (!message) return;
      if (message->warning)
        voice.say(name + ": " + message->text);
      else
        voice.log().info(name + ": " + message->text);
    }
  } catch (const std::exception& error) {
    failed_.insert(name);
    voice.say(name + ": its messages are not read any more: " + error.what());
  }
}

void RunMessages::take(RunVoice& voice, int most) {
  for (DriverModel& made : run_.rig.driver_models()) take_of(made.name, *made.model, voice, most);
  if (run_.rig.isolation() == nullptr) return;
  for (IsolatedModel& isolated : run_.rig.isolation()->models())
    if (isolated.process().origin().driver) take_of(isolated.name(), isolated, voice, most);
}

void RunMessages::poll(RunVoice& voice) { take(voice, kAtATime); }

void RunMessages::finish() {
  if (run_.voice && !run_.stuck) take(*run_.voice, kAtTheEnd);
}

}  // namespace tactus::executive
