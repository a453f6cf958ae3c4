// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "config/place.hpp"
#include "executive/driver/driver.hpp"
#include "executive/model/variable.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/opened_path.hpp"
#include "rtsync/interface.hpp"

namespace tactus::executive {

/// One column of a recording. Every record begins with the simulated time (int64 nanoseconds); `offset`
/// counts from there.
struct RecordColumn {
  std::string name;
  std::string unit;  ///< empty: a pure number
  tactus_type type;
  std::size_t offset;
  std::vector<VariableLabel> labels{};  ///< the names of an enumeration's values
  bool as_words = false;                ///< marks an int32 with labels: text holds the names, not the numbers
  std::string about{};                  ///< one line for people; may be empty
};

/// Description of a recording, for the code that writes and reads its file.
struct RecordingHead {
  std::string name;
  std::vector<RecordColumn> columns{};
  std::int64_t epoch_ns = 0;  ///< the date of simulated time 0, since 1970-01-01T00:00:00Z
};

/// A record: its time, and its values without gaps. @when any
inline std::size_t record_bytes(const RecordingHead& head) {
  std::size_t bytes = sizeof(std::int64_t);
  for (const RecordColumn& column : head.columns) bytes += size_of(column.type);
  return bytes;
}

/// Reason why a sink cannot continue, and the number of records taken before that are in no file.
class RecordsLost : public std::runtime_error {
 public:
  RecordsLost(const std::string& why, std::uint64_t records) : runtime_error(why), records_(records) {}
  std::uint64_t records() const { return records_; }

 private:
  std::uint64_t records_;
};

/// Destination of the values of a recording.
///
/// Threads  all calls from the recorder's thread, never from a frame; they may block. Every function may
///          throw std::runtime_error with the reason ("No space left on device"), or RecordsLost: the rest
///          of this recording is then lost, counted and said; the rig continues.
class RecordSink : public rtsync::Interface {
 public:
  /// Name of its file: "motion.csv" of "motion".
  virtual std::string file_name(const std::string& recording) const = 0;
  /// Makes the file, which must not be there, in an existing folder; what else belongs to it comes beside it.
  virtual void open(const std::filesystem::path& file, const RecordingHead& head) = 0;
  /// Takes one record: int64 simulated time in nanoseconds, then the values at the columns' offsets. It may
  /// keep some for a while; what it hands to the operating system are whole records.
  virtual void write(const std::byte* record) = 0;
  /// Hands all records to the operating system: what was written until now survives a kill.
  virtual void flush() = 0;
  virtual void close() = 0;
  /// Leaves its file alone, which somebody cut, also when it is destroyed. Called instead of close().
  virtual void abandon() {}
  /// Its files say when they were recorded. Of a rig in real time without an epoch that is then the date of the
  /// run, else 1970.
  virtual bool has_dates() const { return false; }
  /// Names the call of a driver that has not returned now: "close() of driver 'tape', libtactus-record-tape.so"; empty:
  /// there is none, or it is code of tactus. @when any
  virtual std::string present_call() const { return {}; }
};

/// A record of a file that cannot be read: place and reason. Those after it may be whole.
class DamagedRecord : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// A recording that is read back. Its file may still be written: what is there is read.
///
/// Threads  one. Functions may throw std::runtime_error with place and reason.
class RecordSource : public rtsync::Interface {
 public:
  /// Its columns stand one after another, without gaps.
  virtual const RecordingHead& head() const = 0;
  /// The next record, of record_bytes(head()); false: there is none. Throws DamagedRecord where the next call goes on with
  /// the record after it.
  virtual bool next(std::byte* record) = 0;
};

/// A file of a recording, and how much of it is whole.
struct RecordedFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;    ///< its size
  std::uint64_t whole = 0;    ///< up to the end of its last whole record; what is after it is torn
  std::uint64_t records = 0;  ///< whole ones
  std::optional<std::int64_t> last_ns{};  ///< simulated time of the last of them
  std::string damage{};                   ///< damage before the last whole record; empty: none
  std::string unended{};  ///< part that RecordDriver::mend() adds, beside cutting; empty: none
};

/// A driver of kind "record", named by `driver:` of a recording: a file format.
class RecordDriver : public Driver {
 public:
  static constexpr const char* kKind = "record";

  /// Makes the file of a recording from its section: `settings` is a map of all keys that the common table
  /// does not know. What is wrong is added to `problems`, and the sink is then nullptr. Opens nothing.
  /// @when setup
  virtual std::unique_ptr<RecordSink> make(const config::Node& settings, const std::string& path,
                                           config::Problems& problems) = 0;

  /// The same for a file that is written at once, as `tactus convert` does: with the defaults, and what suits a
  /// file better that no kill can cut. @when service
  virtual std::unique_ptr<RecordSink> make_for_export() {
    config::Problems problems;
    return make(config::Node::map({}), "export", problems);
  }

  /// Name of the file of a recording, as the sink names it. Its extension shows the format.
  virtual std::string file_name(const std::string& recording) const = 0;

  /// Determines how far a file is whole, whatever ended the rig. Changes nothing. Throws std::runtime_error
  /// when the file cannot be read.
  virtual RecordedFile examine(const std::filesystem::path& file) const = 0;
  /// Makes an ended file of one that was examined: here, cuts it after its last whole record. Throws
  /// std::runtime_error with the reason; what was whole stays whole.
  virtual void mend(const RecordedFile& file) const {
    if (const int error = rtsync::cut_folder_file(file.path, file.whole); error != 0)
      throw std::runtime_error(rtsync::file_error(file.path, error));
  }

  /// Reads a file back. Throws std::runtime_error with the reason.
  virtual std::unique_ptr<RecordSource> read(const std::filesystem::path& file) const = 0;

  /// Parts of such a recording that a file of this format does not keep: "the descriptions of 12 columns".
  virtual std::vector<std::string> omits(const RecordingHead& /*head*/) const { return {}; }
};

}  // namespace tactus::executive
