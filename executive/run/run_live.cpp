// SPDX-License-Identifier: Apache-2.0
#include "executive/run/run_live.hpp"

#include <unistd.h>

#include <chrono>
#include <string>

#include "executive/driver/device_error.hpp"
#include "executive/run_base/machine_error.hpp"

namespace tactus::executive {
namespace {

/// A word that no other run has.
std::string new_run() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) + "-" +
         std::to_string(::getpid());
}

LiveFacts facts_of(const Rig& rig, const RunOptions& options, bool realtime) {
  LiveFacts facts{rig.settings().rig.value, options.folder, rig.plan().frame};
  facts.epoch_ns = rig.epoch_ns();
  facts.frames = options.frames;
  facts.realtime = realtime;
  facts.linked = rig.link() != nullptr;
  facts.max_journal = rig.settings().log.max_journal;
  facts.run = new_run();
  facts.file = file_of(rig.settings());
  return facts;
}

}  // namespace

RunLive::RunLive(const Rig& rig, Executive& executive, const RunOptions& options, bool realtime,
                 RigCheckpoints& checkpoints, RunRecordings& recordings, RunFlight& flight)
    : rig_(rig),
      access_(rig, executive, facts_of(rig, options, realtime),
              {[&checkpoints](const std::string& name) { return checkpoints.request(name); },
               [&checkpoints](const std::string& name) { return checkpoints.load(name); },
               [&recordings](const std::string& name, bool on) { return recordings.switch_to(name, on); },
               [&checkpoints] { return checkpoints.impossible(); },
               [&executive] { return executive.restorer().reset_refusal(); },
               [&flight](const LiveTraceCall& call, std::function<void(LiveTrace)> then) {
                 flight.trace(call, std::move(then));
               }}) {}

void RunLive::open(const RigCpus& cpus, RunVoice& voice) {
  const rtsync::ThreadSettings helper = cpus.helper("live");
  access_.start(helper);
  try {
    for (const auto& server : rig_.live_servers()) {
      server->open(access_, helper);
      for (const std::string& line : server->take_log_lines()) voice.announce(line);
    }
  } catch (const DeviceError& error) {
    throw not_started(error.what());
  }
}

void RunLive::poll(RunVoice& voice) {
  if (reports_) access_.answer_reports([this](LiveReport which) { return reports_->make(which); });
  for (const std::string& line : access_.take_log_lines()) voice.say(line);
  for (const auto& server : rig_.live_servers())
    for (const std::string& line : server->take_log_lines()) voice.mention(line);
}

void RunLive::close(const RunEnd& end, RunVoice& voice) {
  access_.end(end);
  for (const auto& server : rig_.live_servers()) server->close();
  poll(voice);
}

}  // namespace tactus::executive
