// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/checkpoint/rig_checkpoints.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "config/date.hpp"
#include "config/place.hpp"
#include "config/text.hpp"
#include "executive/capability/action/action.hpp"
#include "executive/capability/checkpoint/settings.hpp"
#include "executive/state/checkpoint_file.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

constexpr const char* kByFrame = "frame-";

/// The file in the folder for checkpoints that a client means by "here" or "here.tck". Why there is none;
/// empty: there is.
std::string file_name(const std::string& name, std::string& file) {
  constexpr std::string_view kEnding = ".tck";
  const bool plain = !name.empty() && name.front() != '.' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
  file = name.ends_with(kEnding) ? name : name + std::string(kEnding);
  if (plain && file.size() <= CheckpointPart::kLongestName) return "";
  return config::show(name) + " is not a name of a checkpoint: write at most " +
         std::to_string(CheckpointPart::kLongestName) +
         " letters, digits, '_', '-' and '.'; its file lies in the run's folder for checkpoints";
}

}  // namespace

RigCheckpoints::RigCheckpoints(const Rig& rig, const std::filesystem::path& run_folder)
    : rig_(rig),
      folder_(run_folder / rig.settings().of<CheckpointSection>().folder),
      writer_(rig.settings().rig.value, rig.plan().frame, TACTUS_VERSION) {}

bool RigCheckpoints::wanted() const {
  const CheckpointSection& section = rig_.settings().of<CheckpointSection>();
  const std::vector<TimedCommand>& commands = rig_.plan().commands;
  for (const ActionList& list : rig_.settings().of<PlannedActions>().plan->lists)
    for (const Action& action : list.actions)
      if (action.kind == ActionKind::checkpoint) return true;
  return section.every || section.at_end || std::ranges::any_of(commands, [](const TimedCommand& timed) {
           return timed.call.command == Command::checkpoint || timed.call.command == Command::reset;
         });
}

std::string RigCheckpoints::impossible() const {
  return rig_.settings().of<CheckpointSection>().enabled ? refusal_
                                                         : "the rig file says checkpoint: { enabled: no }";
}

std::vector<rtsync::Provision> RigCheckpoints::prepare(Executive& executive) {
  const CheckpointSection& section = rig_.settings().of<CheckpointSection>();
  executive_ = &executive;
  if (!section.enabled) return {};
  try {
    const rtsync::Nanoseconds copy = executive.restorer().prepare_reset();
    prepare_gradual(copy);
    writer_.reserve(executive.restorer().image(), tracker_.get());
    if (writer_.gradual() != nullptr) executive.accounts().evidence().excuse_faults_of(*writer_.gradual());
    std::int64_t every = 0;
    if (section.every) every = rig_.plan().frame.begun_in(*section.every);
    executive.add(part_.emplace(writer_, folder_.string(), every, copy));
    std::error_code error;
    if (wanted()) std::filesystem::create_directories(folder_, error);
    if (error)
      return {rtsync::refused("the folder for checkpoints " + folder_.string(), "none",
                              {error.message(), "set checkpoint.folder to one that can be made"})};
  } catch (const std::exception& error) {
    refusal_ = error.what();
    if (wanted())
      return {
          rtsync::refused("checkpoints and resets", "none",
                          {refusal_, "set checkpoint: { enabled: no }, and remove what needs checkpoints"})};
  }
  return {};
}

