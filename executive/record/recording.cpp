// SPDX-License-Identifier: Apache-2.0
#include "executive/record/recording.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "executive/record/losses_text.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;

// Enough for a disk that stalls for some seconds at 1 kHz; small records get as many slots as fit into 4 MiB, but not
// more than 16 s need. Large ones do not take more than 64 MiB for more than 16 s.
std::size_t slots_for(std::size_t bytes, rtsync::Nanoseconds every) {
  constexpr std::size_t kFew = 64, kLeast = 4096, kMost = 65536;
  const std::size_t slots = std::clamp<std::size_t>((std::size_t{4} << 20) / bytes, kLeast, kMost);
  if (every <= rtsync::Nanoseconds{0}) return slots;
  const auto needed = static_cast<std::size_t>(16s / every);
  const std::size_t least = std::clamp(std::max((std::size_t{64} << 20) / bytes, needed), kFew, kLeast);
  return std::min(slots, std::max(least, needed));
}

std::size_t bytes_of(const std::vector<VariableRef>& variables, const std::vector<VariableRef>& watched) {
  std::size_t bytes = sizeof(std::int64_t);
  for (const auto* refs : {&variables, &watched})
    for (const VariableRef& ref : *refs) bytes += ref.elements * size_of(ref.variable->type);
  return bytes;
}

std::vector<RecordColumn> columns_of(const std::vector<VariableRef>& variables) {
  std::vector<RecordColumn> columns;
  std::size_t offset = sizeof(std::int64_t);
  for (const VariableRef& ref : variables) {
    const Variable& variable = *ref.variable;
    for (std::uint32_t i = 0; i < ref.elements; ++i, offset += size_of(variable.type))
      columns.push_back({variable.name + index_text(variable, ref.first + i), variable.unit_text,
                         variable.type, offset, variable.labels, variable.recorded_as_word, variable.about});
  }
  return columns;
}

}  // namespace

Recording::Recording(std::string name, const std::vector<VariableRef>& variables,
                     std::unique_ptr<RecordSink> sink, RecordingChoices choices)
    : head_{std::move(name), columns_of(variables), choices.epoch_ns},
      sink_(std::move(sink)),
      filters_(std::move(choices.filters)),
      ring_(bytes_of(variables, choices.watched),
            slots_for(bytes_of(variables, choices.watched), choices.every), rtsync::RingMemory::as_used) {
  std::size_t offset = sizeof(std::int64_t);
  const auto add = [&](const VariableRef& ref) {
    const std::size_t bytes = ref.elements * size_of(ref.variable->type);
    sources_.push_back(
        {ref.model, ref.data(), static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(offset)});
    offset += bytes;
  };
  std::for_each(variables.begin(), variables.end(), add);
  std::for_each(choices.watched.begin(), choices.watched.end(), add);
  for (std::size_t i = 0; i < filters_.size(); ++i)
    filters_[i]->lead_to(i + 1 < filters_.size() ? static_cast<RecordTaker&>(*filters_[i + 1]) : *this);
}

RecordTaker& Recording::entrance() {
  return filters_.empty() ? static_cast<RecordTaker&>(*this) : *filters_.front();
}

int Recording::sample(void* self, const tactus_call* call) {
  static_cast<Recording*>(self)->take_sample(call->sim_time_ns);
  return 0;
}

void Recording::take_sample(std::int64_t sim_time_ns) {
  const bool on = on_.load(std::memory_order_relaxed);
  if ((seen_switch_.load(std::memory_order_relaxed) & 1) != (on ? 1 : 0))
    seen_switch_.store(2 * sim_time_ns + (on ? 1 : 0), std::memory_order_relaxed);
  if (!on) return;
  std::byte* slot = ring_.claim();
  while (slot == nullptr && waits_for_room_.load(std::memory_order_relaxed) &&
         !failed_.load(std::memory_order_relaxed)) {
    if (progress_ != nullptr) progress_->fetch_add(1, std::memory_order_relaxed);
    std::this_thread::sleep_for(100us);  // only outside of real time
    slot = ring_.claim();
  }
  if (slot == nullptr) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  std::memcpy(slot, &sim_time_ns, sizeof sim_time_ns);
  for (const Source& source : sources_) std::memcpy(slot + source.offset, source.data, source.bytes);
  ring_.publish();
}

void Recording::redirect(
    const std::function<const void*(const ModelInstance*, const void*, std::size_t)>& where) {
  for (Source& source : sources_)
    if (const void* const elsewhere = where(source.model, source.data, source.bytes)) source.data = elsewhere;
}

void Recording::open(const std::filesystem::path& folder) {
  RecordingHead written = head_;
  for (const auto& filter : filters_) written.columns = filter->columns(std::move(written.columns));
  file_name_ = sink_->file_name(head_.name);
  sink_->open(folder / file_name_, written);
  folder_ = rtsync::HeldFile(rtsync::Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)));
  struct stat made {};
  if (::fstatat(folder_.get(), file_name_.c_str(), &made, AT_SYMLINK_NOFOLLOW) != 0) return;
  device_ = made.st_dev;
  number_ = made.st_ino;
}

