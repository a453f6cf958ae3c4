#pragma once
#include <tactus/model.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "config/place.hpp"
#include "executive/driver/driver.hpp"
#include "executive/model/variable.hpp"

namespace tactus::executive {

/// One column of a recording. Every record begins with the simulated time (int64 nanoseconds); `offset`
/// counts from there.
struct RecordColumn {
  std::string name;
  std::string unit;  ///< empty: a pure number
  tactus_type type;
  std::size_t offset;
  std::vector<VariableLabel> words{};  ///< whole numbers that are written as these; empty: as numbers
};

/// Why a sink cannot go on, and how many of the records that it took before stand in no file.
class RecordsLost : public std::runtime_error {
 public:
  RecordsLost(const std::string& why, std::uint64_t records) : runtime_error(why), records_(records) {}
  std::uint64_t records() const { return records_; }

 private:
  std::uint64_t records_;
};

/// Where the values of a recording go.
///
/// Threads  all calls from the recorder's thread, never from a frame; they may block. Every function may
///          throw std::runtime_error with the reason ("No space left on device"), or RecordsLost: the rest
///          of this recording is then lost, counted and said; the rig goes on.
class RecordSink {
 public:
  RecordSink() = default;
  RecordSink(const RecordSink&) = delete;
  RecordSink& operator=(const RecordSink&) = delete;
  virtual ~RecordSink() = default;

  /// Opens the file or files of a recording in an existing folder.
  virtual void open(const std::filesystem::path& folder, const std::string& recording,
                    std::span<const RecordColumn> columns) = 0;
  /// Takes one record: int64 simulated time in nanoseconds, then the values at the columns' offsets. It may
  /// keep some for a while; what it hands to the operating system are whole records.
  virtual void write(const std::byte* record) = 0;
  /// Hands all records to the operating system: what was written until now survives a kill.
  virtual void flush() = 0;
  virtual void close() = 0;
};

/// A file of a recording, and how much of it is whole.
struct RecordedFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;              ///< its size
  std::uint64_t whole = 0;              ///< up to the end of its last whole record; what is behind it is torn
  std::uint64_t records = 0;            ///< whole ones
  std::optional<std::int64_t> last_ns;  ///< simulated time of the last of them
  std::string damage;                   ///< what is wrong before the last whole record; empty: nothing
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

  /// How far the files of a recording in a run folder are whole, whatever ended the rig. One that is cut after
  /// its `whole` bytes is a file of this format again. A file that is not there is left out. Changes nothing.
  /// Throws std::runtime_error when a file cannot be read.
  virtual std::vector<RecordedFile> examine(const std::filesystem::path& folder,
                                            const std::string& recording) const = 0;
};

}  // namespace tactus::executive
