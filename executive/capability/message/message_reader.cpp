// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/message/message_reader.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "rtsync/crash/crash_handler.hpp"
#include "rtsync/exchange/stop_bell.hpp"
#include "rtsync/thread/left_behind.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenRounds = 50ms;
constexpr auto kLongestLookAtCall = 250ms;  // what one look counts for
constexpr int kMessagesAtATime = 200;       // a model that never stops does not hold up the others
constexpr int kMessagesAtTheEnd = 10'000;
constexpr std::size_t kMostUntaken = 10'000;
constexpr auto kUntilThereIsRoom = 1ms;
constexpr std::size_t kNoSource = SIZE_MAX;

}  // namespace

/// Data that all threads of a reader share; it lives as long as one of them.
struct MessageReader::Work {
  struct Each {
    Source source;
    std::atomic<bool> is_in_call{false};  ///< a thread calls it, and the others leave it out
    std::atomic<bool> has_failed{false};
  };

  explicit Work(std::vector<Source> sources) : all(sources.size()) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i].source = std::move(sources[i]);
  }

  bool has_room() {
    const std::scoped_lock lock(mutex);
    return said.size() < kMostUntaken;
  }
  void say(const Each& each, ModelMessage message) {
    const std::scoped_lock lock(mutex);
    said.push_back({each.source.model, std::move(message)});
  }

  std::vector<Each> all;
  std::mutex mutex;
  std::vector<Said> said;
};

/// One thread that reads.
struct MessageReader::Reader {
  void run(Work& work) {
    const rtsync::CrashStack stack;
    for (bool last = false; !last && !is_replaced.load();) {
      last = stop.requested();
      for (std::size_t i = 0; i < work.all.size() && !is_replaced.load(); ++i)
        last ? take_last(work, i) : take(work, i);
      if (!last) stop.sleep(kBetweenRounds);
    }
    has_ended.store(true);
  }

  void take(Work& work, std::size_t i) {
    for (int k = 0; k < kMessagesAtATime && work.has_room() && !is_replaced.load(); ++k)
      if (!take_one(work, i)) return;
  }
  /// No round comes after this one, so it waits until what was taken is taken away.
  void take_last(Work& work, std::size_t i) {
    for (int k = 0; k < kMessagesAtTheEnd; ++k) {
      while (!work.has_room() && !is_replaced.load()) std::this_thread::sleep_for(kUntilThereIsRoom);
      if (is_replaced.load() || !take_one(work, i)) return;
    }
  }

  /// False: there is none, or another thread's call of the source has not returned.
  bool take_one(Work& work, std::size_t i) {
    Work::Each& each = work.all[i];
    if (each.has_failed.load() || each.is_in_call.exchange(true)) return false;
    calls.fetch_add(1);
    source.store(i);
    if (is_replaced
            .load()) {  // after its source is shown: whoever replaces it sees the call, or it makes none
      source.store(kNoSource);
      each.is_in_call.store(false);
      return false;
    }
    std::optional<ModelMessage> message;
    try {
      message = each.source.take();
    } catch (const std::exception& error) {
      each.has_failed.store(true);
      message = ModelMessage{true, std::string("its messages are not read any more: ") + error.what()};
    }
    source.store(kNoSource);
    const bool was_there = message.has_value();
    if (was_there) work.say(each, std::move(*message));
    each.is_in_call.store(false);
    return was_there;
  }

  std::atomic<std::size_t> source{kNoSource};  ///< source in a call; kNoSource: none is
  std::atomic<std::size_t> calls{0};
  std::atomic<bool> is_replaced{false}, has_ended{false};
  std::size_t hangs_in = kNoSource;  // of the owner: once it is replaced in a call
  rtsync::StopBell stop;
  std::unique_ptr<rtsync::PinnedThread> thread;
};

MessageReader::MessageReader(std::vector<Source> sources, rtsync::ThreadSettings thread)
    : thread_(std::move(thread)), work_(std::make_shared<Work>(std::move(sources))), looked_(Clock::now()) {
  readers_.push_back(make_reader());
}

