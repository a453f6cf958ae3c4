// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mdf4/mdf4_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "drivers/record/common/appended_file.hpp"
#include "drivers/record/common/bytes.hpp"
#include "drivers/record/common/mapped_file.hpp"
#include "drivers/record/common/row.hpp"
#include "drivers/record/common/whole_number.hpp"
#include "drivers/record/mdf4/blocks.hpp"

namespace tactus::drivers::record {
namespace {

using executive::RecordColumn;

constexpr std::uint8_t kMdfOfTime = 1;                              // what a master channel is of
constexpr std::uint32_t kMdfNeverValid = 1, kMdfHasInvalidBit = 2;  // flags of a channel

/// A channel as it is in the records.
struct MdfChannel {
  std::uint8_t kind = 0, type = 0, bit = 0;
  std::uint32_t at = 0, bits = 0;
  double offset = 0, factor = 1;  // of its conversion
  bool converted = false;
  bool never_valid = false;
  std::optional<std::uint64_t> invalid_at{};      // bit of a record that says that there is no value
  RecordColumn column{"", "", TACTUS_DOUBLE, 0};  // what becomes of it

  std::size_t bytes() const { return (bit + bits + 7U) / 8U; }
};

std::optional<tactus_type> stored_type(const MdfChannel& channel) {
  const bool whole = channel.bit == 0;
  if (channel.type == 4 && whole && channel.bits == 32) return TACTUS_FLOAT;
  if (channel.type == 4 && whole && channel.bits == 64) return TACTUS_DOUBLE;
  if (channel.type == 0 && channel.bits == 1) return TACTUS_BOOL;
  if (!whole || (channel.type != 0 && channel.type != 2)) return std::nullopt;
  if (channel.bits % 8 != 0) return std::nullopt;
  return whole_number(channel.bits / 8, channel.type == 2);
}

/// Layout before the data: where the parts are, and what the records hold.
struct MdfLayout {
  std::uint64_t head_end = 0;  // behind the last block that describes it
  std::uint64_t data_link = 0, first_data = 0, cycle_at = 0, cycles = 0;
  std::size_t row = 0;     // bytes of a record
  std::size_t values = 0;  // bytes of its values; what follows them says which are invalid
  std::string name, comment;
  std::uint64_t start_ns = 0;
  std::vector<MdfChannel> channels;  // the master first
};

class LayoutReader {
 public:
  explicit LayoutReader(std::string_view file) : file_(file) {}

  MdfLayout read() {
    if (!file_.starts_with("MDF     4.")) {
      if (file_.starts_with("UnFinMF "))
        throw std::runtime_error("it is not finalised: let the tool that wrote it finalise it");
      throw std::runtime_error("it does not begin as MDF 4");
    }
    const MdfBlock head = block(kMdfHeadAt, "HD");
    layout_.start_ns = ByteReader(head.data).take<std::uint64_t>();
    layout_.comment = text(head.link(5));
    text_block(head.link(1));
    const MdfBlock group = block(head.link(0), "DG");
    if (group.link(0) != 0)
      throw std::runtime_error("it holds more than one group; export one of them to a file of its own");
    if (group.data.empty() || group.data[0] != 0)
      throw std::runtime_error("it is not sorted; sort it with the tool that wrote it");
    layout_.data_link = group.at + kMdfGroupData;
    layout_.first_data = group.link(2);
    const MdfBlock channels = block(group.link(1), "CG");
    if (channels.link(0) != 0)
      throw std::runtime_error("it holds more than one group; export one of them to a file of its own");
    layout_.cycle_at = channels.at + kMdfCycleCount;
    ByteReader reader(channels.data);
    reader.skip(8);
    layout_.cycles = reader.take<std::uint64_t>();
    reader.skip(8);
    layout_.values = reader.take<std::uint32_t>();
    layout_.row = layout_.values + reader.take<std::uint32_t>();  // with its invalidation bits
    layout_.name = text(channels.link(2));
    read_channels(channels.link(1));
    return std::move(layout_);
  }

 private:
  MdfBlock block(std::uint64_t at, std::string_view type = "") {
    MdfBlock read = mdf_read(file_, at, type);
    layout_.head_end = std::max(layout_.head_end, read.end);
    return read;
  }
  std::string text(std::uint64_t at) {
    if (at != 0) (void)block(at);
    return mdf_text(file_, at);
  }
  /// FH, and its comment.
  void text_block(std::uint64_t at) {
    if (at != 0) (void)text(block(at).link(1));
  }

