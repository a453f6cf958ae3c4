// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/replayed_changes.hpp"

#include <fstream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "config/json_of.hpp"
#include "executive/capability/live/live_value.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::drivers::link {
namespace {

using Kind = executive::LiveWrite::Kind;

constexpr std::size_t kMostUnderWay = 256;  // with the frames at a time; live access takes more
constexpr const char* kWho = "link: ";

/// A line of the journal.
struct Change {
  std::int64_t line = 0;
  std::int64_t frame = 0;
  Kind kind = Kind::set;
  std::string variable;
  Json value;
};

std::optional<Kind> kind_of_change(const std::string& what) {
  for (const Kind kind : {Kind::set, Kind::force, Kind::release, Kind::release_all})
    if (name_of(kind) == what) return kind;
  return std::nullopt;
}

[[noreturn]] void fail_at(const std::filesystem::path& file, std::int64_t line, const std::string& what) {
  throw std::runtime_error(file.string() + ":" + std::to_string(line) + ": " + what);
}

/// A journal that was full does not hold all.
void check_whole(const std::filesystem::path& folder) {
  int error = 0;
  const Json summary = config::json_of(rtsync::read_folder_file(folder / "summary.json", error));
  if (!summary.is_object() || !summary.contains("live") || !summary["live"].is_object()) return;
  const Json left_out = summary["live"].value("journal_lines_left_out", Json(0));
  if (left_out.is_number_integer() && left_out.get<std::int64_t>() > 0)
    throw std::runtime_error((folder / "journal.jsonl").string() +
                             ": was full (log.max_journal), so changes that "
                             "peers made are missing; record the run again with more room");
}

std::vector<Change> read_changes(const std::filesystem::path& folder) {
  std::vector<Change> changes;
  const std::filesystem::path path = folder / "journal.jsonl";
  const rtsync::Descriptor opened = rtsync::open_folder_file(path, O_RDONLY);
  if (opened.get() < 0 && errno == ENOENT) return changes;  // nobody changed anything
  if (opened.get() < 0) throw std::runtime_error(rtsync::file_error(path, errno));
  std::ifstream file("/proc/self/fd/" + std::to_string(opened.get()), std::ios::binary);
  check_whole(folder);
  std::string text;
  for (std::int64_t line = 1; std::getline(file, text); ++line) {
    const Json entry = config::json_of(text);
    if (!entry.is_object()) fail_at(path, line, "is not a line of a journal");
    const std::string who = entry.value("who", Json("")).is_string() ? entry.value("who", "") : "";
    if (!who.starts_with(kWho) || entry.contains("problem")) continue;
    const Json what = entry.value("what", Json(""));
    const auto kind = what.is_string() ? kind_of_change(what.get<std::string>()) : std::nullopt;
    if (!kind) continue;  // a command
    const Json frame = entry.value("frame", Json());
    const Json variable = entry.value("variable", Json(""));
    if (!frame.is_number_integer() || !variable.is_string())
      fail_at(path, line, "has no frame or no variable");
    changes.push_back(
        {line, frame.get<std::int64_t>(), *kind, variable.get<std::string>(), entry.value("value", Json())});
  }
  return changes;
}

}  // namespace

struct ReplayedChanges::Feed : std::enable_shared_from_this<Feed> {
  std::filesystem::path path;
  std::vector<Change> changes;
  std::vector<executive::LiveBatch> batches;
  std::mutex mutex;
  executive::LiveRig* rig = nullptr;  // with the mutex
  std::size_t handed = 0;             // likewise
  std::size_t under_way = 0;          // likewise
  std::string why;                    // likewise; written once
  std::atomic<std::int64_t> next{INT64_MAX};
  std::atomic<const char*> failure{nullptr};
  rtsync::Gate fed;

  std::string place(std::size_t i) const {
    return path.string() + ":" + std::to_string(changes[i].line) + ": ";
  }