MessageReader::~MessageReader() {
  for (const std::shared_ptr<Reader>& each : readers_) {
    each->is_replaced.store(true);  // nobody takes any more what it reads
    each->stop.request();
    if (each->hangs_in != kNoSource && !each->has_ended.load()) rtsync::leave_behind(std::move(each->thread));
    each->thread.reset();  // which knows its reader
  }
}

std::shared_ptr<MessageReader::Reader> MessageReader::make_reader() {
  const auto reader = std::make_shared<Reader>();
  if (is_ending_) reader->stop.request();
  reader->thread =
      std::make_unique<rtsync::PinnedThread>(thread_, [work = work_, reader] { reader->run(*work); });
  call_ = 0;
  waited_ = 0ns;
  return reader;
}

std::vector<MessageReader::Said> MessageReader::take() {
  const std::scoped_lock lock(work_->mutex);
  return std::exchange(work_->said, {});
}

std::vector<MessageReader::Change> MessageReader::look(Clock::time_point now) {
  std::vector<Change> changes;
  drop_ended(changes);
  const auto passed = std::min<std::chrono::nanoseconds>(now - looked_, kLongestLookAtCall);
  looked_ = now;
  try {
    read_on(passed, changes);
  } catch (const std::system_error&) {  // no thread can be had: the next look tries again
  }
  return changes;
}

/// Replaced readers whose call has returned.
void MessageReader::drop_ended(std::vector<Change>& changes) {
  for (auto each = readers_.begin(); each + 1 < readers_.end();) {
    if (!(*each)->has_ended.load()) {
      ++each;
      continue;
    }
    if (const std::size_t source = (*each)->hangs_in; source != kNoSource)
      changes.push_back({work_->all[source].source, false, work_->all[source].has_failed.load()});
    is_round_missing_ = is_round_missing_ || is_ending_;  // the last round may have left its source out
    (*each)->thread.reset();                              // which knows its reader
    each = readers_.erase(each);
  }
}

/// Another reader takes the place of one whose call does not return, or reads the last round again. Throws
/// std::system_error, and has changed nothing then.
void MessageReader::read_on(std::chrono::nanoseconds passed, std::vector<Change>& changes) {
  const std::shared_ptr<Reader> reader = readers_.back();
  if (reader->has_ended.load()) {
    waited_ = 0ns;
    if (!is_round_missing_) return;
    readers_.back() = make_reader();
    reader->thread.reset();  // which knows its reader
    is_round_missing_ = false;
    return;
  }
  const std::size_t call = reader->calls.load(), source = reader->source.load();
  waited_ = source != kNoSource && call == call_ ? waited_ + passed : 0ns;
  call_ = call;
  if (waited_ < kHangs) return;
  readers_.push_back(make_reader());
  reader->is_replaced.store(true);
  reader->hangs_in = reader->source.load();  // none: it has just returned, and makes no other call
  if (reader->hangs_in != kNoSource) changes.push_back({work_->all[reader->hangs_in].source, true, false});
}

void MessageReader::request_end() {
  is_ending_ = true;
  readers_.back()->stop.request();
}

bool MessageReader::ended() const {
  if (is_round_missing_ || !readers_.back()->has_ended.load()) return false;
  // One that was replaced and has ended since the latest look may have left messages to another round.
  return std::none_of(readers_.begin(), readers_.end() - 1,
                      [](const auto& each) { return each->has_ended.load(); });
}

const MessageReader::Source* MessageReader::awaited() const {
  const std::size_t source = readers_.back()->source.load();
  return source == kNoSource ? nullptr : &work_->all[source].source;
}

std::vector<const MessageReader::Source*> MessageReader::hanging() const {
  std::vector<const Source*> all;
  for (const std::shared_ptr<Reader>& each : readers_)
    if (each->hangs_in != kNoSource && !each->has_ended.load())
      all.push_back(&work_->all[each->hangs_in].source);
  return all;
}

std::vector<rtsync::Provision> MessageReader::provisions() const {
  return readers_.back()->thread->provisions();
}

bool MessageReader::owns(pid_t tid) const {
  return std::any_of(readers_.begin(), readers_.end(),
                     [tid](const auto& each) { return each->thread && each->thread->tid() == tid; });
}

}  // namespace tactus::executive
