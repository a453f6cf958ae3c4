// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/message/run_messages.hpp"

#include <thread>
#include <utility>

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

/// Here the machine has granted what the rig requires: no model is asked for nothing.
void RunMessages::open() {
  std::vector<MessageReader::Source> sources;
  for (DriverModel& made : run_.rig.driver_models())
    if (made.model->has_messages())
      sources.push_back(
          {made.name, made.model->code(), [model = made.model.get()] { return model->take_message(); }});
  if (sources.empty()) return;
  reader_.emplace(std::move(sources), run_.cpus.helper("messages"));
  run_.add(reader_->provisions());
}

void RunMessages::pass_on(RunVoice& voice) {
  if (!reader_) return;
  for (const MessageReader::Said& said : reader_->take()) tell(said.model, said.message, voice);
}

void RunMessages::tell_hanging(RunVoice& voice) {
  if (!reader_) return;
  for (const auto& [source, hangs, has_failed] : reader_->look())
    voice.say(hangs ? "model " + source.model + ": " + call_of(source) + " within " +
                          rtsync::duration_text(std::chrono::nanoseconds(MessageReader::kHangs).count()) +
                          ": its messages are not read meanwhile, and the rig continues"
                    : "model " + source.model + ": its driver has returned from take_message()" +
                          (has_failed ? "" : ", and its messages are read again"));
}

/// Lists for the others what must not be called, and returns the sources whose call hangs. A call that was there at the
/// latest look too counts as well: nobody knows yet whether it returns.
std::vector<const MessageReader::Source*> RunMessages::note_hanging() {
  run_.silent.clear();
  if (!reader_) return {};
  std::vector<const MessageReader::Source*> hanging = reader_->hanging();
  for (const MessageReader::Source* const source : hanging) run_.silent.push_back(source->model);
  const MessageReader::Source* const awaited = reader_->awaited();
  if (awaited != nullptr && reader_->waited() > std::chrono::nanoseconds{0})
    run_.silent.push_back(awaited->model);
  return hanging;
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
  pass_on(voice);
  tell_hanging(voice);
  note_hanging();
  take_isolated(voice, kIsolatedAtATime);
}

/// Takes what is left. A call that hangs keeps its model's messages out of the log for good, which the summary says.
void RunMessages::end_reader(RunVoice& voice) {
  reader_->request_end();
  const auto begun = std::chrono::steady_clock::now();
  std::vector<const MessageReader::Source*> hanging = note_hanging();
  bool ended = false;
  while (!(ended = reader_->ended())) {
    pass_on(voice);
    tell_hanging(voice);
    const MessageReader::Source* const awaited = reader_->awaited();
    const std::string call = awaited == nullptr ? "" : " (take_message() of " + awaited->code + ")";
    if (!run_.waits_on(std::chrono::steady_clock::now() - begun, {"the messages of models were taken", call},
                       kLongestRound))
      break;
    hanging = note_hanging();  // before ended(), which sees what has returned since
  }
  pass_on(voice);
  run_.silent.clear();
  for (const MessageReader::Source* const source : hanging) {
    run_.silent.push_back(source->model);
    give_up("messages of model '" + source->model + "' are not in the log: " + call_of(*source));
  }
  if (ended) return;
  const MessageReader::Source* const awaited = reader_->awaited();
  if (awaited != nullptr) run_.silent.push_back(awaited->model);
  give_up("messages of models are not all in the log: after " +
          rtsync::duration_text(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begun).count()) +
          (awaited == nullptr ? " there were more" : " " + awaited->code + " was still asked for more"));
}

/// The thread that reads is left behind, and the process has to end with it.
void RunMessages::give_up(const std::string& why) {
  run_.driver_stuck = true;
  run_.incomplete = true;
  run_.add_reason(why);
}

void RunMessages::finish() {
  if (reader_ && !run_.stuck) end_reader(*run_.voice);
  pass_on(*run_.voice);
  if (!run_.stuck) take_isolated(*run_.voice, kIsolatedAtTheEnd);
}

/// Waits for the calls of a run that was refused, whose models are destroyed next; after finish() there are none.
void RunMessages::drop() {
  if (!reader_ || run_.stuck || run_.driver_stuck) return;
  reader_->request_end();
  const rtsync::Doing doing("the messages of models were taken (take_message())");
  while (!reader_->hanging().empty() || !reader_->ended()) {
    (void)reader_->take();  // which makes room
    (void)reader_->look();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace tactus::executive