  executive::LiveBatch batch_of(std::size_t i) const {
    const Change& change = changes[i];
    executive::LiveBatch batch{.frame = change.frame, .who = kWho + std::string("replay")};
    if (change.kind == Kind::release_all) {
      batch.writes.push_back({Kind::release_all, {}, {}});
      return batch;
    }
    std::string problem;
    const auto ref = rig->find(change.variable, problem);
    if (!ref) throw executive::DeviceError(place(i) + problem);
    // It was set, so it was not forced by then; what is on its way to the frames may not look like that yet.
    if (change.kind == Kind::set) batch.writes.push_back({Kind::release, *ref, {}});
    std::vector<std::byte> bytes;
    if (change.kind != Kind::release) {
      const executive::Variable& variable = *rig->variables()[ref->variable].variable;
      auto read = executive::from_json(variable, ref->elements, !ref->indexed && variable.count > 0,
                                       change.value, problem);
      if (!read) throw executive::DeviceError(place(i) + "the value of '" + change.variable + "' " + problem);
      bytes = std::move(*read);
    }
    batch.writes.push_back({change.kind, *ref, std::move(bytes)});
    return batch;
  }

  /// Notes a failure. The caller holds the mutex.
  void fail(std::size_t i, const std::string& what) {
    if (!why.empty()) return;
    why = "the replay differs: " + place(i) + what;
    failure.store(why.c_str(), std::memory_order_release);
  }

  void feed() {
    const std::scoped_lock held(mutex);
    while (rig != nullptr && handed < batches.size() && under_way < kMostUnderWay && why.empty()) {
      const std::size_t i = handed;
      const auto then = [self = shared_from_this(), i](const executive::LiveDone& done) {
        self->made(i, done);
      };
      auto problems = rig->write(batches[i], then);
      if (!problems.empty()) {  // of an asynchronous thread, which meets the frames when it is free
        executive::LiveBatch free = batches[i];
        free.not_before = *std::exchange(free.frame, std::nullopt);
        problems = rig->write(std::move(free), then);
      }
      if (!problems.empty()) {
        fail(i, problems.front());
        break;
      }
      ++handed;
      ++under_way;
    }
    const bool all = handed == batches.size();
    next.store(all || !why.empty() ? INT64_MAX : changes[handed].frame, std::memory_order_release);
    fed.open(fed.value() + 1);
  }

  void made(std::size_t i, const executive::LiveDone& done) {
    {
      const std::scoped_lock held(mutex);
      --under_way;
      if (!done.applied && done.frame >= 0) fail(i, done.problem);  // the end of the run is none
    }
    feed();
  }
};

ReplayedChanges::ReplayedChanges(const std::filesystem::path& run_folder)
    : feed_(std::make_shared<Feed>()), next_(feed_->next), failure_(feed_->failure) {
  feed_->path = run_folder / "journal.jsonl";
  feed_->changes = read_changes(run_folder);
  count_ = feed_->changes.size();
}

ReplayedChanges::~ReplayedChanges() {
  const std::scoped_lock held(feed_->mutex);
  feed_->rig = nullptr;
}

void ReplayedChanges::serve(executive::LiveRig& rig) {
  {
    const std::scoped_lock held(feed_->mutex);
    feed_->rig = &rig;
    for (std::size_t i = 0; i < count_; ++i) feed_->batches.push_back(feed_->batch_of(i));
  }
  feed_->feed();
}

bool ReplayedChanges::wait(std::int64_t k, rtsync::TimePoint<rtsync::MonotonicTime> deadline) TACTUS_RT {
  for (;;) {
    const std::uint32_t seen = feed_->fed.value();
    if (ready(k)) return true;
    if (feed_->fed.wait(seen + 1, rtsync::WaitMode::futex, deadline) == rtsync::Gate::Result::timeout)
      return ready(k);
  }
}

}  // namespace tactus::drivers::link
