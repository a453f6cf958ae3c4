#pragma once
#include <tactus/model.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "config/node.hpp"
#include "config/place.hpp"
#include "executive/driver/driver.hpp"

namespace tactus::executive {

/// One column of a recording. Every record begins with the simulated time (int64 nanoseconds); `offset`
/// counts from there.
struct RecordColumn {
  std::string name;
  std::string unit;  ///< empty: a pure number
  tactus_type type;
  std::size_t offset;
};

/// Where the values of a recording go.
///
/// Threads  all calls from the recorder's thread, never from a frame; they may block. Every function may
/// throw
///          std::runtime_error with the reason ("No space left on device"): the rest of this recording is
///          then lost, counted and said; the rig goes on.
class RecordSink {
 public:
  RecordSink() = default;
  RecordSink(const RecordSink&) = delete;
  RecordSink& operator=(const RecordSink&) = delete;
  virtual ~RecordSink() = default;

  /// Opens the file or files of a recording in an existing folder.
  virtual void open(const std::filesystem::path& folder, const std::string& recording,
                    std::span<const RecordColumn> columns) = 0;
  /// Takes one record: int64 simulated time in nanoseconds, then the values at the columns' offsets.
  virtual void write(const std::byte* record) = 0;
  /// Hands everything to the operating system: what was written until now survives a kill.
  virtual void flush() = 0;
  virtual void close() = 0;
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
};

}  // namespace tactus::executive
