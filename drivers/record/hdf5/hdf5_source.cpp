// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/hdf5/hdf5_source.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "drivers/record/common/columns_json.hpp"
#include "drivers/record/hdf5/h5.hpp"
#include "drivers/record/hdf5/hdf5_sink.hpp"
#include "drivers/record/hdf5/torn_header.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/opened_path.hpp"

namespace tactus::drivers::record {
namespace {

using executive::RecordColumn;

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
/// Number of attempts to read what a writer is just writing: the next after 1 ns, then after twice as long
/// each time: 34 ms in all. The library's own 100 times never end.
constexpr unsigned kAttempts = 25;

H5Id open_growing(const std::string& opened, const std::string& path) {
  const H5Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, path);
  h5_check(H5Pset_metadata_read_attempts(access, kAttempts), path);
  return {H5Fopen(opened.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access), &H5Fclose, path};
}

class Hdf5Source final : public executive::RecordSource {
 public:
  /// `to_look`: also one of which a column has a torn header. Its records are counted, none can be read.
  explicit Hdf5Source(const std::filesystem::path& path, bool to_look = false) : path_(path.string()) {
    h5_be_quiet();
    const rtsync::OpenedPath opened(path, O_RDONLY);
    // One that nobody closed opens as one that is still being written; it may be.
    const hid_t file = H5Fopen(opened.name().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    closed_ = file >= 0;
    file_ = closed_ ? H5Id(file, &H5Fclose, path_) : open_growing(opened.name(), path_);
    read_head();
    const H5Id group(H5Gopen2(file_, head_.name.c_str(), H5P_DEFAULT), &H5Gclose, path_);
    times_ = open_set(group, kHdf5Time, TACTUS_INT64);
    for (const RecordColumn& column : head_.columns)
      sets_.push_back(open_set(group, column.name, column.type));
    if (!torn_.empty() && !to_look)
      throw std::runtime_error(path_ + ": the rig was killed while it wrote the header of " + torn_ +
                               ", which is damaged now; `tactus recover` on the run folder repairs it, and "
                               "keeps all records that the other columns have");
    std::optional<std::uint64_t> records;
    if (times_ >= 0) records = length_of(times_);
    for (const H5Id& set : sets_)
      if (set >= 0) records = std::min(records.value_or(length_of(set)), length_of(set));
    records_ = records.value_or(0);
    block_rows_ = std::max<std::uint64_t>(1, kBlockBytes / executive::record_bytes(head_));
  }

  const executive::RecordingHead& head() const override { return head_; }
  std::uint64_t records() const { return records_; }
  bool closed() const { return closed_; }
  /// Column whose header is torn: "column 'motor.speed'"; empty: none. It is the only one then.
  const std::string& torn() const { return torn_; }

  bool next(std::byte* record) override {
    if (at_ == records_) return false;
    const std::size_t bytes = executive::record_bytes(head_);
    if (at_ == block_end_) read_block();
    std::memcpy(record, block_.data() + (at_ - block_begin_) * bytes, bytes);
    ++at_;
    return true;
  }
  /// Continues there. @when service
  void seek(std::uint64_t record) { at_ = block_end_ = block_begin_ = record; }

 private:
  void read_head() {
    if (H5Lexists(file_, kHdf5Head, H5P_DEFAULT) <= 0)
      throw std::runtime_error(
          path_ + ": was not written by tactus, and other files cannot be read: it has no dataset '" +
          kHdf5Head + "'");
    const H5Id set(H5Dopen2(file_, kHdf5Head, H5P_DEFAULT), &H5Dclose, path_);
    std::string text(length_of(set), '\0');
    h5_check(H5Dread(set, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), path_);
    try {
      head_ = head_from_text(text);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path_ + ": " + error.what());
    }
  }

  /// None when its header is torn, which one column's may be: `torn_` then says which.
  H5Id open_set(hid_t group, const std::string& name, tactus_type type) {
    const std::string called = "column '" + name + "'";
    const hid_t opened = H5Dopen2(group, name.c_str(), H5P_DEFAULT);
    if (opened < 0 && (torn_.empty() || torn_ == called) && H5Lexists(group, name.c_str(), H5P_DEFAULT) > 0 &&
        torn_headers(path_).size() == 1) {
      torn_ = called;
      return {};
    }
    H5Id set(opened, &H5Dclose, path_ + ": column " + name);
    const H5Id stored(H5Dget_type(set), &H5Tclose, path_);
    if (H5Tequal(stored, h5_type(type)) <= 0)
      throw std::runtime_error(path_ + ": column " + name + " is not " +
                               std::string(executive::name_of(type)));
    return set;
  }

