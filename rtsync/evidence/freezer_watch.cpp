// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/freezer_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {

FreezerWatch::FreezerWatch(const std::vector<pid_t>& threads, std::filesystem::path root, Clock clock)
    : root_(std::move(root)), clock_(clock), events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  for (const pid_t thread : threads) threads_.emplace_back(root_, std::to_string(thread));
  look();
}

bool FreezerWatch::watch_file(const std::string& file) {
  const std::string path = (root_ / file.substr(1)).string();
  const bool added = ::inotify_add_watch(events_.get(), path.c_str(), IN_MODIFY) >= 0;
  if (added && std::find(files_.begin(), files_.end(), file) == files_.end()) files_.push_back(file);
  return added;
}

/// Watches a group and those above it: each of them freezes those below.
FreezerWatch::Place FreezerWatch::watch(const GroupLine& group) {
  constexpr const char* kState = "/freezer.state";
  for (const std::string& mount : freezer_mounts(group)) {
    // The root of all has no such file; that of a namespace has one, and is switched from outside by another.
    const bool has_state = !read_host_file(root_, mount + kState).absent();
    if (group.path == "/" && has_state) return Place::unseen;
    if (group.path == "/") continue;
    bool watched = false;
    for (std::string path = group.path; !path.empty(); path.resize(path.rfind('/')))
      watched = watch_file(mount + path + kState) || watched;
    if (watched) return has_state ? Place::unseen : Place::watched;
    // In a container that folder may be mounted as the root.
    if (has_state && watch_file(mount + kState)) return Place::watched;
  }
  return group.path == "/" ? Place::in_root : Place::unseen;
}

void FreezerWatch::find(Thread& thread) {
  const std::uint64_t digest = thread.groups.digest();
  if (digest == thread.groups.kept()) return;
  Place place = Place::outside;
  for (const GroupLine& group : groups_in(thread.groups.text()))
    if (group.controls("freezer")) place = watch(group);
  thread.place.store(place, std::memory_order_seq_cst);
  thread.groups.keep(digest, clock_());  // it may have been held before it was watched
}

void FreezerWatch::note_switches() {
  std::array<char, 4096> events{};  // nobody reads what they say
  if (::read(events_.get(), events.data(), events.size()) <= 0) return;
  switched_ns_.store(clock_().time_since_epoch().count(), std::memory_order_seq_cst);
  look_again_.store(true, std::memory_order_seq_cst);
}

bool FreezerWatch::is_frozen() const {
  return std::any_of(files_.begin(), files_.end(), [this](const std::string& file) {
    const FileText state = read_host_file(root_, file);
    return state.readable() && state.text != "THAWED";
  });
}

void FreezerWatch::look() {
  for (Thread& thread : threads_) find(thread);
  note_switches();
  const bool was_frozen = frozen_.load(std::memory_order_relaxed);
  if (!look_again_.exchange(false, std::memory_order_seq_cst) && !was_frozen) return;
  const bool frozen = is_frozen();
  if (was_frozen && !frozen)
    switched_ns_.store(clock_().time_since_epoch().count(), std::memory_order_seq_cst);
  frozen_.store(frozen, std::memory_order_seq_cst);
}

bool FreezerWatch::may_have_held(std::size_t thread, Time from) {
  if (thread >= threads_.size()) return false;
  const Thread& one = threads_[thread];
  const Place place = one.place.load(std::memory_order_seq_cst);
  if (place == Place::outside || place == Place::unseen) return place == Place::unseen;
  if (one.groups.may_have_moved_since(from)) return true;
  if (place == Place::in_root) return false;
  note_switches();
  return frozen_.load(std::memory_order_seq_cst) ||
         Time{Nanoseconds{switched_ns_.load(std::memory_order_seq_cst)}} >= from;
}

}  // namespace tactus::rtsync
