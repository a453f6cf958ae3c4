// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/hdf5/shortened_sink.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "drivers/record/hdf5/hdf5_sink.hpp"
#include "drivers/record/hdf5/hdf5_source.hpp"

namespace tactus::drivers::record {
namespace {

namespace fs = std::filesystem;

/// Room below this share of the values is left where it is; so files above 30 times the room of a growing file (4
/// MiB) are never written anew.
constexpr std::uint64_t kRoomShare = 30;

/// 0: there is no such file.
ino_t number_of(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

class ShortenedSink final : public executive::RecordSink {
 public:
  std::string file_name(const std::string& recording) const override { return sink_->file_name(recording); }
  bool has_dates() const override { return sink_->has_dates(); }
  void open(const fs::path& path, const executive::RecordingHead& head) override {
    sink_->open(path, head);
    path_ = path;
    number_ = number_of(path);
    record_bytes_ = executive::record_bytes(head);
  }
  void write(const std::byte* record) override {
    sink_->write(record);
    ++records_;
  }
  void flush() override { sink_->flush(); }
  void close() override {
    const fs::path path = std::exchange(path_, {});
    sink_->close();
    if (path.empty() || number_ == 0 || number_of(path) != number_) return;  // nobody else's file
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    const std::uint64_t values = records_ * record_bytes_;
    if (!error && bytes > values + values / kRoomShare) shorten(path);
  }
  void abandon() override {
    path_.clear();
    sink_->abandon();
  }

 private:
  /// The file is whole as it is: where it cannot be written anew, as on a full disk, it stays.
  void shorten(const fs::path& path) const {
    fs::path made = path;
    made += ".shortened";
    std::error_code error;
    try {
      {
        const auto source = read_hdf5(path);
        const auto sink = hdf5_sink_for(records_);
        sink->open(made, source->head());
        std::vector<std::byte> record(executive::record_bytes(source->head()));
        while (source->next(record.data())) sink->write(record.data());
        sink->close();
      }
      fs::rename(made, path, error);
      if (!error) return;
    } catch (const std::exception&) {
      // said above
    }
    fs::remove(made, error);
  }

  std::unique_ptr<executive::RecordSink> sink_ = hdf5_sink(true);
  fs::path path_;
  ino_t number_ = 0;
  std::uint64_t records_ = 0;
  std::size_t record_bytes_ = 0;
};

}  // namespace

std::unique_ptr<executive::RecordSink> shortened_hdf5_sink() { return std::make_unique<ShortenedSink>(); }

}  // namespace tactus::drivers::record
