// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/record/run_recordings.hpp"

#include <algorithm>

#include "config/text.hpp"
#include "executive/capability/record/settings.hpp"
#include "rtsync/crash/witness_page.hpp"

namespace tactus::executive {
namespace {

constexpr std::chrono::seconds kLongest{60};  // that frames outside of real time wait for the disk

std::vector<Recording*> recordings_of(Rig& rig, bool frame_log) {
  std::vector<Recording*> all;
  for (Recording& recording : rig.recordings()) all.push_back(&recording);
  if (frame_log && rig.frame_log() != nullptr) all.push_back(rig.frame_log());
  return all;
}

}  // namespace

RunRecordings::RunRecordings(Rig& rig, const std::filesystem::path& folder, bool frame_log)
    : rig_(rig),
      all_(recordings_of(rig, frame_log)),
      part_(all_, rig.recordings().size()),
      recorder_(folder, rig.settings().of<RecordSettings>().flush_every) {
  for (Recording* const recording : all_) recorder_.add(*recording);
  if (all_.size() > rig.recordings().size()) frame_log_.emplace(*all_.back());
}

RunRecordings::RunRecordings(RunContext& run)
    : RunRecordings(run.rig, run.options.folder, run.options.realtime) {
  run_ = &run;
  join(*run.executive);
}

void RunRecordings::join(Executive& executive) {
  if (frame_log_) executive.add(*frame_log_);
  executive.add(part_);
}

void RunRecordings::prepare() {
  if (!run_->realtime) return;
  for (Recording* const recording : all_) recording->make_present();
}

bool RunRecordings::initialized() {
  // What is not in real time is the same in every run, byte for byte.
  if (run_->realtime && rig_.epoch_ns() == 0) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    set_epoch(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() -
              rig_.plan().frame.times(run_->first_frame()).count());
  }
  try {
    run_->add(start(run_->cpus.small_helper("recorder")));
    return true;
  } catch (const std::exception& error) {
    run_->end = {Outcome::failed, error.what(), 0};
    run_->executive->abandon();
  }
  return false;
}

void RunRecordings::finish() {
  const std::chrono::seconds kSaid{1};
  const auto begun = std::chrono::steady_clock::now();
  const auto waits = [this, begun, kSaid, said = false](std::chrono::nanoseconds hangs) mutable {
    const Recording* const busy = busy_with();
    // Its calls return, but there are many of them: a file of thousands of columns, each written by itself.
    if (!said && busy != nullptr && hangs < kSaid && std::chrono::steady_clock::now() - begun >= kSaid) {
      said = true;
      run_->voice->say("the frames are over, and recording " + busy->name() +
                       " is still being written to its file; the run ends after that");
    }
    return run_->waits_on(hangs,
                          {"the file of recording " + (busy == nullptr ? "" : busy->name()) + " was closed",
                           busy == nullptr ? "" : busy->present_call()},
                          std::chrono::seconds(60));
  };
  {
    const rtsync::Doing doing("the recordings were closed");
    if (!stop(waits)) run_->file_stuck = true;
  }
  tell_losses(*run_->voice);
  if (const std::string lost = failures(); !lost.empty()) {
    run_->incomplete = true;
    run_->add_reason(lost);
  }
}

void RunRecordings::set_epoch(std::int64_t epoch_ns) {
  for (Recording* const recording : all_) recording->set_epoch(epoch_ns);
}

std::vector<rtsync::Provision> RunRecordings::start(const rtsync::ThreadSettings& helper) {
  recorder_.start(helper);
  return recorder_.provisions();
}

std::string RunRecordings::switch_to(const std::string& name, bool on) {
  bool found = false;
  std::vector<std::string> names;
  for (Recording& recording : rig_.recordings()) {
    names.push_back(recording.name());
    if (!name.empty() && recording.name() != name) continue;
    recording.switch_to(on);
    found = true;
  }
  if (found) return "";
  if (names.empty()) return "the rig has no recordings; they stand in the rig file (`record:`)";
  return "there is no recording " + config::show(name) + "; there are " + config::show_all(names);
}

void RunRecordings::tell_losses(RunVoice& voice) const {
  for (const Recording* const recording : all_) {
    if (const std::string losses = recording->losses(); !losses.empty())
      voice.say("recording " + recording->name() + ": " + losses);
  }
}

void RunRecordings::poll_seldom(RunVoice& voice) {
  for (const Recording* const recording : all_) {
    const std::string error = recording->error();
    const std::string missing = recording->missing();
    if (!error.empty() && told_.insert(recording).second)
      voice.say("recording " + recording->name() + ": " + error +
                "; the rest of it is lost, and the rig continues");
    else if (error.empty() && !missing.empty() && told_missing_.insert(recording).second)
      voice.say("recording " + recording->name() + ": " + missing +
                "; all of it is lost unless that is undone before the run ends, and the rig continues");
  }
}

void RunRecordings::look(RunVoice& voice, bool stops) {
  const bool waits = std::ranges::any_of(all_, [](const Recording* each) { return each->waits_for_room(); });
  const std::vector<const Recording*> hanging = recorder_.hanging();
  for (const Recording* const recording : hanging) {
    if (!hanging_.insert(recording).second) continue;
    voice.say("the recorder has not returned for a second from a call on the file of recording " +
              recording->name() + recording->present_call() +
              (waits
                   ? ": the frames wait when its memory is full; stop the rig, or bring the file system back"
                   : ": its records wait in memory, and are lost when that is full") +
              (all_.size() > 1 ? "; the other recordings are written meanwhile" : ""));
  }
  for (auto each = hanging_.begin(); each != hanging_.end();) {
    const Recording* const recording = *each++;
    if (std::ranges::find(hanging, recording) != hanging.end()) continue;
    hanging_.erase(recording);
    voice.say("the recorder writes recording " + recording->name() + " again");
  }
  recorder_.take_over();
  if (waits && !hanging.empty() && (stops || recorder_.hangs() >= kLongest))
    for (Recording* const each : all_) each->wait_for_room(false);
}

std::string RunRecordings::failures() const {
  std::string all;
  for (const Recording* const recording : all_)
    if (!recording->error().empty())
      all += (all.empty() ? "" : "; ") + ("recording " + recording->name() + ": " + recording->losses());
  return all;
}

std::uint64_t RunRecordings::lost() const {
  std::uint64_t lost = 0;
  for (const Recording* const recording : all_) lost += recording->lost();
  return lost;
}

config::Json RunRecordings::summary() const {
  config::Json all = config::Json::array();
  for (const Recording* const recording : all_)
    all.push_back({{"name", recording->name()},
                   {"sampled", recording->sampled()},
                   {"written", recording->written()},
                   {"lost", recording->lost()},
                   {"error", recording->error()},
                   {"ended", recording->ended()}});
  return all;
}

void RunRecordings::known(const RunContext& run, config::Json& all) {
  all["recordings"] = facts_of(recordings_of(run.rig, run.options.realtime));
}

config::Json RunRecordings::facts_of(const std::vector<Recording*>& recordings) {
  config::Json all = config::Json::array();
  for (const Recording* const recording : recordings) {
    all.push_back({{"name", recording->name()}, {"ended", false}});
    const std::string error = recording->error();
    if (error.empty()) continue;
    all.back()["written"] = recording->written();
    all.back()["lost"] = recording->lost();
    all.back()["error"] = error;
  }
  return all;
}

}  // namespace tactus::executive