void Recording::take(const std::byte* record) {
  try {
    if (!failed_.load(std::memory_order_relaxed)) sink_->write(record);
  } catch (const std::exception& error) {
    fail(error);
  }
  (failed_.load(std::memory_order_relaxed) ? lost_ : written_).fetch_add(1, std::memory_order_relaxed);
}

void Recording::fail(const std::exception& error) {
  if (error_.empty()) error_ = error.what();
  failed_.store(true, std::memory_order_release);
  if (const auto* const lost = dynamic_cast<const RecordsLost*>(&error)) {
    // A driver cannot lose more than it took.
    const std::uint64_t records = std::min(lost->records(), written());
    written_.fetch_sub(records, std::memory_order_relaxed);
    lost_.fetch_add(records, std::memory_order_relaxed);
  }
}

std::uint64_t Recording::written() const {
  const bool given_up = given_up_.load(std::memory_order_acquire);
  return (given_up ? flushed_ : written_).load(std::memory_order_relaxed);
}

std::uint64_t Recording::lost() const {
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  if (!given_up_.load(std::memory_order_acquire)) return lost;
  const std::uint64_t unflushed =
      written_.load(std::memory_order_relaxed) - flushed_.load(std::memory_order_relaxed);
  return lost + unflushed + ring_.size();
}

std::string Recording::error() const {
  if (given_up_.load(std::memory_order_acquire)) return why_given_up_;
  return failed_.load(std::memory_order_acquire) ? error_ : "";
}

void Recording::give_up(std::string why) {
  wait_for_room(false);
  if (given_up_.load()) return;
  why_given_up_ = std::move(why);
  given_up_.store(true, std::memory_order_release);
}

/// Returns what follows the name of the file in a sentence; nullptr: the run folder has it.
const char* Recording::what_became_of_file() const {
  if (number_ == 0 || rtsync::is_file_of(folder_.get(), file_name_, device_, number_)) return nullptr;
  return folder_.is_taken() ? ": a model or a library closed files of the rig"
                            : " was removed or replaced while the rig wrote it";
}

std::string Recording::missing() const {
  const char* const what = missing_.load();
  return what == nullptr ? "" : file_name_ + what;
}

/// Counts what was written as lost too if the run folder does not have the file any more, or if a model or a library
/// closed files of the rig: what was written since may be anywhere.
void Recording::look_at_file() {
  const char* const what = what_became_of_file();
  if (what == nullptr) return;
  ended_ = false;
  fail(RecordsLost(file_name_ + what, written()));
}

/// Counts what was written as lost if the file is shorter than before: nobody knows what of it is left.
void Recording::look_at_length() {
  struct stat now {};
  if (number_ == 0 || cut_ || ::fstatat(folder_.get(), file_name_.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0 ||
      now.st_ino != number_)
    return;
  cut_ = now.st_size < length_;
  if (cut_)
    fail(RecordsLost(file_name_ + " was cut from " + std::to_string(length_) + " to " +
                         std::to_string(now.st_size) + " bytes while the rig wrote it",
                     written()));
  length_ = now.st_size;
}

std::string Recording::losses() const {
  const std::string why = error();
  if (lost() == 0 && why.empty()) return "";
  return losses_text(static_cast<std::int64_t>(lost()), static_cast<std::int64_t>(lost() + written()), why);
}

std::size_t Recording::drain() {
  if (ring_.front() == nullptr) return 0;
  look_at_length();
  // Bounded, so that one recording does not starve the others.
  std::size_t taken = 0;
  for (const std::byte* slot = ring_.front(); slot != nullptr && taken < 1024;
       slot = ring_.front(), ++taken) {
    sampled_.fetch_add(1, std::memory_order_relaxed);
    entrance().take(slot);
    ring_.release();
  }
  look_at_length();
  return taken;
}

void Recording::flush() {
  look_at_length();
  missing_.store(what_became_of_file());
  if (failed_.load(std::memory_order_relaxed)) return;
  try {
    const std::uint64_t before = written_.load(std::memory_order_relaxed);
    sink_->flush();
    flushed_.store(before, std::memory_order_relaxed);
    look_at_length();
  } catch (const std::exception& error) {
    fail(error);
  }
}

void Recording::close() {
  for (const auto& filter : filters_) filter->end();
  flush();
  look_at_file();                     // a sink may give its file another number when it closes it
  if (cut_) return sink_->abandon();  // what the sink knows of its file is not so any more
  try {
    sink_->close();
    ended_ = !failed_.load(std::memory_order_relaxed);
  } catch (const std::exception& error) {
    fail(error);
  }
}

}  // namespace tactus::executive
