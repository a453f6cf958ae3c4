// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/hdf5/hdf5_sink.hpp"

#include <hdf5_hl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "config/date.hpp"
#include "drivers/record/common/bytes.hpp"
#include "drivers/record/common/columns_json.hpp"
#include "drivers/record/common/row.hpp"
#include "drivers/record/common/waiting_records.hpp"
#include "drivers/record/hdf5/h5.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/opened_path.hpp"

namespace tactus::drivers::record {
namespace {

using executive::RecordColumn;
using executive::RecordingHead;

constexpr std::size_t kMostScales = 2000;  // a list of all columns stands in an attribute, which has 64 KiB

// A kill cuts a write where pages of memory meet. What the library writes again while it records stands within one
// such page: headers as they are laid out, lists of chunks because chunks are many records, so that the lists stay
// short for 8180 chunks.
constexpr hsize_t kPageBytes = 4096;
constexpr std::size_t kStripeBytes = std::size_t{4}
                                     << 20;  // a chunk of each column: a file has twice that too much at most
constexpr std::size_t kMostChunkRows = 65536;

/// Number of rows, at least `rows`, of which a chunk fills its pages: a file of pages gives whole ones to a chunk that
/// is longer than one. A shorter chunk shares its page with others.
constexpr std::size_t rows_of_whole_pages(std::size_t rows, std::size_t value_bytes) {
  constexpr std::size_t kPage = kPageBytes;
  if (rows * value_bytes <= kPage) return rows;
  return (rows * value_bytes + kPage - 1) / kPage * kPage / value_bytes;
}

void put_attribute(hid_t at, const char* name, const std::string& text) {
  const H5Id type(H5Tcopy(H5T_C_S1), &H5Tclose, name);
  h5_check(H5Tset_size(type, std::max<std::size_t>(text.size(), 1)), name);
  h5_check(H5Tset_strpad(type, H5T_STR_NULLPAD), name);  // some readers take a NUL at the end for text
  h5_check(H5Tset_cset(type, H5T_CSET_UTF8), name);
  const H5Id space(H5Screate(H5S_SCALAR), &H5Sclose, name);
  const H5Id made(H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose, name);
  h5_check(H5Awrite(made, type, text.c_str()), name);
}

/// `type`: that of the file; of a uint64, values have all 64 bits.
void put_attribute(hid_t at, const char* name, hid_t type, std::span<const std::int64_t> values) {
  const hsize_t count = values.size();
  const H5Id space(H5Screate_simple(1, &count, nullptr), &H5Sclose, name);
  const H5Id made(H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose, name);
  const hid_t held = H5Tequal(type, H5T_STD_U64LE) > 0 ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
  h5_check(H5Awrite(made, held, values.data()), name);
}

/// Writes the labels as CF defines: values, and their names in one line.
void put_flags(hid_t at, const RecordColumn& column) {
  std::vector<std::int64_t> values;
  std::string names;
  for (const executive::VariableLabel& label : column.labels) {
    std::string name = label.name;
    std::ranges::replace(name, ' ', '_');
    names += (names.empty() ? "" : " ") + name;
    values.push_back(label.value);
  }
  if (column.type == TACTUS_BOOL) {
    values = {0, 1};
    names = "false true";
  }
  if (values.empty()) return;
  put_attribute(at, "flag_values", h5_type(column.type), values);
  put_attribute(at, "flag_meanings", names);
}

/// "2005-02-15 00:00:00", as CF writes the date that times count from.
std::string cf_date(std::int64_t ns) {
  std::string date = config::print_date(ns);
  date = date.substr(0, date.find('+'));
  std::ranges::replace(date, 'T', ' ');
  return date;
}

class Hdf5Sink final : public executive::RecordSink {
 public:
  /// `records`: how many there will be, and they are not compressed; 0: not known.
  explicit Hdf5Sink(bool live, std::uint64_t records = 0) : live_(live), records_(records) {}
  ~Hdf5Sink() override { h5_be_quiet(); }  // what is still open, after an error, is closed

  std::string file_name(const std::string& recording) const override { return recording + ".h5"; }
  bool has_dates() const override { return true; }