  void read_channels(std::uint64_t first) {
    std::unordered_set<std::uint64_t> seen;
    bool master = false;
    for (std::uint64_t at = first; at != 0;) {
      if (!seen.insert(at).second) throw std::runtime_error("its channels lead in a circle");
      const MdfBlock read = block(at, "CN");
      MdfChannel channel = read_channel(read);
      if (channel.kind == 2 && !master) {
        master = true;
        layout_.channels.insert(layout_.channels.begin(), std::move(channel));
      } else {
        layout_.channels.push_back(std::move(channel));
      }
      at = read.link(0);
    }
    if (!master) throw std::runtime_error("it has no channel of time");
  }

  MdfChannel read_channel(const MdfBlock& read) {
    MdfChannel channel;
    ByteReader reader(read.data);
    channel.kind = reader.take<std::uint8_t>();
    const auto master_of = reader.take<std::uint8_t>();
    channel.type = reader.take<std::uint8_t>();
    channel.bit = reader.take<std::uint8_t>();
    channel.at = reader.take<std::uint32_t>();
    channel.bits = reader.take<std::uint32_t>();
    const auto flags = reader.take<std::uint32_t>();
    const auto invalid_bit = reader.take<std::uint32_t>();
    channel.column.name = text(read.link(2));
    channel.column.unit = text(read.link(6));
    channel.column.about = text(read.link(7));
    const auto type = stored_type(channel);
    if ((channel.kind != 0 && channel.kind != 2) || !type || channel.bit > 7 ||
        std::uint64_t{channel.at} + channel.bytes() > layout_.row)
      throw std::runtime_error("channel '" + channel.column.name +
                               "' is of a kind that tactus does not know (it reads numbers and bits)");
    if (read.link(1) != 0)
      throw std::runtime_error("channel '" + channel.column.name +
                               "' has parts, as an array; export each as a channel of its own");
    if (channel.kind == 2 && master_of != kMdfOfTime)
      throw std::runtime_error("its first channel, '" + channel.column.name +
                               "', is not a time; export it over time");
    channel.never_valid = (flags & kMdfNeverValid) != 0;
    if ((flags & kMdfHasInvalidBit) != 0)
      channel.invalid_at = std::uint64_t{layout_.values} * 8 + invalid_bit;
    if (channel.invalid_at && *channel.invalid_at / 8 >= layout_.row)
      throw std::runtime_error("channel '" + channel.column.name + "' has its mark outside of the records");
    channel.column.type = *type;
    if (read.link(4) != 0) read_conversion(channel, read.link(4));
    return channel;
  }

  void read_conversion(MdfChannel& channel, std::uint64_t at) {
    const MdfBlock read = block(at, "CC");
    ByteReader reader(read.data);
    const auto type = reader.take<std::uint8_t>();
    reader.skip(5);
    const auto values = reader.take<std::uint16_t>();
    reader.skip(16);
    if (type == 0) return;
    if (type == 1) {
      channel.offset = reader.take<double>();
      channel.factor = reader.take<double>();
      channel.converted = channel.offset != 0 || channel.factor != 1;
      if (channel.converted && channel.kind == 0) channel.column.type = TACTUS_DOUBLE;
    } else if (type == 7) {
      for (std::uint16_t i = 0; i < values; ++i) {
        const auto value = reader.take<double>();
        const std::uint64_t name = read.link(4 + std::size_t{i});
        if (name != 0 && std::abs(value) < 9.2e18)
          channel.column.labels.push_back({text(name), static_cast<std::int64_t>(value)});
      }
    } else {
      throw std::runtime_error("channel '" + channel.column.name + "' has a conversion of type " +
                               std::to_string(type) + "; tactus knows linear ones and values with names");
    }
  }

