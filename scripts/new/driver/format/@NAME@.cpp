// A format of recordings: lines of text that describe the columns, an empty line, and then the records as they are in
// memory. Put your own format in its place.
#include <tactus/record_driver.hpp>
#include <tactus/record_file.hpp>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view kMark = "@NAME@ 1";

/// The columns of a file, and where its records begin.
struct Layout {
  tactus::Recording recording;
  std::size_t begin = 0;
};

std::string described(const tactus::Recording& recording) {
  std::string text = std::string(kMark) + "\n";
  for (const tactus::Column& column : recording.columns) {
    std::string name = column.name;
    for (char& c : name)
      if (c == '\n' || c == '\t') c = ' ';  // a name must not end its line
    text += std::to_string(static_cast<int>(column.type)) + "\t" + column.unit + "\t" + name + "\n";
  }
  return text + "\n";
}

/// Throws with what is wrong: any program may have written the file, and a kill may have cut it anywhere.
Layout layout_of(const tactus::ReadFile& file) {
  Layout layout;
  layout.recording.name = std::filesystem::path(file.path()).stem().string();
  const auto refuse = [&](const std::string& why) { throw std::runtime_error(file.path() + ": " + why); };
  bool first = true;
  for (;;) {
    const std::size_t end = file.bytes().find('\n', layout.begin);
    if (end == std::string_view::npos) refuse("its description is cut off");
    const std::string_view line = file.bytes().substr(layout.begin, end - layout.begin);
    layout.begin = end + 1;
    if (first && line != kMark) refuse("does not begin with '" + std::string(kMark) + "'");
    if (!first && line.empty()) break;
    if (!first) {
      const std::size_t unit = line.find('\t');
      const std::size_t name = unit == std::string_view::npos ? unit : line.find('\t', unit + 1);
      int type = 0;
      if (name == std::string_view::npos ||
          std::from_chars(line.data(), line.data() + unit, type).ptr != line.data() + unit ||
          type < TACTUS_BOOL || type > TACTUS_DOUBLE)
        refuse("'" + std::string(line) + "' describes no column");
      tactus::Column& column = layout.recording.columns.emplace_back();
      column.type = static_cast<tactus_type>(type);
      column.unit = line.substr(unit + 1, name - unit - 1);
      column.name = line.substr(name + 1);
    }
    first = false;
  }
  layout.recording.pack();
  return layout;
}

class Reader final : public tactus::RecordReader {
 public:
  explicit Reader(const std::string& file) : file_(file), layout_(layout_of(file_)), at_(layout_.begin) {}

  const tactus::Recording& recording() const override { return layout_.recording; }
  bool next(std::byte* record) override {
    const std::size_t bytes = layout_.recording.record_bytes;
    if (file_.bytes().size() - at_ < bytes) return false;
    std::memcpy(record, file_.bytes().data() + at_, bytes);
    at_ += bytes;
    file_.passed(at_);
    return true;
  }

 private:
  tactus::ReadFile file_;
  Layout layout_;
  std::size_t at_;
};

class @CLASS@ final : public tactus::RecordDriver {
 public:
  void keys(tactus::Keys& k) override {
    k.whole("buffer", buffer_, {1, 100'000}, "records that are written at once");
  }

  void open(const std::string& file, const tactus::Recording& recording) override {
    recording_ = &recording;
    packed_ = recording;
    packed_.pack();
    file_.create(file);
    file_.append(described(recording));
  }
  void write(const std::byte* record) override {
    const std::size_t begin = waiting_.size();
    waiting_.resize(begin + packed_.record_bytes);
    std::memcpy(waiting_.data() + begin, record, sizeof(std::int64_t));
    for (std::size_t i = 0; i < packed_.columns.size(); ++i)
      std::memcpy(waiting_.data() + begin + packed_.columns[i].offset, record + recording_->columns[i].offset,
                  tactus::bytes_of(packed_.columns[i].type));
    if (++records_ >= buffer_) flush();
  }
  void flush() override {
    if (records_ == 0) return;
    const std::uint64_t records = std::exchange(records_, 0);
    const std::string bytes = std::exchange(waiting_, {});
    try {
      file_.append(bytes);  // all of it, or nothing
    } catch (const std::exception& error) {
      throw tactus::RecordsLost(error.what(), records);
    }
  }
  void close() override {
    if (!file_.is_open()) return;
    flush();
    file_.close();
  }

  tactus::Examined examine(const std::string& name) const override {
    const tactus::ReadFile file(name);
    tactus::Examined found;
    found.bytes = file.bytes().size();
    if (found.bytes == 0) return found;
    try {
      const Layout layout = layout_of(file);
      const std::size_t bytes = layout.recording.record_bytes;
      found.records = (found.bytes - layout.begin) / bytes;
      found.whole = layout.begin + found.records * bytes;
      found.has_last = found.records > 0;
      if (found.has_last)
        std::memcpy(&found.last_ns, file.bytes().data() + found.whole - bytes, sizeof found.last_ns);
    } catch (const std::runtime_error& error) {
      found.damage = error.what();
    }
    return found;
  }
  std::unique_ptr<tactus::RecordReader> read(const std::string& file) const override {
    return std::make_unique<Reader>(file);
  }
  std::vector<std::string> omits(const tactus::Recording& recording) const override {
    std::vector<std::string> parts;
    bool labels = false, about = false;
    for (const tactus::Column& column : recording.columns) {
      labels = labels || !column.labels.empty();
      about = about || !column.about.empty();
    }
    if (labels) parts.emplace_back("the names of values");
    if (about) parts.emplace_back("the descriptions of columns");
    if (recording.epoch_ns != 0) parts.emplace_back("the date of simulated time 0");
    return parts;
  }

 private:
  std::uint64_t buffer_ = 100;
  const tactus::Recording* recording_ = nullptr;
  tactus::Recording packed_;
  tactus::RecordFile file_;
  std::string waiting_;
  std::uint64_t records_ = 0;
};

}  // namespace

TACTUS_RECORD_DRIVER("@NAME@", @CLASS@, "", ".@NAME@", "A recording as described binary records.")
