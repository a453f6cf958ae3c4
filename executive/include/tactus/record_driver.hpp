// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Classes for writing a format of recordings: derive from tactus::RecordDriver, export it with TACTUS_RECORD_DRIVER.
///
///     class Lines : public tactus::RecordDriver {
///      public:
///       void open(const std::string& file, const tactus::Recording& recording) override { ... }
///       void write(const std::byte* record) override { ... }
///       void flush() override { ... }
///       void close() override { ... }
///     };
///     TACTUS_RECORD_DRIVER("lines", Lines, "", ".lines", "A line for each record.")
///
/// An object is the file of one recording. tactus/record_file.hpp has files that keep records whole.
///
/// Threads  all calls on one object come from one thread that is not real-time; they may block.
/// Errors   each function may throw: its text is reported, the rest of the recording is counted as lost, and the rig
///          continues.
#include <cstddef>
#include <cstdint>
#include <tactus/driver.hpp>

#define TACTUS_HIDDEN __attribute__((visibility("hidden")))

namespace tactus {

/// One column. `offset` counts from the beginning of a record, which is the simulated time (int64, nanoseconds).
struct Column {
  std::string name{};
  std::string unit{};  ///< empty: a pure number
  tactus_type type = TACTUS_DOUBLE;
  std::size_t offset = 0;                                      ///< not aligned: copy the value out
  std::vector<std::pair<std::string, std::int64_t>> labels{};  ///< the names of an enumeration's values
  bool as_words = false;  ///< an int32 with labels: text holds the names, not the numbers
  std::string about{};    ///< one line for people; may be empty
};

/// Bytes of a value. @when any
constexpr std::size_t bytes_of(tactus_type type) {
  switch (type) {
    case TACTUS_BOOL:
    case TACTUS_INT8:
    case TACTUS_UINT8:
      return 1;
    case TACTUS_INT16:
    case TACTUS_UINT16:
      return 2;
    case TACTUS_INT32:
    case TACTUS_UINT32:
    case TACTUS_FLOAT:
      return 4;
    default:
      return 8;
  }
}

struct Recording {
  std::string name{};
  std::int64_t epoch_ns = 0;  ///< date of simulated time 0, since 1970-01-01T00:00:00Z
  std::vector<Column> columns{};
  std::size_t record_bytes = 8;  ///< bytes of a record

  /// Puts the columns one after another, as a reader has them.
  void pack() {
    record_bytes = sizeof(std::int64_t);
    for (Column& column : columns) {
      column.offset = record_bytes;
      record_bytes += bytes_of(column.type);
    }
  }
};

/// Simulated time of a record, in nanoseconds. @when any
inline std::int64_t time_of(const std::byte* record) {
  std::int64_t time = 0;
  std::memcpy(&time, record, sizeof time);
  return time;
}

/// Thrown by write(), flush() or close(): records that were taken earlier and that are in no file, without the one that
/// is being written.
class RecordsLost : public std::runtime_error {
 public:
  RecordsLost(const std::string& why, std::uint64_t records) : runtime_error(why), records_(records) {}
  std::uint64_t records() const { return records_; }

 private:
  std::uint64_t records_;
};

/// Thrown by RecordReader::next(): this record cannot be read, the next call goes on with the one after it.
class DamagedRecord : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// Length of the whole part of a file.
struct Examined {
  std::uint64_t bytes = 0;  ///< size of the file
  std::uint64_t whole =
      0;  ///< up to the end of its last whole record; `tactus recover` cuts what is after it
  std::uint64_t records = 0;  ///< whole ones
  bool has_last = false;
  std::int64_t last_ns = 0;  ///< simulated time of the last of them, with has_last
  std::string damage{};      ///< damage before the last whole record; empty: none
  std::string unended{};     ///< part that mend() adds, beside cutting: "its index"; empty: none
};

/// A recording that is read back; its file may still be written. Functions may throw: place and reason.
class TACTUS_HIDDEN RecordReader {
 public:
  RecordReader() = default;
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;
  virtual ~RecordReader() = default;

  /// Its columns are packed (Recording::pack) and do not change.
  virtual const Recording& recording() const = 0;
  /// The next record, of recording().record_bytes; false: there is none.
  virtual bool next(std::byte* record) = 0;
};

class TACTUS_HIDDEN RecordDriver : public KeyedDriver {
 public:
  RecordDriver() = default;
  RecordDriver(const RecordDriver&) = delete;
  RecordDriver& operator=(const RecordDriver&) = delete;
  virtual ~RecordDriver() = default;

