// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/action/run_actions.hpp"

#include <utility>

#include "config/number.hpp"
#include "rtsync/joined.hpp"

namespace tactus::executive {
namespace {

constexpr std::int64_t kMostLines = 10'000;  // in the log; summary.json counts all

}  // namespace

RunActions::RunActions(RunContext& run)
    : run_(run), plan_(run.rig.settings().of<PlannedActions>().plan), part_(*plan_) {
  run.executive->add(part_);
}

/// "frame 412 (0.412 s)"
std::string RunActions::at(const ActionNote& note) const {
  if (note.frame < 0) return "before the first frame";
  const double seconds = static_cast<double>(run_.rig.plan().frame.times(note.frame).count()) / 1e9;
  return "frame " + std::to_string(note.frame) + " (" + config::print_real(seconds) + " s)";
}

void RunActions::add_entry(const ActionNote& note, const char* what, const std::string& name) {
  config::Json entry{{"what", what}, {"name", name}};
  if (note.frame >= 0) entry["frame"] = note.frame;
  run_.note(std::move(entry), "rig file");
}

void RunActions::tell(const ActionNote& note, RunVoice& voice) {
  using What = ActionNote::What;
  std::string line;
  const auto told = [&](const char* what, const std::string& name, const std::string& text) {
    add_entry(note, what, name);
    line = text + ", " + at(note);
  };
  const auto action = [&]() -> const Action& { return plan_->lists[note.index].actions[note.action]; };
  switch (note.what) {
    case What::event:
      told("event", plan_->events[note.index], "event " + plan_->events[note.index]);
      break;
    case What::step:
      told("step", plan_->steps[note.index], "step " + plan_->steps[note.index] + " begins after");
      line = "step " + plan_->steps[note.index] + " begins " +
             (note.frame < 0 ? "before the first frame" : "after " + at(note));
      break;
    case What::step_over:
      told("step over", plan_->steps[note.index], "step " + plan_->steps[note.index] + " is over");
      break;
    case What::step_failed:
      told("step timed out", plan_->steps[note.index], "step " + plan_->steps[note.index] + " timed out");
      break;
    case What::timed: {
      const ActionList& list = plan_->lists[plan_->timed[note.index].list];
      std::string all = rtsync::joined(list.actions, "; ", &Action::text);
      told("actions", all, list.owner + ": " + all);
      break;
    }
    case What::log:
      line = plan_->lists[note.index].owner + ": " + action().name + ", " + at(note);
      break;
    case What::trace:
      if (run_.trace) run_.trace(plan_->lists[note.index].owner);
      line = plan_->lists[note.index].owner + ": the flight recorder is written, " + at(note);
      break;
    case What::not_done:
      return voice.say(plan_->lists[note.index].owner + ": '" + action().text + "' could not be done, " +
                       at(note) +
                       "; its variable is forced, by a client or by another action, or too many requests of "
                       "the kind wait");
  }
  if (++lines_ < kMostLines) return voice.log().info(line);
  if (lines_ == kMostLines)
    voice.say("events and actions have filled " + std::to_string(kMostLines) +
              " lines of the log; more are counted in summary.json alone");
}

void RunActions::poll(RunVoice& voice) {
  ActionNote note;
  while (part_.take_note(note)) tell(note, voice);
}

void RunActions::finish() {
  poll(*run_.voice);
  if (const std::uint64_t lost = part_.lost(); lost > 0)
    run_.voice->say(std::to_string(lost) +
                    " notes of events and actions were lost, as more came than could be written; "
                    "summary.json counts the others");
}

void RunActions::summarize(config::Json& all, Summary what) const {
  if (what == Summary::known || plan_->events.empty()) return;
  config::Json& events = all["events"] = config::Json::object();
  for (std::size_t i = 0; i < plan_->events.size(); ++i) {
    const ActionPart::EventCount& event = part_.event(i);
    const auto frame = [](const std::atomic<std::int64_t>& k) {
      return k.load() < 0 ? config::Json(nullptr) : config::Json(k.load());
    };
    events[plan_->events[i]] = {
        {"count", event.count.load()}, {"first", frame(event.first)}, {"last", frame(event.last)}};
  }
}

}  // namespace tactus::executive