/// A state whose copy takes more than an eighth of a frame may not fit the slack: it can be copied gradually,
/// where the kernel lets it.
void RigCheckpoints::prepare_gradual(rtsync::Nanoseconds copy) {
  const rtsync::Nanoseconds frame = rig_.plan().frame.floor();
  if (!rig_.settings().realtime.enabled.value || copy <= frame / 8) return;
  const StateImage& image = executive_->restorer().image();
  const std::string what = "a checkpoint copies " + std::to_string(image.bytes() / 1'000'000) +
                           " MB, which takes about " + rtsync::duration_text(copy.count()) +
                           " here, in frames of " + rtsync::duration_text(frame.count()) + ": ";
  try {
    tracker_ = std::make_unique<rtsync::KernelWriteTracker>(GradualCopy::pages_of(image));
    lines_.push_back({what +
                          "where that does not fit the slack it is copied in pieces, and meanwhile the first "
                          "write to a page takes " +
                          rtsync::duration_text(tracker_->fault_cost().count()) + " longer",
                      false});
  } catch (const std::exception& error) {
    lines_.push_back(
        {what +
             "where that does not fit the slack, the checkpoint waits until the rig is paused; it "
             "cannot be copied in pieces: " +
             error.what(),
         wanted()});
  }
}

/// Reads a checkpoint. Returns what does not fit; nothing: it is in `to`.
std::vector<std::string> RigCheckpoints::read(const std::filesystem::path& file, LoadedState& to) const {
  const StateImage& image = executive_->restorer().image();
  Checkpoint checkpoint;
  try {
    checkpoint = read_checkpoint(file, image.bytes() + (std::uint64_t{1} << 30));
  } catch (const std::exception& error) {
    return {error.what()};
  }
  std::vector<std::string> wrong = mismatches(checkpoint, image, rig_.plan().frame);
  if (wrong.empty() && checkpoint.head.frame + 1 >= end_)
    wrong.push_back("it was taken at simulated time " + rtsync::sim_time_text(checkpoint.head.sim_time_ns) +
                    ", at or after the end of this run (until, --until, --frames)");
  if (wrong.empty()) to = LoadedState{image_for(checkpoint, image), checkpoint.head.frame + 1};
  return wrong;
}

void RigCheckpoints::read_start(const std::filesystem::path& from, std::int64_t end) {
  end_ = end;
  if (from.empty()) return;
  const config::SourceLocation place{"--from " + from.string(), 1, 1};
  if (const std::string why = impossible(); !why.empty()) throw config::ConfigError(place, "--from", why);
  config::Problems problems;
  LoadedState state;
  for (const std::string& wrong : read(from, state)) problems.add(place, "--from", wrong);
  if (!problems.empty()) throw config::ConfigError(problems);
  start_ = std::move(state);
}

std::string RigCheckpoints::load(const std::string& name) {
  if (const std::string why = impossible(); !why.empty()) return why;
  std::string file;
  if (std::string why = file_name(name, file); !why.empty()) return why;
  const std::lock_guard lock(loading_mutex_);
  if (loading_ != nullptr && executive_->restart().loaded() == loaded_before_)
    return "another checkpoint is being loaded; wait until it is";
  if (is_awaited(file))
    return "checkpoint " + config::show(file) + " is still to be written; try again in a moment";
  auto state = std::make_unique<LoadedState>();
  std::string all = rtsync::joined(read(folder_ / file, *state), "; ");
  if (!all.empty()) return all;
  loading_ = std::move(state);
  loaded_before_ = executive_->restart().loaded();
  loading_file_ = (folder_ / file).string();
  executive_->request_load(*loading_);
  return "";
}

RigCheckpoints::FileId RigCheckpoints::id_of(const std::filesystem::path& file) {
  struct stat found {};
  if (::lstat(file.c_str(), &found) != 0) return std::nullopt;
  return std::pair(found.st_dev, found.st_ino);
}

/// Awaits no file any more once all that were asked for are written. The caller holds the lock.
void RigCheckpoints::forget_written() {
  if (!part_->is_asked() && !writer_.busy()) awaited_.clear();
}

/// Returns true if this file was asked for, and what is there is still an older one, or none. The caller holds the lock.
bool RigCheckpoints::is_awaited(const std::string& file) {
  forget_written();
  if (file.starts_with(kByFrame) && awaited_.contains(kByFrame)) return true;
  const auto found = awaited_.find(file);
  return found != awaited_.end() && (found->second.is_twice || found->second.older == id_of(folder_ / file));
}

