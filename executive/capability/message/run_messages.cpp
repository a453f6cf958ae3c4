// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/message/run_messages.hpp"

#include <thread>
#include <utility>
#include <vector>

#include "rtsync/crash/witness_page.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

constexpr int kIsolatedAtATime = 200;
constexpr int kIsolatedAtTheEnd = 10'000;
constexpr std::chrono::seconds kLongestRound{60};  // that the end waits for messages that come and come

void tell(const std::string& model, const ModelMessage& message, RunVoice& voice) {
  if (message.warning)
    voice.say(model + ": " + message.text);
  else
    voice.log().info(model + ": " + message.text);
}

/// "driver 'can' (x.so) did not return from take_message()".
std::string call_of(const MessageReader::Source& source) {
  return source.code + " did not return from take_message()";
}

}  // namespace

/// Not before the machine has granted what the rig requires: no model is opened for nothing.
void RunMessages::begin_reader() {
  has_begun_ = true;
  std::vector<MessageReader::Source> sources;
  for (DriverModel& made : run_.rig.driver_models())
    if (made.model->has_messages())
      sources.push_back(
          {made.name, made.model->code(), [model = made.model.get()] { return model->take_message(); }});
  if (!sources.empty()) reader_.emplace(std::move(sources), run_.cpus.helper("driver-messages"));
}

void RunMessages::pass_on(RunVoice& voice) {
  if (!reader_) return;
  for (const MessageReader::Said& said : reader_->take()) tell(said.model, said.message, voice);
}

void RunMessages::tell_hanging(RunVoice& voice) {
  if (!reader_) return;
  for (const auto& [source, hangs] : reader_->look())
    voice.say(hangs ? "model " + source.model + ": " + call_of(source) + " within " +
                          rtsync::duration_text(std::chrono::nanoseconds(MessageReader::kHangs).count()) +
                          ": its messages are not read meanwhile, and the rig continues"
                    : "model " + source.model +
                          ": its driver has returned from take_message(), and its messages are "
                          "read again");
}

void RunMessages::take_isolated(RunVoice& voice, int most) {
  if (run_.rig.isolation() == nullptr) return;
  for (IsolatedModel& isolated : run_.rig.isolation()->models()) {
    if (!isolated.process().origin().driver) continue;
    for (int i = 0; i < most; ++i) {
      const std::optional<ModelMessage> message = isolated.take_message();
      if (!message) break;
      tell(isolated.name(), *message, voice);
    }
  }
}

void RunMessages::poll(RunVoice& voice) {
  if (!has_begun_) begin_reader();
  pass_on(voice);
  tell_hanging(voice);
  take_isolated(voice, kIsolatedAtATime);
}

/// Takes what is left. A call that hangs keeps its model's messages out of the log for good, which the summary says.
void RunMessages::end_reader(RunVoice& voice) {
  reader_->request_end();
  const auto begun = std::chrono::steady_clock::now();
  while (!reader_->ended()) {
    pass_on(voice);
    tell_hanging(voice);
    const MessageReader::Source* const awaited = reader_->awaited();
    const std::string what =
        awaited == nullptr ? "the messages of models were taken" : awaited->code + " was asked for messages";
    if (!run_.waits_on(reader_->waited(), what, kLongestRound) ||
        std::chrono::steady_clock::now() - begun > kLongestRound)
      break;
  }
  pass_on(voice);
  for (const MessageReader::Source* const source : reader_->hanging()) {
    run_.driver_stuck = true;
    run_.incomplete = true;
    run_.add_reason("messages of model '" + source->model + "' are not in the log: " + call_of(*source));
  }
}

void RunMessages::finish() {
  if (!run_.voice) return;
  if (!has_begun_ && !run_.stuck) begin_reader();
  if (reader_ && !run_.stuck) end_reader(*run_.voice);
  pass_on(*run_.voice);
  if (!run_.stuck) take_isolated(*run_.voice, kIsolatedAtTheEnd);
}

/// Waits for the thread of a run that was refused, whose models are destroyed next; after finish() there is none to wait for.
void RunMessages::drop() {
  if (!reader_ || run_.stuck || run_.driver_stuck) return;
  reader_->request_end();
  const rtsync::Doing doing("the messages of models were taken (take_message())");
  while (!reader_->ended()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace tactus::executive