  /// Makes the file; one that is there is an error. `recording` stays as long as the file is open.
  virtual void open(const std::string& file, const Recording& recording) = 0;
  /// Takes one record. It may keep some for a while; what it hands to the operating system are whole records.
  virtual void write(const std::byte* record) = 0;
  /// Hands all records to the operating system: what was written until now survives a kill.
  virtual void flush() = 0;
  /// Flushes and closes; also after an error, also twice, also without open().
  virtual void close() = 0;

  /// Determines how far a file is whole, whatever ended the rig; changes nothing. Of an object with default keys.
  virtual Examined examine(const std::string& file) const {
    throw std::runtime_error(file + ": this format cannot say how far a file is whole");
  }
  /// Makes an ended file of one that was examined, for `tactus recover`; what was whole stays whole. False: nothing more is
  /// needed than the cut after `found.whole`, which tactus makes. Of an object with default keys.
  virtual bool mend(const std::string& /*file*/, const Examined& /*found*/) const { return false; }
  /// Reads a file back. Of an object with default keys.
  virtual std::unique_ptr<RecordReader> read(const std::string& file) const {
    throw std::runtime_error(file + ": this format cannot be read back");
  }
  /// Parts of such a recording that its file does not keep: "the enumerations", "the units". Names and values it must keep.
  virtual std::vector<std::string> omits(const Recording& /*recording*/) const { return {}; }
};

namespace detail TACTUS_HIDDEN {

inline Recording to_recording(const tactus_recording& from) {
  Recording made;
  made.name = from.name;
  made.epoch_ns = from.epoch_ns;
  made.record_bytes = from.record_bytes;
  for (std::uint32_t i = 0; i < from.column_count; ++i) {
    const tactus_column& column = *from.columns[i];
    Column& to = made.columns.emplace_back();
    to.name = column.name;
    to.unit = column.unit;
    to.type = column.type;
    to.offset = column.offset;
    for (std::uint32_t l = 0; l < column.label_count; ++l)
      to.labels.emplace_back(column.labels[l].name, column.labels[l].value);
    to.as_words = column.as_words != 0;
    to.about = column.about;
  }
  return made;
}

/// A recording as the C ABI has it; points into `of`, which must stay.
struct CRecording {
  explicit CRecording(const Recording& of) {
    columns.reserve(of.columns.size());
    labels.reserve(of.columns.size());
    for (const Column& column : of.columns) {
      std::vector<tactus_label>& names = labels.emplace_back();
      for (const auto& [name, value] : column.labels) names.push_back({name.c_str(), value});
      columns.push_back({sizeof(tactus_column), column.type, column.name.c_str(), column.unit.c_str(),
                         column.about.c_str(), column.offset, names.data(),
                         static_cast<std::uint32_t>(names.size()), column.as_words ? 1U : 0U});
    }
    for (const tactus_column& column : columns) pointers.push_back(&column);
    whole = {sizeof(tactus_recording), static_cast<std::uint32_t>(pointers.size()),
             of.name.c_str(),          of.epoch_ns,
             of.record_bytes,          pointers.data()};
  }
  CRecording(const CRecording&) = delete;
  CRecording& operator=(const CRecording&) = delete;