  std::string_view file_;
  MdfLayout layout_;
};

/// The data of a group, piece by piece.
struct MdfData {
  std::vector<std::string_view> pieces{};
  std::uint64_t bytes = 0;
  std::uint64_t end = 0;        ///< end of the last block
  std::uint64_t last_link = 0;  ///< place of the link to what follows
  bool cut_off = false;         ///< it leads beyond the end of the file
  std::string damage{};         ///< reason why the list ends early; empty: it does not
};

MdfData read_data(MappedFile& mapped, const MdfLayout& layout) {
  const std::string_view file = mapped.bytes();
  MdfData data{.last_link = layout.data_link};
  std::unordered_set<std::uint64_t> seen;
  const auto take = [&](const MdfBlock& block) {
    data.pieces.push_back(block.data);
    data.bytes += block.data.size();
    data.end = std::max(data.end, block.end);
  };
  try {
    for (std::uint64_t at = layout.first_data; at != 0;) {
      const MdfBlock block = mdf_read(file, at);
      if (!seen.insert(at).second) throw std::runtime_error("its data lead in a circle");
      if (block.type == "DT") {
        take(block);
        break;
      }
      if (block.type == "HL" || block.type == "DZ")
        throw std::runtime_error("its data are compressed; save it without compression");
      if (block.type != "DL") throw std::runtime_error("its data are a block " + std::string(block.type));
      std::vector<MdfBlock> parts;
      for (std::size_t i = 1; i < block.links.size(); ++i)
        parts.push_back(mdf_read(file, block.links[i], "DT"));
      for (const MdfBlock& part : parts) take(part);
      data.end = std::max(data.end, block.end);
      data.last_link = at + kMdfNextList;
      mapped.passed(at);  // blocks stand everywhere in the file: without this, all of it would be in memory
      at = block.link(0);
    }
  } catch (const MdfCutOff&) {
    data.cut_off = true;
  } catch (const std::runtime_error& error) {
    data.damage = error.what();
  }
  return data;
}

std::optional<std::int64_t> epoch_of(const MdfLayout& layout) {
  constexpr std::string_view kMark = "<e name=\"tactus.epoch_ns\">";
  const std::size_t at = layout.comment.find(kMark);
  if (at == std::string::npos) return std::nullopt;
  return std::strtoll(layout.comment.c_str() + at + kMark.size(), nullptr, 10);
}

class Mdf4Source final : public executive::RecordSource {
 public:
  explicit Mdf4Source(const std::filesystem::path& path) : file_(path) {
    try {
      layout_ = LayoutReader(file_.bytes()).read();
      data_ = read_data(file_, layout_);
      if (!data_.damage.empty()) throw std::runtime_error(data_.damage);
      if (layout_.row == 0 || (!data_.cut_off && data_.bytes / layout_.row < layout_.cycles))
        throw std::runtime_error("it holds fewer records than it says");
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path.string() + ": " + error.what());
    }
    head_.name = layout_.name.empty() ? path.stem().string() : layout_.name;
    head_.epoch_ns = epoch_of(layout_).value_or(
        static_cast<std::int64_t>(std::min<std::uint64_t>(layout_.start_ns, INT64_MAX)));
    for (std::size_t i = 1; i < layout_.channels.size(); ++i)
      head_.columns.push_back(layout_.channels[i].column);
    head_ = packed(std::move(head_));
  }

  const executive::RecordingHead& head() const override { return head_; }

  bool next(std::byte* record) override {
    if (!next_row()) return false;
    ++number_;
    if (is_invalid(layout_.channels.front())) fail(layout_.channels.front());
    const std::int64_t time = time_of(layout_.channels.front());
    std::memcpy(record, &time, sizeof time);
    for (std::size_t i = 1; i < layout_.channels.size(); ++i)
      take(layout_.channels[i], record + head_.columns[i - 1].offset);
    return true;
  }

 private:
  /// A record may begin in one piece and end in another.
  bool next_row() {
    row_.clear();
    while (row_.size() < layout_.row) {
      if (piece_ == data_.pieces.size()) return false;
      const std::string_view part = data_.pieces[piece_].substr(at_, layout_.row - row_.size());
      row_ += part;
      at_ += part.size();
      file_.passed(static_cast<std::size_t>(part.data() - file_.bytes().data()));
      if (at_ == data_.pieces[piece_].size()) {
        ++piece_;
        at_ = 0;
      }
    }
    return true;
  }

  template <class T>
  T stored(const MdfChannel& channel) const {
    T value;
    std::memcpy(&value, row_.data() + channel.at, sizeof value);
    return value;
  }
  unsigned bit(const MdfChannel& channel) const {
    return (static_cast<unsigned char>(row_[channel.at]) >> channel.bit) & 1U;
  }
  double raw(const MdfChannel& channel) const {
    if (channel.bits == 1) return bit(channel);
    if (channel.type == 4 && channel.bits == 32) return static_cast<double>(stored<float>(channel));
    if (channel.type == 4) return stored<double>(channel);
    std::uint64_t whole = 0;
    std::memcpy(&whole, row_.data() + channel.at, channel.bits / 8);
    if (channel.type == 0) return static_cast<double>(whole);
    return static_cast<double>(static_cast<std::int64_t>(whole << (64 - channel.bits)) >>
                               (64 - channel.bits));
  }

