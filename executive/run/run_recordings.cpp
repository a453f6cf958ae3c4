// SPDX-License-Identifier: Apache-2.0
#include "executive/run/run_recordings.hpp"

#include "config/text.hpp"

namespace tactus::executive {
namespace {

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
      part_(all_),
      recorder_(folder, rig.settings().flush_every) {
  for (Recording* const recording : all_) recorder_.add(*recording);
  if (all_.size() > rig.recordings().size()) frame_log_.emplace(*all_.back());
}

void RunRecordings::join(Executive& executive) {
  if (frame_log_) executive.add(*frame_log_);
  executive.add(part_);
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
    if (error.empty() || !told_.insert(recording).second) continue;
    voice.say("recording " + recording->name() + ": " + error +
              "; the rest of it is lost, and the rig continues");
  }
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

config::Json RunRecordings::facts() const {
  config::Json all = config::Json::array();
  for (const Recording* const recording : all_) {
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
