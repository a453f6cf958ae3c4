// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/run_live.hpp"

#include <unistd.h>

#include <chrono>
#include <string>

#include "executive/capability/cause/run_teller.hpp"
#include "executive/capability/checkpoint/rig_checkpoints.hpp"
#include "executive/capability/fault/run_faults.hpp"
#include "executive/capability/flight/run_flight.hpp"
#include "executive/capability/judge/run_judge.hpp"
#include "executive/capability/record/run_recordings.hpp"
#include "executive/capability/stimulus/run_stimuli.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/run_base/machine_error.hpp"
#include "rtsync/crash/witness_page.hpp"

namespace tactus::executive {
namespace {

/// A word that no other run has.
std::string new_run() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) + "-" +
         std::to_string(::getpid());
}

LiveFacts facts_of(const RunContext& run) {
  const Rig& rig = run.rig;
  LiveFacts facts{rig.settings().rig.value, run.options.folder, rig.plan().frame};
  facts.epoch_ns = rig.epoch_ns();
  facts.frames = run.options.frames;
  facts.realtime = run.realtime;
  facts.linked = rig.link() != nullptr;
  facts.max_journal = rig.settings().log.max_journal;
  facts.run = new_run();
  facts.file = file_of(rig.settings());
  return facts;
}

/// Services of the run for live access; some capabilities that they call come later in the list.
LiveServices services_of(RunContext& run) {
  const auto checkpoints = [&run]() -> RigCheckpoints& { return *run.find<RigCheckpoints>(); };
  return {[checkpoints](const std::string& name) { return checkpoints().request(name); },
          [checkpoints](const std::string& name) { return checkpoints().load(name); },
          [&run](const std::string& name, bool on) { return run.find<RunRecordings>()->switch_to(name, on); },
          [checkpoints] { return checkpoints().impossible(); },
          [&run] { return run.executive->restorer().reset_refusal(); },
          [&run](const LiveTraceCall& call, std::function<void(LiveTrace)> then) {
            run.find<RunFlight>()->trace(call, std::move(then));
          }};
}

}  // namespace

RunLive::RunLive(RunContext& run)
    : run_(run), access_(run.rig, *run.executive, facts_of(run), services_of(run)) {
  run.voice->log().tell(access_.history(LiveList::log));
  run.find<RunTeller>()->tell(access_.history(LiveList::overruns));
  if (RunJudge* const judge = run.find<RunJudge>()) judge->tell(access_.history(LiveList::verdicts));
  run.journal = [this](config::Json entry, const std::string& who) { access_.note(std::move(entry), who); };
}

void RunLive::open() {
  // They come later in the list than live access, and are there by now.
  if (const RunFaults* const faults = run_.find<RunFaults>()) access_.show(faults->switches());
  if (const RunStimuli* const stimuli = run_.find<RunStimuli>()) access_.show(stimuli->switches());
  if (const RunRecordings* const recordings = run_.find<RunRecordings>())
    access_.show(recordings->switches());
  const rtsync::ThreadSettings helper = run_.cpus.helper("live");
  access_.start(helper);
  try {
    for (const auto& server : run_.rig.live_servers()) {
      server->open(access_, helper);
      for (const std::string& line : server->take_log_lines()) run_.voice->announce(line);
    }
  } catch (const DeviceError& error) {
    throw not_started(error.what());
  }
  if (Link* const link = run_.rig.link(); link != nullptr && link->takes_commands()) link->serve(access_);
}

void RunLive::poll(RunVoice& voice) {
  access_.answer_reports(run_.report);
  access_.note_switches();
  for (const std::string& line : access_.take_log_lines()) voice.say(line);
  for (const auto& server : run_.rig.live_servers())
    for (const std::string& line : server->take_log_lines()) voice.mention(line);
}

void RunLive::close_servers() {
  for (const auto& server : run_.rig.live_servers()) server->close();
}

void RunLive::drop() {
  close_servers();
  access_.end({Outcome::aborted, "the rig was not started", 0});  // what it asks may be gone next
}

void RunLive::ended() {
  const rtsync::Doing doing("the control port was closed");
  access_.end(run_.end);
  close_servers();
  poll(*run_.voice);
  run_.asked_status = access_.exit_status();
}

}  // namespace tactus::executive