  /// Nanoseconds: as they are there, or of seconds.
  std::int64_t time_of(const MdfChannel& channel) const {
    const tactus_type type = *stored_type(channel);
    if (channel.converted && channel.offset == 0 && channel.factor == 1e-9 &&
        (type == TACTUS_INT64 || type == TACTUS_UINT64))
      return stored<std::int64_t>(channel);
    const double seconds = channel.offset + channel.factor * raw(channel);
    if (!(std::abs(seconds) < 9.2e9))
      throw std::runtime_error(file_.path().string() + ": a time of " + std::to_string(seconds) +
                               " s is beyond what 64 bits of nanoseconds hold");
    return std::llround(static_cast<long double>(seconds) * 1e9L);
  }

  bool is_invalid(const MdfChannel& channel) const {
    if (channel.never_valid || !channel.invalid_at) return channel.never_valid;
    const auto byte = static_cast<unsigned char>(row_[static_cast<std::size_t>(*channel.invalid_at / 8)]);
    return ((byte >> (*channel.invalid_at % 8)) & 1U) != 0;
  }
  [[noreturn]] void fail(const MdfChannel& channel) const {
    throw executive::DamagedRecord(file_.path().string() + ": record " + std::to_string(number_) +
                                   " has no valid value of '" + channel.column.name +
                                   "', and a whole number cannot say so; export it without such records");
  }

  void take(const MdfChannel& channel, std::byte* to) const {
    if (is_invalid(channel)) {
      take_nothing(channel, to);
    } else if (channel.converted) {
      const double value = channel.offset + channel.factor * raw(channel);
      std::memcpy(to, &value, sizeof value);
    } else if (channel.column.type == TACTUS_BOOL) {
      *to = static_cast<std::byte>(bit(channel));
    } else {
      std::memcpy(to, row_.data() + channel.at, executive::size_of(channel.column.type));
    }
  }

  void take_nothing(const MdfChannel& channel, std::byte* to) const {
    constexpr auto kNone = std::numeric_limits<double>::quiet_NaN();
    constexpr auto kShortNone = std::numeric_limits<float>::quiet_NaN();
    if (channel.column.type == TACTUS_DOUBLE)
      std::memcpy(to, &kNone, sizeof kNone);
    else if (channel.column.type == TACTUS_FLOAT)
      std::memcpy(to, &kShortNone, sizeof kShortNone);
    else
      fail(channel);
  }

  MappedFile file_;
  MdfLayout layout_;
  MdfData data_;
  executive::RecordingHead head_;
  std::uint64_t number_ = 0;  // of the record
  std::string row_;
  std::size_t piece_ = 0, at_ = 0;
};

/// The time of the last record; our master is the first eight bytes.
std::optional<std::int64_t> last_time(const MdfLayout& layout, const MdfData& data) {
  if (data.pieces.empty() || data.pieces.back().size() < layout.row || layout.row < sizeof(std::int64_t))
    return std::nullopt;
  const std::string_view piece = data.pieces.back();
  return ByteReader(piece, piece.size() - layout.row).take<std::int64_t>();
}

}  // namespace

std::unique_ptr<executive::RecordSource> read_mdf4(const std::filesystem::path& file) {
  return std::make_unique<Mdf4Source>(file);
}

executive::RecordedFile examine_mdf4(const std::filesystem::path& path) {
  MappedFile file(path);
  executive::RecordedFile found{.path = path, .bytes = file.bytes().size()};
  if (found.bytes == 0) return found;
  MdfLayout layout;
  try {
    layout = LayoutReader(file.bytes()).read();
  } catch (const std::runtime_error& error) {
    found.damage = error.what();
    return found;
  }
  const MdfData data = read_data(file, layout);
  found.whole = std::max(layout.head_end, data.end);
  found.records = layout.row == 0 ? 0 : data.bytes / layout.row;
  found.last_ns = last_time(layout, data);
  if (!data.damage.empty()) {
    found.damage = "after record " + std::to_string(found.records) + ": " + data.damage;
    found.whole = found.bytes;  // what is behind it may be good
  } else if (data.cut_off || found.records != layout.cycles) {
    found.unended = "its record count";
  }
  return found;
}

void mend_mdf4(const executive::RecordedFile& found) {
  MdfLayout layout;
  MdfData data;
  {
    MappedFile file(found.path);
    layout = LayoutReader(file.bytes()).read();
    data = read_data(file, layout);
    data.pieces.clear();  // they go with the file
  }
  AppendedFile file;
  file.reopen(found.path, found.whole);
  if (data.cut_off) file.overwrite(data.last_link, number_bytes(std::uint64_t{0}));
  if (layout.cycles != found.records) file.overwrite(layout.cycle_at, number_bytes(found.records));
  file.close();
}

}  // namespace tactus::drivers::record
