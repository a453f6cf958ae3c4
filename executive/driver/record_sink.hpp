#pragma once
#include <tactus/model.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace tactus::executive {

/// One column of a recording. Every record begins with the simulated time (int64 nanoseconds); `offset`
/// counts from there.
struct RecordColumn {
  std::string name;
  std::string unit;  ///< empty: a pure number
  tactus_type type;
  std::size_t offset;
};

/// Where recorded values go: a file format. Implemented by the drivers of kind "record".
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

}  // namespace tactus::executive
