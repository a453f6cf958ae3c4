// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executive/driver/model_driver.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// Takes the messages of models on a thread of its own. A call that does not return keeps that thread alone: another one
/// reads the other models then.
///
///     MessageReader reader({{"bus", "driver 'can' (x.so)", [&] { return bus.take_message(); }}}, helper);
///     for (const MessageReader::Said& said : reader.take()) log(said);
///     for (const MessageReader::Change& change : reader.look()) tell(change);
///
/// Threads  one owner. A source is called on the reader's threads, one call at a time.
class MessageReader {
 public:
  using Clock = std::chrono::steady_clock;

  struct Source {
    std::string model;
    std::string code;  ///< name of the code that is called, for messages: "driver 'can' (x.so)"
    std::function<std::optional<ModelMessage>()> take;
  };
  struct Said {
    std::string model;
    ModelMessage message;
  };
  /// A source whose call has not returned for kHangs, or that has returned after all.
  struct Change {
    const Source& source;
    bool hangs;
    bool has_failed;  ///< it has returned with an error, and is read no more
  };
  static constexpr std::chrono::seconds kHangs{1};

  /// Begins to read. What the sources call must live until ended(), and of those that hang() as long as the process.
  /// Throws std::system_error. @when setup
  MessageReader(std::vector<Source> sources, rtsync::ThreadSettings thread);
  /// Waits for the thread that reads, not for calls that hang.
  ~MessageReader();
  MessageReader(const MessageReader&) = delete;
  MessageReader& operator=(const MessageReader&) = delete;

  /// The messages that were taken since the last call, oldest first.
  std::vector<Said> take();
  /// Looks after calls that do not return; to be called several times a second. A process that stood still gave no call
  /// the time to return. While no thread can be had, nothing is read.
  std::vector<Change> look(Clock::time_point now = Clock::now());
  /// Asks for a last round, in which all messages that there are are taken, up to 10,000 of a source. It waits for room,
  /// so take() and look() are to be called until ended().
  void request_end();
  /// The last round is over, but for calls that hang: hanging(), asked before this, names them. After a call that has
  /// returned late there is one round more.
  bool ended() const;
  /// Time that the present call has taken, and its source; nullptr: none is seen.
  std::chrono::nanoseconds waited() const { return waited_; }
  const Source* awaited() const;
  /// The sources whose call has not returned.
  std::vector<const Source*> hanging() const;
  bool owns(pid_t tid) const;
  /// Returns what the machine has granted to the thread that reads.
  std::vector<rtsync::Provision> provisions() const;

 private:
  struct Work;
  struct Reader;

  std::shared_ptr<Reader> make_reader();
  void drop_ended(std::vector<Change>& changes);
  void read_on(std::chrono::nanoseconds passed, std::vector<Change>& changes);

  const rtsync::ThreadSettings thread_;
  std::shared_ptr<Work> work_;
  std::vector<std::shared_ptr<Reader>> readers_;  // the last one reads; the calls of the others do not return
  bool is_ending_ = false;
  bool is_round_missing_ = false;  // a call has returned since the end was asked for
  Clock::time_point looked_{};
  std::size_t call_ = 0;  // of the reader at the latest look, counted from its beginning
  std::chrono::nanoseconds waited_{0};
};

}  // namespace tactus::executive