  std::uint64_t length_of(hid_t set) const {
    const H5Id space(H5Dget_space(set), &H5Sclose, path_);
    hsize_t length = 0;
    if (H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_dims(space, &length, nullptr) != 1)
      throw std::runtime_error(path_ + ": a dataset has not one dimension");
    return length;
  }

  void read_block() {
    const std::size_t bytes = executive::record_bytes(head_);
    block_begin_ = at_;
    block_end_ = std::min(records_, at_ + block_rows_);
    block_.resize((block_end_ - block_begin_) * bytes);
    read_column(times_, TACTUS_INT64, 0);
    for (std::size_t i = 0; i < sets_.size(); ++i)
      read_column(sets_[i], head_.columns[i].type, head_.columns[i].offset);
  }

  void read_column(hid_t set, tactus_type type, std::size_t offset) {
    const hsize_t at = block_begin_;
    const hsize_t count = block_end_ - block_begin_;
    const std::size_t size = executive::size_of(type);
    const std::size_t bytes = executive::record_bytes(head_);
    column_.resize(count * size);
    const H5Id file(H5Dget_space(set), &H5Sclose, path_);
    const H5Id memory(H5Screate_simple(1, &count, nullptr), &H5Sclose, path_);
    h5_check(H5Sselect_hyperslab(file, H5S_SELECT_SET, &at, nullptr, &count, nullptr), path_);
    h5_check(H5Dread(set, h5_type(type), memory, file, H5P_DEFAULT, column_.data()), path_);
    for (std::size_t row = 0; row < count; ++row)
      std::memcpy(block_.data() + row * bytes + offset, column_.data() + row * size, size);
  }

  std::string path_, torn_;
  bool closed_ = false;
  H5Id file_, times_;
  std::vector<H5Id> sets_;
  executive::RecordingHead head_;
  std::uint64_t records_ = 0, at_ = 0, block_rows_ = 1, block_begin_ = 0, block_end_ = 0;
  std::vector<std::byte> block_;
  std::string column_;
};

/// A column whose header is torn gets as many records as the others have in common. It has them: the times
/// are written when all columns are in the file, the header of a column after its values.
void put_header_right(const std::filesystem::path& path) {
  std::uint64_t records = 0;
  {
    const Hdf5Source source(path, true);
    if (source.torn().empty()) return;
    records = source.records();
  }
  mend_header(path, torn_headers(path).front(), records);
}

}  // namespace

std::unique_ptr<executive::RecordSource> read_hdf5(const std::filesystem::path& file) {
  return std::make_unique<Hdf5Source>(file);
}

executive::RecordedFile examine_hdf5(const std::filesystem::path& path) {
  executive::RecordedFile found{.path = path, .bytes = std::filesystem::file_size(path)};
  if (found.bytes == 0) return found;
  try {
    Hdf5Source source(path, true);
    found.whole = found.bytes;
    found.records = source.records();
    if (!source.closed()) found.unended = "its end";
    if (!source.torn().empty()) {
      found.unended = "its end and the header of " + source.torn() + ", which the kill tore,";
    } else if (found.records > 0) {
      std::vector<std::byte> record(executive::record_bytes(source.head()));
      source.seek(found.records - 1);
      (void)source.next(record.data());
      std::int64_t time = 0;
      std::memcpy(&time, record.data(), sizeof time);
      found.last_ns = time;
    }
  } catch (const std::runtime_error& error) {
    found.damage = error.what();
  }
  return found;
}

void mend_hdf5(const executive::RecordedFile& found) {
  std::filesystem::path made = found.path;
  made += ".mended";
  std::error_code error;
  std::filesystem::remove(made, error);  // of an attempt before
  try {
    put_header_right(found.path);
    Hdf5Source source(found.path);
    const auto sink = hdf5_sink(false);
    sink->open(made, source.head());
    std::vector<std::byte> record(executive::record_bytes(source.head()));
    while (source.next(record.data())) sink->write(record.data());
    sink->close();
  } catch (...) {
    std::filesystem::remove(made, error);
    throw;
  }
  std::filesystem::rename(made, found.path, error);
  if (error) throw std::runtime_error(found.path.string() + ": " + error.message());
}

}  // namespace tactus::drivers::record