std::string RigCheckpoints::request(const std::string& name) {
  if (const std::string why = impossible(); !why.empty()) return why;
  std::string file;
  if (!name.empty())
    if (std::string why = file_name(name, file); !why.empty()) return why;
  std::error_code ignored;  // the writing says what is wrong
  std::filesystem::create_directories(folder_, ignored);
  const std::lock_guard lock(loading_mutex_);
  forget_written();
  const FileId older = file.empty() ? FileId() : id_of(folder_ / file);
  if (file.empty()) {
    part_->request();
  } else if (!part_->request(file)) {
    return "another checkpoint with a name waits for the end of its frame; try again";
  }
  const auto [awaited, is_new] =
      awaited_.try_emplace(file.empty() ? std::string(kByFrame) : file, Awaited{.older = older});
  if (!is_new) awaited->second.is_twice = true;
  return "";
}

bool RigCheckpoints::stop(const std::function<bool(std::chrono::nanoseconds)>& wait) {
  const bool stopped = writer_.stop(wait);
  if (part_ && part_->waiting() > 0) {
    ++unfinished_;
    lines_.push_back({"a checkpoint was not taken: it waited for " + std::to_string(part_->waiting()) +
                          " frames, until the end of the run",
                      true});
  }
  return stopped;
}

/// Once for each that waits for more than five seconds.
void RigCheckpoints::tell_waiting() {
  const std::int64_t waiting = part_ ? part_->waiting() : 0;
  if (waiting < told_waiting_) told_waiting_ = 0;
  if (told_waiting_ > 0 || rig_.plan().frame.times(waiting) < std::chrono::seconds(5)) return;
  told_waiting_ = waiting;
  std::string why = "its copy does not fit the slack";
  if (const GradualCopy* const gradual = writer_.gradual();
      gradual != nullptr && gradual->needed().count() > 0)
    why = "frames write too much: the last piece takes " + rtsync::duration_text(gradual->needed().count()) +
          ", more than the slack leaves";
  lines_.push_back({"a checkpoint has waited for " + std::to_string(waiting) + " frames: " + why +
                        "; it is taken when the rig is paused",
                    true});
}

bool RigCheckpoints::wants_end() const {
  return rig_.settings().of<CheckpointSection>().at_end && impossible().empty();
}

RigCheckpoints::Saved RigCheckpoints::save_end() const {
  if (const std::string why = executive_->transitions().incomplete(executive_->frames_done()); !why.empty())
    return {"", why};
  const std::vector<std::byte> bytes = executive_->restorer().copy();  // a job that fails fails the run
  try {
    const std::filesystem::path file = folder_ / "end.tck";
    CheckpointHead head{.rig = rig_.settings().rig.value,
                        .frame = executive_->frames_done() - 1,
                        .sim_time_ns = rig_.plan().frame.times(executive_->frames_done()).count(),
                        .period = rig_.plan().frame,
                        .version = TACTUS_VERSION,
                        .created = utc_now()};
    (void)write_checkpoint(file, head, executive_->restorer().image(), bytes);
    return {file.string(), ""};
  } catch (const std::exception& error) {
    return {"", error.what()};
  }
}

void RigCheckpoints::take(Saved saved) {
  if (saved.error.empty()) {
    lines_.push_back({"checkpoint " + saved.file + " of the end", false});
    written_.push_back(std::move(saved.file));
  } else {
    ++failed_;
    lines_.push_back({"the checkpoint of the end was not written: " + saved.error, true});
  }
}

void RigCheckpoints::prepare() {
  run_->add(prepare(*run_->executive));
  read_start(run_->options.from, run_->options.frames);
  if (start_) run_->start = &*start_;
}