  std::vector<tactus_column> columns{};
  std::vector<std::vector<tactus_label>> labels{};
  std::vector<const tactus_column*> pointers{};
  tactus_recording whole{};
};

struct OpenReader {
  explicit OpenReader(std::unique_ptr<RecordReader> of) : reader(std::move(of)), shown(reader->recording()) {}
  std::unique_ptr<RecordReader> reader;
  CRecording shown;
};

/// The object behind the C ABI: a driver, and the recording that it was opened with.
struct OpenRecord {
  explicit OpenRecord(std::unique_ptr<RecordDriver> of) : driver(std::move(of)) {}
  std::unique_ptr<RecordDriver> driver;
  Recording recording{};
};

inline RecordDriver& record_of(void* self) { return *static_cast<OpenRecord*>(self)->driver; }

/// The same as guarded(), with the number of records that are lost.
template <class Work>
int guarded_record(tactus_failure* failure, Work work) noexcept {
  return guarded(failure, [&] {
    try {
      work();
    } catch (const RecordsLost& lost) {
      if (failure != nullptr) failure->records_lost = lost.records();
      throw;
    }
  });
}

template <class T>
int make_record(const tactus_settings* settings, void** self, tactus_failure* failure) noexcept {
  void* made = nullptr;
  if (make_driver<T, RecordDriver>(settings, &made, failure) != 0) return 1;
  return guarded(failure, [&] {
    *self = new OpenRecord(std::unique_ptr<RecordDriver>(static_cast<RecordDriver*>(made)));
  });
}

template <class T>
tactus_record_functions record_functions(const char* prefix, const char* extension, bool has_dates) {
  tactus_record_functions all{};
  all.size = sizeof all;
  all.has_dates = has_dates ? 1 : 0;
  all.prefix = prefix;
  all.extension = extension;
  all.open = [](void* self, const char* file, const tactus_recording* recording, tactus_failure* failure) {
    return guarded_record(failure, [&] {
      auto& open = *static_cast<OpenRecord*>(self);
      open.recording = to_recording(*recording);
      open.driver->open(file, open.recording);
    });
  };
  all.write = [](void* self, const void* record, tactus_failure* failure) {
    return guarded_record(failure, [&] { record_of(self).write(static_cast<const std::byte*>(record)); });
  };
  all.flush = [](void* self, tactus_failure* failure) {
    return guarded_record(failure, [&] { record_of(self).flush(); });
  };
  all.close = [](void* self, tactus_failure* failure) {
    return guarded_record(failure, [&] { record_of(self).close(); });
  };
  all.examine = [](const char* file, tactus_examined* examined, tactus_failure* failure) {
    return guarded(failure, [&] {
      const Examined found = T().examine(file);
      examined->bytes = found.bytes;
      examined->whole = found.whole;
      examined->records = found.records;
      examined->has_last = found.has_last ? 1 : 0;
      examined->last_ns = found.last_ns;
      if (examined->damage_room > 0)
        (void)std::snprintf(examined->damage, examined->damage_room, "%s", found.damage.c_str());
      if (examined->size >= sizeof(tactus_examined) && examined->unended_room > 0)
        (void)std::snprintf(examined->unended, examined->unended_room, "%s", found.unended.c_str());
    });
  };
  all.mend = [](const char* file, const tactus_examined* examined, tactus_failure* failure) {
    bool mended = false;
    const Examined found{examined->bytes,
                         examined->whole,
                         examined->records,
                         examined->has_last != 0,
                         examined->last_ns,
                         {},
                         {}};
    if (guarded(failure, [&] { mended = T().mend(file, found); }) != 0) return TACTUS_MEND_FAILED;
    return mended ? TACTUS_MENDED : TACTUS_MEND_BY_CUTTING;
  };
  all.read = [](const char* file, void** reader, tactus_failure* failure) {
    return guarded(failure, [&] {
      std::unique_ptr<RecordReader> made = T().read(file);
      if (made == nullptr) throw std::runtime_error("read() made no reader");
      *reader = new OpenReader(std::move(made));
    });
  };
  all.recording = [](void* reader) -> const tactus_recording* {
    return &static_cast<OpenReader*>(reader)->shown.whole;
  };
  all.next = [](void* reader, void* record, tactus_failure* failure) {
    int result = TACTUS_NEXT_FAILED;
    const int error = guarded(failure, [&] {
      try {
        result = static_cast<OpenReader*>(reader)->reader->next(static_cast<std::byte*>(record))
                     ? TACTUS_NEXT_RECORD
                     : TACTUS_NEXT_END;
      } catch (const DamagedRecord&) {
        result = TACTUS_NEXT_DAMAGED;
        throw;
      }
    });
    return error != 0 && result != TACTUS_NEXT_DAMAGED ? TACTUS_NEXT_FAILED : result;
  };
  all.end_read = [](void* reader) { delete static_cast<OpenReader*>(reader); };
  all.omits = [](const tactus_recording* recording, void* context, void (*part)(void*, const char*),
                 tactus_failure* failure) {
    return guarded(failure, [&] {
      for (const std::string& each : T().omits(to_recording(*recording))) part(context, each.c_str());
    });
  };
  return all;
}

template <class T>
const tactus_driver* record_entry(const char* name, const char* prefix, const char* extension,
                                  const char* about, bool has_dates) noexcept {
  return entry<T>(
      "record", name, about, [&] { return record_functions<T>(prefix, extension, has_dates); },
      &make_record<T>, &destroy_driver<OpenRecord>);
}

}  // namespace TACTUS_HIDDEN
}  // namespace tactus
#undef TACTUS_HIDDEN

/// Exports a class derived from tactus::RecordDriver, default-constructible. The file of recording "motion" is
/// <prefix>motion<extension>. Once per library, which is libtactus-record-<name>.so.
#define TACTUS_RECORD_DRIVER(name, Class, prefix, extension, about) \
  TACTUS_DRIVER_ENTRY((tactus::detail::record_entry<Class>(name, prefix, extension, about, false)))
/// The same for a format whose files say when they were recorded.
#define TACTUS_DATED_RECORD_DRIVER(name, Class, prefix, extension, about) \
  TACTUS_DRIVER_ENTRY((tactus::detail::record_entry<Class>(name, prefix, extension, about, true)))