  void open(const std::filesystem::path& path, const RecordingHead& head) override {
    h5_be_quiet();
    path_ = path.string();
    if (std::filesystem::exists(path)) throw std::runtime_error(path_ + ": File exists");
    packer_ = RowPacker(head.columns);
    row_bytes_ = sizeof(std::int64_t) + packer_.bytes();
    most_rows_ = std::clamp<std::size_t>((std::size_t{16} << 20) / row_bytes_, 64, live_ ? 512 : 4096);
    const auto growing = std::clamp<std::size_t>(kStripeBytes / row_bytes_, 64, kMostChunkRows);
    chunk_rows_ = live_ ? growing : most_rows_;
    if (records_ > 0) {  // as many chunks, all of them full
      const std::uint64_t chunks = (records_ + growing - 1) / growing;
      chunk_rows_ = (records_ + chunks - 1) / chunks;
    }
    // It gets its name when it is whole: a kill before leaves none that cannot be opened.
    const std::string partial = path_ + ".partial";
    const rtsync::OpenedPath opened(partial, O_RDWR | O_CREAT);
    try {
      make(opened.name(), head);
      std::error_code error;
      std::filesystem::rename(partial, path, error);
      if (error) throw std::runtime_error(path_ + ": " + error.message());
    } catch (...) {  // as on a full disk
      (void)::unlink(partial.c_str());
      throw;
    }
  }

  void write(const std::byte* record) override {
    if (waiting_ == most_rows_) put_rows();  // which says how many were lost that were taken before this one
    rows_.append(reinterpret_cast<const char*>(record), sizeof(std::int64_t));
    packer_.append(rows_, record);
    ++waiting_;
  }

  void flush() override {
    if (live_) put_rows();
  }

  void close() override {
    if (file_ < 0) return;
    h5_be_quiet();
    put_rows();
    herr_t result = 0;
    for (Column& column : columns_) result = std::min(result, column.set.reset());
    result = std::min(result, file_.reset());
    h5_check(result, path_);
  }

  void abandon() override {  // the library reads back what it wrote, for ever where it finds something else
    for (Column& column : columns_) column.set.abandon();
    file_.abandon();
  }

 private:
  struct Column {
    tactus_type type;
    std::size_t offset;  // in a row
    H5Id set;
  };