void RigCheckpoints::leave() {
  if (run_->stuck || !run_->end.in_order() || !wants_end()) return;
  const std::int64_t frames = run_->end.frames;
  if (run_->aside("the checkpoint of the end", [this] { saved_ = save_end(); }))
    take(std::move(saved_));
  else
    run_->end.frames = frames;
}

void RigCheckpoints::finish() {
  const rtsync::Doing doing("the last checkpoint was written");
  const auto waits = [this](std::chrono::nanoseconds hangs) {
    return run_->waits_on(hangs, {"the last checkpoint was written"}, std::chrono::minutes(10));
  };
  if (!stop(waits)) run_->file_stuck = true;
  poll(*run_->voice);
}

void RigCheckpoints::poll(RunVoice& voice) {
  {
    const std::lock_guard lock(loading_mutex_);
    if (!loading_file_.empty() && executive_->restart().loaded() != loaded_before_) {
      lines_.push_back({"loaded checkpoint " + loading_file_ + ": the rig continues at frame " +
                            std::to_string(loading_->frame),
                        true});
      loading_file_.clear();
    }
  }
  tell_waiting();
  std::vector<Line> lines = std::exchange(lines_, {});
  for (const CheckpointResult& result : writer_.poll()) {
    const std::string what = "checkpoint " + result.path + ": ";
    if (result.error.empty()) {
      written_.push_back(result.path);
      lines.push_back({what + std::to_string(result.bytes) + " bytes after frame " +
                           std::to_string(result.frame) + ", written in " +
                           rtsync::duration_text(result.took.count()),
                       false});
    } else {
      ++failed_;
      lines.push_back({what + result.error, true});
    }
  }
  if (const std::int64_t missed = part_ ? part_->missed() : 0; missed > missed_) {
    lines.push_back(
        {std::to_string(missed - missed_) + " checkpoints were not taken: the one before was still under way",
         true});
    missed_ = missed;
  }
  for (const Line& line : lines) line.warning ? voice.say(line.text) : voice.log().info(line.text);
}

config::Json RigCheckpoints::summary() const {
  const GradualCopy* const gradual = writer_.gradual();
  return {{"written", written_},
          {"failed", failed_},
          {"missed", missed_},
          {"unfinished", unfinished_},
          {"in_pieces", part_ ? part_->gradual() : 0},
          {"most_frames_waited", part_ ? part_->most_waited() : 0},
          {"page_faults", gradual != nullptr ? gradual->faults() : 0},
          {"too_late", gradual != nullptr ? gradual->too_late() : 0},
          {"begun_anew", gradual != nullptr ? gradual->rests() : 0}};
}

config::Json RigCheckpoints::list() const {
  namespace fs = std::filesystem;
  constexpr std::size_t kMost = 200;
  struct Found {
    fs::file_time_type written;
    std::string name;
    std::uintmax_t bytes;
  };
  std::vector<Found> all;
  for (const fs::path& entry : rtsync::entries_of(folder_)) {
    std::error_code gone;
    const std::string name = entry.filename().string();
    std::string file;
    if (entry.extension() != ".tck" || !file_name(name, file).empty() || !fs::is_regular_file(entry, gone))
      continue;
    const Found found{fs::last_write_time(entry, gone), entry.stem().string(), fs::file_size(entry, gone)};
    if (!gone) all.push_back(found);
  }
  std::ranges::sort(all, [](const Found& a, const Found& b) {
    return a.written != b.written ? a.written > b.written : a.name < b.name;
  });
  config::Json listed = config::Json::array();
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    const auto written = std::chrono::file_clock::to_sys(all[i].written).time_since_epoch();
    listed.push_back(
        {{"name", all[i].name},
         {"bytes", all[i].bytes},
         {"written",
          config::print_date(std::chrono::duration_cast<std::chrono::nanoseconds>(written).count())}});
  }
  return {{"folder", folder_.string()},
          {"checkpoints", std::move(listed)},
          {"left_out", all.size() > kMost ? all.size() - kMost : 0}};
}

}  // namespace tactus::executive