  void make(const std::string& path, const RecordingHead& head) {
    const H5Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, path_);
    const H5Id layout(H5Pcreate(H5P_FILE_CREATE), &H5Pclose, path_);
    if (live_) {
      h5_check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), path_);
      // Without a cache of chunks, new records alone are written, not the chunk that they stand in. What a single
      // dataset says of its cache is forgotten when SWMR begins.
      h5_check(H5Pset_cache(access, 0, 7, 0, 1.0), path_);
      h5_check(H5Pset_file_space_strategy(layout, H5F_FSPACE_STRATEGY_PAGE, false, 1), path_);
      h5_check(H5Pset_file_space_page_size(layout, kPageBytes), path_);
    }
    file_ = H5Id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, layout, access), &H5Fclose, path_);
    put_attribute(file_, "Conventions", "CF-1.10");
    put_attribute(file_, "title", "recording " + head.name + " of tactus");
    put_head(head);
    const H5Id group(H5Gcreate2(file_, head.name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose,
                     path_);
    put_attribute(group, "clock", "simulated time");
    put_attribute(group, "t0_unix_ns", H5T_STD_I64LE, {&head.epoch_ns, 1});
    add_columns(group, head);
    if (live_) h5_check(H5Fstart_swmr_write(file_), path_);
  }

  void put_head(const RecordingHead& head) {
    const std::string text = head_json(head).dump(-1, ' ', false, config::Json::error_handler_t::replace);
    const hsize_t bytes = text.size();
    const H5Id space(H5Screate_simple(1, &bytes, nullptr), &H5Sclose, path_);
    const H5Id set(H5Dcreate2(file_, kHdf5Head, H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   &H5Dclose, path_);
    h5_check(H5Dwrite(set, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), path_);
  }

  void add_columns(hid_t group, const RecordingHead& head) {
    const std::vector<std::size_t> first = first_of_each_name(head);
    const bool scales = first.size() <= kMostScales;
    const RecordingHead row = packed(head);
    columns_.push_back({TACTUS_INT64, 0, make_set(group, kHdf5Time, TACTUS_INT64)});
    const hid_t time = columns_.front().set;
    put_attribute(time, "units", "nanoseconds since " + cf_date(head.epoch_ns));
    put_attribute(time, "standard_name", "time");
    put_attribute(time, "calendar", "standard");
    if (scales) h5_check(H5DSset_scale(time, kHdf5Time), path_);
    for (const std::size_t i : first) {
      const RecordColumn& column = head.columns[i];
      if (column.name == kHdf5Time || column.name.empty() || column.name.find('/') != std::string::npos)
        throw std::runtime_error(path_ + ": HDF5 cannot have a column called '" + column.name + "' here");
      const Column& made = columns_.emplace_back(
          Column{column.type, row.columns[i].offset, make_set(group, column.name.c_str(), column.type)});
      if (!column.unit.empty()) put_attribute(made.set, "units", column.unit);
      put_attribute(made.set, "long_name", column.about.empty() ? column.name : column.about);
      put_flags(made.set, column);
      if (scales) h5_check(H5DSattach_scale(made.set, time, 0), path_);
    }
  }

  H5Id make_set(hid_t group, const char* name, tactus_type type) const {
    const hsize_t none = 0;
    const hsize_t any = H5S_UNLIMITED;
    const std::size_t size = executive::size_of(type);
    const hsize_t chunk = live_ ? rows_of_whole_pages(chunk_rows_, size) : chunk_rows_;
    const std::size_t chunk_bytes = chunk * size;
    const H5Id space(H5Screate_simple(1, &none, &any), &H5Sclose, path_);
    const H5Id layout(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, path_);
    h5_check(H5Pset_chunk(layout, 1, &chunk), path_);
    if (live_) {
      h5_check(H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER), path_);
    } else if (records_ == 0) {
      h5_check(H5Pset_shuffle(layout), path_);
      h5_check(H5Pset_deflate(layout, 1), path_);
    } else {
      h5_check(H5Pset_obj_track_times(layout, false), path_);
    }
    const H5Id access(H5Pcreate(H5P_DATASET_ACCESS), &H5Pclose, path_);
    if (!live_) h5_check(H5Pset_chunk_cache(access, 7, 2 * chunk_bytes, 1.0), path_);
    return {H5Dcreate2(group, name, h5_type(type), space, H5P_DEFAULT, layout, access), &H5Dclose, path_};
  }

  /// All that waits, column by column; the times last.
  void put_rows() {
    h5_be_quiet();  // on this thread
    put_waiting(
        waiting_, [this] { put_columns(); }, [this] { rows_.clear(); });
  }
  void put_columns() {
    for (std::size_t i = 1; i < columns_.size(); ++i) put_column(columns_[i]);
    // All at once: a flush walks through what the library holds of the whole file.
    if (live_) h5_check(H5Fflush(file_, H5F_SCOPE_LOCAL), path_);
    put_column(columns_.front());
    if (live_) h5_check(H5Dflush(columns_.front().set), path_);
    written_ += waiting_;
  }

  void put_column(const Column& column) {
    const std::size_t size = executive::size_of(column.type);
    values_.resize(waiting_ * size);
    for (std::size_t row = 0; row < waiting_; ++row)
      std::memcpy(values_.data() + row * size, rows_.data() + row * row_bytes_ + column.offset, size);
    const hsize_t at = written_;
    const hsize_t count = waiting_;
    const hsize_t end = at + count;
    h5_check(H5Dset_extent(column.set, &end), path_);
    const H5Id file(H5Dget_space(column.set), &H5Sclose, path_);
    const H5Id memory(H5Screate_simple(1, &count, nullptr), &H5Sclose, path_);
    h5_check(H5Sselect_hyperslab(file, H5S_SELECT_SET, &at, nullptr, &count, nullptr), path_);
    h5_check(H5Dwrite(column.set, h5_type(column.type), memory, file, H5P_DEFAULT, values_.data()), path_);
  }

  const bool live_;
  const std::uint64_t records_;
  std::string path_;
  RowPacker packer_;
  std::size_t row_bytes_ = 0, most_rows_ = 0, chunk_rows_ = 0;
  H5Id file_;
  std::vector<Column> columns_;  // the time first
  std::string rows_;             // not yet in the file
  std::string values_;
  std::uint64_t waiting_ = 0, written_ = 0;
};

}  // namespace

std::unique_ptr<executive::RecordSink> hdf5_sink(bool live) { return std::make_unique<Hdf5Sink>(live); }

std::unique_ptr<executive::RecordSink> hdf5_sink_for(std::uint64_t records) {
  return std::make_unique<Hdf5Sink>(false, records);
}

}  // namespace tactus::drivers::record
